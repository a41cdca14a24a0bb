"""What ``export`` and ``map`` hand to their views."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from migrate.results import Outcome


@dataclass(frozen=True, slots=True)
class ExportResult:
    """A written export: of which store, where it lies, how many entries and bytes it has."""

    store: str
    out: Path
    entries: int
    size: int
    """Bytes before compression."""
    outcome: Outcome
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class MapResult:
    """A written id map, and what of either store is not in it. The ids are JSON texts of the old store's entries."""

    old: str
    new: str
    out: Path
    by: str
    """``rank`` or ``content``: how the entries were matched."""
    mapped: int
    entries: int
    """Entries of the old store."""
    edited: tuple[str, ...]
    """Their text is another in the new store."""
    tied: tuple[str, ...]
    """Several entries of the new store are the same as they."""
    missing: tuple[str, ...]
    """The new store does not have them."""
    added: int
    """Entries that only the new store has."""
    outcome: Outcome
    quiet: bool = False
