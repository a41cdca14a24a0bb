"""The one error class of planning."""

from __future__ import annotations


class PlanError(Exception):
    """A patch that cannot be made, read or put into a record; the message is one sentence a user can act on."""

    @property
    def sentence(self) -> str:
        """The message."""
        return str(self)
