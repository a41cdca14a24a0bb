"""The books of a changed record: every leaf that was there is accounted for, and every leaf that is there now.

A leaf is a scalar or an empty container, at its JSON pointer; elements of arrays are leaves too. Metadata that is
absent, null or ``{}``, and tags that are absent, null or ``[]``, have none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from migrate.engine.json_text import blank, members
from migrate.planning.leaves import NOWHERE, Leaf, Pointers, Route, collect, count_leaves

_REPORTED = 10
"""Differences outside of every changed path that one record's books name."""


@dataclass(frozen=True, slots=True)
class Books:
    """Leaves before and after, and what became of them; books of several records add up.

    ``kept``: the same value at the same pointer, or elsewhere in the same array. ``moved``: the same value, gone at one
    changed path and new at another. ``rewritten``: the same pointer, another value. ``removed`` and ``added``: the
    rest, each counted under a code of the changed path it lies on (``removed_by``, ``added_by``). ``held``: leaves of
    a record that is left alone; they are in ``before`` only. ``unexplained``: pointers (the first ten) of differences
    that lie on no changed path, or on one without a code.
    """

    before: int = 0
    after: int = 0
    kept: int = 0
    moved: int = 0
    rewritten: int = 0
    removed: int = 0
    added: int = 0
    held: int = 0
    removed_by: Mapping[str, int] = field(default_factory=dict)
    added_by: Mapping[str, int] = field(default_factory=dict)
    unexplained: tuple[str, ...] = ()

    def __add__(self, other: Books) -> Books:
        ledger = Ledger()
        ledger.add(self)
        ledger.add(other)
        return ledger.books()

    @property
    def balanced(self) -> bool:
        """Whether nothing is unaccounted for: both sums are right, and every removal and addition has its code."""
        stayed = self.kept + self.moved + self.rewritten
        return (
            not self.unexplained
            and self.before == stayed + self.removed + self.held
            and self.after == stayed + self.added
            and self.removed == sum(self.removed_by.values())
            and self.added == sum(self.added_by.values())
        )


class Ledger:
    """Adds up the books of many records."""

    def __init__(self) -> None:
        self._sums: Counter[str] = Counter()
        self._removed: Counter[str] = Counter()
        self._added: Counter[str] = Counter()
        self._unexplained: list[str] = []

    def add(self, record: Books) -> None:
        """Take one record's books in, or those of several."""
        for name in _SUMS:
            self._sums[name] += getattr(record, name)
        for sums, part in ((self._removed, record.removed_by), (self._added, record.added_by)):
            for code, number in part.items():
                sums[code] += number
        if record.unexplained:
            self._unexplained = (self._unexplained + list(record.unexplained))[:_REPORTED]

    def books(self) -> Books:
        """The sums."""
        return Books(
            **{name: self._sums[name] for name in _SUMS},
            removed_by=dict(self._removed),
            added_by=dict(self._added),
            unexplained=tuple(self._unexplained),
        )


_SUMS = ("before", "after", "kept", "moved", "rewritten", "removed", "added", "held")


def books(
    before_text: str | None,
    after_text: str | None,
    changed_paths: Mapping[str, tuple[str, ...]],
    *,
    tags: tuple[str | None, str | None] = (None, None),
    doubles: str = "CS505",
) -> Books:
    """The books of one record: its metadata's text before and after, and its ``tags`` likewise.

    ``changed_paths`` maps the path of every change (a JSON pointer into the metadata, or ``tags``) to its codes. A
    difference that lies on none of them, or on one without codes, is unexplained, and the books do not balance.
    Removed doubles of an array are counted under ``doubles`` where the path has that code, all else under the path's
    first. The texts are those of records without doubled members; JsonError if one is no JSON.
    """
    pointers = Pointers()
    sides: tuple[list[Leaf], list[Leaf]] = ([], [])
    route = Route.of(changed_paths)
    kept = _compare(before_text, after_text, route, pointers, sides)
    tag_codes = changed_paths.get("tags", ())
    for text, leaves in zip(tags, sides, strict=True):
        if text is not None and not _is_empty(text, "[]"):
            collect(text, pointers.TAGS, NOWHERE, tag_codes, pointers, leaves)
    return settled(kept, *sides, pointers.text, doubles)


def held(metadata_text: str | None, tags_text: str | None = None) -> Books:
    """The books of a record that is left alone."""
    leaves = 0 if _is_empty(metadata_text, "{}") else count_leaves(metadata_text)
    leaves += 0 if _is_empty(tags_text, "[]") else count_leaves(tags_text)
    return Books(before=leaves, held=leaves)


