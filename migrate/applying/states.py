"""What a record of a target is, seen from an order."""

from __future__ import annotations

import enum


@enum.unique
class State(enum.IntEnum):
    """The three states of compare and set, the worst the highest, and none."""

    NOTHING = 0
    """No record was found, or nothing that can be read as one: a broken line beside the record is no copy of it."""
    AFTER = 1
    """As the order wants it: nothing is to do."""
    BEFORE = 2
    """As the order found it: it is changed."""
    OTHER = 3
    """Anything else: it is left alone."""


def state_of(number: int) -> State:
    """The state of a byte; that nothing was found is stale."""
    return State(number) if number else State.OTHER
