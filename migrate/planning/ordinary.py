"""The plan line of an ordinary record, by its parsed value: what :func:`~migrate.planning.drafting.draft` says, several times faster.

Ordinary is a record whose metadata hold nothing that parsing could re-spell (floats, long integers, lone surrogates), and
whose edits set or remove members of the metadata or of its ``links``. All others are left to the exact way over the text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import orjson

from migrate.engine.strict import MARK, restored
from migrate.planning.conservation import settled
from migrate.planning.drafting import Draft, Grounds, Wanted, Written, by_place, change_text, least_safe, written
from migrate.planning.leaves import Leaf

_SORTED = orjson.OPT_SORT_KEYS


class _Other(Exception):
    """The record is not ordinary."""


def ordinary_draft(
    record: bytes, wanted: Sequence[Wanted], grounds: Grounds, *, text_encoded: bool
) -> Draft | bool | None:
    """The draft, None where the edits change nothing, False for a record that is not ordinary."""
    if b"-0" in record or len(record) > 1_000_000:
        return False
    try:
        return _drafted(orjson.loads(record), wanted, grounds, text_encoded)
    except (_Other, orjson.JSONDecodeError, TypeError):
        return False


def _drafted(body: dict[str, Any], wanted: Sequence[Wanted], grounds: Grounds, text_encoded: bool) -> Draft | None:
    metadata, tags, version = body.get("metadata"), body.get("tags"), body.get("version")
    own = body.get("id") if "id" in body else body.get("context_id")
    if _text(own).lower().replace("-", "") != grounds.record or type(version) not in (int, type(None)):
        raise _Other
    if metadata is None:
        metadata = {}
    elif text_encoded and type(metadata) is str:
        metadata = orjson.loads(metadata)
    if type(metadata) is not dict:
        raise _Other
    leaves = _leaves(metadata) if metadata else 0
    before_hash = _hash(metadata, tags)
    after, links = dict(metadata), metadata.get("links")
    if type(links) is dict:
        links = after["links"] = dict(links)
    elif "links" in metadata:
        links = None
    new_tags: str | None = None
    changed: dict[str, tuple[str, ...]] = {}
    changes: list[str] = []
    sides: tuple[list[Leaf], list[Leaf]] = ([], [])
    level = "safe"
    for path, group in by_place(wanted):
        if path == "":
            raise _Other
        last = group[-1].value
        value = None if last is None else _value(last)
        name, parent = path[1:], after
        if path == "tags":
            old: Any = tags
            if value is None or not _is_plain_list(value) or not (tags is None or _is_plain_list(tags)):
                raise _Other
        else:
            if "~" in path:
                raise _Other
            if "/" in name:
                top, _, name = name.partition("/")
                if top != "links" or "/" in name or (links is None and "links" in after) or links == {}:
                    raise _Other
                if links is None:
                    if value is None:
                        continue
                    links = after["links"] = {}
                parent = links
            elif name == "links":
                raise _Other
            old = parent.get(name, _Other)
        if old is _Other:
            if value is None:
                continue
            old_text = None
        else:
            old_text = None if old is None and path == "tags" and "tags" not in body else _text(old)
            if old == value and old_text == (None if last is None else _text(value)):
                continue
        codes = tuple(dict.fromkeys(edit.code for edit in group))
        here = least_safe(group)
        level = "unsafe" if here == "unsafe" else level
        new_text = None if last is None else _text(value)
        changed[path] = codes
        changes.append(change_text(path, old_text, new_text, here, codes, grounds.evidence))
        if path == "tags":
            new_tags = new_text
            _collect(tags or [], path, path, codes, sides[0])
            _collect(value, path, path, codes, sides[1])
            continue
        if old is not _Other:
            _collect(old, path, path, codes, sides[0])
        if last is None:
            del parent[name]
        else:
            if type(value) is dict and type(old) is dict:
                raise _Other
            parent[name] = value
            _collect(value, path, path, codes, sides[1])
    if not changed:
        return None
    was_links = metadata.get("links")
    if type(was_links) is dict and links is not None and not links and was_links:
        # The emptied object is a leaf of its own.
        raise _Other
    touched = len(sides[0])
    tag_leaves = len(tags or ()) if "tags" in changed else 0
    if tags is not None and "tags" not in changed:
        if type(tags) is not list:
            raise _Other
        leaves += _leaves(tags) if tags else 0
    kept = leaves + tag_leaves - touched
    after_tags = tags if new_tags is None else orjson.loads(new_tags)
    return written(
        wanted,
        grounds,
        Written(
            before=before_hash,
            after=_hash(after, after_tags),
            version="null" if version is None else str(version),
            level=level,
            changed=changed,
            changes=changes,
            patch=_patch(metadata, after, new_tags),
            metadata=_text(after) if after or body.get("metadata") is not None else None,
            tags=None if after_tags is None else _text(after_tags),
            books=settled(kept, *sides, str, "CS505"),
        ),
    )


def _text(value: Any) -> str:
    return orjson.dumps(value).decode()


def _value(text: str) -> Any:
    """A new value; not ordinary where a merge patch could not say it, or parsing could re-spell it."""
    if not text.isascii():
        text = restored(text)
    if MARK in text or "null" in text or "\\ud" in text or "-0" in text:
        raise _Other
    value = orjson.loads(text)
    _leaves(value)
    return value


def _leaves(value: Any) -> int:
    """The leaves of a value: its scalars and empty containers. A float is for the other way."""
    kind = type(value)
    if kind is dict:
        return sum(1 if type(entry) is str else _leaves(entry) for entry in value.values()) if value else 1
    if kind is list:
        return sum(1 if type(entry) is str else _leaves(entry) for entry in value) if value else 1
    if kind is float:
        raise _Other
    return 1


def _is_plain_list(value: Any) -> bool:
    return type(value) is list and all(type(entry) is str for entry in value)


def _collect(value: Any, pointer: str, shape: str, codes: tuple[str, ...], leaves: list[Leaf]) -> None:
    """The leaves of a value that is removed or new, at its pointer; ``shape`` is the pointer without indices."""
    if type(value) is dict and value:
        for name, entry in value.items():
            step = name.replace("~", "~0").replace("/", "~1")
            _collect(entry, f"{pointer}/{step}", f"{shape}/{step}", codes, leaves)
    elif type(value) is list:
        if not value and pointer != "tags":
            leaves.append(Leaf(pointer, shape, "[]", codes))
        for index, entry in enumerate(value):
            _collect(entry, f"{pointer}/{index}", f"{shape}/*", codes, leaves)
    else:
        leaves.append(Leaf(pointer, shape, orjson.dumps(value).decode(), codes))


def _hash(metadata: dict[str, Any], tags: Any) -> str:
    if tags is None:
        listed = b"[]"
    elif _is_plain_list(tags):
        listed = b"[%b]" % b",".join(sorted({orjson.dumps(tag) for tag in tags}))
    else:
        raise _Other
    state = b'{"metadata":%b,"tags":%b}' % (orjson.dumps(metadata, option=_SORTED), listed)
    return "sha256:" + hashlib.sha256(state).hexdigest()


def _patch(was: dict[str, Any], now: dict[str, Any], tags: str | None) -> str:
    """The merge patch: what goes first, in its old order, then what is set, in the order it stands in."""
    parts = [f"{_text(name)}:null" for name in was if name not in now]
    for name, value in now.items():
        before = was.get(name, _Other)
        if value is before:
            continue
        if type(value) is dict and type(before) is dict and name == "links":
            inside = [f"{_text(key)}:null" for key in before if key not in value]
            inside += [
                f"{_text(key)}:{_text(entry)}" for key, entry in value.items() if entry is not before.get(key, _Other)
            ]
            if inside:
                parts.append(f'"links":{{{",".join(inside)}}}')
            continue
        parts.append(f"{_text(name)}:{_text(value)}")
    pieces = ([f'"metadata":{{{",".join(parts)}}}'] if parts else []) + ([] if tags is None else [f'"tags":{tags}'])
    return "{" + ",".join(pieces) + "}"
