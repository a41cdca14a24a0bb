"""What tells an entry of one store to be the same as one of another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Identity:
    """What tells an entry, as a store keeps it."""

    id: Any
    place: int | None
    """Old: the rank by time of creation and id, from 1. New: ``rowid_int``, None where there is none."""
    thread: Any
    source: Any
    created: Any
    text: Any
