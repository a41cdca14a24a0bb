"""JSON text spelled in every way that means the same, from values that may hold tokens of their own."""

from __future__ import annotations

import json
from dataclasses import dataclass
from random import Random
from typing import Any


@dataclass(frozen=True, slots=True)
class Raw:
    """A token that is written as it stands: a number or a string in a spelling that Python would not write."""

    text: str


@dataclass(frozen=True, slots=True)
class Doubled:
    """An object whose members are given as pairs, so that one may stand twice."""

    pairs: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Manner:
    """How one record is spelled."""

    comma: str = ","
    colon: str = ":"
    open: str = ""
    ascii: bool = False
    """Everything outside of ASCII as escapes."""
    slashes: bool = False
    """Escaped slashes."""
    upper: bool = False
    """Escapes in upper case."""


MANNERS = (
    Manner(),
    Manner(", ", ": "),
    Manner(ascii=True),
    Manner(" , ", " : ", " ", ascii=True, upper=True),
    Manner(",\t", ":  ", "\t", slashes=True),
)


def spell(value: Any, manner: Manner = MANNERS[0]) -> str:
    """The value as JSON text."""
    match value:
        case Raw(text):
            return text
        case str():
            return _string(value, manner)
        case dict():
            return _object(tuple(value.items()), manner)
        case Doubled(pairs):
            return _object(pairs, manner)
        case list():
            return f"[{manner.open}{manner.comma.join(spell(item, manner) for item in value)}{manner.open}]"
        case _:
            return json.dumps(value)


def _object(pairs: tuple[tuple[str, Any], ...], manner: Manner) -> str:
    inside = manner.comma.join(f"{_string(name, manner)}{manner.colon}{spell(value, manner)}" for name, value in pairs)
    return f"{{{manner.open}{inside}{manner.open}}}"


def _string(value: str, manner: Manner) -> str:
    text = json.dumps(value, ensure_ascii=manner.ascii)
    if not manner.ascii:  # a lone surrogate has no UTF-8
        text = "".join(f"\\u{ord(char):04x}" if "\ud800" <= char <= "\udfff" else char for char in text)
    if manner.slashes:
        text = text.replace("/", "\\/")
    if manner.upper:
        parts = text.split("\\u")
        text = parts[0] + "".join(f"\\u{part[:4].upper()}{part[4:]}" for part in parts[1:])
    return text


def plain(value: Any) -> Any:
    """The value as Python reads it back; ``Raw`` numbers become floats where they are spelled so."""
    return json.loads(spell(value))


def shuffled(members: dict[str, Any], rng: Random) -> dict[str, Any]:
    """The same members in another order."""
    names = list(members)
    rng.shuffle(names)
    return {name: members[name] for name in names}
