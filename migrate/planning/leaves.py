"""The leaves of a JSON text: its scalars and empty containers, each with its pointer and the changed path it lies on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from migrate.engine.json_text import blank, elements, quote, skip, unquote, walk
from migrate.planning.pointer import pointer, tokens


class Leaf(NamedTuple):
    """A leaf of a part that differs. Pointers are numbers of one :class:`Pointers`, or all are spelled out."""

    pointer: int | str
    shape: int | str
    """The pointer without the numbers of its indices."""
    value: str
    codes: tuple[str, ...]
    """Of the deepest changed path on which it lies; empty if there is none.

    Null and empty containers hold nothing, so they may also give way to a changed path below them.
    """


class Pointers:
    """Pointers as numbers, so that a deep one costs no more than a shallow one."""

    METADATA, TAGS = 0, 1
    ANY_INDEX = -1

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, str | int], int] = {}
        self._steps: list[tuple[int, str | int]] = [(0, ""), (0, "tags")]

    def step(self, parent: int, token: str | int) -> int:
        """The pointer one token (a name, an index) below ``parent``."""
        key = (parent, token)
        number = self._numbers.setdefault(key, len(self._steps))
        if number == len(self._steps):
            self._steps.append(key)
        return number

    def text(self, number: int) -> str:
        """The pointer spelled out; into the tags it begins with ``tags``."""
        steps: list[str | int] = []
        while number > self.TAGS:
            number, token = self._steps[number]
            steps.append(token)
        return ("tags" if number == self.TAGS else "") + pointer(reversed(steps))


class Route:
    """Changed paths as a tree by reference token."""

    def __init__(self, codes: tuple[str, ...] = ()) -> None:
        self.codes = codes
        """Of the changed path that ends here."""
        self.below: dict[str, Route] = {}
        self.through: tuple[str, ...] = codes
        """Of the first changed path that ends here or below."""

    @classmethod
    def of(cls, changed_paths: Mapping[str, tuple[str, ...]]) -> Route:
        """The tree of all paths but ``tags``."""
        root = cls()
        for path, codes in changed_paths.items():
            if path != "tags":
                node = root
                for token in tokens(path):
                    node.through = node.through or codes
                    node = node.below.setdefault(token, cls())
                node.codes = codes
                node.through = node.through or codes
        return root


NOWHERE = Route()


def count_leaves(text: str | None) -> int:
    """The number of leaves of a JSON value: 1 for a scalar and an empty container, 0 for no text."""
    if text is None:
        return 0
    start = blank(text, 0)
    if text[start : start + 1] not in ("{", "["):
        skip(text, start)
        return 1
    count = 0
    opened = False
    for what, _start, _end in walk(text, start):
        count += what == "v" or (opened and what in "}]")
        opened = what in "{["
    return count


def collect(
    text: str, number: int, route: Route, codes: tuple[str, ...], pointers: Pointers, leaves: list[Leaf]
) -> None:
    """Add the leaves of the value whose pointer is ``number`` and which lies on a changed path with ``codes``."""
    start = blank(text, 0)
    if text[start : start + 1] not in ("{", "["):
        value = _spelled(text[start : skip(text, start)])
        leaves.append(Leaf(number, number, value, codes or _nothing(value, route)))
        return
    if text[start] == "[" and not route.below:
        spans = elements(text, start)
        if spans and not any(text[begin] in "{[" for begin, _end in spans):
            shape = pointers.step(number, pointers.ANY_INDEX)
            for index, (begin, end) in enumerate(spans):
                leaves.append(Leaf(pointers.step(number, index), shape, _spelled(text[begin:end]), codes))
            return
    _walk_leaves(text, (number, number, route, codes), pointers, leaves)


_Place = tuple[int, int, Route, tuple[str, ...]]
"""Of a value: its pointer, its shape, the changed paths from here on, the codes it lies on."""


def _walk_leaves(text: str, here: _Place, pointers: Pointers, leaves: list[Leaf]) -> None:
    """:func:`collect` of a value of any depth, itself at ``here``."""
    stack: list[_Place] = []
    indices: list[int] = []
    opened = False
    for what, start, end in walk(text, blank(text, 0)):
        if what == "k":
            name = unquote(text, start)
            above = stack[-1]
            below = above[2].below.get(name, NOWHERE)
            here = (pointers.step(above[0], name), pointers.step(above[1], name), below, below.codes or above[3])
            opened = False
            continue
        if what in "}]":
            here = stack.pop()
            indices.pop()
            if opened:
                leaves.append(Leaf(here[0], here[1], "[]" if what == "]" else "{}", here[3] or here[2].through))
            opened = False
            continue
        if indices and indices[-1] >= 0:
            index = indices[-1]
            indices[-1] += 1
            above = stack[-1]
            below = above[2].below.get(str(index), NOWHERE)
            here = (
                pointers.step(above[0], index),
                pointers.step(above[1], pointers.ANY_INDEX),
                below,
                below.codes or above[3],
            )
        opened = what in "{["
        if opened:
            stack.append(here)
            indices.append(0 if what == "[" else -1)
        else:
            value = _spelled(text[start:end])
            leaves.append(Leaf(here[0], here[1], value, here[3] or _nothing(value, here[2])))


def _nothing(value: str, route: Route) -> tuple[str, ...]:
    return route.through if value == "null" else ()


def _spelled(token: str) -> str:
    return quote(unquote(token)) if "\\" in token else token
