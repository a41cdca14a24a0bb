"""Changes to the text of one object: which spans give way to which text, and how the object separates its members."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from migrate.engine.json_text import Member, blank, members, quote, skip
from migrate.planning.errors import PlanError
from migrate.planning.pointer import tokens
from migrate.planning.spelling import bare, compact

Change = tuple[int, int, str]
"""From, to, and the text that stands there afterwards. The changes of one text never overlap."""

_BLANKS = " \t\n\r"
_SAMPLE = 16
"""Members that are looked at for an object's style."""


@dataclass(frozen=True, slots=True)
class Style:
    """How an object separates: between members, between name and value, after ``{``, before ``}``."""

    comma: str
    colon: str
    lead: str = ""
    trail: str = ""


COMPACT = Style(",", ":")


class Manner:
    """The style of the object at ``start`` of a text, found out when it is asked for.

    What the object does not show is taken from ``outer``, the manner (or style) of the object around it.
    """

    def __init__(self, text: str, start: int, found: Sequence[Member], outer: Manner | Style) -> None:
        self._object = text, start, found
        self._outer = outer
        self._style: Style | None = None

    @property
    def style(self) -> Style:
        """The style, looked up once."""
        if self._style is None:
            outer = COMPACT  # an object of several members shows its own
            if len(self._object[2]) < 2:
                outer = self._outer if isinstance(self._outer, Style) else self._outer.style
            self._style = style_of(*self._object, outer)
        return self._style


def style_of(text: str, start: int, found: Sequence[Member], outer: Style) -> Style:
    """The style of the object at ``start`` with these members."""
    if not found:
        return _style_of_empty(text, start, outer)
    sample = found[:_SAMPLE]
    colon = _commonest(_colon_before(text, member.start) for member in sample)
    lead = text[start + 1 : found[0].key_start]
    last = found[-1].end
    trail = text[last : blank(text, last)]
    if len(found) > 1:
        comma = _commonest(text[one.end : other.key_start] for one, other in pairwise(sample))
    elif "\n" in lead:
        comma = "," + lead
    elif colon == outer.colon and "\n" not in outer.comma:
        comma = outer.comma
    else:
        comma = ", " if colon[-1] in _BLANKS else ","
    return Style(comma, colon, lead, trail)


def _style_of_empty(text: str, start: int, outer: Style) -> Style:
    """As the object around it; one level deeper where that one has a line for each member."""
    if "\n" not in outer.lead:
        comma = outer.comma if "\n" not in outer.comma else ","
        return Style(comma, outer.colon)
    newline = "\r\n" if "\r\n" in outer.lead else "\n"
    line = text[text.rfind("\n", 0, start) + 1 : start]
    base = line[: len(line) - len(line.lstrip(" \t"))]
    inner, closing = (part.rpartition("\n")[2] for part in (outer.lead, outer.trail))
    unit = inner.removeprefix(closing)
    lead = newline + base + unit
    return Style("," + lead, outer.colon, lead, newline + base)


def _colon_before(text: str, start: int) -> str:
    if text[start - 3 : start] == '": ':
        return ": "
    if text[start - 2 : start] == '":':
        return ":"
    colon = text.rindex(":", 0, start)
    begin = colon
    while text[begin - 1] in _BLANKS:
        begin -= 1
    return text[begin:start]


def _commonest(separators: Iterable[str]) -> str:
    found = list(separators)
    if found.count(found[0]) == len(found):
        return found[0]
    return Counter(found).most_common(1)[0][0]


def member_changes(
    text: str, start: int, found: Sequence[Member], values: Mapping[str, str | None], manner: Manner
) -> list[Change]:
    """Set (text) or remove (None) members of the object at ``start``, whose members and manner are given.

    Present members keep their place, new ones come last, in the order of ``values``. What goes takes one separator
    with it; an object that loses all its members is ``{}``.
    """
    changes: list[Change] = []
    present: set[str] = set()
    survivor = -1
    for index, member in enumerate(found):
        if member.key not in values:
            survivor = index
            continue
        present.add(member.key)
        value = values[member.key]
        if value is not None:
            changes.append((member.start, member.end, value))
            survivor = index
        elif survivor >= 0:
            changes.append((found[index - 1].end, member.end, ""))
        elif index + 1 < len(found):
            changes.append((member.key_start, found[index + 1].key_start, ""))
    new = [(name, value) for name, value in values.items() if value is not None and name not in present]
    if not new:
        if survivor >= 0 or not found:
            return changes
        return [(start + 1, blank(text, found[-1].end), "")]
    style = manner.style
    added = style.comma.join(quote(name) + style.colon + value for name, value in new)
    if survivor >= 0:
        return [*changes, (found[survivor].end, found[survivor].end, style.comma + added)]
    if found:
        return [(found[0].key_start, found[-1].end, added)]
    return [(start + 1, blank(text, start + 1), style.lead + added + style.trail)]


