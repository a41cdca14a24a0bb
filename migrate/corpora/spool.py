"""A store's entries as a file of lines in the engine's temp folder: read once, in one snapshot, then like any export."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from migrate.corpora.interface import CorpusError
from migrate.corpora.shard import Shard
from migrate.corpora.source import ShardSource
from migrate.types import Gap, Progress

Layout = Literal["2.x", "3.x"]
"""The server's two ways to keep entries: integer ids, or UUIDs."""

_STEP = 5_000


class CutShort(Exception):
    """A store that stopped giving entries before their end; ``str()`` is the reason."""


class Store(Protocol):
    """A store of entries that is read through its own interface."""

    uri: str
    """As typed, without secrets."""
    jsonb: bool
    """Whether metadata is a ``jsonb`` of PostgreSQL."""

    def lines(self, folder: Path, threads: int | None = None) -> Iterator[bytes]:
        """One line an entry, in ascending order of ids, of one state of the store, in pieces that need not end with a line.

        ``folder`` has room for a copy; ``threads`` are the processes allowed, None for as many as there are processors.
        Raises CorpusError or CutShort.
        """

    def count(self) -> int | None:
        """About how many entries there are, None where nobody knows."""


@runtime_checkable
class Picking(Protocol):
    """A store that gives some of its entries without the others."""

    def lines_of(self, ids: Sequence[Any]) -> Iterator[bytes]:
        """The lines of entries with these ids, like ``lines``."""


@dataclass(frozen=True, slots=True)
class StoreCorpus:
    """A store as a corpus."""

    store: Store

    @property
    def uri(self) -> str:
        """As typed, without secrets."""
        return self.store.uri

    @property
    def jsonb(self) -> bool:
        """Whether PostgreSQL keeps the metadata."""
        return self.store.jsonb

    def sources(self, folder: Path, progress: Progress | None = None, threads: int | None = None) -> list[ShardSource]:
        """The one source that the engine scans; its lines are in a file in ``folder``."""
        return [StoreSource(self.store, folder, told(self.store, self.store.lines(folder, threads), progress))]


class StoreSource(ShardSource):
    """The spooled lines of a store."""

    numbered = False

    def __init__(self, store: Store, folder: Path, lines: Iterable[bytes]) -> None:
        """``lines`` are those of the store, all or some of them, in pieces that need not end with a line."""
        path, gaps = _spool(store, folder, lines)
        super().__init__(Shard(path), folder)
        self.store = store
        self.prepared = replace(self.prepared, gaps=gaps)

    @property
    def name(self) -> str:
        """The store, as typed, without secrets."""
        return self.store.uri


def _spool(store: Store, folder: Path, lines: Iterable[bytes]) -> tuple[Path, tuple[Gap, ...]]:
    try:
        handle, name = tempfile.mkstemp(prefix="store-", suffix=".ndjson", dir=folder)
        with os.fdopen(handle, "wb") as file:
            number = 0
            try:
                for piece in lines:
                    number += piece.count(b"\n")
                    file.write(piece)
            except CutShort as error:
                return Path(name), (Gap(store.uri, f"{error}; {number} entries were read before that"),)
    except OSError as error:
        raise CorpusError(f"{folder}: no temporary file could be written: {error.strerror or error}") from error
    return Path(name), ()


def told(store: Store, lines: Iterator[bytes], progress: Progress | None) -> Iterator[bytes]:
    """The lines of a store, with word of how many there were."""
    total = store.count() if progress is not None else None
    number, next_word = 0, 0
    for piece in lines:
        if progress is not None and number >= next_word:
            progress("reading the store", number, total)
            next_word = number + _STEP
        number += piece.count(b"\n")
        yield piece
