"""The one error of this room."""

from __future__ import annotations


class SweepError(Exception):
    """State or a baseline that cannot be read or written, in one sentence a user can act on."""

    @property
    def sentence(self) -> str:
        """The sentence to show."""
        return str(self)