def changes_of(
    text: str,
    start: int,
    merge: str | None,
    replace: Mapping[str, str],
    outer: Manner | Style,
    *,
    verbatim: bool = False,
) -> list[Change]:
    """The changes that put a merge patch, and whole values at pointers, into the metadata value at ``start``.

    Values are written compact; those of ``replace`` as they are spelled if ``verbatim``. ``outer`` is the manner
    of the object around the metadata. PlanError where the patch does not fit: metadata that is no object, a member twice, a
    pointer whose parent is no object or that the merge patch sets too.
    """
    if "" in replace:
        if merge is not None or len(replace) > 1:
            raise PlanError("The patch replaces the metadata whole and changes it too; make the plan anew.")
        return [(start, skip(text, start), replace[""] if verbatim else compact(replace[""]))]
    if text[start] != "{":
        raise PlanError("The metadata is no object, so no patch fits it; make the plan anew.")
    changes: list[Change] = []
    work: list[tuple[int, int, _Steps, Manner | Style]]
    work = [(start, 0 if merge is not None else -1, _by_step(replace), outer)]
    while work:
        start, patch_at, whole, outer = work.pop()
        found = members(text, start)
        places = {member.key: member.start for member in found}
        if len(places) != len(found):
            raise PlanError("A member stands twice in the metadata; such a record is held, and nobody may patch it.")
        manner = Manner(text, start, found, outer)
        values: dict[str, str | None] = {}
        for name, at, end in _patch_members(merge, patch_at):
            assert merge is not None
            place = places.get(name, -1)
            if merge[at] == "{" and place >= 0 and text[place] == "{":
                below = whole.pop(name, {})
                if isinstance(below, str):
                    raise _both(name)
                work.append((place, at, below, manner))
            elif name in whole:
                raise _both(name)
            else:
                values[name] = None if merge[at] == "n" else bare(merge[at:end])
        for name, below in whole.items():
            if isinstance(below, str):
                values[name] = below if verbatim else compact(below)
                continue
            place = places.get(name, -1)
            if place < 0 or text[place] != "{":
                raise PlanError(f"The patch replaces a value below {name!r}, which is no object; make the plan anew.")
            work.append((place, -1, below, manner))
        changes += member_changes(text, start, found, values, manner)
    return changes


_Steps: TypeAlias = "dict[str, str | _Steps]"


def _by_step(replace: Mapping[str, str]) -> _Steps:
    """Pointers and their values as a tree by reference token."""
    top: _Steps = {}
    for path, value in replace.items():
        steps = tokens(path)
        node = top
        for step in steps[:-1]:
            child = node.setdefault(step, {})
            if isinstance(child, str):
                raise _both(step)
            node = child
        if steps[-1] in node:
            raise _both(steps[-1])
        node[steps[-1]] = value
    return top


def _patch_members(merge: str | None, at: int) -> list[tuple[str, int, int]]:
    """Name and span of the members of the merge patch's object at ``at``; a negative ``at`` means none."""
    if merge is None or at < 0:
        return []
    found = {member.key: (member.key, member.start, member.end) for member in members(merge, at)}
    return list(found.values())


def _both(name: str) -> PlanError:
    return PlanError(f"The patch changes {name!r} twice; make the plan anew.")


def replaced(text: str, changes: Iterable[Change]) -> str:
    """The text with its changes made."""
    pieces: list[str] = []
    done = 0
    for start, end, new in sorted(changes):
        pieces.append(text[done:start])
        pieces.append(new)
        done = end
    pieces.append(text[done:])
    return "".join(pieces)
