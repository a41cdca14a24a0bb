"""A kata daemon as a target: each patch is posted to the metadata endpoint of its record, under the revision it was made for."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from migrate.applying.errors import ApplyError, Refused, TargetLost
from migrate.applying.judging import Judged
from migrate.applying.kata_client import Answer, Client, LostError, Place, Shown
from migrate.applying.kata_deciding import PART, changed_keys, patch_body, planned
from migrate.applying.orders import Orders
from migrate.applying.states import State
from migrate.engine.json_text import unquote
from migrate.planning.drafting import value_at

KIND = "kata-daemon"
_STALE = 412
_TRIES = 3
"""Times that a patch is posted whose answers are lost."""


class DaemonTarget:
    """See :class:`migrate.applying.target.Target`."""

    def __init__(self, client: Client, actor: str) -> None:
        self.client = client
        self.actor = actor
        self.name = client.base
        self.broken: set[str] = set()
        """Records of which a patch was not made: later parts of them wait for another plan."""
        self._orders: Orders | None = None

    def about(self) -> dict[str, Any]:
        """The daemon, and who writes."""
        return {"kind": KIND, "uri": self.client.base, "actor": self.actor}

    def identity(self, keys: Collection[str]) -> tuple[str | None, int]:
        """Told when the records are looked at: a daemon has no list of all."""
        return None, len(keys)

    def look(self, orders: Orders, judged: Judged) -> None:
        """Each record as the daemon shows it. A part counts on the patches before it, which move the revision."""
        self._orders = orders
        shown: Shown | Answer | None = None
        record, earlier, known = "", 0, 0
        for number in range(len(orders)):
            own = uid_of(orders, number)
            if own != record:
                record, earlier = own, 0
                shown = self.client.read(Place.of(orders.line(number)))
            known += not isinstance(shown, Answer)
            state = self.judge(orders, judged, number, shown, earlier)
            earlier += state is State.BEFORE
            if state is State.OTHER:
                self.broken.add(own)
        if len(orders) and not known:
            raise Refused(f"{self.name} is not the instance of this plan: it has none of the planned records")

    def judge(
        self, orders: Orders, judged: Judged, number: int, shown: Shown | Answer | None, earlier: int = 0
    ) -> State:
        """The state of an order's record."""
        own = uid_of(orders, number)
        is_plan = value_at(orders.line(number), "/before/revision") is not None
        if is_plan and own in self.broken and PART in orders.keys[number]:
            judged.strike(number, "the patch before it was not made")
        elif isinstance(shown, Answer):
            judged.add(number, State.OTHER, f"gone: {shown.reason}")
        elif shown is None:
            # It is not shown: whether it is as planned, the revision decides when the patch is posted.
            judged.add(number, State.BEFORE)
        elif shown.uid not in (None, own):
            judged.add(number, State.OTHER, f"gone: another record is there, {shown.uid}")
        else:
            text = shown.text(own, earlier)
            decision = orders.decide(number, text)
            if decision is not None:
                judged.add(number, decision.state, decision.reason)
                if decision.state is State.BEFORE and not is_plan and self._takes_inbox(own, text, decision.text):
                    judged.strike(number, "another project is the Inbox now, and the daemon would take that from it")
        return judged.state(number)

    def _takes_inbox(self, own: str, was: str, now: str) -> bool:
        """Whether to put a role back would change another project: there is one Inbox at a time."""
        if changed_keys(was, now).get("role") != '"inbox"':
            return False
        listed = self.client.projects()
        return listed is None or any(
            uid != own and value_at(shown.metadata, "/role") == '"inbox"' for uid, shown in listed.items()
        )

    def records(self, keys: Collection[str]) -> Iterable[tuple[str, str]]:
        """Projects by their uid: only their roles are ever asked for."""
        listed = self.client.projects()
        for key in keys:
            if listed is None:
                yield key, _as_required(self._orders, key)
            elif (shown := listed.get(key[1:])) is not None:
                yield key, shown.text(key[1:])

    def batches(self, numbers: Sequence[int], units: Mapping[int, Sequence[int]]) -> Iterator[DaemonBatch]:
        """A patch a batch: the daemon knows nothing that is larger."""
        assert self._orders is not None
        for number in numbers:
            yield DaemonBatch(self, self._orders, number)

    def result(self) -> dict[str, Any]:
        """Nothing beside the counts."""
        return {}

    def close(self) -> None:
        """Nothing is kept open."""


def uid_of(orders: Orders, number: int) -> str:
    """The uid of an order's record."""
    return orders.keys[number][1:].partition(PART)[0]


def _as_required(orders: Orders | None, key: str) -> str:
    """A record that is not shown, as the orders want it: the revision of what they change decides then."""
    held = {}
    for number in orders.resting if orders is not None else ():
        for need in orders.requirements(number) if orders is not None else ():
            if unquote(need.record) == key[1:]:
                held[need.path[1:]] = need.holds
    members = ",".join(f"{json.dumps(name)}:{value}" for name, value in held.items())
    return f'{{"uid":{json.dumps(key[1:])},"metadata":{{{members}}}}}'


