"""The same records after the server's own migration to UUIDs, as its new version exports them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from harbor.encode import Style, dumps, members_of
from harbor.ids import uuid7
from harbor.model import Entry, Fault

MOVED = datetime(2026, 9, 22, 12, 0)
"""From here on sessions saw the new ids and wrote them into links."""
SPELLED = {
    "keyboard/plan": "hyphenated",
    "keyboard/report": "upper",
    "keyboard/review": "prefix",
    "n-festival": "ambiguous",
    "x-crane-again": "blank",
}
"""How some of these sessions spelled them; the others as the server does."""
APPENDED = {"deaf-receiver/review": "n-receivers"}
"""An older record to whose sources another was added after the move."""
TWIN_FAULTS = (
    Fault("keyboard/plan", ("CS602/safe",), "an id with hyphens"),
    Fault("keyboard/report", ("CS602/safe",), "ids in capitals"),
    Fault("x-crane-again", ("CS602/safe",), "an id with blanks around it"),
    Fault("keyboard/review", ("CS605/unsafe",), "the first half of an id, and one record begins so"),
    Fault("n-festival", ("CS605/manual",), "twelve digits with which two records begin"),
    Fault(
        "deaf-receiver/review",
        ("CS603/manual", "CS604/manual"),
        "integers from before the move beside an id from after it",
    ),
)
_EXPORT = Style(spaced=True, escaped=False, images=True, summary=True)
_NOT_STORED = ("id", "names", "is_text_content_truncated")
"""Members that the other export's tools made, not the server."""


def hex_ids(entries: Iterable[Entry], rng: random.Random) -> dict[str, str]:
    """A UUID as 32 hex digits for each key, in the order of the rows."""
    ids = {}
    for entry in entries:
        own = entry.top.get("id")
        readable = "created_at" not in entry.top
        made = uuid7(entry.at if readable else None, rng)
        ids[entry.key] = own if isinstance(own, str) and len(own) == 32 else made
    return ids


def twin_lines(entries: Iterable[Entry], ids: Mapping[str, int], hexes: Mapping[str, str]) -> list[str]:
    """One line a record; integers in ``references.context_ids`` remapped, those in ``links`` as they were."""
    by_number = {number: hexes[key] for key, number in ids.items() if key in hexes}
    lines = []
    for entry in entries:
        top = {name: value for name, value in entry.top.items() if name not in _NOT_STORED}
        stored = Entry(
            entry.key,
            entry.at,
            entry.thread,
            entry.source,
            entry.text,
            entry.meta,
            entry.tags,
            entry.updated,
            entry.summary,
            top,
        )
        members = members_of(stored, ids, _EXPORT)
        members["id"] = hexes[entry.key]
        # The migration reads and writes metadata with Python's json: double members and number texts end here.
        meta = json.loads(dumps(entry.meta, _EXPORT, ids))
        _remap_references(meta, by_number)
        if isinstance(meta, dict) and isinstance(meta.get("links"), dict):
            if entry.at >= MOVED:
                how = SPELLED.get(entry.key, "")
                meta["links"] = {key: _rewrite(value, by_number, how) for key, value in meta["links"].items()}
            elif entry.key in APPENDED:
                meta["links"]["derived_from"].append(hexes[APPENDED[entry.key]])
        members["metadata"] = meta
        if entry.tags is not None:
            members["tags"] = list(dict.fromkeys(entry.tags))
        for name in ("created_at", "updated_at"):
            if name not in top:
                members[name] = members[name].replace(" ", "T") + "Z"
        lines.append(dumps(members, _EXPORT, ids))
    return lines


def _remap_references(value: Any, by_number: Mapping[int, str]) -> None:
    if isinstance(value, dict):
        for key, member in value.items():
            if key == "references" and isinstance(member, dict) and isinstance(member.get("context_ids"), list):
                member["context_ids"] = [_new_id(element, by_number) for element in member["context_ids"]]
            _remap_references(member, by_number)
    elif isinstance(value, list):
        for member in value:
            _remap_references(member, by_number)


def _new_id(element: Any, by_number: Mapping[int, str]) -> Any:
    return by_number.get(element, element) if type(element) is int else element


def _rewrite(value: Any, by_number: Mapping[int, str], how: str) -> Any:
    if isinstance(value, list):
        return [_rewrite(element, by_number, how) for element in value]
    if type(value) is not int or value not in by_number:
        return value
    new = by_number[value]
    match how:
        case "hyphenated":
            return "-".join((new[:8], new[8:12], new[12:16], new[16:20], new[20:]))
        case "upper":
            return new.upper()
        case "prefix":
            return new[:16]
        case "ambiguous":
            return new[:12]
        case "blank":
            return f" {new} "
        case _:
            return new
