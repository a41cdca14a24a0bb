"""``state/current.md``: whether it says anything, and how long it has stood still while the scope went on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from migrate.corpora.repository import git
from migrate.corpora.repository.ecmascript import trim
from migrate.corpora.repository.filesystem import Unreadable, is_regular, kind_of, read_regular, reason
from migrate.corpora.repository.layout import STATE_FILE

_DAY = 86_400_000
"""Milliseconds."""


@dataclass(frozen=True, slots=True)
class State:
    """What is known of the state file of a scope."""

    headings_only: bool
    days: int | None
    """Whole days since the last commit that touched it; None where no commit did."""
    moved_on: bool
    """Whether a later commit touched the scope."""


def examine(scope: Path, now: float) -> State | None:
    """The state of a scope at a time in seconds since 1970; None without a state file.

    The file is read through links, as the ecosystem's tools do. Raises Unreadable for a folder, a pipe, or what cannot be read.
    """
    place = scope / STATE_FILE
    try:
        status = place.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unreadable(STATE_FILE, reason(error)) from error
    if not is_regular(status):
        raise Unreadable(STATE_FILE, f"it is {kind_of(status)}, no file")
    text = read_regular(str(place), STATE_FILE, follow=True).decode("utf-8", "replace")
    touched = git.last_commit(scope, STATE_FILE)
    if touched is None:
        return State(_only_headings(text), None, moved_on=False)
    latest = git.last_commit(scope, ".")
    days = math.floor((math.floor(now * 1000) - touched * 1000) / _DAY)
    return State(_only_headings(text), days, moved_on=latest is not None and latest > touched)


def _only_headings(text: str) -> bool:
    return all(not line or line[0] == "#" for line in map(trim, text.split("\n")))
