"""The error of the rules room."""

from __future__ import annotations


class RuleError(Exception):
    """A rule that is unknown, or cannot be what it should, in one sentence a user can act on."""

    @property
    def sentence(self) -> str:
        """The sentence to show."""
        return str(self)
