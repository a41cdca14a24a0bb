"""Copies the bytes of a shard with new items in the place of old ones, and finds them again in the copy."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from migrate.corpora.compression import CHUNK, Reader, packer
from migrate.corpora.document import DocumentScanner
from migrate.corpora.interface import BLANKS, Compression, CorpusError, Int64, Places
from migrate.corpora.lines import LineScanner
from migrate.corpora.shard import Shard
from migrate.corpora.spans import Cursor, pairs
from migrate.corpora.tally import Tally

_ALL = 1 << 62


@dataclass(frozen=True, slots=True, eq=False)
class Copied:
    """What a copy holds; places are those in its bytes before compression."""

    indexes: Int64
    """The replaced items."""
    offsets: Int64
    lengths: Int64
    untouched: tuple[int, str]
    """Bytes outside of them, and their digest."""
    replaced: tuple[int, str]
    """Bytes of them, and their digest."""


def copy_changed(shard: Shard, file: BinaryIO, changed: Iterable[tuple[int, bytes]]) -> Copied:
    """Writes the whole shard, compressed as it is, with the new bytes of items in ascending order.

    Raises:
        CorpusError: an index is out of order, new bytes are not one item, or the source became shorter.
        OSError: the file cannot be written.
    """
    places = shard.places()
    path, compression, _ = shard.text
    indexes, offsets, lengths = array("q"), array("q"), array("q")
    last = -1
    with Tally() as untouched, Tally() as replaced:
        cursor = Cursor(Reader(path, compression))
        output = _Output(file, compression)
        for index, item in changed:
            _check(shard, places.count, last, index, item)
            start = places.offset(index)
            output.put_all(cursor.take(start), untouched)
            cursor.skip(start + places.length(index))
            indexes.append(index)
            offsets.append(output.position)
            lengths.append(len(item))
            output.put_all((item,), replaced)
            last = index
        output.put_all(cursor.take(places.size), untouched)
        output.finish()
        if cursor.position != places.size:
            raise CorpusError(f"{path}: it became shorter while it was read; run the command again")
        where = [np.array(numbers, dtype=np.int64) for numbers in (indexes, offsets, lengths)]
        return Copied(where[0], where[1], where[2], untouched.result(), replaced.result())


def _check(shard: Shard, count: int, last: int, index: int, item: bytes) -> None:
    if not last < index < count:
        raise CorpusError(f"{shard.path}: record {index} of {count} cannot be written after record {last}")
    if not item.strip(BLANKS) or (b"\n" in item and shard.form in ("lines", "parquet")):
        raise CorpusError(f"{shard.path}: the new text of record {index} is not one line")


class _Output:
    """Bytes on their way into a file, in blocks."""

    def __init__(self, file: BinaryIO, compression: Compression | None) -> None:
        self.position = 0
        self._file = file
        self._packer = packer(compression)
        self._gathered = bytearray()

    def put_all(self, parts: Iterable[bytes | memoryview], tally: Tally) -> None:
        """The next bytes, counted by ``tally``."""
        for part in parts:
            tally.add(part)
            self._gathered += part
            self.position += len(part)
            if len(self._gathered) >= CHUNK:
                self._flush()

    def finish(self) -> None:
        """Writes what is left."""
        self._flush()
        self._file.write(self._packer.flush())

    def _flush(self) -> None:
        self._file.write(self._packer.compress(self._gathered))
        self._gathered = bytearray()


@dataclass(frozen=True, slots=True, eq=False)
class ReadBack:
    """What a written file holds, found as in any file."""

    damage: str | None
    places: Places | None
    """None where the file is no longer one document."""
    untouched: tuple[int, str]
    replaced: tuple[int, str]


def read_back(shard: Shard, written: Path, copied: Copied) -> ReadBack:
    """Reads a written file once: finds its items anew, and digests what lies inside and outside the replaced ones."""
    _, compression, start = shard.text
    reader = Reader(written, compression)
    scanner = LineScanner(start) if shard.form in ("lines", "parquet") else DocumentScanner(start)

    def watched() -> Iterator[bytes]:
        skip = start
        for chunk in reader:
            if len(chunk) > skip:
                scanner.feed(chunk[skip:] if skip else chunk)
            skip = 0
            yield chunk

    with Tally() as untouched, Tally() as replaced:
        cursor = Cursor(watched())
        for offset, length in pairs(copied.offsets, copied.lengths):
            untouched.add_all(cursor.take(offset))
            replaced.add_all(cursor.take(offset + length))
        untouched.add_all(cursor.take(_ALL))
        found = scanner.finish()
        places = found[0] if isinstance(found, tuple) else found
        return ReadBack(reader.damage, places, untouched.result(), replaced.result())
