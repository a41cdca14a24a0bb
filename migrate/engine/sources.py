"""What the engine asks of a file of records: how to scan it, and how to look at single items of it again."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt


class ItemPlaces(Protocol):
    """Where the items of a source lie in its bytes."""

    @property
    def count(self) -> int:
        """The number of items."""

    @property
    def longest(self) -> int:
        """Bytes of the longest item."""

    @property
    def lines(self) -> npt.NDArray[np.int64]:
        """The line each item starts on, from 1."""

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """Bytes of each item."""

    @property
    def offsets(self) -> npt.NDArray[np.int64]:
        """The byte each item starts at, from 0."""

    @property
    def strays(self) -> frozenset[int]:
        """Items that DuckDB reads although they hold control characters JSON does not allow."""


@dataclass(frozen=True, slots=True, eq=False)
class Stretches:
    """Where the exact bytes of some items stand in a plain file that any process can read."""

    path: Path
    offsets: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]


def spooled(items: Iterable[tuple[int, bytes]], folder: Path) -> Stretches:
    """Items copied into a plain file of their own, for sources that have none."""
    handle, name = tempfile.mkstemp(prefix="items-", dir=folder)
    lengths = []
    with os.fdopen(handle, "wb") as file:
        for _, raw in items:
            file.write(raw)
            lengths.append(len(raw))
    sizes = np.array(lengths, dtype=np.int64)
    return Stretches(Path(name), np.cumsum(sizes) - sizes, sizes)


class Source(Protocol):
    """One file of records, ready to be scanned: the i-th row of the scan is its i-th item."""

    @property
    def name(self) -> str:
        """The path to show for its findings."""

    @property
    def numbered(self) -> bool:
        """Whether the line of a record means something to whoever looks into the source."""

    @property
    def scan(self) -> tuple[str, str]:
        """The pattern and the compression for ``read_ndjson_objects``."""

    @property
    def plain_size(self) -> int | None:
        """Bytes of the file where it is a plain file of lines, None for any other form."""

    def places(self) -> ItemPlaces:
        """One pass over the source."""

    def read(self, indexes: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        """The exact bytes of some items, ascending."""

    def stretches(self, indexes: npt.NDArray[np.int64], folder: Path) -> Stretches:
        """Where the exact bytes of some items, ascending, can be read; ``folder`` takes a copy where there must be one."""

    def clean_lines(self, folder: Path, left_out: frozenset[int] = frozenset()) -> Path:
        """A copy that is read row by row whatever it holds: item i on line i, ``null`` where it is no text or left out."""


LARGEST = 16_777_216
"""Bytes of the largest item that is scanned; the few beyond it are read one by one, so that the engine needs no more memory."""


def too_long(places: ItemPlaces) -> frozenset[int]:
    """The items that are too long for the scan."""
    return frozenset(np.flatnonzero(places.lengths > LARGEST - 1024).tolist())


@dataclass(frozen=True, slots=True)
class Loaded:
    """One source in the table ``lines``: its rows start at ``first``."""

    source: Source
    first: int
    count: int
    lines: npt.NDArray[np.int64] | None
    """The line of each item, from 1; None where that is its index + 1."""

    def line(self, ordinal: int) -> int:
        """The line of a row, from 1."""
        index = ordinal - self.first
        return index + 1 if self.lines is None else int(self.lines[index])
