"""Takes an intent of a journal back: each touched member gets its exact old text, where it still has the one that the run wrote."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from migrate.applying.comparing import inner_text
from migrate.applying.deciding import Decision, Record, Touched, record_tail
from migrate.applying.states import State
from migrate.engine.json_text import JsonError, blank, members, quote
from migrate.planning.errors import PlanError
from migrate.planning.merge_patch import Patch
from migrate.planning.object_edit import COMPACT, Manner, member_changes, replaced
from migrate.planning.spelling import compact
from migrate.planning.splice import splice


@dataclass(frozen=True, slots=True)
class Member:
    """A member of the metadata that a run touched: its pointer, the steps to it, its old and its new text, None where there was none."""

    steps: tuple[str, ...]
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class ByJournal:
    """Takes a run back, an intent at a time."""

    ids: tuple[str, ...] = ("id", "context_id")
    version: str = "version"

    def __call__(self, line: str, key: str, text: str) -> Decision | None:
        """Compare each touched member with what the run wrote, and put the old texts back."""
        intent = json.loads(line)
        was, wrote = Touched(**intent["old"]), Touched(**intent["new"])
        try:
            record = Record(text, self.ids, self.version)
            if record.key != key:
                return None
            return _decided(record, was, wrote, _head(line))
        except JsonError as error:
            return Decision(State.NOTHING, f"it is no readable record any more: {error.reason}")


def _head(line: str) -> str:
    """The id, the unit and the codes of an intent, as they stand."""
    return line[1 : line.index(',"old":')]


def _decided(record: Record, was: Touched, wrote: Touched, head: str) -> Decision:
    present = record.touched
    whole: dict[str, str | None] = {}
    members_back: list[Member] = []
    for name in Touched._fields:
        here, old, new = (getattr(texts, name) for texts in (present, was, wrote))
        if old == new:
            continue
        standing = _standing(here, old, new)
        if standing is not State.OTHER:
            if standing is State.BEFORE:
                whole[name] = old
            continue
        touched = None if name == "tags" else _members(old, new)
        if touched is None:
            return Decision(State.OTHER, f"its {name} were changed since the run")
        for member in touched:
            standing = _standing(_at(inner_text(here), member.steps), member.old, member.new)
            if standing is State.OTHER:
                return Decision(standing, f"its {'/'.join(member.steps)} was changed since the run")
            if standing is State.BEFORE:
                members_back.append(member)
    if not whole and not members_back:
        return Decision(State.AFTER)
    try:
        text = _put_back(record, whole, members_back)
        now_record = Record(text)
    except PlanError as error:
        return Decision(State.OTHER, f"the old text does not fit it any more: {error}")
    return Decision(
        State.BEFORE, text=text, was=present, now=now_record.touched, head=head, tail=record_tail(record)
    )  # fmt: skip


def _put_back(record: Record, whole: Mapping[str, str | None], single: list[Member]) -> str:
    """The record with whole parts put back, and single members of its metadata."""
    text = record.text
    if whole:
        start = blank(text, 0)
        found = record.members
        text = replaced(text, member_changes(text, start, found, whole, Manner(text, start, found, COMPACT)))
    if single:
        encoded = (record.touched.metadata or "")[:1] == '"'
        text = splice(text, _patch(single), text_encoded=encoded, verbatim=True)
    return text


def _patch(single: list[Member]) -> Patch:
    """What goes as nulls of a merge patch, what comes back as whole values at pointers."""
    gone: dict[str, object] = {}
    replace: dict[str, str] = {}
    for member in single:
        if member.old is not None:
            replace["".join("/" + step.replace("~", "~0").replace("/", "~1") for step in member.steps)] = member.old
            continue
        node = gone
        for step in member.steps[:-1]:
            node = node.setdefault(step, {})  # type: ignore[assignment]
        node[member.steps[-1]] = None
    return Patch(_nulls(gone) if gone else None, None, replace)


def _nulls(tree: Mapping[str, object]) -> str:
    parts = [f"{quote(name)}:{_nulls(below) if isinstance(below, dict) else 'null'}" for name, below in tree.items()]
    return "{" + ",".join(parts) + "}"


def _members(old: str | None, new: str | None) -> list[Member] | None:
    """The members that differ between two metadata texts; None where they can only be told apart as a whole."""
    if (old or "")[:1] == '"' and (new or "")[:1] != '"':
        return None  # decoded
    before, after = ({} if text in (None, "null") else _taken_apart(inner_text(text)) for text in (old, new))
    if before is None or after is None:
        return None
    return list(_differing(before, after, ()))


def _differing(before: Mapping[str, str], after: Mapping[str, str], steps: tuple[str, ...]) -> Iterator[Member]:
    pairs = [(before, after, steps)]
    while pairs:
        old, new, above = pairs.pop()
        for name in dict.fromkeys([*old, *new]):
            one, other = old.get(name), new.get(name)
            if one == other:
                continue
            inner = (_taken_apart(one), _taken_apart(other))
            if inner[0] is not None and inner[1] is not None:
                pairs.append((inner[0], inner[1], (*above, name)))
            else:
                yield Member((*above, name), one, other)


def _taken_apart(text: str | None) -> dict[str, str] | None:
    """The members of an object; None for any other value, or a member twice."""
    if text is None:
        return None
    start = blank(text, 0)
    if text[start : start + 1] != "{":
        return None
    found = members(text, start)
    parts = {member.key: text[member.start : member.end] for member in found}
    return parts if len(parts) == len(found) else None


def _at(text: str | None, steps: tuple[str, ...]) -> str | None:
    for step in steps:
        text = (_taken_apart(text) or {}).get(step)
    return text


def _standing(here: str | None, old: str | None, new: str | None) -> State:
    """BEFORE where the text is what the run wrote, AFTER where it is the old one: as it stands, else in another spelling."""
    if here == new:
        return State.BEFORE
    if here == old:
        return State.AFTER
    if here is not None:
        spelled = compact(here)
        if new is not None and spelled == compact(new):
            return State.BEFORE
        if old is not None and spelled == compact(old):
            return State.AFTER
    return State.OTHER
