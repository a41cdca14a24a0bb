"""What a record of a target is, seen from an order."""

from __future__ import annotations

import enum


@enum.unique
class State(enum.Enum):
    """The three states of compare and set."""

    BEFORE = "before"
    """As the order found it: it is changed."""
    AFTER = "after"
    """As the order wants it: nothing is to do."""
    OTHER = "stale"
    """Anything else: it is left alone."""


# A record that stands there several times is as stale as its worst copy, and done when all are.
_RANK = {State.AFTER: 1, State.BEFORE: 2, State.OTHER: 3}
_STATE = {number: state for state, number in _RANK.items()}


def rank(state: State) -> int:
    """A state as a byte, the worst the highest."""
    return _RANK[state]


def state_of(number: int) -> State:
    """The state of a byte; that nothing was found (0) is stale."""
    return _STATE.get(number, State.OTHER)
