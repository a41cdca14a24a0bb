"""What an order makes of a record: its state, its text afterwards, and the line that the journal keeps of it.

An order is a line of text, of a plan here, of a journal in :mod:`migrate.applying.reverting`. Deciding knows neither files nor
databases, so that it can be done by any process.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from json.encoder import encode_basestring_ascii
from typing import NamedTuple, Protocol

import msgspec

from migrate.applying.comparing import record_key, same_version, spelled_as
from migrate.applying.errors import ApplyError
from migrate.applying.states import State
from migrate.engine.json_text import JsonError, Member, blank, members, skip
from migrate.planning.canonical import record_hash
from migrate.planning.errors import PlanError
from migrate.planning.merge_patch import Patch
from migrate.planning.splice import splice


class Touched(NamedTuple):
    """The texts of what an order may change, as they stand; None where there is no such member."""

    metadata: str | None
    tags: str | None


class Record:
    """A record's text, taken apart once."""

    def __init__(self, text: str, ids: tuple[str, ...] = ("id", "context_id"), version: str = "version") -> None:
        """``ids`` and ``version`` name its members. Raises JsonError for a text that is no object, or has a member twice."""
        self.text = text
        self.version_name = version
        self._ids = ids
        start = blank(text, 0)
        if text[start : start + 1] != "{":
            raise JsonError("no object", start)
        self.members: list[Member] = members(text, start)
        self._spans = {member.key: (member.start, member.end) for member in self.members}
        if len(self._spans) != len(self.members):
            raise JsonError("a member stands twice", start)
        end = self.members[-1].end if self.members else start + 1
        if blank(text, blank(text, end) + 1) != len(text):
            raise JsonError("more text", end)

    def at(self, name: str) -> str | None:
        """The text of a member."""
        span = self._spans.get(name)
        return None if span is None else self.text[span[0] : span[1]]

    @property
    def key(self) -> str | None:
        """The key of its own id."""
        token = next((self.at(name) for name in self._ids if name in self._spans), None)
        return None if token is None else record_key(token)

    @property
    def version(self) -> str | None:
        """The text of its version."""
        return self.at(self.version_name)

    @property
    def touched(self) -> Touched:
        """What an order may change."""
        return Touched(self.at("metadata"), self.at("tags"))


_NOTHING = Touched(None, None)


@dataclass(frozen=True, slots=True)
class Decision:
    """What an order makes of a record. Only BEFORE has a text, and is written."""

    state: State
    reason: str = ""
    text: str = ""
    """The record afterwards."""
    after: str = ""
    """The hash that the order promises of it, empty where it promises none (an undo)."""
    was: Touched = _NOTHING
    now: Touched = _NOTHING
    head: str = ""
    """The intent's first members: the id, the unit, the codes."""
    tail: str = ""
    """Its last: the old version and time."""

    def intent(self) -> str:
        """The journal's line, without its line feed."""
        return f'{{{self.head},"old":{_texts(self.was)},"new":{_texts(self.now)},{self.tail}}}'

    def stored_as(self, now: Touched) -> Decision:
        """The same, with the texts that the store gives back; ApplyError where they are not what the order promises."""
        if self.after and record_hash(now.metadata, now.tags) != self.after:
            raise ApplyError("the store did not keep what was written to it")
        return replace(self, now=now)


def _texts(touched: Touched) -> str:
    metadata, tags = ("null" if text is None else encode_basestring_ascii(text) for text in touched)
    return f'{{"metadata":{metadata},"tags":{tags}}}'


class Decider(Protocol):
    """Decides what an order makes of a record. It travels to other processes."""

    def __call__(self, line: str, key: str, text: str) -> Decision | None:
        """The line of the order, the key of its record, the record's text; None where the record is another one."""


