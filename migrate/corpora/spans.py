"""Reads stretches of a file's decompressed bytes, in ascending order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np

from migrate.corpora.compression import Reader
from migrate.corpora.interface import Compression, CorpusError, Int64

_BLOCK = 1 << 22
"""Bytes read at once, unless one stretch alone is longer."""
_HOLE = 1 << 15
"""Unwanted bytes that are cheaper read than skipped."""
_BATCH = 1 << 14


class Cursor:
    """A position in a stream of chunks that only moves forward."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._chunk = memoryview(b"")
        self._base = 0
        self.position = 0

    def take(self, until: int) -> Iterator[memoryview]:
        """The bytes up to an offset, as views of the chunks; fewer where the stream ends before."""
        while self.position < until:
            end = self._base + len(self._chunk)
            if self.position >= end:
                chunk = next(self._chunks, None)
                if chunk is None:
                    return
                self._base, self._chunk = end, memoryview(chunk)
                continue
            stop = min(until, end)
            view = self._chunk[self.position - self._base : stop - self._base]
            self.position = stop
            yield view

    def skip(self, until: int) -> None:
        """Moves to an offset."""
        for _ in self.take(until):
            pass


def read_spans(path: Path, compression: Compression | None, offsets: Int64, lengths: Int64) -> Iterator[bytes]:
    """The bytes of each span. The spans ascend and do not overlap.

    Raises:
        CorpusError: the file can no longer be read, or has become shorter.
    """
    if not len(offsets):
        return
    spans = (
        _by_seeking(path, offsets, lengths) if compression is None else _streamed(path, compression, offsets, lengths)
    )
    try:
        yield from spans
    except OSError as error:
        raise CorpusError(f"{path}: it could not be read: {error.strerror or error}") from error


def _by_seeking(path: Path, offsets: Int64, lengths: Int64) -> Iterator[bytes]:
    ends = offsets + lengths
    holes = np.flatnonzero(offsets[1:] - ends[:-1] > _HOLE) + 1
    first = 0
    with path.open("rb", buffering=0) as file:
        while first < len(offsets):
            start = int(offsets[first])
            hole = int(np.searchsorted(holes, first, side="right"))
            last = int(np.searchsorted(ends, start + _BLOCK, side="right"))
            last = min(last, int(holes[hole]) if hole < len(holes) else len(offsets))
            last = max(last, first + 1)
            file.seek(start)
            block = _read_whole(file.read, int(ends[last - 1]) - start)
            froms = (offsets[first:last] - start).tolist()
            for begin, length in zip(froms, lengths[first:last].tolist(), strict=True):
                yield _checked(path, block[begin : begin + length], length)
            first = last


def _read_whole(read: Callable[[int], bytes | None], size: int) -> bytes:
    """As many bytes as asked for: one call gives 2 GiB at most."""
    block = read(size) or b""
    if len(block) == size:
        return block
    parts = [block]
    missing = size - len(block)
    while missing and (more := read(missing)):
        parts.append(more)
        missing -= len(more)
    return b"".join(parts)


def _streamed(path: Path, compression: Compression, offsets: Int64, lengths: Int64) -> Iterator[bytes]:
    cursor = Cursor(Reader(path, compression))
    for start, length in pairs(offsets, lengths):
        cursor.skip(start)
        yield _checked(path, b"".join(cursor.take(start + length)), length)


def _checked(path: Path, item: bytes, length: int) -> bytes:
    if len(item) != length:
        raise CorpusError(f"{path}: it became shorter while it was read; run the command again")
    return item


def pairs(offsets: Int64, lengths: Int64) -> Iterator[tuple[int, int]]:
    """The spans as plain numbers, without a list of all of them."""
    for first in range(0, len(offsets), _BATCH):
        batch = slice(first, first + _BATCH)
        yield from zip(offsets[batch].tolist(), lengths[batch].tolist(), strict=True)
