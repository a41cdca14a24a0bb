"""A shard as the engine scans it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from migrate.corpora.interface import Int64, Places, Prepared
from migrate.corpora.shard import Shard
from migrate.engine.sources import Stretches, spooled


class ShardSource:
    """A shard of a file corpus as the engine scans it."""

    numbered = True
    """Whether the line of a record means something to whoever looks into the source."""

    def __init__(self, shard: Shard, folder: Path) -> None:
        self.shard = shard
        self.prepared: Prepared = shard.prepare(folder)
        self._places: Places | None = None

    @property
    def name(self) -> str:
        """The path as it was found."""
        return str(self.shard.path)

    @property
    def scan(self) -> tuple[str, str]:
        """Pattern and compression for the scan."""
        return self.prepared.pattern, self.prepared.duckdb_compression

    @property
    def plain_size(self) -> int | None:
        """Bytes of a plain file of lines."""
        return self.shard.size if self.shard.form == "lines" and self.shard.compression is None else None

    def places(self) -> Places:
        """Where the items lie; computed once."""
        if self._places is None:
            self._places = self.shard.places()
        return self._places

    def read(self, indexes: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        """Exact bytes of items."""
        return self.shard.read(indexes)

    def stretches(self, indexes: Int64, folder: Path) -> Stretches:
        """In the file itself where it is plain."""
        path, compression, _ = self.shard.text
        if compression is not None:
            return spooled(self.read(indexes.tolist()), folder)
        places = self.places()
        self.shard.check_unchanged()
        return Stretches(path, places.offsets[indexes], places.lengths[indexes])

    def clean_lines(self, folder: Path, left_out: frozenset[int] = frozenset()) -> Path:
        """A copy that the engine reads row by row."""
        return self.shard.clean_lines(folder, left_out)
