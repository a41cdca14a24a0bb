"""Compare before set: what state a record is in, and whether what a change rests on still holds."""

from __future__ import annotations

import re
from string import ascii_lowercase, ascii_uppercase

from migrate.applying.states import State
from migrate.engine.json_text import JsonError, elements, integer, members, quote, unquote
from migrate.planning.canonical import canonical
from migrate.planning.drafting import stored, value_at
from migrate.planning.spelling import compact

_hex = re.compile(r"\s*([0-9a-fA-F]{32}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\s*").fullmatch
_decimal = re.compile(r"[1-9][0-9]*").fullmatch
_hump = re.compile(r"([a-z0-9])([A-Z])").sub
_joint = re.compile(r"[\s-]+", re.ASCII).sub
_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)


def same_version(planned: str, present: str | None) -> bool:
    """Whether a record has the version that the plan saw (``null``: it saw none), given as JSON texts."""
    if planned == "null":
        return True
    return present is not None and (present == planned or canonical(present) == canonical(planned))


def spelled_as(metadata: str | None, tags: str | None, line: str) -> State:
    """Which of two states of one value a record is in: the text at the paths that a plan line touches tells them apart."""
    texts = spellings(line)
    inner = inner_text(metadata)
    present = [_plain(tags if path == "tags" else value_at(inner, path) if path else metadata) for path, _, _ in texts]
    if present == [_plain(new) for _, _, new in texts]:
        return State.AFTER
    if present == [_plain(old) for _, old, _ in texts]:
        return State.BEFORE
    return State.OTHER


def inner_text(metadata: str | None) -> str | None:
    """The object's text, where it is kept inside a string."""
    return unquote(metadata) if metadata is not None and metadata[:1] == '"' else metadata


def _plain(text: str | None) -> str | None:
    """A text as it is compared: strings by what they hold, numbers by their tokens."""
    return None if text is None else compact(text)


def spellings(line_text: str) -> list[tuple[str, str | None, str | None]]:
    """Path, old text and new text of each change of a plan line, exactly as they are spelled in it."""
    changes = value_at(line_text, "/changes")
    found = []
    for start, end in elements(changes or "[]", 0):
        change = (changes or "")[start:end]
        found.append((unquote(value_at(change, "/path") or '""'), value_at(change, "/from"), value_at(change, "/to")))
    return found


def own_key(token: str) -> str | None:
    """The key of a record's own id, given as JSON text: a positive integer, or a string of 32 hex digits."""
    if token[:1] == '"':
        return _hex_key(unquote(token))
    return "i" + token if _decimal(token) else None


def record_key(token: str) -> str | None:
    """The same where ids may be other strings too."""
    return own_key(token) or ("s" + unquote(token) if token[:1] == '"' else None)


def reference_key(token: str, id_form: str | None) -> str | None:
    """The key of an id that a link names, in any spelling; ``id_form`` (that of the corpus) says how digits are read."""
    if token[:1] == "{":
        token = value_at(token, "/id") or "null"
    if token[:1] == '"':
        text = unquote(token)
        hexadecimal, decimal = _hex_key(text), "i" + text if _decimal(text) else None
        return hexadecimal or decimal if id_form == "uuid" else decimal or hexadecimal
    try:
        whole = integer(token)
    except JsonError:
        return None
    return None if whole is None or whole[:1] == "-" or whole == "0" else "i" + whole


def _hex_key(text: str) -> str | None:
    found = _hex(text)
    return None if found is None else "h" + found[1].replace("-", "").lower()


def holds(record: str, path: str, token: str, spelled: str | None, id_form: str | None) -> bool:
    """Whether a record's member at ``path``, in any spelling of a link's name, is or has among its elements what it must hold.

    Ids match in any spelling, and in the one the plan saw; other values as JSON.
    """
    try:
        tokens = _tokens_at(inner_text(stored(record).metadata), path)
        if path.startswith("/links/"):
            wanted = own_key(token)
            return any(reference_key(found, id_form) == wanted or compact(found) == spelled for found in tokens)
        return any(compact(found) == compact(token) or _folded(found) == token for found in tokens)
    except JsonError:
        return False


def _tokens_at(metadata: str | None, path: str) -> list[str]:
    """The value at a path as its elements; of a link those of all members whose name is a spelling of its key."""
    if not path.startswith("/links/"):
        values = [value_at(metadata, path)]
    else:
        links = value_at(metadata, "/links")
        key = path.removeprefix("/links/")
        found = members(links, 0) if links is not None and links[:1] == "{" else []
        values = [
            (links or "")[member.start : member.end] for member in found if key in (member.key, _snake(member.key))
        ]
    tokens: list[str] = []
    for value in values:
        if value is not None:
            tokens += [value[first:last] for first, last in elements(value, 0)] if value[:1] == "[" else [value]
    return tokens


def _snake(name: str) -> str:
    """A link's name as the schema spells it."""
    return _fold(_hump(r"\1_\2", name))


def _fold(word: str) -> str:
    return _joint("_", word.strip(" \t\n\r\v\f").translate(_LOWER))


def _folded(token: str) -> str | None:
    """An enum value as it folds, as JSON text."""
    return quote(_fold(unquote(token))) if token[:1] == '"' else None
