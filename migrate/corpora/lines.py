"""Finds the items of a file of lines in one pass, without looking at what they hold.

An item is a line that is not blank. A line ends with a line feed alone; the carriage return before it belongs to the
line end, any other carriage return is JSON white space.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from migrate.corpora.interface import BLANKS, Int64, Places

_PIECE = 1 << 17
"""Bytes compared at once; the mask of this many stays in the cache."""
_LF, _CR = 10, 13
_IS_BLANK = np.zeros(256, dtype=np.bool_)
_IS_BLANK[list(BLANKS)] = True
_NONE: Int64 = np.empty(0, dtype=np.int64)

Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]


def find(view: Bytes, byte: int) -> Int64:
    """The indexes of a byte value."""
    pieces = [np.flatnonzero(view[start : start + _PIECE] == byte) + start for start in range(0, len(view), _PIECE)]
    return np.concatenate(pieces) if pieces else _NONE


def find_strays(chunk: bytes, view: Bytes) -> Int64:
    """The indexes of raw vertical tabs and form feeds, of which there are hardly ever any."""
    if b"\x0b" in chunk or b"\x0c" in chunk:
        return np.flatnonzero((view == 11) | (view == 12))
    return _NONE


def first_of_each(bounds: Int64, positions: Int64) -> Int64:
    """One position for every stretch between two ascending bounds that has any."""
    stretch = np.searchsorted(bounds, positions, side="right")
    return positions[np.unique(stretch, return_index=True)[1]]


def items_at(offsets: Int64, lengths: Int64, positions: list[Int64]) -> frozenset[int]:
    """The items that hold any of the positions."""
    if not positions or not len(offsets):
        return frozenset()
    wanted = np.concatenate(positions)
    index = np.searchsorted(offsets, wanted, side="right") - 1
    inside = (index >= 0) & (wanted < offsets[index] + lengths[index])
    return frozenset(np.unique(index[inside]).tolist())


class LineScanner:
    """Takes the bytes of a file chunk by chunk; holds two numbers an item (three after the first blank line)."""

    def __init__(self, start: int = 0) -> None:
        """``start`` is the first byte that counts, after a byte-order mark."""
        self._at = start
        self._start = start
        self._blank_so_far = True
        self._before = 0
        self._line = 1
        self._count = 0
        self._offsets: list[Int64] = []
        self._lengths: list[Int64] = []
        self._numbers: list[Int64] | None = None
        self._strays: list[Int64] = []

    def feed(self, chunk: bytes) -> None:
        """The next bytes."""
        view = np.frombuffer(chunk, dtype=np.uint8)
        ends = find(view, _LF)
        strays = find_strays(chunk, view)
        if len(strays):
            self._strays.append(first_of_each(ends, strays) + self._at)
        if len(ends):
            self._lines(chunk, view, ends)
            tail = chunk[int(ends[-1]) + 1 :]
            self._start = self._at + len(chunk) - len(tail)
            self._blank_so_far = not tail or tail.isspace()
            self._line += len(ends)
        else:
            self._blank_so_far = self._blank_so_far and chunk.isspace()
        self._before = chunk[-1]
        self._at += len(chunk)

    def _lines(self, chunk: bytes, view: Bytes, ends: Int64) -> None:
        """Takes the lines that end in this chunk; the first may have begun in an earlier one."""
        starts = np.empty_like(ends)
        starts[0] = self._start - self._at
        starts[1:] = ends[:-1] + 1
        returns = view[ends - 1] == _CR
        if ends[0] == 0:
            returns[0] = self._before == _CR and starts[0] < 0
        lengths = ends - returns - starts
        kept = lengths > 0
        suspects = kept & _IS_BLANK[view[np.maximum(starts, 0)]]
        suspects[0] = starts[0] >= 0 and suspects[0]
        checked = np.flatnonzero(suspects)
        for index, start, end in zip(checked.tolist(), starts[checked].tolist(), ends[checked].tolist(), strict=True):
            kept[index] = not chunk[start:end].isspace()
        if starts[0] < 0:
            head = chunk[: ends[0]]
            kept[0] = not (self._blank_so_far and (not head or head.isspace()))
        if self._numbers is None and not kept.all():
            self._numbers = [np.arange(1, self._count + 1, dtype=np.int64)]
        if self._numbers is not None:
            self._numbers.append(np.flatnonzero(kept) + self._line)
        if not kept.all():
            starts, lengths = starts[kept], lengths[kept]
        self._offsets.append(starts + self._at)
        self._lengths.append(lengths)
        self._count += len(starts)

    def finish(self, *, cut: bool = False) -> tuple[Places, int]:
        """The places, and the bytes left out: where the stream was cut, those of a last line without its end."""
        rest = 0 if self._blank_so_far else self._at - self._start
        if rest and not cut:
            self._offsets.append(np.array([self._start], dtype=np.int64))
            self._lengths.append(np.array([rest], dtype=np.int64))
            if self._numbers is not None:
                self._numbers.append(np.array([self._line], dtype=np.int64))
            rest = 0
        offsets, lengths = joined(self._offsets), joined(self._lengths)
        numbers = None if self._numbers is None else joined(self._numbers)
        strays = items_at(offsets, lengths, self._strays)
        size = self._start if cut else self._at
        return Places(offsets, lengths, numbers, size, strays), rest


def joined(parts: list[Int64]) -> Int64:
    """One array of many, which are given up on the way."""
    whole = np.concatenate(parts) if parts else _NONE
    parts.clear()
    return whole
