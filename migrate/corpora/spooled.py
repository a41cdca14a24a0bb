"""New bytes of many items of a shard, kept in files until they are written into a copy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from migrate.corpora.interface import Int64
from migrate.corpora.spans import read_spans


@dataclass(frozen=True, slots=True, eq=False)
class Spooled:
    """The new bytes of items, in the order of the items. Iterating gives index and bytes of each."""

    indexes: Int64
    """The items, ascending."""
    paths: Sequence[Path]
    files: Int64
    """Which of the paths has each item's bytes, ascending; and where."""
    offsets: Int64
    lengths: Int64

    def __len__(self) -> int:
        return len(self.indexes)

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        yield from zip(self.indexes.tolist(), self.read(0, len(self)), strict=True)

    def read(self, first: int, last: int) -> Iterator[bytes]:
        """The bytes of the items from one position to another."""
        cuts = np.flatnonzero(np.diff(self.files[first:last])) + first + 1
        for start, end in zip([first, *cuts.tolist()], [*cuts.tolist(), last], strict=True):
            if start < end:
                yield from read_spans(
                    self.paths[int(self.files[start])], None, self.offsets[start:end], self.lengths[start:end]
                )

    def slice(self, first: int, last: int) -> Spooled:
        """The items from one position to another."""
        part = slice(first, last)
        return Spooled(self.indexes[part], self.paths, self.files[part], self.offsets[part], self.lengths[part])
