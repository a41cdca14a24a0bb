"""A running context server as a target: changed through its own tool, a whole unit in one atomic batch.

The server takes no expected version, so that between the last look and the write there is a window: small, but open. What is
written names the touched members alone wherever a merge patch can say it, so that an edit of another member in that window stays.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import msgspec

from migrate.applying.deciding import Decision, Record
from migrate.applying.store_target import StoreBatch, StoreTarget, changed
from migrate.corpora.interface import CorpusError
from migrate.corpora.live_server import BATCH, LiveServer, ServerCallError, Session
from migrate.engine.json_text import JsonError, members
from migrate.planning.canonical import canonical, record_hash


class LiveTarget(StoreTarget):
    """A running server, see :class:`migrate.applying.target.Target`."""

    largest = BATCH

    def __init__(self, server: LiveServer) -> None:
        self.session: Session = server.session().__enter__()
        super().__init__(self.session)

    def texts(self, ids: Sequence[Any]) -> Mapping[Any, str]:
        """The records as the server tells them."""
        found: dict[Any, str] = {}
        try:
            for start in range(0, len(ids), BATCH):
                asked = [json.dumps(own_id) for own_id in ids[start : start + BATCH]]
                found |= {json.loads(own): line.decode() for own, line in self.session.entries(asked).items()}
        except ServerCallError as error:
            raise CorpusError(f"{self.name}: {error}") from error
        return found

    def batch(self, groups: Sequence[Sequence[int]]) -> StoreBatch:
        """One call of the server for these units."""
        return LiveBatch(self, groups)

    def close(self) -> None:
        """End the connection."""
        self.session.__exit__(None, None, None)


class LiveBatch(StoreBatch):
    """One call, see :class:`migrate.applying.target.Batch`. What is asked is journalled before it is sent, what came of it is looked at after."""

    def __init__(self, target: LiveTarget, groups: Sequence[Sequence[int]]) -> None:
        super().__init__(target, groups)
        self.target = target
        self._asked: dict[int, dict[str, Any]] = {}
        self._sent: list[list[int]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Nothing was sent that would have to be taken back."""

    def lock(self) -> None:
        """Nobody can be kept from writing through the server."""

    def put(self, numbers: Sequence[int]) -> Iterator[bytes]:
        """Say what will be asked for, unit by unit."""
        for group in self.chosen(numbers):
            if len(group) > BATCH:
                self.fail(group, f"its unit has {len(group)} records, and the server changes at most {BATCH} at once")
                continue
            try:
                asked = {number: self._update(number) for number in group}
            except ValueError as error:
                self.fail(group, f"it cannot be said through the server: {error}")
                continue
            self._asked |= asked
            self._sent.append(group)
            yield from ((self.decisions[number].intent() + "\n").encode() for number in group)

    def commit(self) -> None:
        """Ask the server, all units in one atomic call; where it refuses, unit by unit. Then look what came of it."""
        if not self._sent:
            return
        if not self._call([number for group in self._sent for number in group]):
            for group in self._sent:
                self._call(group, alone=True)
        self._verify()

    def _call(self, numbers: Sequence[int], *, alone: bool = False) -> bool:
        try:
            answer = self.target.session.call(
                "update_context_batch", {"updates": [self._asked[number] for number in numbers], "atomic": True}
            )
            told = msgspec.json.decode(answer)
            if not told.get("success"):
                raise ServerCallError(str(told.get("message")))
        except ServerCallError as error:
            if alone:
                self.fail(numbers, str(error))
            return False
        return True

    def _verify(self) -> None:
        written = [number for group in self._sent for number in group if number not in self.failed]
        texts = self.target.present(written)
        for number in written:
            wanted = self.decisions[number].now
            now = Record(texts[number]).touched if number in texts else None
            if now is None or record_hash(*now) != record_hash(*wanted):
                self.fail([number], "after the change the server tells another record than was meant: look at it")

    def _update(self, number: int) -> dict[str, Any]:
        """The item for the server; ValueError where JSON as Python has it cannot say the new metadata."""
        decision = self.decisions[number]
        update: dict[str, Any] = {"context_id": self.target.id_of(self.target.orders.keys[number])}
        if changed((decision.was.metadata, decision.now.metadata)):
            update |= _said(decision)
        if changed((decision.was.tags, decision.now.tags)):
            update["tags"] = json.loads(decision.now.tags or "null") or []
        return update


def _said(decision: Decision) -> dict[str, Any]:
    """The change of metadata: a merge patch of the members that differ, else the whole."""
    old, new = decision.was.metadata or "null", decision.now.metadata or "null"
    patch = merge_patch("{}" if old == "null" else old, "{}" if new == "null" else new)
    name, text = ("metadata", "{}" if new == "null" else new) if patch is None else ("metadata_patch", patch)
    value = json.loads(text)
    if canonical(json.dumps(value)) != canonical(text):
        raise ValueError("a number in it is too large or too exact")
    return {name: value}


def merge_patch(old: str, new: str) -> str | None:
    """The RFC 7396 patch from one object's text to another's; None where there is none: a null that is new, or no two objects."""
    try:
        before, after = _members(old), _members(new)
    except JsonError:
        return None
    parts = [f"{json.dumps(name)}:null" for name in before if name not in after]
    for name, text in after.items():
        if name in before and canonical(before[name]) == canonical(text):
            continue
        inner = merge_patch(before[name], text) if name in before and {before[name][0], text[0]} == {"{"} else text
        if inner is None or (inner is text and _has_null(json.loads(text))):
            return None
        parts.append(f"{json.dumps(name)}:{inner}")
    return "{" + ",".join(parts) + "}"


def _members(text: str) -> dict[str, str]:
    return {member.key: text[member.start : member.end] for member in members(text, 0)}


def _has_null(value: Any) -> bool:
    """Whether a merge patch would drop something of a new value: a null that is no element of an array."""
    return value is None or (isinstance(value, dict) and any(map(_has_null, value.values())))
