"""What every kind of corpus hands on, and the one error of this room.

Places and items are counted alike everywhere: the i-th item of a shard is its i-th non-blank line, or the i-th
element of its array, counted from 0. It is also the i-th row that DuckDB reads from :attr:`Prepared.ndjson`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from migrate.types import Gap

Form = Literal["lines", "array", "results", "parquet"]
"""How a file holds its records: a line each, a JSON array, the ``results`` of a server's answer, or Parquet."""

Compression = Literal["gz", "zst"]

Int64 = npt.NDArray[np.int64]

BLANKS = b" \t\n\r\x0b\x0c"
"""What a blank line may hold. The two last are no JSON white space, but DuckDB strips them like the others."""

BOM = b"\xef\xbb\xbf"


class CorpusError(Exception):
    """A corpus that cannot be what it should, in one sentence a user can act on."""

    @property
    def sentence(self) -> str:
        """The sentence to show."""
        return str(self)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A shard made ready for DuckDB's ``read_ndjson_objects``: one row an item, in order."""

    ndjson: Path
    compression: Compression | None
    gaps: tuple[Gap, ...] = ()

    @property
    def pattern(self) -> str:
        """The path as DuckDB wants it: its globbing characters stand for themselves."""
        return "".join(f"[{char}]" if char in "*?[" else char for char in str(self.ndjson))

    @property
    def duckdb_compression(self) -> str:
        """The value of DuckDB's ``compression`` option, which must not be guessed from the file's name."""
        return {None: "none", "gz": "gzip", "zst": "zstd"}[self.compression]


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Where the items of a shard lie in its decompressed bytes."""

    offsets: Int64
    """The first byte of each item, ascending."""
    lengths: Int64
    """Bytes of each item without its line end; 0 where nothing stands between two commas of an array."""
    numbers: Int64 | None
    """The line each item starts on, from 1; None where that is its index + 1."""
    size: int
    """All decompressed bytes that could be read."""
    strays: frozenset[int] = frozenset()
    """Items that hold a raw vertical tab or form feed, which DuckDB strips around a value and JSON does not allow."""
    ragged: frozenset[int] = frozenset()
    """Elements with a raw line feed inside a string: never valid, and never to become so in a copy."""

    @property
    def count(self) -> int:
        """The number of items."""
        return len(self.offsets)

    @property
    def longest(self) -> int:
        """Bytes of the longest item, 0 without any."""
        return int(self.lengths.max()) if len(self.lengths) else 0

    @property
    def lines(self) -> Int64:
        """The line each item starts on, from 1."""
        return np.arange(1, self.count + 1, dtype=np.int64) if self.numbers is None else self.numbers

    def line(self, index: int) -> int:
        """The line, from 1, on which an item starts."""
        return index + 1 if self.numbers is None else int(self.numbers[index])

    def offset(self, index: int) -> int:
        """The byte, from 0, at which an item starts."""
        return int(self.offsets[index])

    def length(self, index: int) -> int:
        """The bytes of an item without its line end."""
        return int(self.lengths[index])


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A shard written again and read back; the pairs are (source, written) and equal."""

    path: Path
    changed: int
    """Items that were replaced."""
    records: tuple[int, int]
    untouched_bytes: tuple[int, int]
    untouched_digest: tuple[str, str]
    """BLAKE2b over all bytes outside the replaced items: as copied, and as read back; empty where the bytes themselves were compared."""
    size: int
    """Bytes of the written file on disk."""


def spoiled(item: bytes, *, ragged: bool) -> bytes:
    """An element as a line of its own, of the same length unless it is empty.

    White space stays white space. What must stay unreadable (nothing at all, a byte-order mark, a line feed inside
    a string) gets a control character in its place, so that a more lenient reader does not mend it.
    """
    if not item:
        return b"\x01"
    if item.startswith(BOM):
        item = b"\x01" + item[1:]
    return item.replace(b"\n", b"\x01" if ragged else b" ")
