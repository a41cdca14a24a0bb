"""Copies a plain file of lines with new items in the place of old ones, by ranges of bytes that several processes share.

Where every new item goes is known before a byte is written, so that each range is written, and read back, by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from migrate.corpora.interface import BLANKS, CorpusError, Int64, Places
from migrate.corpora.spooled import Spooled
from migrate.engine.processes import Workers

_RANGE = 1 << 26
_BLOCK = 1 << 22


@dataclass(frozen=True, slots=True, eq=False)
class Range:
    """A range of a file and what it becomes."""

    source: Path
    target: Path
    start: int
    end: int
    to: int
    """Where it begins in the copy."""
    starts: Int64
    """The replaced items: their first bytes and their bytes, in the source."""
    sizes: Int64
    new: Spooled


@dataclass(frozen=True, slots=True)
class Proof:
    """What a range of the copy was found to hold."""

    untouched: int
    """Bytes outside of the replaced items, compared with the source one by one."""
    feeds: tuple[int, int]
    """Line feeds in the source and in the copy."""
    fault: str | None = None


def split(source: Path, target: Path, places: Places, new: Spooled) -> list[Range]:
    """The whole file in ranges of about 64 MB; none begins or ends inside a replaced item."""
    starts, sizes = places.offsets[new.indexes], places.lengths[new.indexes]
    growth = np.concatenate([[0], np.cumsum(new.lengths - sizes)])
    ranges: list[Range] = []
    start = first = 0
    while start < places.size or not ranges:
        end = min(start + _RANGE, places.size)
        last = int(np.searchsorted(starts, end))
        if last > first:
            end = max(end, int(starts[last - 1] + sizes[last - 1]))
        ranges.append(
            Range(source, target, start, end, start + int(growth[first]), starts[first:last], sizes[first:last], new.slice(first, last))
        )  # fmt: skip
        start, first = end, last
    return ranges


def copy_ranges(ranges: list[Range], workers: Workers) -> None:
    """Write the ranges into their target, which exists.

    Raises:
        CorpusError: the source became shorter, or a new item is not one line.
        OSError: the target cannot be written.
    """
    final = ranges[-1]
    length = final.to + final.end - final.start + int((final.new.lengths - final.sizes).sum())
    with final.target.open("r+b") as file:
        file.truncate(length)
    for _ in workers.map("writing", _write, [(part,) for part in ranges]):
        pass


def prove_ranges(ranges: list[Range], workers: Workers) -> Proof:
    """Read the copy back beside the source and compare, all ranges together."""
    untouched, before, after = 0, 0, 0
    for _, proof in workers.map("verifying", _prove, [(part,) for part in ranges]):
        if proof.fault is not None:
            return proof
        untouched += proof.untouched
        before += proof.feeds[0]
        after += proof.feeds[1]
    return Proof(untouched, (before, after), None if before == after else "it has another number of lines")


def _write(part: Range) -> None:
    with part.source.open("rb", buffering=0) as source, part.target.open("r+b", buffering=0) as target:
        target.seek(part.to)
        for start, first, last, block in _blocks(part, source):
            view, at = memoryview(block), start
            pieces: list[bytes | memoryview] = []
            items = zip(part.starts[first:last].tolist(), part.sizes[first:last].tolist(), part.new.read(first, last), strict=True)  # fmt: skip
            for begin, length, item in items:
                if b"\n" in item or not item.strip(BLANKS):
                    raise CorpusError(f"{part.source}: the new text of a record at byte {begin} is not one line")
                pieces += (view[at - start : begin - start], item)
                at = begin + length
            pieces.append(view[at - start :])
            _put(target, b"".join(pieces))


def _put(target: BinaryIO, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[target.write(rest) :]


def _blocks(part: Range, source: BinaryIO) -> Iterator[tuple[int, int, int, bytes]]:
    """Start and bytes of blocks of the source, and which of the replaced items lie in each; an item lies in one block."""
    start, first = part.start, 0
    while start < part.end:
        end = min(start + _BLOCK, part.end)
        last = int(np.searchsorted(part.starts, end))
        if last > first:
            end = max(end, int(part.starts[last - 1] + part.sizes[last - 1]))
        yield start, first, last, _read(source, start, end - start)
        start, first = end, last


def _read(file: BinaryIO, start: int, size: int) -> bytes:
    file.seek(start)
    block = file.read(size) or b""
    while len(block) < size:
        more = file.read(size - len(block))
        if not more:
            raise CorpusError(f"{file.name}: it became shorter while it was read; run the command again")
        block += more
    return block


def _prove(part: Range) -> Proof:
    """Gaps are compared with those of the source, items with the bytes that were meant: neither knows how the copy was made."""
    untouched, before, after = 0, 0, 0
    to = part.to
    with part.source.open("rb", buffering=0) as source, part.target.open("rb", buffering=0) as target:
        for start, first, last, block in _blocks(part, source):
            old_sizes, new_sizes = part.sizes[first:last], part.new.lengths[first:last]
            written = _read(target, to, len(block) + int((new_sizes - old_sizes).sum()))
            begins = part.starts[first:last] - start
            grown = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(new_sizes - old_sizes)])[:-1]
            kept = _outside(block, begins, old_sizes)
            if kept != _outside(written, begins + grown, new_sizes):
                return Proof(0, (0, 0), "bytes that were not to change have changed")
            if b"".join(part.new.read(first, last)) != _inside(written, begins + grown, new_sizes):
                return Proof(0, (0, 0), "a changed record is not where or what it should be")
            untouched += len(kept)
            before += block.count(b"\n")
            after += written.count(b"\n")
            to += len(written)
    return Proof(untouched, (before, after))


def _outside(block: bytes, begins: Int64, sizes: Int64) -> bytes:
    view, at, pieces = memoryview(block), 0, []
    for begin, end in zip(begins.tolist(), (begins + sizes).tolist(), strict=True):
        pieces.append(view[at:begin])
        at = end
    return b"".join([*pieces, view[at:]]) if pieces else block


def _inside(block: bytes, begins: Int64, sizes: Int64) -> bytes:
    view = memoryview(block)
    return b"".join([view[begin:end] for begin, end in zip(begins.tolist(), (begins + sizes).tolist(), strict=True)])
