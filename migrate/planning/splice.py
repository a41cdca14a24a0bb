"""A patch put into the text of its record: the touched members change, every other character stays."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from migrate.engine.json_text import JsonError, Member, blank, members, quote, unquote
from migrate.planning.errors import PlanError
from migrate.planning.merge_patch import Patch, new_metadata
from migrate.planning.object_edit import (
    COMPACT,
    Change,
    Manner,
    Style,
    changes_of,
    member_changes,
    replaced,
)
from migrate.planning.spelling import compact

# An escape of one character; a pair of surrogates is one character too. Unescaped text never holds a backslash.
_escapes = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)").finditer
_escapes_non_ascii = re.compile(r"(?<!\\)(?:\\\\)*\\u(?!00[0-7])").search
_outside_ascii = re.compile(r"[^\x00-\x7f]").search


def splice(
    record: str, patch: Patch, *, text_encoded: bool, verbatim: bool = False, found: Sequence[Member] | None = None
) -> str:
    """The record's text (one JSON object, blanks around it allowed) with the patch in its ``metadata`` and ``tags``.

    A changed value is written whole and compact. New members come last in their object, separated as its others are;
    what is removed takes one separator with it; a missing ``metadata`` comes last in the record, a missing ``tags``
    after it. ``text_encoded`` says that the corpus stores metadata as a string holding an object: the text inside is
    patched, and written in the string's own way; new metadata is written as a string too. With ``verbatim``, the
    values of ``patch.replace`` and ``patch.tags`` are written as they are spelled, to put an old text back. ``found`` are the
    record's members, where they are known already.

    JsonError if the record is no JSON object; PlanError if the patch does not fit it, or if metadata or tags stand
    twice in it.
    """
    if patch.empty:
        return record
    start = blank(record, 0)
    if record[start : start + 1] != "{":
        raise JsonError("no object", start)
    found = members(record, start) if found is None else found
    manner = Manner(record, start, found, COMPACT)
    changes: list[Change] = []
    values: dict[str, str | None] = {}
    if patch.metadata is not None or patch.replace:
        member = _only(found, "metadata")
        if member is None or record[member.start] == "n":
            text = new_metadata(patch, verbatim=verbatim)
            values["metadata"] = quote(text) if text_encoded and text is not None else text
        elif text_encoded and record[member.start] == '"':
            changes += _changes_inside(record, member, patch, manner.style, verbatim=verbatim)
        else:
            changes += changes_of(record, member.start, patch.metadata, patch.replace, manner, verbatim=verbatim)
    if patch.tags is not None:
        _only(found, "tags")
        values["tags"] = patch.tags if verbatim else compact(patch.tags)
    changes += member_changes(record, start, found, values, manner)
    return replaced(record, changes)


def _only(found: Iterable[Member], name: str) -> Member | None:
    """The one member of that name, None if there is none; PlanError if there are two."""
    named = [member for member in found if member.key == name]
    if len(named) > 1:
        raise PlanError(f"The record has {name!r} twice; such a record is held, and nobody may patch it.")
    return named[0] if named else None


def _changes_inside(record: str, member: Member, patch: Patch, style: Style, *, verbatim: bool) -> list[Change]:
    """The changes to metadata that is a string holding an object, in places of the record."""
    inner = unquote(record, member.start)
    start = blank(inner, 0)
    stored = record[member.start + 1 : member.end - 1]
    ascii_only = _escapes_non_ascii(stored) is not None and _outside_ascii(stored) is None
    if "" in patch.replace:
        text = new_metadata(patch, verbatim=verbatim) or ""
        return [(member.start, member.end, quote(text, ascii=ascii_only))]
    if inner[start : start + 1] != "{":
        raise PlanError("The metadata is a string that holds no object, so no patch fits it; make the plan anew.")
    outer = style
    if "\n" in style.lead + style.comma:  # lines of the record, not of the text inside
        outer = Style(", " if style.colon[-1] == " " else ",", style.colon)
    changes = sorted(changes_of(inner, start, patch.metadata, patch.replace, outer, verbatim=verbatim))
    places = iter(_places(stored, [place for one in changes for place in one[:2]]))
    base = member.start + 1
    return [
        (base + next(places), base + next(places), quote(new, ascii=ascii_only)[1:-1]) for _start, _end, new in changes
    ]


def _places(stored: str, wanted: list[int]) -> list[int]:
    """Where in the escaped text those characters of the unescaped text stand; ``wanted`` ascends."""
    places: list[int] = []
    plain = escaped = 0  # the same place in both texts
    rest = iter(wanted)
    place = next(rest, None)
    for match in _escapes(stored):
        run = match.start() - escaped
        while place is not None and place <= plain + run:
            places.append(escaped + place - plain)
            place = next(rest, None)
        if place is None:
            return places
        plain += run + 1
        escaped = match.end()
    while place is not None:
        places.append(escaped + place - plain)
        place = next(rest, None)
    return places
