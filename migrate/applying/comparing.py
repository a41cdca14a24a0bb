"""Compare before set: what state a record is in, and whether what a change rests on still holds."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from migrate.engine.json_text import JsonError, blank, elements, integer, unquote
from migrate.planning.canonical import record_hash
from migrate.planning.drafting import Stored, stored, value_at
from migrate.planning.spelling import compact

_hex = re.compile(r"\s*([0-9a-fA-F]{32}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\s*").fullmatch
_decimal = re.compile(r"[1-9][0-9]*").fullmatch


@enum.unique
class State(enum.Enum):
    """What a record of the target is, seen from the plan."""

    BEFORE = "before"
    AFTER = "after"
    OTHER = "stale"


@dataclass(frozen=True, slots=True)
class Compared:
    """A record's state, and why it is stale where it is."""

    state: State
    reason: str = ""


def compare(record: str, before: str, after: str, version: str | None, line: Callable[[], str]) -> Compared:
    """The state of a record's text against the hashes and version of its plan line.

    ``line`` gives the line's text, where two states of one value must be told apart by their spelling.
    """
    try:
        now = stored(record)
    except JsonError as error:
        return Compared(State.OTHER, f"it is no readable record any more: {error.reason}")
    present = record_hash(now.metadata, now.tags)
    if before == after == present:
        return _by_spelling(now, spellings(line()))
    if present == after:
        return Compared(State.AFTER)
    if present != before:
        return Compared(State.OTHER, "its metadata or tags are not what the plan saw")
    if version is not None and now.version != version:
        return Compared(State.OTHER, f"its version is {now.version} and not {version}")
    return Compared(State.BEFORE)


def _by_spelling(now: Stored, texts: Sequence[tuple[str, str | None, str | None]]) -> Compared:
    """Two states of one value: the text at the touched paths tells them apart."""
    inner = now.metadata
    if inner is not None and inner[:1] == '"' and all(path for path, _, _ in texts):
        inner = unquote(inner)
    present = [
        None if (text := now.tags if path == "tags" else value_at(inner, path)) is None else compact(text)
        for path, _, _ in texts
    ]
    if present == [new for _, _, new in texts]:
        return Compared(State.AFTER)
    if present == [old for _, old, _ in texts]:
        return Compared(State.BEFORE)
    return Compared(State.OTHER, "its metadata or tags are spelled otherwise than the plan saw")


def spellings(line_text: str) -> list[tuple[str, str | None, str | None]]:
    """Path, old text and new text of each change of a plan line, exactly as they are spelled in it."""
    changes = value_at(line_text, "/changes")
    found = []
    for start, end in elements(changes or "[]", 0):
        change = (changes or "")[start:end]
        found.append((unquote(value_at(change, "/path") or '""'), value_at(change, "/from"), value_at(change, "/to")))
    return found


def key_of(token: str) -> str | None:
    """The key of an id given as JSON text, in any spelling of an id."""
    if token[:1] == '"':
        text = unquote(token)
        if _decimal(text):
            return "i" + text
        found = _hex(text)
        return None if found is None else "h" + found[1].replace("-", "").lower()
    try:
        whole = integer(token)
    except JsonError:
        return None
    return None if whole is None or whole[:1] == "-" or whole == "0" else "i" + whole


def holds(record: str, path: str, token: str, spelled: str | None = None) -> bool:
    """Whether a record's member at ``path`` is, or has among its elements, what it must hold.

    Ids match in any spelling, and in the one the plan saw; other values as JSON.
    """
    try:
        metadata = stored(record).metadata
        if metadata is not None and metadata[:1] == '"':
            metadata = unquote(metadata)
        value = value_at(metadata, path)
        if value is None:
            return False
        start = blank(value, 0)
        spans = elements(value, start) if value[start] == "[" else [(start, len(value))]
        tokens = [value[first:last].strip() for first, last in spans]
    except JsonError:
        return False
    wanted = key_of(token) if path.startswith("/links/") else None
    if wanted is not None:
        return any(_key_inside(found) == wanted or compact(found) == spelled for found in tokens)
    return any(compact(found) == compact(token) or _folded(found) == token for found in tokens)


def _key_inside(token: str) -> str | None:
    if token[:1] == "{":
        inner = value_at(token, "/id")
        return None if inner is None else key_of(inner)
    return key_of(token)


def _folded(token: str) -> str | None:
    """An enum value as it folds, as JSON text."""
    return '"' + re.sub(r"[\s-]+", "_", unquote(token).strip().lower()) + '"' if token[:1] == '"' else None