class PlanLine(NamedTuple):
    """What deciding needs of a plan line, as JSON texts."""

    record: str
    unit: str
    codes: str
    before: str
    version: str
    after: str
    patch: str

    @classmethod
    def read(cls, text: str) -> PlanLine:
        """Raises JsonError or ValueError for a line that is none of a plan, as this tool writes it."""
        # Quotes inside strings are escaped, so that these marks are members, and the first of each is the line's own.
        found, start = [], 0
        for mark, end in _MARKS:
            begin = text.index(mark, start) + len(mark)
            start = text.index(end, begin)
            # A system may say more of the state before, behind the version.
            found.append(text[begin:start].partition(_REVISION)[0])
        patch = text.index(_PATCH, start) + len(_PATCH)
        return cls._make([*found, text[patch : skip(text, patch)]])


_MARKS = (
    ('{"record":', ',"part":'),
    (',"unit":', ',"level":'),
    (',"codes":', ',"before":'),
    (',"before":{"hash":"', '"'),
    (',"version":', '},"after":'),
    (',"after":{"hash":"', '"'),
)
_PATCH = ',"patch":'
_REVISION = ',"revision":'


@dataclass(frozen=True, slots=True)
class ByPlan:
    """Carries a plan out: the record must be what the plan saw."""

    text_encoded: bool
    version: str = "version"
    ids: tuple[str, ...] = ("id", "context_id")

    def __call__(self, line: str, key: str, text: str) -> Decision | None:
        """Compare, and where the record is as before, splice and prove what came of it."""
        order = PlanLine.read(line)
        try:
            record = Record(text, self.ids, self.version)
        except JsonError as error:
            return Decision(State.NOTHING, f"it is no readable record any more: {error.reason}")
        if record.key != key:
            return None
        was = record.touched
        present = record_hash(*was)
        if order.before == order.after == present:
            state = spelled_as(was.metadata, was.tags, line)
            if state is State.OTHER:
                return Decision(state, "its metadata or tags are spelled otherwise than the plan saw")
        elif present == order.after:
            state = State.AFTER
        elif present == order.before:
            state = State.BEFORE
        else:
            return Decision(State.OTHER, "its metadata or tags are not what the plan saw")
        if state is State.AFTER:
            return Decision(state)
        if not same_version(order.version, record.version):
            return Decision(State.OTHER, f"its {self.version} is {record.version} and not {order.version}")
        encoded = self.text_encoded and (was.metadata is None or was.metadata[:1] in '"n')
        try:
            new = splice(text, Patch.read(order.patch), text_encoded=encoded, found=record.members)
            now = _touched_in(new)
        except (PlanError, JsonError) as error:
            return Decision(State.OTHER, f"its patch does not fit it: {error}")
        if record_hash(*now) != order.after:
            raise ApplyError(
                f"the record {order.record} would not become what the plan says; nothing was written, make the plan anew"
            )
        return Decision(
            state, text=new, after=order.after, was=was, now=now,
            head=f'"intent":{order.record},"unit":{order.unit},"codes":{order.codes}', tail=record_tail(record),
        )  # fmt: skip


def record_tail(record: Record) -> str:
    """The old version and time of a record, as they stand."""
    return f'"version":{record.version or "null"},"updated_at":{record.at("updated_at") or "null"}'


def identity_of(line: str) -> str:
    """What a plan line gives to the plan's id. Raises JsonError or ValueError for a line that is none of a plan."""
    order = PlanLine.read(line)
    return f"{order.record}\t{order.before}\t{order.patch}\n"


class _Touched(msgspec.Struct):
    metadata: msgspec.Raw = msgspec.Raw()
    tags: msgspec.Raw = msgspec.Raw()


_decode = msgspec.json.Decoder(_Touched).decode


def _touched_in(text: str) -> Touched:
    """What an order may change, of a record that is known to have no member twice; JsonError where it is no record."""
    try:
        found = _decode(text)
    except (msgspec.MsgspecError, RecursionError):  # a lone surrogate, or very deep
        return Record(text).touched
    return Touched(*(str(part, "utf-8") or None for part in (bytes(found.metadata), bytes(found.tags))))
