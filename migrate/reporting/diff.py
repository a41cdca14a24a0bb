"""One plan line as a diff that a person can judge: what stands there, what will, and why.

Lines are marked so that every view draws them its own way: plain with wrapping on a terminal, fenced in Markdown.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from migrate.reporting.exact import Number
from migrate.reporting.terminal import clean, display_width, value
from migrate.reporting.wording import FOUND, evidence, id_label

WHOLE = "(all metadata)"
"""How an empty path, the whole of the metadata, is shown."""

_CONTEXT = 1
_ALIGN_LIMIT = 2_000
"""Elements a side up to which two arrays are aligned; beyond it their common ends are cut off instead."""
_VALUE_LIMIT = 4_000
"""Characters of one value's line; the rest is counted and not shown."""


@enum.unique
class Mark(enum.Enum):
    """What a line of a diff is."""

    RECORD = ""
    PATH = "path"
    OLD = "-"
    NEW = "+"
    SAME = " "
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Line:
    """Clean text and what it is."""

    mark: Mark
    text: str


def record_lines(record: Mapping[str, Any], width: int) -> Iterator[Line]:
    """A plan line as diff lines; values that do not fit ``width`` columns are compared element by element."""
    part = f"  part {clean(str(record['part']))}" if record.get("part") else ""
    codes = " ".join(clean(code) for code in record["codes"])
    label = clean(str(record["record"])) if record.get("scope") else id_label(record["record"])
    yield Line(Mark.RECORD, f"{label}  {clean(record['level'])}  {codes}{part}")
    files = "files" in (record.get("patch") or {})
    above: list[Any] = []
    for change in record["changes"]:
        level = "" if record["level"] == "safe" else f"  {clean(change['level'])}"
        yield Line(Mark.PATH, (clean(change["path"]) or WHOLE) + level)
        yield from _change(change, width, by_line=files)
        above += (change[name] for name in ("from", "to") if name in change)
        reasons = [_reason(code, change.get("evidence", {}).get(code), above) for code in change["codes"]]
        if reasons != [codes]:
            yield Line(Mark.NOTE, "; ".join(reasons))
    for need in record.get("requires") or ():
        holds = f"{id_label(need['record'])} {clean(need['path'])} holds {value(need['holds'])}"
        yield Line(Mark.NOTE, f"only while {holds}")
    if record.get("unit") is not None:
        yield Line(Mark.NOTE, f"together with the others of unit {id_label(record['unit'])}, or not at all")


def _reason(code: str, data: Mapping[str, Any] | None, above: Sequence[Any]) -> str:
    """A code and its evidence, without what stands above it as an old or a new value of the record or a part of one."""
    rest = {name: item for name, item in (data or {}).items() if not _is_shown(name, item, above)}
    return f"{clean(code)} {evidence(rest)}".rstrip()


def _is_shown(name: str, item: Any, above: Sequence[Any]) -> bool:
    """Whether a piece of evidence repeats one of the values; of a number or a boolean alone that is chance."""
    shown = {value(side) for side in above}
    if name in FOUND:
        shown.add("null")
        shown.update(value(part) for side in above for part in _parts(side))
        cut = item[:-1] if isinstance(item, str) and item.endswith("…") else None
        return value(item) in shown or (cut is not None and any(str(side).startswith(cut) for side in above))
    return bool(item) and isinstance(item, (str, list, dict)) and not isinstance(item, Number) and value(item) in shown


def _parts(side: Any) -> Iterable[Any]:
    match side:
        case dict():
            return side.values()
        case list():
            return side
    return ()


def _change(change: Mapping[str, Any], width: int, *, by_line: bool) -> Iterator[Line]:
    old, new = (_side(change, name, by_line=by_line) for name in ("from", "to"))
    if not by_line and fits(old, width) and fits(new, width):
        yield from (Line(Mark.OLD, text) for text in old.compact)
        yield from (Line(Mark.NEW, text) for text in new.compact)
        return
    yield from element_lines(old.elements, new.elements)


@dataclass(frozen=True, slots=True)
class _Side:
    """A value as one line, and as a line an element where it has elements. Both are empty where there is no value."""

    compact: tuple[str, ...]
    elements: tuple[str, ...]


def fits(side: _Side, width: int) -> bool:
    """Whether a value is no collection, or stands on one line."""
    return len(side.elements) <= 1 or all(display_width(text) <= width for text in side.compact)


def _side(change: Mapping[str, Any], name: str, *, by_line: bool) -> _Side:
    """A value as it is drawn; the text of a file, ``by_line``, as its lines."""
    if name not in change:
        return _Side((), ())
    data = change[name]
    if by_line and isinstance(data, str):
        lines = tuple(_capped(clean(line)) for line in data.removesuffix("\n").split("\n"))
        return _Side(lines, lines)
    compact = _capped(value(data))
    match data:
        case [_, *_]:
            return _Side((compact,), ("[", *(f"  {_capped(value(item))}" for item in data), "]"))
        case dict() if data:
            members = (f"  {value(key)}: {_capped(value(item))}" for key, item in data.items())
            return _Side((compact,), ("{", *members, "}"))
    return _Side((compact,), (compact,))


def _capped(text: str) -> str:
    rest = len(text) - _VALUE_LIMIT
    return text if rest <= 0 else f"{text[:_VALUE_LIMIT]}… ({rest:,} more characters; --format json has them)"


def element_lines(old: tuple[str, ...], new: tuple[str, ...]) -> Iterator[Line]:
    """Two lists of lines as a diff; runs of equal lines shrink to their ends and a count."""
    for tag, old_start, old_end, new_start, new_end in _blocks(old, new):
        if tag == "equal":
            yield from _unchanged(old[old_start:old_end])
        else:
            yield from (Line(Mark.OLD, text) for text in old[old_start:old_end])
            yield from (Line(Mark.NEW, text) for text in new[new_start:new_end])


def _blocks(old: tuple[str, ...], new: tuple[str, ...]) -> list[tuple[str, int, int, int, int]]:
    if max(len(old), len(new)) <= _ALIGN_LIMIT:
        return list(SequenceMatcher(None, old, new, autojunk=False).get_opcodes())
    shortest = min(len(old), len(new))
    head = next((i for i in range(shortest) if old[i] != new[i]), shortest)
    tail = next((i for i in range(shortest - head) if old[-1 - i] != new[-1 - i]), shortest - head)
    return [
        ("equal", 0, head, 0, head),
        ("replace", head, len(old) - tail, head, len(new) - tail),
        ("equal", len(old) - tail, len(old), len(new) - tail, len(new)),
    ]


def _unchanged(lines: tuple[str, ...]) -> Iterator[Line]:
    hidden = len(lines) - 2 * _CONTEXT
    if hidden <= 1:
        yield from (Line(Mark.SAME, text) for text in lines)
        return
    yield from (Line(Mark.SAME, text) for text in lines[:_CONTEXT])
    yield Line(Mark.SAME, f"  … {hidden:,} the same")
    yield from (Line(Mark.SAME, text) for text in lines[-_CONTEXT:])
