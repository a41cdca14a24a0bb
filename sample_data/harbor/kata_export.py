"""A kata export of the harbor people: once as it is imported nowhere, with every fault a rule knows, and once clean."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from typing import Any

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_BORN = "2026-09-10T08:00:00.000Z"
_SEEN = "2026-09-18T10:00:00.000Z"
_ITEM = "01K5B2ARZ3NDEKTSV4RRFFQ69G"


def kata_files() -> dict[str, bytes]:
    """Both exports by their paths in the sample."""
    return {"kata/export.jsonl": _text(_faulty()), "kata/clean.jsonl": _text(_clean())}


def _text(lines: Iterator[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _uid(kind: str, number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 32)
        digits = _ALPHABET[digit] + digits
    return f"01K5A1{kind}".ljust(26 - len(digits), "0") + digits


def _line(kind: str, data: Mapping[str, Any] | str) -> str:
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f'{{"kind":"{kind}","data":{text}}}'


def _meta(version: str = "32") -> Iterator[str]:
    for key, value in (
        ("export_version", version),
        ("created_by_version", "0.1.0"),
        ("instance_uid", _uid("N", 1)),
        ("schema_version", version),
    ):
        yield _line("meta", {"key": key, "value": value})


def _project(number: int, name: str, metadata: Any, **more: Any) -> str:
    own = {
        "id": number,
        "uid": _uid("P", number),
        "name": name,
        "created_at": _BORN,
        "metadata": metadata,
        "revision": 2 + number,
    }
    return _line("project", {**own, **more})


def _issue(number: int, title: str, metadata: Any, **more: Any) -> str:
    own = _uid("Q", 40_000 + number)
    data = {
        "id": number, "uid": own, "project_id": 1, "short_id": own[-5:].lower(), "title": title, "body": "", "status": "open",
        "closed_reason": None, "owner": "berth-planner", "author": "coordinator", "created_at": _BORN, "updated_at": _SEEN,
        "closed_at": None, "deleted_at": None, "metadata": metadata, "revision": 1 + number % 7, "content_revision": 0,
    }  # fmt: skip
    text = json.dumps({**data, **more}, ensure_ascii=False, separators=(",", ":"))
    if isinstance(metadata, str):  # as it stands, where Python could not write it
        text = text.replace(json.dumps(metadata), metadata)
    return _line("issue", text)


def _closed(number: int, title: str, metadata: Any, **more: Any) -> str:
    return _issue(number, title, metadata, **{"status": "closed", "closed_reason": "done", "closed_at": _SEEN, **more})


def _link(number: int, source: int, target: int, kind: str) -> str:
    ends = {
        "from_issue_id": source,
        "from_issue_uid": _uid("Q", 40_000 + source),
        "to_issue_id": target,
        "to_issue_uid": _uid("Q", 40_000 + target),
    }
    return _line("link", {"id": number, **ends, "type": kind, "author": "coordinator", "created_at": _BORN})


def _key(recipient: str) -> str:
    return "notify." + base64.urlsafe_b64encode(recipient.encode()).decode().rstrip("=")


def _asked(message: str) -> dict[str, str]:
    return {"from": "coordinator", "message": message}


def _item(text: str, done: bool = False) -> dict[str, Any]:
    return {"id": _ITEM, "text": text, "done": done}


def _clean() -> Iterator[str]:
    yield from _meta()
    yield _project(1, "harbor-api", {"area": "Work", "role": "inbox"})
    yield _project(2, "quay-dashboard", {})
    yield _line(
        "project_alias",
        {
            "id": 1,
            "project_id": 1,
            "alias_identity": "example.org/harbor/api",
            "alias_kind": "git",
            "created_at": _BORN,
        },
    )
    yield _issue(
        1,
        "Tide tables for the north basin",
        {
            "scheduled_on": "2026-10-01T09:30",
            "deadline_on": "2026-10-15",
            "timezone": "Europe/Lisbon",
            "someday": False,
        },
    )
    yield _issue(
        2,
        "Berth plan export",
        {
            "checklist": [_item("CSV", True), _item("PDF")],
            "work.branch": "agent/berth-export",
            "work.attention": "ok",
            _key("pilot/night-shift"): _asked("Which berths are closed?"),
        },
    )
    yield _closed(3, "Rename the crane endpoints", {})
    yield _line(
        "comment",
        {
            "id": 1,
            "uid": _uid("C", 1),
            "issue_id": 1,
            "author": "berth-planner",
            "body": "started",
            "created_at": _SEEN,
        },
    )
    yield _link(1, 1, 2, "blocks")
    yield _line("sqlite_sequence", {"name": "issues", "seq": 3})


def _faulty() -> Iterator[str]:
    yield from _meta("33")
    yield _project(1, "harbor-api", {"area": "Work", "role": "inbox"})
    yield _project(2, "quay-dashboard", {"area": 7, "role": "inbox", "sidebar_order": "first"})
    yield _project(3, "old-harbor", {"role": "inbox"}, deleted_at=_SEEN)
    yield _project(4, "pilots", {"role": "Inbox "})
    yield _line(
        "recurrence",
        {
            "id": 1,
            "uid": _uid("R", 1),
            "project_id": 1,
            "rrule": "FREQ=WEEKLY",
            "dtstart": "2026-09-01",
            "timezone": "Europe/Lisbon",
            "template_title": "Check the buoys",
            "template_body": "",
            "template_labels": [],
            "template_metadata": {"deadline_on": "2026/12/01"},
            "author": "coordinator",
            "revision": 1,
            "created_at": _BORN,
            "updated_at": _BORN,
        },
    )
    dates = (
        ("2026-09-20T15:30:00-07:00", "Tide tables for the north basin"), (" 2026-10-01", "Tide tables for the south basin"), ("2026/10/05", "Dredging window"),
        ("", "Survey of the old pier"), ("tomorrow", "Call the harbour master"), ("2026-09-20T9:30", "Crane inspection"), ("2026-09-20T15:30:45.5", "Crane test run"),
    )  # fmt: skip
    for number, (date, title) in enumerate(dates, 1):
        yield _issue(number, title, {"scheduled_on": date})
    yield _issue(8, "Mooring fees for 2027", {"scheduled_on": "2026-11-01", "deadline_on": 20261120})
    yield _issue(9, "Night shift roster", {"scheduled_on": "2026-11-01T18:00", "timezone": "WEST"})
    yield _issue(10, "Ferry timetable", {"scheduled_on": "2026-11-01", "timezone": "europe/lisbon"})
    yield _issue(11, "Customs hall", {"timezone": "Local", "someday": "True"})
    yield _issue(12, "Quay lights", {"someday": 1, "checklist": [{"ID": _ITEM, "Text": "north side", "Done": False}]})
    yield _issue(
        13, "Signs in three languages", {"checklist": [{"id": _ITEM.lower(), "text": "Português", "done": "true"}]}
    )
    yield _issue(14, "Paint the bollards", {"checklist": [{"id": _ITEM, "title": "white", "checked": True}]})
    yield _issue(15, "Water supply", {"checklist": ["- [ ] pump"]})
    yield _issue(16, "Radar maintenance", '{"someday":true,"someday":false}')
    yield _issue(
        17,
        "Pilot boats",
        {
            _key("pilot") + "=": _asked("Which boat is in the yard?"),
            "notify.night-shift": _asked("Please confirm the roster"),
        },
    )
    yield _issue(18, "Lost containers", {_key("customs"): {"from": 42}, _key("agent\u200bx"): _asked("Hidden name")})
    yield _issue(
        19, "Buoy numbers", {"work.attention": "Needs Human", "work.branch": ["agent/buoys"], "today_bucket": "evening"}
    )
    yield _issue(20, "Fender orders", {"work.attention": "blocked", "work.attention_msg": "waiting\nfor the supplier"})
    yield _closed(21, "Rename the crane endpoints", {"work.attention": "stuck", "scheduled_on": "2026-5-20"})
    yield _issue(22, "Duplicate of the ferry timetable", {"scheduled_on": "tomorrow"}, deleted_at=_SEEN)
    yield _issue(23, "Who closed this?", {}, closed_reason="done")
    yield _issue(24, "Metadata of another kind", [])
    yield _issue(25, "Opaque keys stay", '{"extra":{"big":9007199254740993,"text":"\\u00e9"},"weight":1.50}')
    yield _line(
        "comment",
        {
            "id": 1,
            "uid": _uid("C", 1),
            "issue_id": 1,
            "author": "berth-planner",
            "body": "started",
            "created_at": _SEEN,
        },
    )
    yield _line(
        "project_alias",
        {
            "id": 1,
            "project_id": 1,
            "alias_identity": "example.org/harbor/api",
            "alias_kind": "git",
            "created_at": _BORN,
        },
    )
    yield _link(1, 1, 2, "blocks")
    yield _link(2, 2, 1, "blocks")
    yield _link(3, 3, 4, "parent")
    yield _link(4, 3, 5, "parent")
    yield _link(5, 6, 99, "related")
    yield '{"kind":"event","data":{"id":1,'
    yield _line("tide_forecast", {"id": 1})
