"""An entry of a store as the line that an export has for it: metadata as it is stored, everything else as plain JSON."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from json.encoder import encode_basestring
from typing import Any

from migrate.engine.json_text import JsonError, check

COLUMNS = (
    "id", "thread_id", "source", "content_type", "text_content", "metadata", "summary", "content_hash", "version", "created_at", "updated_at",
)  # fmt: skip
"""What a line says of an entry beside its tags and images, as far as the store has the column; the order is a line's."""

CHANGEABLE = ("id", "metadata", "version", "updated_at")
"""What a run looks at, and with the tags, what it changes."""

REQUIRED = frozenset(("id", "thread_id", "source", "text_content", "metadata"))

_control = re.compile(r"[\x00-\x1f]").search
_line_feed = re.compile(r"[\r\n]").sub
_no_character = re.compile("[\ud800-\udfff]").search


def json_value(value: Any) -> str:
    """A column's value as JSON text; bytes, which JSON does not have, as the text of an SQL literal."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else "-9e999" if value < 0 else "9e999"
    if isinstance(value, bytes | memoryview):
        return f"\"x'{bytes(value).hex()}'\""
    return str(value)


def metadata_json(value: Any, *, valid: bool) -> str:
    """Metadata as it is stored; what is no JSON becomes a string, so that its record can still be told.

    ``valid`` is the store's own word for it.
    """
    if not isinstance(value, str):
        return json_value(value)
    if not value.isascii() and _no_character(value):
        return json_value(value.encode("utf-8", "surrogateescape"))
    if valid and not _control(value):
        return value
    try:
        check(value)
    except JsonError:
        return encode_basestring(value)
    return value


def entry_text(columns: Sequence[str], row: Sequence[Any], metadata: str, tags: str, images: str | None = None) -> str:
    """An entry as one JSON object. ``row`` has the values of ``columns``; the last three are JSON texts."""
    parts = []
    for name, value in zip(columns, row, strict=False):
        if name == "metadata":
            parts.append(f'"metadata":{metadata},"tags":{tags}' + (f',"images":{images}' if images else ""))
        else:
            parts.append(f'"{name}":{json_value(value)}')
    return "{" + ",".join(parts) + "}"


def entry_line(columns: Sequence[str], row: Sequence[Any], metadata: str, tags: str, images: str | None) -> bytes:
    """The same as a line, with its line feed; one between members, which a line cannot hold, becomes a blank."""
    text = entry_text(columns, row, _line_feed(" ", metadata), tags, images)
    # What is no character (half of a surrogate pair, a byte that is not UTF-8) has an escape in JSON.
    return (text + "\n").encode("utf-8", "backslashreplace")


def tags_json(tags: Iterable[Any]) -> str:
    """Tags in their order, doubles too."""
    return "[" + ",".join(map(json_value, tags)) + "]"


def image_json(own_id: Any, mime_type: Any, position: Any, size: Any) -> str:
    """An image by reference: what it is and where, not its bytes."""
    return f'{{"id":{json_value(own_id)},"mime_type":{json_value(mime_type)},"position":{json_value(position)},"size":{json_value(size)}}}'
