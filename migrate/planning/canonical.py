"""The hash of a record's state: one value for one meaning, whichever store or export it came from."""

from __future__ import annotations

import hashlib
from functools import lru_cache

from migrate.engine.json_text import elements
from migrate.planning.spelling import canonical, compact, object_in

__all__ = ["canonical", "compact", "record_hash"]

_SHORT = 200
"""Characters of a list of tags that is worth remembering."""


def record_hash(metadata_text: str | None, tags_text: str | None) -> str:
    """``sha256:`` and 64 hex digits over the canonical value of a record's metadata and tags, given as JSON text.

    No text (None), ``null`` and ``{}`` are the same metadata; no text, ``null`` and ``[]`` the same tags; tags are a
    set. Metadata that is a string holding an object counts as that object. What is neither (metadata ``7``, tags that
    are no array) counts as it stands. JsonError if one of the texts is no JSON.
    """
    state = b'{"metadata":%b,"tags":%b}' % (_metadata(metadata_text), _tags(tags_text))
    return "sha256:" + hashlib.sha256(state).hexdigest()


def _metadata(text: str | None) -> bytes:
    if text is None:
        return b"{}"
    value = canonical(text)
    if value == b"null":
        return b"{}"
    if value[:1] == b'"':
        inner = object_in(text.strip(" \t\n\r"))
        return value if inner is None else canonical(inner)
    return value


def _tags(text: str | None) -> bytes:
    if text is None:
        return b"[]"
    return _seen_tags(text) if len(text) <= _SHORT else _set_of(text)


@lru_cache(maxsize=1 << 12)
def _seen_tags(text: str) -> bytes:
    """The same for a short list, of which a corpus has few."""
    return _set_of(text)


def _set_of(text: str) -> bytes:
    value = canonical(text)
    if value == b"null":
        return b"[]"
    if value[:1] != b"[" or b"," not in value:
        return value
    spelled = value.decode()
    return b"[%b]" % b",".join(sorted({spelled[start:end].encode() for start, end in elements(spelled, 0)}))
