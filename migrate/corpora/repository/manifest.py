"""``manifest.json``: parsed as strictly as ECMAScript's ``JSON.parse``, whatever Python's parser would let through."""

from __future__ import annotations

from dataclasses import dataclass

from migrate.engine.json_text import JsonError, blank, check, members, unquote

PROTOCOL = "repository-context"
SUPPORTED = 1.0
"""The one schema version of this layout, as the double that JSON numbers are."""
_LARGEST = 65_536
"""Bytes of the largest manifest that a line is added to: the whole text stands in the plan, twice."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The three fields of a manifest, each None unless it is there with its type."""

    protocol: str | None
    version: float | None
    layout: str | None
    version_text: str | None = None
    """The number as it is spelled."""


def parse(data: bytes) -> Manifest | None:
    """A manifest's fields; None for bytes that are no JSON object.

    Invalid UTF-8 is read as U+FFFD, a byte-order mark is none of JSON's blanks, of a name that stands twice the last counts,
    and nesting has no limit.
    """
    text = data.decode("utf-8", "replace")
    try:
        check(text)
        start = blank(text, 0)
        if text[start] != "{":
            return None
        values = {member.key: text[member.start : member.end] for member in members(text, start)}
    except JsonError:
        return None
    number = values.get("schemaVersion", "")
    is_number = number[:1] in tuple("-0123456789") and number != ""
    return Manifest(
        protocol=_string(values.get("protocol")),
        version=float(number) if is_number else None,
        layout=_string(values.get("layout")),
        version_text=number if is_number else None,
    )


def _string(text: str | None) -> str | None:
    return unquote(text) if text is not None and text[:1] == '"' else None


def with_protocol(data: bytes) -> tuple[str, str] | None:
    """A manifest's text, and the same with a ``protocol`` line before its first member, spaced as its members are.

    None where no line can be added: for a manifest that is none, is empty or very large, is no UTF-8, or has that member.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if parse(data) is None or len(data) > _LARGEST:
        return None
    start = blank(text, 0)
    found = members(text, start)
    if not found or any(member.key == "protocol" for member in found):
        return None
    first = found[0]
    lead = text[start + 1 : first.key_start]
    between = "," + lead if lead else text[first.end : found[1].key_start] if len(found) > 1 else ", "
    colon = ": " if text[first.start - 1] == " " else ":"
    line = f'"protocol"{colon}"{PROTOCOL}"{between}'
    return text, text[: first.key_start] + line + text[first.key_start :]
