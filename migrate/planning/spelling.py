"""JSON text spelled anew: compact, in one of two ways. No depth is too deep, no number too long.

*Canonical* is for comparing: members by code point, numbers by value. *Compact* is for writing: order and number
tokens stay. Strings are the same in both: UTF-8, only what must be escaped is, lone surrogates as ``\\udXXX``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from migrate.engine.json_text import JsonError, blank, check, number, quote, scanner, unquote, walk

Rope = list[Any]
"""Pieces of text, and ropes."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("twice")
    return found


# orjson writes the same strings, the same order of members and the same 64-bit integers. It never sees another number
# (a Fragment is copied as it is), and refuses longer integers, lone surrogates and deep nesting: then `_respell`.
_read_canonical = scanner(parse_float=lambda token: orjson.Fragment(number(token)), object_pairs_hook=_once)
_read_compact = scanner(parse_float=orjson.Fragment, parse_int=orjson.Fragment, object_pairs_hook=_once)
_REFUSED = (ValueError, StopIteration, RecursionError, TypeError)


def canonical(text: str) -> bytes:
    """The canonical bytes of the JSON value: equal for equal values, in whatever spelling they stand.

    A member that stands twice stays twice, so that such an object equals no proper one. JsonError if it is no JSON.
    """
    try:
        value, end = _read_canonical(text, blank(text, 0))
        if blank(text, end) == len(text):
            return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except _REFUSED:
        pass
    return respell(text, spell=number, ordered=True).encode()


def compact(text: str) -> str:
    """The JSON value without blanks, its strings respelled, its order and number tokens as they were.

    JsonError if it is no JSON.
    """
    try:
        value, end = _read_compact(text, blank(text, 0))
        if blank(text, end) == len(text):
            return orjson.dumps(value).decode()
    except _REFUSED:
        pass
    return respell(text)


def bare(text: str) -> str:
    """:func:`compact` of what RFC 7396 makes of a patch value where no object stood: null members are left out."""
    return respell(text, drop_nulls=True) if "null" in text else compact(text)


def respell(text: str, *, spell: Callable[[str], str] = str, ordered: bool = False, drop_nulls: bool = False) -> str:
    """The slow way of all three, event by event and without recursion.

    ``spell`` respells number tokens, ``ordered`` sorts members by code point, ``drop_nulls`` leaves out members that
    are null and not inside an array.
    """
    check(text)
    top: list[tuple[str, Rope | str]] = []
    frames: list[tuple[str, list[tuple[str, Rope | str]]]] = [("", top)]
    names: list[str] = [""]
    arrays = 0
    for what, start, end in walk(text, blank(text, 0)):
        if what == "k":
            names[-1] = unquote(text, start)
            continue
        if what in "{[":
            frames.append((what, []))
            names.append("")
            arrays += what == "["
            continue
        piece: Rope | str
        if what == "v":
            piece = _scalar(text[start:end], spell)
            if drop_nulls and piece == "null" and not arrays and frames[-1][0] == "{":
                continue
        else:
            opener, inside = frames.pop()
            names.pop()
            arrays -= opener == "["
            if ordered and opener == "{":
                inside.sort(key=lambda member: member[0])
            piece = _container(opener, what, inside)
        frames[-1][1].append((names[-1], piece))
    return _flat([top[0][1]])


def _scalar(token: str, spell: Callable[[str], str]) -> str:
    first = token[0]
    if first == '"':
        return quote(unquote(token))
    return token if first in "tfn" else spell(token)


def _container(opener: str, closer: str, inside: list[tuple[str, Rope | str]]) -> Rope:
    rope: Rope = [opener]
    for index, (name, piece) in enumerate(inside):
        if index:
            rope.append(",")
        if opener == "{":
            rope.append(quote(name) + ":")
        rope.append(piece)
    rope.append(closer)
    return rope


def _flat(rope: Rope) -> str:
    pieces: list[str] = []
    stack = [iter(rope)]
    while stack:
        for piece in stack[-1]:
            if isinstance(piece, str):
                pieces.append(piece)
            else:
                stack.append(iter(piece))
                break
        else:
            stack.pop()
    return "".join(pieces)


def object_in(token: str) -> str | None:
    """The text inside a JSON string token if that text is an object (blanks around it allowed); else None."""
    inner = unquote(token)
    start = blank(inner, 0)
    if inner[start : start + 1] != "{":
        return None
    try:
        check(inner)
    except JsonError:
        return None
    return inner
