"""What an order makes of a record of kata: inside a line of an export, or as a daemon shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from migrate.applying.deciding import Decider, Decision, Touched
from migrate.applying.states import State
from migrate.engine.json_text import JsonError, blank, members, quote
from migrate.engine.kata_lines import record_span
from migrate.planning.canonical import canonical
from migrate.planning.drafting import value_at
from migrate.planning.errors import PlanError
from migrate.planning.merge_patch import Patch
from migrate.planning.pointer import tokens
from migrate.planning.splice import splice

PART = "#"
"""Between a record's uid and the name of a part, in the key of an order."""


@dataclass(frozen=True, slots=True)
class InExport:
    """Decides about the record inside a line of an export."""

    decider: Decider

    def __call__(self, line: str, key: str, text: str) -> Decision | None:
        """The same with ``text`` a whole line; None where the line holds no such record."""
        try:
            span = record_span(text)
        except JsonError as error:
            return Decision(State.NOTHING, f"its line is no readable record any more: {error.reason}")
        if span is None or not _same_kind(line, text):
            return None
        decision = self.decider(line, key, text[slice(*span)])
        if decision is None or decision.state is not State.BEFORE:
            return decision
        return replace(
            decision,
            text=text[: span[0]] + decision.text + text[span[1] :],
            tail=f'{decision.tail},"target":{value_at(line, "/target") or "null"}',
        )


def _same_kind(line: str, text: str) -> bool:
    wanted = value_at(line, "/target/kind")
    return wanted is None or value_at(text, "/kind") == wanted


def inside(text: str) -> str:
    """The record in a line of an export."""
    span = record_span(text)
    return text if span is None else text[slice(*span)]


@dataclass(frozen=True, slots=True)
class ByValues:
    """Carries a plan out on what a daemon shows: every touched key must have the value that the plan saw, and the revision be that.

    A record is ``{"uid": …, "metadata": {…}, "revision": N}``; other keys of the metadata may have changed.
    """

    def __call__(self, line: str, key: str, text: str) -> Decision | None:
        """Compare key by key, and where all are as before, merge the patch."""
        before, after = planned(line)
        present = _members(value_at(text, "/metadata"))
        if all(_same(present.get(name), value) for name, value in after.items()):
            return Decision(State.AFTER)
        if changed := [name for name in after if not _same(present.get(name), before.get(name))]:
            return Decision(State.OTHER, f"its {changed[0]} is not what the plan saw")
        wanted, revision = value_at(line, "/before/revision"), value_at(text, "/revision")
        if wanted != revision:
            return Decision(State.OTHER, f"its revision is {revision} and not {wanted}")
        try:
            new = splice(text, Patch.read(value_at(line, "/patch") or "{}"), text_encoded=False)
        except (PlanError, JsonError) as error:
            return Decision(State.OTHER, f"its patch does not fit it: {error}")
        was = {name: present.get(name) for name in after}
        return Decision(
            State.BEFORE, text=new, was=_touched(was), now=_touched(after),
            head=f'"intent":{quote(key[1:], ascii=True)},"unit":null,"codes":{value_at(line, "/codes")}',
            tail=f'"version":{revision},"updated_at":null,"target":{value_at(line, "/target")}',
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class OfPart:
    """Decides about a record for one of its parts."""

    decider: Decider

    def __call__(self, line: str, key: str, text: str) -> Decision | None:
        """The same, the key of the order being that of the record and its part."""
        return self.decider(line, key.partition(PART)[0], text)


def planned(line: str) -> tuple[dict[str, str | None], dict[str, str | None]]:
    """The touched keys of a plan line, to their whole values before and after; None where there is none."""
    values = value_at(line, "/before/values") or "{}"
    patch = Patch.read(value_at(line, "/patch") or "{}")
    was = f'{{"metadata":{values}}}'
    now = splice(was, patch, text_encoded=False)
    names = dict.fromkeys([*_members(patch.metadata), *(tokens(path)[0] for path in patch.replace)])
    old, new = _members(values), _members(value_at(now, "/metadata"))
    return {name: old.get(name) for name in names}, {name: new.get(name) for name in names}


def changed_keys(was: str, now: str) -> dict[str, str | None]:
    """The keys of the metadata of a record's text that differ, to their new values; None where the key goes."""
    old, new = _members(value_at(was, "/metadata")), _members(value_at(now, "/metadata"))
    return {name: new.get(name) for name in dict.fromkeys([*old, *new]) if old.get(name) != new.get(name)}


def patch_body(actor: str, changes: Mapping[str, str | None]) -> str:
    """What is posted: the actor and the per-key merge patch, values as they are spelled."""
    parts = ",".join(f"{quote(name)}:{'null' if value is None else value}" for name, value in changes.items())
    return f'{{"actor":{quote(actor)},"patch":{{{parts}}}}}'


def _members(text: str | None) -> dict[str, str]:
    start = blank(text or "", 0)
    if text is None or text[start : start + 1] != "{":
        return {}
    return {member.key: text[member.start : member.end] for member in members(text, start)}


def _same(one: str | None, other: str | None) -> bool:
    return one == other or (one is not None and other is not None and canonical(one) == canonical(other))


def _touched(values: Mapping[str, str | None]) -> Touched:
    """The touched keys alone, as an object: what an undo compares with and puts back."""
    parts = (f"{quote(name)}:{value}" for name, value in values.items() if value is not None)
    return Touched("{" + ",".join(parts) + "}", None)
