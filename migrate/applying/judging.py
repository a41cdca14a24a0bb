"""What state each planned record is in, and what that means for the records that change with it or rest on it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from migrate.applying.comparing import holds, record_key
from migrate.applying.orders import Orders, Requirement
from migrate.applying.states import State, state_of

Numbers = npt.NDArray[np.int64]
States = npt.NDArray[np.uint8]
Records = Callable[[Collection[str]], Iterable[tuple[str, str]]]

MISSING = "no record of the target has its id"


class Judged:
    """The states of all orders, a byte each, and the reasons of those that are not to be carried out."""

    def __init__(self, orders: Orders) -> None:
        self.orders = orders
        self.reasons: dict[int, str] = {}
        self._resting = set(orders.resting)
        self._unit_of = {number: name for name, numbers in orders.units.items() for number in numbers}
        self._ranks: States = np.zeros(len(orders), dtype=np.uint8)

    def add(self, number: int, state: State, reason: str = "") -> None:
        """One copy of the record of an order is in this state."""
        if state > self._ranks[number]:
            self._ranks[number] = state
            if reason:
                self.reasons[number] = reason
        elif state is State.NOTHING:
            self.reasons.setdefault(number, reason)

    def add_all(self, numbers: Numbers, states: States, reasons: Mapping[int, str]) -> None:
        """The same for many, the states as bytes; ``reasons`` are those of the stale ones and of what cannot be read."""
        np.maximum.at(self._ranks, numbers, states)
        self.reasons.update(reasons)

    def again(self, numbers: Iterable[int]) -> None:
        """Forget what is known of these: they are looked at once more."""
        for number in numbers:
            self._ranks[number] = 0
            self.reasons.pop(number, None)

    def state(self, number: int) -> State:
        """The state of an order's record; stale where there is none."""
        return state_of(int(self._ranks[number]))

    def reason(self, number: int) -> str:
        """Why it is stale."""
        return self.reasons.get(number, MISSING)

    def strike(self, number: int, reason: str) -> None:
        """Call a record stale."""
        self._ranks[number] = State.OTHER
        self.reasons[number] = reason

    def chosen(self) -> list[int]:
        """The orders to carry out."""
        found: list[int] = np.flatnonzero(self._ranks == State.BEFORE).tolist()
        return found

    def stale(self) -> Iterator[int]:
        """The orders that are left alone."""
        yield from np.flatnonzero((self._ranks == 0) | (self._ranks == State.OTHER)).tolist()

    def count(self, state: State) -> int:
        """How many are in a state."""
        number = int(np.count_nonzero(self._ranks == state))
        return number + int(np.count_nonzero(self._ranks == 0)) if state is State.OTHER else number

    def settle(self, records: Records, numbers: Sequence[int] | None = None, made: Collection[str] = ()) -> None:
        """Ask what the orders (all, or these) rest on, then hold units together.

        ``made`` are keys of records that an unfinished part of this very run has changed: what was asked of them then holds.
        """
        chosen = None if numbers is None else set(numbers)
        self._check_requirements(records, chosen, made)
        self._check_units(chosen)

    def _check_requirements(self, records: Records, chosen: set[int] | None, made: Collection[str]) -> None:
        needs: dict[str, list[Requirement]] = {}
        for number in self.orders.resting if chosen is None else sorted(chosen.intersection(self._resting)):
            if self.state(number) is State.BEFORE:
                for need in self.orders.requirements(number):
                    if (key := record_key(need.record) or "") not in made:
                        needs.setdefault(key, []).append(need)
        if not needs:
            return
        met: set[Requirement] = set()
        for key, text in records(needs.keys()):
            met.update(
                need
                for need in needs[key]
                if holds(self.orders.inside(text), need.path, need.holds, need.spelled, self.orders.id_form)
            )
        for need in (need for wanted in needs.values() for need in wanted if need not in met):
            self.strike(
                need.number,
                f"the record {need.record} no longer has {need.holds} at {need.path}, on which this change rests",
            )

    def _check_units(self, chosen: set[int] | None) -> None:
        names = self.orders.units if chosen is None else {self._unit_of[n] for n in chosen if n in self._unit_of}
        for name in names:
            numbers = self.orders.units[name]
            bad = next((number for number in numbers if self.state(number) is State.OTHER), None)
            if bad is None:
                continue
            for number in numbers:
                if self.state(number) is State.BEFORE:
                    self.strike(number, f"the record {self.orders.shown(bad)} of its unit {name} is stale")
