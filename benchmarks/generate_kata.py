"""A large made-up kata export: ``python benchmarks/generate_kata.py OUT [--issues N] [--seed S]``.

About 1 kB an issue, written as a stream; the same arguments give the same bytes. One project for 20,000 issues, for each issue
half a comment and a third of a link, an event, and metadata as agents leave it:

====================  =============================================================================
60 % open             the rest closed, of these a tenth deleted
half                  with dates, a third of them with a zone
a fifth               with a checklist of one to six items
a third               with ``work.*`` keys, a tenth with a request
2 % faulty            broken in one way of :data:`FAULTS`
====================  =============================================================================
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
BORN, SEEN = "2026-05-20T09:00:00.000Z", "2026-09-18T10:00:00.000Z"
PER_PROJECT = 20_000
BATCH = 2000
ZONES = ("Europe/Berlin", "America/New_York", "Asia/Tokyo", "UTC")
AGENTS = ("coordinator", "reviewer", "builder", "night-shift/agent-1", "docs")
WORDS = [
    "harbor",
    "quay",
    "crane",
    "tide",
    "berth",
    "pilot",
    "ferry",
    "buoy",
    "radar",
    "fender",
    "mooring",
    "survey",
    "dredge",
    "customs",
    "signal",
    "export",
    "import",
    "roster",
]
FAULTS: tuple[Callable[[dict[str, Any]], None], ...] = (
    lambda metadata: metadata.update(scheduled_on="2026-09-20T15:30:00-07:00"),
    lambda metadata: metadata.update(scheduled_on=" 2026-10-01"),
    lambda metadata: metadata.update(deadline_on="2026/10/01"),
    lambda metadata: metadata.update(scheduled_on="2026-09-20T9:30"),
    lambda metadata: metadata.update(someday="true"),
    lambda metadata: metadata.update(timezone="europe/berlin"),
    lambda metadata: metadata.update(timezone="PST"),
    lambda metadata: metadata.update({"work.attention": "Needs Human"}),
    lambda metadata: metadata.update({request("reviewer") + "=": {"from": "docs", "message": "Please look"}}),
    lambda metadata: metadata.update(checklist=[{"id": uid("T", 7).lower(), "text": "x", "done": False}]),
)


def uid(letter: str, number: int) -> str:
    """A uid of its own for each letter and number."""
    digits = ""
    while number:
        number, digit = divmod(number, 32)
        digits = ALPHABET[digit] + digits
    return f"01K5A1{letter}".ljust(26 - len(digits), "0") + digits


def request(recipient: str) -> str:
    """The key of a request."""
    return "notify." + base64.urlsafe_b64encode(recipient.encode()).decode().rstrip("=")


def line(kind: str, data: dict[str, Any]) -> str:
    """A line as kata writes it."""
    return json.dumps({"kind": kind, "data": data}, ensure_ascii=False, separators=(",", ":")) + "\n"


def metadata_of(draw: random.Random, number: int) -> dict[str, Any]:
    """The metadata of an issue."""
    found: dict[str, Any] = {}
    if draw.random() < 0.5:
        day = f"2026-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
        found["scheduled_on"] = draw.choice((day, f"{day}T{draw.randint(0, 23):02}:30", f"{day}T08:00:00Z"))
        if draw.random() < 0.33:
            found["timezone"] = draw.choice(ZONES)
    if draw.random() < 0.2:
        found["checklist"] = [
            {
                "id": uid("T", number * 8 + place),
                "text": " ".join(draw.choices(WORDS, k=3)),
                "done": draw.random() < 0.5,
            }
            for place in range(draw.randint(1, 6))
        ]
    if draw.random() < 0.33:
        found["work.branch"] = f"agent/{draw.choice(WORDS)}-{number}"
        found["work.attention"] = draw.choice(("ok", "ok", "needs-human", "stuck"))
    if draw.random() < 0.1:
        found[request(draw.choice(AGENTS))] = {
            "from": draw.choice(AGENTS),
            "message": " ".join(draw.choices(WORDS, k=8)),
        }
    if draw.random() < 0.02:
        draw.choice(FAULTS)(found)
    return found


def lines(issues: int, seed: int) -> Iterator[str]:
    """Every line of the export."""
    draw = random.Random(seed)
    for key, value in (
        ("export_version", "32"),
        ("created_by_version", "0.1.0"),
        ("instance_uid", uid("N", 1)),
        ("schema_version", "32"),
    ):
        yield line("meta", {"key": key, "value": value})
    projects = issues // PER_PROJECT + 1
    for number in range(1, projects + 1):
        yield line(
            "project",
            {
                "id": number,
                "uid": uid("P", number),
                "name": f"project-{number}",
                "created_at": BORN,
                "metadata": {"area": "Work"},
                "revision": 3,
            },
        )
    for number in range(1, issues + 1):
        yield line("issue", issue(draw, number))
    for number in range(1, issues + 1, 2):
        yield line(
            "comment",
            {
                "id": number,
                "uid": uid("C", number),
                "issue_id": number,
                "author": "docs",
                "body": " ".join(draw.choices(WORDS, k=40)),
                "created_at": SEEN,
            },
        )
    for number in range(3, issues + 1, 3):
        other = draw.randint(max(1, number - 500), number - 1)
        ends = {
            "from_issue_id": number,
            "from_issue_uid": uid("Q", number),
            "to_issue_id": other,
            "to_issue_uid": uid("Q", other),
        }
        yield line(
            "link",
            {"id": number, **ends, "type": draw.choice(("blocks", "parent")), "author": "docs", "created_at": SEEN},
        )
    for number in range(1, issues + 1):
        yield line(
            "event",
            {
                "id": number,
                "uid": uid("E", number),
                "origin_instance_uid": uid("N", 1),
                "project_id": 1,
                "project_name": "project-1",
                "issue_id": number,
                "issue_uid": uid("Q", number),
                "type": "issue.created",
                "actor": "docs",
                "payload": {},
                "hlc_physical_ms": 1_789_725_600_000 + number,
                "hlc_counter": 0,
                "content_hash": f"{number:064x}",
                "created_at": BORN,
            },
        )


def issue(draw: random.Random, number: int) -> dict[str, Any]:
    """The data of an issue."""
    own, is_closed = uid("Q", number), draw.random() < 0.4
    return {
        "id": number, "uid": own, "project_id": (number - 1) // PER_PROJECT + 1, "short_id": own[-6:].lower(), "title": " ".join(draw.choices(WORDS, k=6)),
        "body": " ".join(draw.choices(WORDS, k=60)), "status": "closed" if is_closed else "open", "closed_reason": "done" if is_closed else None,
        "owner": draw.choice(AGENTS), "author": draw.choice(AGENTS), "created_at": BORN, "updated_at": SEEN, "closed_at": SEEN if is_closed else None,
        "deleted_at": SEEN if is_closed and draw.random() < 0.1 else None, "metadata": metadata_of(draw, number), "revision": draw.randint(1, 9),
        "content_revision": 0,
    }  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Write the export."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--issues", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=20261001)
    chosen = parser.parse_args(arguments)
    found = lines(chosen.issues, chosen.seed)
    with chosen.out.open("w", encoding="utf-8", newline="\n") as file:
        while portion := "".join(islice(found, BATCH)):
            file.write(portion)
    return 0


if __name__ == "__main__":
    sys.exit(main())
