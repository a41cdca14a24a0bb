"""Records that belong to no work: follow-up prompts, notes, tasks of the first weeks, long prompts in parts."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from harbor.model import Entry, Number, Ref
from harbor.remarks import NOTES, PROMPTS

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
FIRST_SESSION = "5a0f6f58-3c1e-4d0b-9a3e-6f6a1a3f9b10"
"""Thread of the first days, when a thread was a session."""

TASKS = (
    (
        "t-price-list",
        "2025-10-14 11:02",
        "Ask the office for the price list of 2026",
        {"status": "open", "priority": 6, "assignee": "jonna@harbor.example", "due_date": "2025-11-15"},
    ),
    (
        "t-jetty-e",
        "2025-10-21 09:30",
        "Measure the berths of jetty E, the book has no lengths for 71 to 90",
        {"status": "pending", "priority": 8, "assignee": "tobias@harbor.example", "due_date": "2025-11-30"},
    ),
    (
        "t-domain",
        "2025-11-04 14:15",
        "Register a short domain for the login links",
        {"status": "done", "priority": 3, "config": {"provider": "registrar", "years": 2}},
    ),
    (
        "t-scans",
        "2025-11-20 10:50",
        "Scan the paper books 2019 to 2023 before the damp gets them",
        {"status": "in_progress", "assignee": "mara@harbor.example", "progress": Number("0.50"), "boxes": [3, 4, 7]},
    ),
    (
        "t-printer",
        "2025-12-09 08:20",
        "Find out why the counter's printer prints every second list on A5",
        {"status": "resolved", "priority": 2},
    ),
)

MEASURED = (
    (
        "m-search",
        "2026-01-28 09:10",
        "harbor-api",
        "Load test of the free berth search",
        (
            "Ran the search for every week of the season with eight clients for ten minutes. 95 of 100 answers under "
            "40 ms, the slowest 212 ms during a vacuum. Raw numbers are in the metadata."
        ),
        {"p50_ms": Number("18.0"), "p95_ms": Number("40.00"), "requests": Number("1E5"), "clients": 8},
    ),
    (
        "m-checksum",
        "2026-06-24 16:30",
        "harbor-api",
        "Compared all invoices before and after the erasure",
        (
            "Hashed the PDF of each of the 2 206 invoices before and after the trial run on the copy and summed the "
            "hashes as one big number, so that a single differing byte shows. The sums are equal."
        ),
        {
            "invoices": 2206,
            "sum_before": Number("123456789012345678901234567890"),
            "sum_after": Number("123456789012345678901234567890"),
            "difference": Number("-0.0"),
        },
    ),
    (
        "m-boards",
        "2026-08-08 11:05",
        "harbor-api",
        "Two hundred open boards for a day",
        (
            "200 simulated boards stayed open for 24 hours over the API with a pool of five. No board missed an event, "
            "memory grew by 11 MB in the first hour and then not at all."
        ),
        {"boards": 200, "hours": Number("2.4e1"), "lost_events": 0, "growth_mb": Number("11.0")},
    ),
)


def _flat(key: str, at: str, text: str, meta: dict[str, Any], tags: list[str]) -> Entry:
    return Entry(key, datetime.fromisoformat(at), FIRST_SESSION, "agent", text, meta, tags)


def _first_days() -> list[Entry]:
    return [
        Entry(
            "p-hello",
            datetime(2025, 10, 1, 8, 2, 11),
            FIRST_SESSION,
            "user",
            "We are going to replace a paper book. Read what I scanned into docs/book and tell me what you see.",
            None,
            [],
        ),
        _flat(
            "l3-reading",
            "2025-10-01 08:40:00",
            "Read the forty scanned pages. Each has a date, berth numbers down the left edge and boats in pencil. Red "
            "marks are depths, a circle means paid. Eleven pages have a second hand that corrects the first.",
            {"agent_type": "planner", "task_type": "research", "complete": True},
            ["book"],
        ),
        _flat(
            "l3-questions",
            "2025-10-01 09:15:00",
            "Questions for the office before we model anything: may one boat have two berths on one night, who "
            "decides about a change of berth, and what does the green triangle mean?",
            {"agent_type": "planner", "task_type": "questions", "complete": False},
            ["book", "questions"],
        ),
        _flat(
            "l1-answers",
            "2025-10-11 10:05:00",
            "Answers from the office: two berths for one boat only when rafted up; Mara decides; the green triangle "
            "is a dog.",
            {"used_references": [Ref("l3-questions")], "questions_answered": 3},
            [],
        ),
        _flat(
            "l3-setup",
            "2025-10-06 17:20:00",
            "Set up the three repositories with the same make targets: `make test`, `make run`, `make psql`. The web "
            "one needs node, the sync one go, nothing else is installed globally.",
            {"agent_name": "setup", "task_type": "setup", "complete": True},
            ["setup"],
        ),
    ]


def _long_prompt(prefix: str, at: str, thread: str, parts: tuple[str, ...], v1: bool) -> list[Entry]:
    entries = []
    for number, text in enumerate(parts, 1):
        meta: dict[str, Any] = {"schema_version": 1, "kind": "user_message"} if v1 else {}
        meta |= {
            "chunk": number,
            "total_chunks": len(parts),
            "chunk_size_chars": len(text),
            "chunk_size_bytes": len(text.encode()),
            "is_chunked": True,
        }
        entries.append(Entry(f"{prefix}{number}", datetime.fromisoformat(at), thread, "user", text, meta, []))
    return entries


WINTER = (
    (
        "Long message, sorry. I talked to the office about winter storage. Boats come out in October with the crane, "
        "one every twenty minutes, and go back in April in another order. Each stands on a cradle that belongs to the "
        "marina or to the owner, and the cradles have numbers that nobody can read any more."
    ),
    (
        "Continued: what they need is a list in the order of the crane, with length, weight and where the cradle "
        "stands, and the same in reverse for spring, so that the boats in front come out first. Prices are by square "
        "metre: length times beam, rounded up to half metres. Insurance papers must be there before a boat is lifted."
    ),
)
FESTIVAL = (
    (
        "This is about the regatta next year, please keep it together. 140 boats arrive on Friday, most of them "
        "rafted up three deep. The usual rules do not hold: no berth numbers, only a jetty and a row, and nobody pays "
        "at the counter because the club pays for all of them in one invoice."
    ),
    (
        "Second part: the club sends a list of entries that changes until the last evening. Boats that are not on the "
        "list pay like everybody else. After the prize-giving they leave within two hours, and from then on the berths "
        "are free for guests who wait outside. Think about it until spring, there is no hurry."
    ),
)


def extra_entries() -> list[Entry]:
    """All of them, fine for their era."""
    entries = _first_days()
    for key, at, project, text in PROMPTS:
        when = datetime.fromisoformat(at)
        meta: dict[str, Any] | None = None
        if at > "2026-01-24":
            meta = {
                "project": project,
                "worktree_id": project,
                "worktree_path": f"/home/jonna/src/{project}",
                "is_linked_worktree": False,
            }
        if at > "2026-08":
            meta = {"schema_version": 1, "kind": "user_message", **(meta or {})}
        thread = project if at > "2026-03-18" else FIRST_SESSION
        entries.append(Entry(key, when, thread, "user", text, meta, []))
    for key, at, project, agent, text, labels in NOTES:
        meta = {"agent_name": agent, "project": project}
        if at > "2026-08":
            meta = {"schema_version": 1, "kind": "note", "project": project, "agent_name": agent}
        if key == "n-festival":
            meta["links"] = {"commissioned_by": [Ref("festival/chunk1")]}
        entries.append(Entry(key, datetime.fromisoformat(at), project, "agent", text, meta, ["note", *labels]))
    for key, at, text, task in TASKS:
        entries.append(Entry(key, datetime.fromisoformat(at), FIRST_SESSION, "agent", text, task, ["office"]))
    for key, at, project, title, text, numbers in MEASURED:
        meta = {"agent_name": "tester", "task_name": title, "project": project, **numbers}
        if at > "2026-08":
            meta = {
                "schema_version": 1,
                "kind": "report",
                "project": project,
                "agent_name": "tester",
                "task_name": title,
                "status": "done",
                "report_type": "validation",
                "technologies": ["python"],
                **numbers,
            }
        entries.append(
            Entry(
                key,
                datetime.fromisoformat(at),
                project,
                "agent",
                text,
                meta,
                ["report", "measurement"] if at > "2026-08" else ["measurement"],
            )
        )
    entries += _long_prompt("winter/chunk", "2026-01-12 20:41:17", FIRST_SESSION, WINTER, v1=False)
    entries += _long_prompt("festival/chunk", "2026-09-16 21:07:52", "harbor-web", FESTIVAL, v1=True)
    photo = Entry(
        "m-photo",
        datetime(2026, 9, 2, 7, 58, 3),
        "harbor-web",
        "user",
        "Photo of the list as it comes out of the printer. The second column starts on the tray.",
        {
            "schema_version": 1,
            "kind": "user_message",
            "project": "harbor-web",
            "worktree_id": "harbor-web",
            "worktree_path": "/home/jonna/src/harbor-web",
            "is_linked_worktree": False,
        },
        [],
    )
    photo.top = {"content_type": "multimodal", "images": [{"data": PIXEL, "mime_type": "image/png"}]}
    entries.append(photo)
    return entries
