"""Finds the records of a file that is one JSON document: an array, or an object whose ``results`` is one.

The document is followed by its brackets and quotes alone. An element is what stands between two commas: one that is
no JSON is an item like any other, and does not hide its neighbours.
"""

from __future__ import annotations

import json
import re
from typing import Literal

import numpy as np

from migrate.corpora.brackets import Brackets, BracketScanner
from migrate.corpora.interface import BLANKS, Int64, Places
from migrate.corpora.lines import find, find_strays, first_of_each, items_at, joined

_LF, _COMMA = 10, 44
_RESULTS = re.compile(rb'[{,]\s*"results"\s*:\s*\Z')
_TAIL = 256
"""Bytes before a value that are looked at for its key."""
_LONGEST_SKELETON = 1 << 26
_RECORD_KEYS = {"id", "context_id"}


class DocumentScanner:
    """Takes the bytes of a file chunk by chunk, until it turns out to be no such document.

    Of an object a *skeleton* is kept, its own text with all nested values emptied. Its grammar is checked at the
    end, and an object with an id of its own is a record, not an answer.
    """

    def __init__(self, start: int = 0) -> None:
        """``start`` is the first byte that counts, after a byte-order mark."""
        self._at = start
        self._brackets = BracketScanner()
        self._is_array: bool | None = None
        self._closed = False
        self._level = 0
        """The depth between the elements: 1, 2 in an answer, 0 outside of the array."""
        self._arrays = 0
        """How many values of ``results`` were arrays."""
        self._skeleton = bytearray()
        self._line = 1
        self._first: int | None = None
        self._last = 0
        self._commas = False
        self._new_starts: list[int] = []
        self._new_ends: list[int] = []
        self._starts: list[Int64] = []
        self._ends: list[Int64] = []
        self._numbers: list[Int64] = []
        self._ragged: list[Int64] = []
        self._strays: list[Int64] = []

    @property
    def form(self) -> Literal["array", "results"]:
        """Which of the two documents it is."""
        return "array" if self._is_array else "results"

    def feed(self, chunk: bytes) -> bool:
        """The next bytes, at least one; whether the file can still be such a document."""
        if self._closed:
            self._at += len(chunk)
            return not chunk.strip(BLANKS)
        if self._is_array is None:
            head = chunk.lstrip(BLANKS)[:1]
            if head and head not in b"[{":
                return False
            self._is_array = head == b"[" if head else None
        brackets = self._brackets.feed(chunk)
        going = self._walk(chunk, brackets)
        self._note(chunk, brackets)
        self._at += len(chunk)
        return going and len(self._skeleton) < _LONGEST_SKELETON

    def finish(self, *, cut: bool = False) -> Places | None:
        """The places; None where the file is no such document. Of a cut one the whole elements count."""
        whole = self._closed and (self._is_array or self._is_answer())
        starts, ends = joined(self._starts), joined(self._ends)
        if not whole and not (cut and len(ends)):
            return None
        starts, numbers = starts[: len(ends)], joined(self._numbers)[: len(ends)]
        lengths = ends - starts
        strays, ragged = (items_at(starts, lengths, found) for found in (self._strays, self._ragged))
        return Places(starts, lengths, numbers, self._at, strays, ragged)

    def _is_answer(self) -> bool:
        """Whether the object has one ``results``, an array, and no id; numbers stay text, however long they are."""
        try:
            text = self._skeleton.decode("utf-8", "surrogateescape")
            members = json.loads(text, object_pairs_hook=list, parse_int=str, parse_float=str)
        except ValueError:
            return False
        keys = [key for key, _ in members]
        return self._arrays == keys.count("results") == 1 and not _RECORD_KEYS.intersection(keys)

    def _walk(self, chunk: bytes, brackets: Brackets) -> bool:
        """Goes from bracket to bracket, but no deeper than to those around elements."""
        deepest = 1 if self._is_array else 2
        shallow = brackets.levels <= deepest + brackets.opens
        position = 0
        for at, opens, level in zip(
            brackets.positions[shallow].tolist(),
            brackets.opens[shallow].tolist(),
            brackets.levels[shallow].tolist(),
            strict=True,
        ):
            depth = level - 1 if opens else level + 1
            if not (self._text(chunk, brackets, position, at, depth) and self._bracket(chunk, at, level, opens)):
                return False
            position = at + 1
        if brackets.closed:
            self._closed = True
            return not chunk[position:].strip(BLANKS)
        return self._text(chunk, brackets, position, len(chunk), self._brackets.depth)

    def _bracket(self, chunk: bytes, at: int, level: int, opens: bool) -> bool:
        """One bracket, ``level`` being the depth behind it; False where no such document can have it."""
        if self._level and level == self._level + opens:
            self._mark(self._at + at, self._at + at + 1)
            return True
        ends_array = not opens and self._level > 0
        if ends_array:
            if self._first is not None or self._commas:
                self._end_item(self._at + at)
            self._level = 0
        if self._is_array:
            self._level = int(opens)
            return opens or chunk[at] == ord("]")
        if opens and level == 2:
            tail = bytes(self._skeleton[-_TAIL:])
            if not tail.rstrip(BLANKS).endswith(b":"):
                return False
            if chunk[at] == ord("[") and _RESULTS.search(tail):
                self._level, self._commas = 2, False
                self._arrays += 1
        if level <= 1 or (opens and level == 2):
            self._skeleton.append(chunk[at])
        return True

    def _text(self, chunk: bytes, brackets: Brackets, start: int, end: int, depth: int) -> bool:
        """The text between two brackets, at one depth; False where no such document can have it."""
        if self._level and depth == self._level:
            if start and chunk[start:end] == b",":  # behind a bracket, hence in no string
                self._comma(start)
            elif start < end:
                self._between(chunk, brackets, start, end)
        elif depth == 1 and not self._is_array:
            piece = chunk[start:end]
            if b"\n" in piece and brackets.inside(find(brackets.view[start:end], _LF) + start).any():
                return False
            self._skeleton += piece
        return True

    def _between(self, chunk: bytes, brackets: Brackets, start: int, end: int) -> None:
        """Text at the depth of the elements: commas, white space, and values that are no object or array."""
        commas = find(brackets.view[start:end], _COMMA) + start
        for comma in commas[~brackets.inside(commas)].tolist():
            self._value(chunk, start, comma)
            self._comma(comma)
            start = comma + 1
        self._value(chunk, start, end)

    def _value(self, chunk: bytes, start: int, end: int) -> None:
        text = chunk[start:end]
        if bare := text.strip(BLANKS):
            first = start + len(text) - len(text.lstrip(BLANKS))
            self._mark(self._at + first, self._at + first + len(bare))

    def _mark(self, start: int, end: int) -> None:
        """More of the present element, which begins with the first of it."""
        if self._first is None:
            self._first = start
            self._new_starts.append(start)
        self._last = end

    def _comma(self, at: int) -> None:
        self._commas = True
        self._end_item(self._at + at)

    def _end_item(self, at: int) -> None:
        if self._first is None:
            self._mark(at, at)
        self._new_ends.append(self._last)
        self._first = None

    def _note(self, chunk: bytes, brackets: Brackets) -> None:
        """Puts away what this chunk gave, with the lines the new elements start on."""
        starts = np.array(self._new_starts, dtype=np.int64)
        feeds = find(brackets.view, _LF) if b"\n" in chunk else np.empty(0, dtype=np.int64)
        self._starts.append(starts)
        self._ends.append(np.array(self._new_ends, dtype=np.int64))
        self._numbers.append(np.searchsorted(feeds, starts - self._at) + self._line)
        for found, positions in (
            (self._ragged, feeds[brackets.inside(feeds)]),
            (self._strays, find_strays(chunk, brackets.view)),
        ):
            if len(positions):
                found.append(first_of_each(starts, positions + self._at))
        self._line += len(feeds)
        self._new_starts.clear()
        self._new_ends.clear()
