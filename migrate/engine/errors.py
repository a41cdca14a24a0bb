"""The one error class of the engine."""

from __future__ import annotations


class EngineError(Exception):
    """Something the engine was asked for cannot be done; the message is one sentence a user can act on."""

    @property
    def sentence(self) -> str:
        """The message."""
        return str(self)
