"""Finds the quotes and brackets that structure JSON text, a chunk at a time, by vectors and without recursion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from migrate.corpora.interface import Int64
from migrate.corpora.lines import Bytes, Flags

_QUOTE, _BACKSLASH = 34, 92
_OPEN, _CLOSE, _FOLD = 0x7B, 0x7D, 0x20
"""``[`` and ``]`` differ from the braces by this one bit."""


@dataclass(frozen=True, slots=True, eq=False)
class Brackets:
    """The brackets of one chunk, up to the one that closes the document; positions count from the chunk's start."""

    view: Bytes
    quotes: Int64
    in_string: bool
    """Whether the chunk begins inside a string."""
    positions: Int64
    opens: Flags
    levels: Int64
    """The depth behind each bracket."""
    closed: bool
    """Whether the last bracket closes the document."""

    def inside(self, positions: Int64) -> Flags:
        """For each position whether it lies in a string."""
        return ((np.searchsorted(self.quotes, positions) + self.in_string) & 1).astype(np.bool_)


class BracketScanner:
    """Carries depth, string and escape from chunk to chunk."""

    def __init__(self) -> None:
        self.depth = 0
        self._in_string = False
        self._escaped = False

    def feed(self, chunk: bytes) -> Brackets:
        """The next bytes of the document."""
        view = np.frombuffer(chunk, dtype=np.uint8)
        quotes = self._quotes(chunk, view)
        folded = view | _FOLD
        positions = np.flatnonzero((folded == _OPEN) | (folded == _CLOSE))
        in_string, self._in_string = self._in_string, self._in_string ^ bool(len(quotes) & 1)
        positions = positions[((np.searchsorted(quotes, positions) + in_string) & 1) == 0]
        opens = folded[positions] == _OPEN
        levels = self.depth + np.cumsum(np.where(opens, 1, -1))
        end = np.flatnonzero(levels <= 0)
        closed = bool(len(end))
        if closed:
            last = int(end[0]) + 1
            positions, opens, levels = positions[:last], opens[:last], levels[:last]
        if len(levels):
            self.depth = int(levels[-1])
        return Brackets(view, quotes, in_string, positions, opens, levels, closed)

    def _quotes(self, chunk: bytes, view: Bytes) -> Int64:
        """The quotes that open and close strings: those behind an even run of backslashes."""
        quotes = np.flatnonzero(view == _QUOTE)
        carried, self._escaped = self._escaped, False
        if b"\\" not in chunk:
            return quotes[1:] if carried and chunk[0] == _QUOTE else quotes
        slashes = np.flatnonzero(view == _BACKSLASH)
        breaks = np.flatnonzero(np.diff(slashes) != 1)
        firsts = slashes[np.concatenate(([0], breaks + 1))]
        lasts = slashes[np.append(breaks, len(slashes) - 1)]
        runs = lasts - firsts + 1
        if carried and firsts[0] == 0:
            runs[0] -= 1
        escaped = lasts[runs % 2 == 1] + 1
        if carried and firsts[0] != 0:
            escaped = np.concatenate(([0], escaped))
        if not len(escaped):
            return quotes
        self._escaped = bool(escaped[-1] == len(view))
        nearest = np.minimum(np.searchsorted(escaped, quotes), len(escaped) - 1)
        real: Int64 = quotes[escaped[nearest] != quotes]
        return real