class DaemonBatch:
    """One patch, see :class:`migrate.applying.target.Batch`."""

    def __init__(self, target: DaemonTarget, orders: Orders, number: int) -> None:
        self.numbers: Sequence[int] = [number]
        self.failed: dict[int, str] = {}
        self.notes: list[bytes] = []
        self._target, self._orders, self._number = target, orders, number
        self._place = Place.of(orders.line(number))
        self._judged: Judged | None = None
        self._shown: Shown | Answer | None = None
        self._chosen = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Nothing: a patch is posted whole or not at all."""

    def look(self, judged: Judged) -> None:
        """Once more, just before."""
        self._judged = judged
        judged.again([self._number])
        self._shown = self._target.client.read(self._place)
        self._target.judge(self._orders, judged, self._number, self._shown)

    def put(self, numbers: Sequence[int]) -> Iterator[bytes]:
        """The intent; posted when it is on the disk."""
        if not numbers:
            return
        self._chosen = True
        if isinstance(self._shown, Shown):
            decision = self._orders.decide(self._number, self._record())
            if decision is not None:
                yield decision.intent().encode() + b"\n"
        else:
            yield f'{{"intent":{self._orders.id_json(self._number)},"unit":null,"codes":{value_at(self._line, "/codes")}}}\n'.encode()

    @property
    def _line(self) -> str:
        return self._orders.line(self._number)

    def _record(self) -> str:
        assert isinstance(self._shown, Shown)
        return self._shown.text(uid_of(self._orders, self._number))

    def commit(self) -> None:
        """Post the patch. A lost answer is no loss: what became of it is seen at the record."""
        if not self._chosen:
            return
        changes, revision = self._changes()
        body = patch_body(self._target.actor, changes)
        for tried in range(1, _TRIES + 1):
            try:
                answer = self._target.client.ask("POST", self._place.metadata_path, body, revision)
            except LostError as error:
                if self._is_done():
                    self._note({"status": None, "lost": str(error), "found": "as planned"})
                    return
                if tried == _TRIES:
                    raise TargetLost(f"the kata daemon at {self._target.name} does not answer: {error}") from error
                continue
            self._take(answer)
            return

    def _changes(self) -> tuple[dict[str, str | None], str]:
        """What is posted, and the revision that it is posted under: the plan's, or, for an undo, the present one."""
        revision = value_at(self._line, "/before/revision")
        if isinstance(self._shown, Shown):
            record = self._record()
            decision = self._orders.decide(self._number, record)
            assert decision is not None
            return changed_keys(record, decision.text), revision or self._shown.revision
        if revision is None:
            raise ApplyError(
                f"the kata daemon at {self._target.name} does not show {self._place.path}, so nothing is put back"
            )
        return planned(self._line)[1], revision

    def _is_done(self) -> bool:
        """Whether the record is as the order wants it, after an answer was lost."""
        assert self._judged is not None
        self._judged.again([self._number])
        shown = self._target.client.read(self._place)
        state = self._target.judge(self._orders, self._judged, self._number, shown)
        if state is State.AFTER:
            self._judged.again([self._number])
            self._judged.add(self._number, State.BEFORE)
            return True
        if state is State.OTHER:
            raise ApplyError(f"an answer of the kata daemon was lost, and then {self._judged.reason(self._number)}")
        return False

    def _take(self, answer: Answer) -> None:
        assert self._judged is not None
        if answer.status == 200:
            data = answer.data if isinstance(answer.data, dict) else {}
            record = data.get(self._place.kind)
            event = data.get("event")
            facts = {name: event.get(name) for name in ("id", "uid", "type")} if isinstance(event, dict) else None
            revision = record.get("revision") if isinstance(record, dict) else None
            self._note({"status": 200, "revision": revision, "changed": data.get("changed"), "event": facts})
            return
        self._target.broken.add(uid_of(self._orders, self._number))
        if answer.status == _STALE:
            self._note({"status": _STALE, "error": answer.reason})
            self._judged.strike(self._number, f"stale: {answer.reason}")
        elif answer.status == 404:
            self._note({"status": 404, "error": answer.reason})
            self._judged.strike(self._number, f"gone: {answer.reason}")
        elif answer.status in (400, 409, 413):
            self._note({"status": answer.status, "error": answer.reason})
            self.failed[self._number] = f"refused by the daemon: {answer.reason}"
        else:
            raise TargetLost(f"the kata daemon at {self._target.name} answers with {answer.reason}")

    def _note(self, facts: dict[str, Any]) -> None:
        line = {"posted": self._orders.keys[self._number][1:], **facts}
        self.notes.append(json.dumps(line, separators=(",", ":")).encode() + b"\n")
