"""What a record of the sample is before it has an id, and how references to others are spelled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference to the record with ``key``; ``form`` is how its integer id is written.

    ``int`` 1042 · ``text`` "1042" · ``float`` 1042.0 · ``padded`` "01042" · ``object`` {"id": 1042} ·
    ``noted`` {"id": 1042, "why": …} · ``hash`` "#1042".
    """

    key: str
    form: str = "int"


@dataclass(frozen=True, slots=True)
class Number:
    """A JSON number with exactly this text (``1E2``, ``1.0``, 30 digits)."""

    text: str


@dataclass(frozen=True, slots=True)
class Members:
    """A JSON object as a list of members, so that one may stand in it twice."""

    pairs: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Encoded:
    """A value written as JSON text inside a JSON string, ``times`` over."""

    value: Any
    times: int = 1


@dataclass(slots=True)
class Entry:
    """One record.

    ``text`` and ``summary`` may name other records as ``[[key]]``; ``top`` holds unusual members of the record, and
    under ``names`` other names for usual ones.
    """

    key: str
    at: datetime
    thread: str
    source: str
    text: str
    meta: Any
    tags: list[str] | None
    updated: datetime | None = None
    summary: str | None = None
    top: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Work:
    """One piece of work on harbor, told once; the templates make its prompt, plan, reports and handoff from it."""

    key: str
    start: str
    project: str
    title: str
    ask: str
    problem: str
    cause: str
    options: tuple[str, ...]
    decision: str
    changes: tuple[tuple[str, str], ...]
    goal: str
    check: str
    remark: str
    left: str
    tech: tuple[str, ...]
    makes: tuple[str, ...]
    pull: int = 0
    lesson: str = ""


@dataclass(frozen=True, slots=True)
class Issue:
    """One issue. ``links`` maps a link key to keys of records; ``comments`` are (hours later, agent, text)."""

    key: str
    at: str
    project: str
    title: str
    status: str
    priority: int
    problem: str
    evidence: str
    wanted: tuple[str, ...]
    labels: tuple[str, ...]
    source: str = ""
    links: tuple[tuple[str, tuple[str, ...]], ...] = ()
    more: tuple[tuple[str, Any], ...] = ()
    closed_hours: int = 0
    comments: tuple[tuple[int, str, str], ...] = ()
    by_hand: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong on one record: the codes with their levels, and the sentence of the README's table."""

    key: str
    codes: tuple[str, ...]
    what: str


def refs(value: Any) -> Iterator[Ref]:
    """Every reference inside a metadata value, in order."""
    if isinstance(value, Ref):
        yield value
    elif isinstance(value, Encoded):
        yield from refs(value.value)
    elif isinstance(value, Members):
        for _, member in value.pairs:
            yield from refs(member)
    elif isinstance(value, dict):
        for member in value.values():
            yield from refs(member)
    elif isinstance(value, list | tuple):
        for member in value:
            yield from refs(member)
