"""Working trees as a target: files of a scope are created, edited or removed together, or none of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import orjson

from migrate.applying.context_orders import Operation, ScopeOrder, ScopeOrders
from migrate.applying.errors import Refused
from migrate.applying.journal import PastRun
from migrate.applying.judging import Judged
from migrate.applying.orders import Orders
from migrate.applying.states import State
from migrate.applying.target import Target
from migrate.corpora.repository import layout
from migrate.corpora.repository.filesystem import Unreadable
from migrate.corpora.repository.trees import open_trees
from migrate.corpora.repository.writing import Blocked, ScopeFiles
from migrate.engine.database import Database
from migrate.engine.processes import Workers

KIND = "repository-contexts"


@dataclass(frozen=True, slots=True)
class InTrees:
    """The working trees of the plan's corpus."""

    mode: str = "in-place"
    kind: str = KIND

    def named(self, source: str) -> tuple[str, str]:
        """The corpus."""
        return source, str(Path(source).absolute())

    def open(self, source: str, run_id: str, past: PastRun | None, database: Database, workers: Workers) -> Target:
        """The trees, as they are now."""
        return open_target(source, run_id)


def open_target(source: str, run_id: str) -> ContextTarget:
    """The trees of a path as a target."""
    corpus = open_trees(source)
    return ContextTarget(source, corpus.trees[0].root if corpus.single else Path(source), run_id)


def open_again(header: Mapping[str, Any], at: str | None, run_id: str) -> ContextTarget:
    """The trees that a run wrote to, wherever they are now. Raises Refused where they are gone."""
    if at is not None:
        return open_target(at, run_id)
    base = Path(header["uri"])
    if not base.is_dir():
        raise Refused(f"{base} is gone; --at PATH says where it is now")
    return ContextTarget(header["target"], base, run_id)


class ContextTarget:
    """Scopes below a folder as a target, see :class:`migrate.applying.target.Target`. A record's key is the scope's path in it."""

    def __init__(self, name: str, base: Path, run_id: str) -> None:
        self.name = name
        self.base = base
        self.run_id = run_id
        self.files_written = 0
        self._orders: ScopeOrders | None = None

    def about(self) -> dict[str, Any]:
        """The folder that the scopes lie in."""
        return {"kind": KIND, "uri": str(self.base.absolute())}

    def identity(self, keys: Collection[str]) -> tuple[str | None, int]:
        """How many of the scopes are there; they have no ids of any form."""
        return None, sum((self.base / key).is_dir() for key in keys)

    def look(self, orders: Orders, judged: Judged) -> None:
        """Judge every scope that is there."""
        assert isinstance(orders, ScopeOrders)
        self._orders = orders
        for number, key in enumerate(orders.keys):
            if (self.base / key).is_dir():
                self.judge(judged, number)

    def judge(self, judged: Judged, number: int) -> None:
        """Compare the files of one scope, and its class, with what its order expects."""
        order = self.order(number)
        try:
            standing = {operation.path: _standing(self.files(order), operation) for operation in order.operations}
        except Blocked as error:
            judged.add(number, State.OTHER, str(error))
            return
        for path, state in standing.items():
            if state is State.OTHER:
                told = "was changed since the run" if order.context_class is None else "is not as the plan saw it"
                judged.add(number, state, f"{path} {told}")
                return
        if set(standing.values()) <= {State.AFTER}:
            judged.add(number, State.AFTER)
        elif why := self._moved(order, begun=State.AFTER in standing.values()):
            judged.add(number, State.OTHER, why)
        else:
            judged.add(number, State.BEFORE)

    def _moved(self, order: ScopeOrder, *, begun: bool) -> str | None:
        """Why the scope is no longer the one that the plan saw, in words; it may be on its way to what the plan makes of it."""
        if order.context_class is None:
            return None
        try:
            now = str(layout.examine(self.base / order.key).context_class)
        except Unreadable as error:
            return str(error)
        if now == order.context_class or (begun and now in ("partial", "valid")):
            return None
        return f"its class is {now} and was {order.context_class} when the plan was made"

    def order(self, number: int) -> ScopeOrder:
        """What is to be done in a scope."""
        assert self._orders is not None
        return self._orders.order(number)

    def files(self, order: ScopeOrder) -> ScopeFiles:
        """The files of a scope."""
        return ScopeFiles(self.base, order.key, self.run_id)

    def records(self, keys: Collection[str]) -> Iterable[tuple[str, str]]:
        """Nothing: no order of a scope rests on another one."""
        return ()

    def batches(self, numbers: Sequence[int], units: Mapping[int, Sequence[int]]) -> Iterator[ScopeBatch]:
        """A scope a batch."""
        for number in numbers:
            yield ScopeBatch(self, number)

    def result(self) -> dict[str, Any]:
        """How many files were written or removed."""
        return {"files": self.files_written}

    def close(self) -> None:
        """Nothing is kept open."""


class ScopeBatch:
    """The files of one scope, see :class:`migrate.applying.target.Batch`."""

    def __init__(self, target: ContextTarget, number: int) -> None:
        self.numbers: Sequence[int] = (number,)
        self.failed: Mapping[int, str] = {}
        self._target = target
        self._order = target.order(number)
        self._files = target.files(self._order)
        self._meant = False
        self._made: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        pass

    def look(self, judged: Judged) -> None:
        """Judge the scope again, right before its first file is written."""
        judged.again(self.numbers)
        self._target.judge(judged, self.numbers[0])

    def put(self, numbers: Sequence[int]) -> Iterator[bytes]:
        """The intent: every file with its old and its new text, and the folders that are made for them."""
        self._meant = bool(numbers)
        if not self._meant:
            return
        made = [
            path
            for one in self._order.operations
            if one.new is not None
            for path in self._files.missing_folders(one.path)
        ]
        self._made = list(dict.fromkeys(made))
        yield orjson.dumps(self._order.intent(self._made)) + b"\n"

    def commit(self) -> None:
        """Write the files one by one; where one cannot be, those before it are taken back and the scope has failed."""
        done: list[Operation] = []
        for operation in self._order.operations if self._meant else ():
            try:
                if _standing(self._files, operation) is State.AFTER:
                    continue
                _write(self._files, operation)
            except Blocked as error:
                self.failed = {self.numbers[0]: str(error) + self._taken_back(done)}
                return
            done.append(operation)
        self._files.remove_folders(self._order.folders)
        self._target.files_written += len(done)

    def _taken_back(self, done: Sequence[Operation]) -> str:
        """Take back what was written; in words what could not be."""
        left = []
        for operation in reversed(done):
            try:
                _write(self._files, operation.reversed())
            except Blocked as error:
                left.append(str(error))
        self._files.remove_folders(self._made)
        return f"; and of what was written before it this could not be taken back: {'; '.join(left)}" if left else ""


def _standing(files: ScopeFiles, operation: Operation) -> State:
    present = files.read(operation.path)
    if present == operation.new:
        return State.AFTER
    return State.BEFORE if present == operation.old else State.OTHER


def _write(files: ScopeFiles, operation: Operation) -> None:
    match operation:
        case Operation(path, None, bytes(new)):
            files.create(path, new)
        case Operation(path, bytes(old), bytes(new)):
            files.replace(path, old, new)
        case Operation(path, bytes(old), None):
            files.remove(path, old)
