"""A database as a target, whichever it is: records are looked at in portions and written in short transactions of whole units."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Protocol, Self

from migrate.applying.deciding import Decision
from migrate.applying.judging import Judged
from migrate.applying.orders import Orders
from migrate.applying.target import Batch
from migrate.corpora.spool import Layout

KIND = "store"
"""What a journal calls a context server's database, or the server itself."""
PORTION = 500
"""Records that are read at once."""
_SMALLEST, _LARGEST = 20, 1_000
_BRIEF, _LONG = 0.1, 0.4
"""Seconds that a batch may hold its locks before the next one is larger, or smaller."""


class OpenStore(Protocol):
    """What every store says of itself."""

    uri: str

    @property
    def layout(self) -> Layout:
        """Integer ids, or UUIDs."""


class StoreTarget(ABC):
    """What all stores do alike, see :class:`migrate.applying.target.Target`."""

    largest = _LARGEST
    """Records that are written at once, unless a unit alone has more."""

    def __init__(self, store: OpenStore) -> None:
        self.name = store.uri
        self.orders: Orders
        self._layout = store.layout
        self._size = min(100, self.largest)

    def about(self) -> dict[str, Any]:
        """The store, without secrets."""
        return {"kind": KIND, "uri": self.name}

    def identity(self, keys: Collection[str]) -> tuple[str | None, int]:
        """By the layout, which has one form of ids and no other."""
        known = sum(1 for _ in self.records(keys))
        return "uuid" if self._layout == "3.x" else "integer", known

    def look(self, orders: Orders, judged: Judged) -> None:
        """Decide every planned record; nothing is locked."""
        self.orders = orders
        for numbers in _portions(range(len(orders)), PORTION):
            for number, decision in self.decided(numbers):
                judged.add(number, decision.state, decision.reason)

    def decided(self, numbers: Sequence[int]) -> Iterator[tuple[int, Decision]]:
        """What the orders make of their records, of those that are there."""
        texts = self.present(numbers)
        for number in numbers:
            if (decision := self.decide(number, texts)) is not None:
                yield number, decision

    def decide(self, number: int, texts: Mapping[int, str]) -> Decision | None:
        """What an order makes of its record's text."""
        return self.orders.decide(number, texts[number]) if number in texts else None

    def present(self, numbers: Sequence[int]) -> dict[int, str]:
        """The texts of the orders' records as they are now."""
        by_key = {self.orders.keys[number]: number for number in numbers}
        return {by_key[key]: text for key, text in self.records(by_key)}

    def records(self, keys: Collection[str]) -> Iterable[tuple[str, str]]:
        """The texts of records, as they are now."""
        first = "h" if self._layout == "3.x" else "i"
        fitting = [key for key in keys if key[:1] == first]
        for portion in _portions(fitting, PORTION):
            names = {self.id_of(key): key for key in portion}
            for own_id, text in self.texts(list(names)).items():
                yield names[own_id], text

    def id_of(self, key: str) -> Any:
        """The id as the store has it."""
        return key[1:] if self._layout == "3.x" else int(key[1:])

    def batches(self, numbers: Sequence[int], units: Mapping[int, Sequence[int]]) -> Iterator[Batch]:
        """Whole units, together as many records as were written in time before."""
        chosen, taken = set(numbers), set[int]()
        groups: list[Sequence[int]] = []
        for number in numbers:
            if number in taken:
                continue
            group = [other for other in units.get(number, (number,)) if other in chosen]
            if groups and sum(map(len, groups)) + len(group) > self._size:
                yield self.batch(groups)
                groups = []
            groups.append(group)
            taken.update(group)
        if groups:
            yield self.batch(groups)

    def held(self, seconds: float) -> None:
        """Locks were held for so long: the next batch is larger, or smaller."""
        if seconds > _LONG:
            self._size = max(_SMALLEST, self._size // 2)
        elif seconds < _BRIEF:
            self._size = min(self.largest, self._size * 2)

    def result(self) -> dict[str, Any]:
        """Nothing beside the counts."""
        return {}

    @abstractmethod
    def texts(self, ids: Sequence[Any]) -> Mapping[Any, str]:
        """The records with these ids, at most PORTION, each as one JSON object."""

    @abstractmethod
    def batch(self, groups: Sequence[Sequence[int]]) -> Batch:
        """A batch of units, not yet begun."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the store."""


class StoreBatch(ABC):
    """What all stores do alike of a batch: decided before the lock, and under the lock once more where a record has moved."""

    def __init__(self, target: StoreTarget, groups: Sequence[Sequence[int]]) -> None:
        self._target = target
        self.groups = groups
        self.numbers: Sequence[int] = [number for group in groups for number in group]
        self.failed: Mapping[int, str] = {}
        self.decisions: dict[int, Decision] = {}
        self._texts = target.present(self.numbers)
        for number in self.numbers:
            if (decision := target.decide(number, self._texts)) is not None:
                self.decisions[number] = decision
        self.began = 0.0

    def look(self, judged: Judged) -> None:
        """Judge the records again, as they are now that nobody else can write them."""
        self.lock()
        self.began = time.monotonic()
        texts = self._target.present(self.numbers)
        judged.again(self.numbers)
        for number in self.numbers:
            decision = self.decisions.pop(number, None)
            if texts.get(number) != self._texts.get(number):
                decision = self._target.decide(number, texts)
            if decision is not None:
                judged.add(number, decision.state, decision.reason)
                self.decisions[number] = decision

    @abstractmethod
    def __enter__(self) -> Self:
        """Begin."""

    @abstractmethod
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Take back what was not committed."""

    @abstractmethod
    def lock(self) -> None:
        """Keep everybody else from writing the records, where beginning has not done that."""

    def chosen(self, numbers: Sequence[int]) -> Iterator[list[int]]:
        """Of each unit what is to be written."""
        wanted = set(numbers)
        for group in self.groups:
            if here := [number for number in group if number in wanted]:
                yield here

    @abstractmethod
    def put(self, numbers: Sequence[int]) -> Iterator[bytes]:
        """Write, and tell the intents."""

    @abstractmethod
    def commit(self) -> None:
        """Make it last."""

    def fail(self, group: Sequence[int], reason: str) -> None:
        """A unit that could not be written."""
        self.failed = {**self.failed, **dict.fromkeys(group, reason)}


def changed(texts: tuple[str | None, str | None]) -> bool:
    """Whether an old and a new text of a member differ; no text and ``null`` are the same."""
    old, new = ("null" if text is None else text for text in texts)
    return old != new


def _portions(values: Sequence[Any] | range, size: int) -> Iterator[Any]:
    for start in range(0, len(values), size):
        yield values[start : start + size]
