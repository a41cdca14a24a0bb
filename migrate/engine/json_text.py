"""Exact, strict work on JSON text: where values stand, what stands twice, how numbers and strings are spelled.

Everything here takes and gives ``str`` and indices into it, so that a value can be moved or compared without being
re-spelled. The grammar is RFC 8259 and nothing more (no NaN, comments, trailing commas, single quotes, raw control
characters); nesting has no limit, integers have no limit, escapes of lone surrogates are accepted.

The C scanner of the standard library does the work; what it refuses, or cannot nest, :mod:`migrate.engine.json_walk`
decides, with the exact reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from json import JSONDecoder
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any, NamedTuple, NoReturn

from migrate.engine.json_numbers import integer, number
from migrate.engine.json_walk import (
    JsonError,
    blank,
    no_delimiter,
    no_end,
    no_name,
    past_colon,
    read_string,
    scanstring,
    walk,
)

__all__ = [
    "JsonError",
    "Member",
    "blank",
    "check",
    "doubled",
    "elements",
    "integer",
    "members",
    "number",
    "quote",
    "scanner",
    "skip",
    "unquote",
    "walk",
]

Scan = Callable[[str, int], tuple[Any, int]]
"""Reads the value at an index; gives the value and the index after it."""


def _refuse(constant: str) -> NoReturn:
    """For ``parse_constant``: NaN and the infinities are no JSON."""
    raise ValueError(constant)


def _refuse_doubles(pairs: list[tuple[str, Any]]) -> None:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("twice")


def scanner(**hooks: Any) -> Scan:
    """The C scanner under :class:`json.JSONDecoder`, strict, with the decoder's ``hooks``.

    It raises ValueError, StopIteration or RecursionError for what it cannot read.
    """
    scan: Scan = vars(JSONDecoder(parse_constant=_refuse, **hooks))["scan_once"]
    return scan


# ``len`` stands in for the number parsers: cheap, and without the interpreter's limit of 4300 digits.
_scan = scanner(parse_float=len, parse_int=len)
_scan_single = scanner(parse_float=len, parse_int=len, object_pairs_hook=_refuse_doubles)
_REFUSED = (ValueError, StopIteration, RecursionError)
"""What the C scanner raises for a text it cannot read; ``walk`` then decides."""

_surrogate = re.compile("[\\ud800-\\udfff]")
_new = tuple.__new__


class Member(NamedTuple):
    """One member of an object: its unescaped name, where the name's opening quote stands, the value's span."""

    key: str
    key_start: int
    start: int
    end: int


def check(text: str) -> None:
    """Nothing if the text is exactly one JSON value (blanks around it allowed); else JsonError."""
    start = blank(text, 0)
    end = blank(text, skip(text, start))
    if end != len(text):
        raise no_end(text, end)


def skip(text: str, start: int) -> int:
    """The index after the value that starts at ``start`` (no blanks before it); JsonError if there is none."""
    try:
        return _scan(text, start)[1]
    except _REFUSED:
        return _walk_past(text, start)


def _walk_past(text: str, start: int) -> int:
    end = start
    for _what, _from, end in walk(text, start):  # noqa: B007 - the last one counts
        pass
    return end


def members(text: str, start: int) -> list[Member]:
    """The members of the object whose ``{`` is at ``start``, in their order, doubles included.

    The object ends at the first ``}`` after the last member. JsonError if it is none.
    """
    try:
        return _members(text, start)
    except (ValueError, StopIteration, RecursionError, IndexError):
        return _members_with_care(text, start)


def _members(text: str, start: int) -> list[Member]:
    """The common case. Every character up to the blank is taken for one; what that lets in, the scanner refuses."""
    found: list[Member] = []
    at = start + 1
    if text[at] <= " ":
        at = blank(text, at)
    if text[at] == "}":
        return found
    while True:
        if text[at] != '"':
            raise ValueError
        key, colon = scanstring(text, at + 1, True)
        if text[colon] != ":":
            colon = blank(text, colon)
            if text[colon] != ":":
                raise ValueError
        begin = colon + 1
        if text[begin] <= " ":
            begin += 1 if text[begin] == " " else 0
            if text[begin] <= " ":
                begin = blank(text, begin)
        end = _scan(text, begin)[1]
        found.append(_new(Member, (key, at, begin, end)))
        mark = text[end]
        if mark != ",":
            end = blank(text, end)
            mark = text[end]
            if mark == "}":
                return found
            if mark != ",":
                raise ValueError
        at = end + 1
        if text[at] <= " ":
            at += 1 if text[at] == " " else 0
            if text[at] <= " ":
                at = blank(text, at)


def _members_with_care(text: str, start: int) -> list[Member]:
    """:func:`members` of an object that nests too deep for the scanner, or is none: says why."""
    found: list[Member] = []
    at = blank(text, start + 1)
    if text[at : at + 1] == "}":
        return found
    while True:
        if text[at : at + 1] != '"':
            raise no_name(text, at)
        key, colon = read_string(text, at)
        begin = past_colon(text, colon)
        end = skip(text, begin)
        found.append(Member(key, at, begin, end))
        close = blank(text, end)
        mark = text[close : close + 1]
        if mark == "}":
            return found
        if mark != ",":
            raise no_delimiter(text, close, "}")
        at = blank(text, close + 1)


def elements(text: str, start: int) -> list[tuple[int, int]]:
    """The spans of the elements of the array whose ``[`` is at ``start``; JsonError if it is none."""
    found: list[tuple[int, int]] = []
    at = blank(text, start + 1)
    if text[at : at + 1] == "]":
        return found
    while True:
        try:
            end = _scan(text, at)[1]
        except _REFUSED:
            end = _walk_past(text, at)
        found.append((at, end))
        at = end
        mark = text[at : at + 1]
        if mark != ",":
            at = blank(text, at)
            mark = text[at : at + 1]
            if mark == "]":
                return found
            if mark != ",":
                raise no_delimiter(text, at, "]")
        at = blank(text, at + 1)


def doubled(text: str) -> str | None:
    """The JSON pointer of the first member that stands twice in one object, at any depth; None if there is none.

    Names are compared after unescaping, exactly otherwise. JsonError if the text is no JSON value.
    """
    start = blank(text, 0)
    try:
        end = _scan_single(text, start)[1]
    except _REFUSED:
        return _find_double(text)
    end = blank(text, end)
    if end != len(text):
        raise no_end(text, end)
    return None


def _find_double(text: str) -> str | None:
    """:func:`doubled`, slowly: it also finds out where, and what else is wrong."""
    check(text)
    names: list[set[str] | None] = []  # the open containers; None for an array
    path: list[str | int] = []
    for what, start, _end in walk(text, blank(text, 0)):
        if what == "k":
            name = unquote(text, start)
            path[-1] = name
            seen = names[-1]
            assert seen is not None
            if name in seen:
                return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)
            seen.add(name)
            continue
        if what in "}]":
            names.pop()
            path.pop()
            continue
        if path and isinstance(path[-1], int):
            path[-1] += 1
        if what in "{[":
            names.append(set() if what == "{" else None)
            path.append("" if what == "{" else -1)
    return None


def unquote(text: str, start: int = 0) -> str:
    """The unescaped string whose opening quote is at ``start``; JsonError if there is none."""
    if text[start : start + 1] != '"':
        raise JsonError("no string", start)
    return read_string(text, start)[0]


def quote(value: str, *, ascii: bool = False) -> str:  # noqa: A002 - the word of json.dumps
    """The string as a JSON token: only what must be escaped is, and lone surrogates, in lower case.

    With ``ascii``, everything outside of ASCII is escaped too.
    """
    if ascii:
        return encode_basestring_ascii(value)
    token = encode_basestring(value)
    try:
        token.encode()
    except UnicodeEncodeError:
        return _surrogate.sub(lambda match: f"\\u{ord(match[0]):04x}", token)
    return token
