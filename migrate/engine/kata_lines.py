"""The strict reader of the lines of a kata export."""

from __future__ import annotations

import hashlib

from migrate.engine.json_text import JsonError, Member, blank, doubled, members, quote
from migrate.engine.strict import Verdict, object_text, readable, readable_metadata

METADATA = {"issue": "metadata", "project": "metadata", "recurrence": "template_metadata"}
"""The kinds of lines that hold metadata, and the member of ``data`` it is in."""

_LONG = 4_000_000
"""Characters from which on a line is read without what no rule looks at."""

_LONGEST_KEPT = 1000
"""Characters of a member of a long line that stay, its metadata aside."""


def judge(raw: bytes) -> Verdict:
    """What is wrong with a line, or its text for the scan, the member that stands twice, and the uid that counts then."""
    text = object_text(raw)
    if isinstance(text, JsonError):
        return text
    found = members(text, blank(text, 0))
    kind = _kind(text, found)
    data = record_span(text)
    if kind is None or data is None:
        return readable(text), _envelope_double(found), None
    pointer = _envelope_double(found) or doubled(text[slice(*data)])
    inside = members(text, data[0])
    uid = next((text[member.start : member.end] for member in reversed(inside) if member.key == "uid"), None)
    held = next((member for member in inside if member.key == METADATA[kind]), None)
    if pointer is None and held is not None:
        metadata = readable_metadata(text[held.start : held.end], _exact(text, held))
        text = text[: held.start] + metadata + text[held.end :]
    if pointer is not None and kind == "recurrence":
        pointer = pointer.replace("/template_metadata", "/metadata", 1)
    return readable(text if len(text) < _LONG else _slim(text, kind, raw)), pointer, uid if pointer else None


def record_span(text: str) -> tuple[int, int] | None:
    """Where the object in the member ``data`` of a line's text stands; None if there is none, or two."""
    found = [member for member in members(text, blank(text, 0)) if member.key == "data"]
    return (found[0].start, found[0].end) if len(found) == 1 and text[found[0].start] == "{" else None


def _kind(text: str, found: list[Member]) -> str | None:
    words = [text[member.start : member.end].strip('"') for member in found if member.key == "kind"]
    return words[-1] if words and words[-1] in METADATA else None


def _envelope_double(found: list[Member]) -> str | None:
    names = [member.key for member in found]
    return next((f"/{name}" for place, name in enumerate(names) if name in names[:place]), None)


def _exact(text: str, held: Member) -> frozenset[str]:
    """The members whose numbers must keep their spelling: those that a repair writes again as a part of a value."""
    if text[held.start] != "{":
        return frozenset()
    names = (member.key for member in members(text, held.start))
    return frozenset(name for name in names if name in ("area", "checklist") or name.startswith("notify."))


def _slim(text: str, kind: str, raw: bytes) -> str:
    """A long line without its long texts, and with a digest of all of it."""
    start, _ = record_span(text) or (0, 0)
    kept = ",".join(
        f"{quote(member.key)}:{text[member.start : member.end]}"
        for member in members(text, start)
        if member.key == METADATA[kind] or member.end - member.start <= _LONGEST_KEPT
    )
    return f'{{"kind":"{kind}","data":{{{kept}}},"":"{hashlib.sha256(raw).hexdigest()}"}}'
