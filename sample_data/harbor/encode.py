"""Entries to lines: references become ids, and each export has its own way to write JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from harbor.model import Encoded, Entry, Members, Number, Ref

_NAMED = re.compile(r"\[\[([^\]]+)\]\]")


@dataclass(frozen=True, slots=True)
class Style:
    """How an export wrote JSON: blanks after separators, escapes for all but ASCII, and which members it had."""

    spaced: bool
    escaped: bool
    images: bool
    summary: bool


EXPORTS = (
    (datetime(2026, 3, 18), Style(spaced=True, escaped=True, images=False, summary=False)),
    (datetime(2026, 8, 1), Style(spaced=False, escaped=False, images=False, summary=True)),
    (datetime(2027, 1, 1), Style(spaced=True, escaped=False, images=True, summary=True)),
)
"""Until when each of the three exports reaches, and its style."""


def style_at(at: datetime) -> Style:
    """The style of the export that holds a record of that time."""
    return next(style for until, style in EXPORTS if at < until)


def dumps(value: Any, style: Style, ids: Mapping[str, int]) -> str:
    """A value as JSON text in one style, references as ids."""
    comma, colon = (", ", ": ") if style.spaced else (",", ":")
    match value:
        case Number(text=text):
            return text
        case Ref(key=key, form=form):
            return _reference(ids[key], form, style, ids)
        case Encoded(value=inner, times=times):
            text = dumps(inner, style, ids)
            for _ in range(times):
                text = json.dumps(text, ensure_ascii=style.escaped)
            return text
        case Members(pairs=pairs):
            return "{" + comma.join(f"{_string(name, style)}{colon}{dumps(v, style, ids)}" for name, v in pairs) + "}"
        case dict():
            return dumps(Members(tuple(value.items())), style, ids)
        case list() | tuple():
            return "[" + comma.join(dumps(member, style, ids) for member in value) + "]"
        case str():
            return _string(value, style)
        case _:
            return json.dumps(value)


def _string(value: str, style: Style) -> str:
    # A lone surrogate exists as an escape only: UTF-8 has no bytes for it.
    lone = any("\ud800" <= letter <= "\udfff" for letter in value)
    return json.dumps(value, ensure_ascii=style.escaped or lone)


def _reference(number: int, form: str, style: Style, ids: Mapping[str, int]) -> str:
    match form:
        case "int":
            return str(number)
        case "text":
            return f'"{number}"'
        case "float":
            return f"{number}.0"
        case "padded":
            return f'"0{number}"'
        case "hash":
            return f'"#{number}"'
        case "object":
            return dumps({"id": number}, style, ids)
        case "noted":
            return dumps({"id": number, "why": "same cause"}, style, ids)
        case _:
            raise ValueError(f"no such spelling of a reference: {form}")


def fill(text: str, ids: Mapping[str, int]) -> str:
    """A text with the ids of the records it names."""
    return _NAMED.sub(lambda found: str(ids[found[1]]), text)


def members_of(entry: Entry, ids: Mapping[str, int], style: Style) -> dict[str, Any]:
    """The members of a record in the export's order; ``entry.top`` replaces and adds, its ``names`` renames."""
    updated = entry.updated or entry.at
    members: dict[str, Any] = {
        "id": ids[entry.key],
        "thread_id": entry.thread,
        "source": entry.source,
        "content_type": "text",
        "text_content": fill(entry.text, ids),
        "metadata": entry.meta,
    }
    if style.summary:
        members["summary"] = fill(entry.summary, ids) if entry.summary else None
    members["tags"] = entry.tags
    if style.images:
        members["images"] = []
    members["created_at"] = f"{entry.at:%Y-%m-%d %H:%M:%S}"
    members["updated_at"] = f"{updated:%Y-%m-%d %H:%M:%S}"
    members.update(entry.top)
    names = members.pop("names", {})
    return {names.get(name, name): value for name, value in members.items()}


def line_of(entry: Entry, ids: Mapping[str, int], style: Style | None = None) -> str:
    """One record as a line without its line end."""
    chosen = style or style_at(entry.at)
    return dumps(members_of(entry, ids, chosen), chosen, ids)
