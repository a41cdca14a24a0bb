"""The errors of the applying room."""

from __future__ import annotations


class ApplyError(Exception):
    """Applying cannot go on, in one sentence a user can act on."""

    @property
    def sentence(self) -> str:
        """The sentence to show."""
        return str(self)


class Refused(ApplyError):
    """Nothing was written, because what is asked would not be what was planned."""


class Unwritable(ApplyError):
    """A place that the run needs cannot be written; nothing was."""


class TargetLost(ApplyError):
    """The target went away in the middle of a run."""