def _is_empty(text: str | None, empty: str) -> bool:
    """Whether the text is missing, ``null`` or the ``empty`` container."""
    if text is None:
        return True
    start = blank(text, 0)
    if text.startswith("null", start):
        return True
    inside = blank(text, start + 1)
    return text[start : start + 1] + text[inside : inside + 1] == empty


def _compare(
    before: str | None, after: str | None, route: Route, pointers: Pointers, sides: tuple[list[Leaf], list[Leaf]]
) -> int:
    """Add to the sides the leaves of those parts of the metadata that differ; the number of leaves of the others."""
    before, after = (None if _is_empty(text, "{}") else text for text in (before, after))
    kept = 0
    work = [(before, after, pointers.METADATA, route, route.codes, 0)]
    while work:
        before, after, number, route, codes, depth = work.pop()
        parts = _parts(before, depth), _parts(after, depth)
        if parts[0] is None or parts[1] is None:
            for text, leaves in zip((before, after), sides, strict=True):
                if text is not None:
                    collect(text, number, route, codes, pointers, leaves)
            continue
        for name in {**parts[0], **parts[1]}:
            before, after = parts[0].get(name), parts[1].get(name)
            if before == after:
                kept += count_leaves(before)
            else:
                below = route.below.get(name, NOWHERE)
                work.append((before, after, pointers.step(number, name), below, below.codes or codes, depth + 1))
    return kept


_SLICED = 4
"""Levels of objects that are compared member by member; further down the leaves are."""


def _parts(text: str | None, depth: int) -> dict[str, str] | None:
    """The members of an object that has some; None if it is no such object, or lies too deep."""
    if text is None:
        return None if depth else {}
    start = blank(text, 0)
    if text[start : start + 1] != "{" or depth >= _SLICED:
        return None
    return {member.key: text[member.start : member.end] for member in members(text, start)} or None


def settled(kept: int, before: list[Leaf], after: list[Leaf], spell: Callable[[Any], str], doubles: str) -> Books:
    """The books over the leaves of all parts that differ, ``kept`` leaves being in parts that do not.

    ``spell`` spells the pointer of a leaf that lies on no changed path.
    """
    sizes = kept + len(before), kept + len(after)
    present = {(leaf.shape, leaf.value) for leaf in after}
    before, after, same = _matched(before, after, lambda leaf: (leaf.pointer, leaf.value))
    loose = [leaf.pointer for leaf in (*before, *after) if not leaf.codes]
    gone = [leaf for leaf in before if leaf.codes]
    new = [leaf for leaf in after if leaf.codes]
    gone, new, shifted = _matched(gone, new, lambda leaf: (leaf.shape, leaf.value))
    gone, new, moved = _matched(gone, new, lambda leaf: leaf.value)
    gone, new, rewritten = _matched(gone, new, lambda leaf: leaf.pointer)
    stayed = kept + same + shifted + moved + rewritten
    twice = (doubles in leaf.codes and (leaf.shape, leaf.value) in present for leaf in gone)
    return Books(
        before=sizes[0],
        after=sizes[1],
        kept=kept + same + shifted,
        moved=moved,
        rewritten=rewritten,
        removed=sizes[0] - stayed,
        added=sizes[1] - stayed,
        removed_by=dict(
            Counter(doubles if is_double else leaf.codes[0] for leaf, is_double in zip(gone, twice, strict=True))
        ),
        added_by=dict(Counter(leaf.codes[0] for leaf in new)),
        unexplained=tuple(spell(number) for number in list(dict.fromkeys(loose))[:_REPORTED]),
    )


def _matched(
    before: list[Leaf], after: list[Leaf], key: Callable[[Leaf], Hashable]
) -> tuple[list[Leaf], list[Leaf], int]:
    """Pair leaves of the two sides that have the same key, first with first: the rest of each side, and the pairs."""
    if not before or not after:
        return before, after, 0
    keys = [key(leaf) for leaf in after]
    waiting: dict[Hashable, int] = {}
    for one in keys:
        waiting[one] = waiting.get(one, 0) + 1
    taken: dict[Hashable, int] = {}
    rest_before = []
    for leaf in before:
        one = key(leaf)
        if waiting.get(one):
            waiting[one] -= 1
            taken[one] = taken.get(one, 0) + 1
        else:
            rest_before.append(leaf)
    if not taken:
        return before, after, 0
    rest_after = []
    for one, leaf in zip(keys, after, strict=True):
        if taken.get(one):
            taken[one] -= 1
        else:
            rest_after.append(leaf)
    return rest_before, rest_after, len(before) - len(rest_before)
