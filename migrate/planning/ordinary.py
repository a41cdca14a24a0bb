"""The plan line of an ordinary record, by its parsed value: what :func:`~migrate.planning.drafting.draft` says, several times faster.

Ordinary is a record whose metadata hold nothing that parsing could re-spell (floats, long integers, lone surrogates), and
whose edits set or remove members of the metadata or of its ``links``. All others are left to the exact way over the text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Literal

import orjson

from migrate.engine.strict import MARK, restored
from migrate.planning.conservation import settled
from migrate.planning.drafting import Draft, Grounds, Wanted, Written, by_place, change_text, least_safe, written
from migrate.planning.leaves import Leaf

_SORTED = orjson.OPT_SORT_KEYS
_LONG = 1_000_000
"""Characters from which on a record is left to the other way."""


class _Other(Exception):
    """The record is not ordinary."""


def ordinary_draft(
    record: str, wanted: Sequence[Wanted], grounds: Grounds, *, text_encoded: bool
) -> Draft | Literal[False] | None:
    """The draft, None where the edits change nothing, False for a record that is not ordinary."""
    if len(record) > _LONG or _may_hold_minus_zero(record):
        return False
    try:
        return _Record(orjson.loads(record), grounds, text_encoded).draft(wanted)
    except (_Other, orjson.JSONDecodeError, TypeError):
        return False


class _Record:
    """A parsed record and what its edits make of it. Raises _Other where it is not ordinary."""

    def __init__(self, body: dict[str, Any], grounds: Grounds, text_encoded: bool) -> None:
        self.grounds = grounds
        self.has_tags = "tags" in body
        self.tags, self.version = body.get("tags"), body.get("version")
        metadata = body.get("metadata")
        self.has_metadata = metadata is not None
        own = body.get("id") if "id" in body else body.get("context_id")
        if _text(own).lower().replace("-", "") != grounds.record or type(self.version) not in (int, type(None)):
            raise _Other
        if metadata is None:
            metadata = {}
        elif text_encoded and type(metadata) is str:
            metadata = orjson.loads(metadata)
        if type(metadata) is not dict:
            raise _Other
        self.was: dict[str, Any] = metadata
        self.now = dict(metadata)
        links = metadata.get("links")
        self.links: dict[str, Any] | None = None
        if type(links) is dict:
            self.links = self.now["links"] = dict(links)
        self.new_tags: list[str] | None = None
        self.changed: dict[str, tuple[str, ...]] = {}
        self.changes: list[str] = []
        self.gone: list[Leaf] = []
        self.new: list[Leaf] = []
        self.level = "safe"

    def draft(self, wanted: Sequence[Wanted]) -> Draft | None:
        """The plan line."""
        leaves = (_leaves(self.was) if self.was else 0) + (_leaves(self.tags) if self.tags else 0)
        before = _hash(self.was, self.tags)
        for path, group in by_place(wanted):
            self._change(path, group)
        if not self.changed:
            return None
        if self.links == {} and self.was.get("links"):
            # The emptied object is a leaf of its own.
            raise _Other
        tags = self.tags if self.new_tags is None else self.new_tags
        return written(
            wanted,
            self.grounds,
            Written(
                before=before,
                after=_hash(self.now, tags),
                version="null" if self.version is None else str(self.version),
                level=self.level,
                changed=self.changed,
                changes=self.changes,
                patch=_patch(self.was, self.now, self.new_tags),
                metadata=_text(self.now) if self.now or self.has_metadata else None,
                tags=None if tags is None else _text(tags),
                books=settled(leaves - len(self.gone), self.gone, self.new, str, "CS505"),
                ordinary=True,
            ),
        )

    def _change(self, path: str, group: Sequence[Wanted]) -> None:
        text = group[-1].value
        value = None if text is None else _value(text)
        parent, name = self._place(path, removes=text is None)
        old = parent.get(name, _Other) if parent is not None else _Other
        if path == "tags":
            old = self.tags if self.has_tags else _Other
            if not _is_plain_list(value):
                raise _Other
        if old is _Other and text is None:
            return
        old_text = None if old is _Other else _text(old)
        new_text = None if text is None else _text(value)
        if old_text == new_text:
            return
        codes = self.changed[path] = tuple(dict.fromkeys(edit.code for edit in group))
        level = least_safe(group)
        self.level = "unsafe" if level == "unsafe" else self.level
        self.changes.append(change_text(path, old_text, new_text, level, codes, self.grounds.evidence))
        if old is not _Other and not (path == "tags" and not old):
            _collect(old, path, path, codes, self.gone)
        if new_text is not None and not (path == "tags" and not value):
            _collect(value, path, path, codes, self.new)
        if path == "tags":
            self.new_tags = value
        elif parent is None:
            raise _Other
        elif text is None:
            del parent[name]
        elif type(value) is dict and type(old) is dict:
            raise _Other
        else:
            parent[name] = value

    def _place(self, path: str, *, removes: bool) -> tuple[dict[str, Any] | None, str]:
        """The object and the name in it that a path means; no object where there is none and none is needed."""
        if path == "tags":
            return None, ""
        names = path.split("/")
        if "~" in path or len(names) not in (2, 3) or path == "/links":
            raise _Other
        if len(names) == 2:
            return self.now, names[1]
        if names[1] != "links" or self.links == {} or (self.links is None and "links" in self.now):
            raise _Other
        if self.links is None:
            if removes:
                return None, ""
            self.links = self.now["links"] = {}
        return self.links, names[2]


def _may_hold_minus_zero(text: str) -> bool:
    """Whether there may be a number that begins with ``-0``: parsed, it would lose its sign. Dates do not count."""
    # Spelled out: it is asked of every record.
    return (
        ":-0" in text or "[-0" in text or ",-0" in text or " -0" in text or "\t-0" in text or "\n-0" in text or "\r-0" in text
        or text.startswith("-0")
    )  # fmt: skip


def _text(value: Any) -> str:
    return orjson.dumps(value).decode()


def _value(text: str) -> Any:
    """A new value; not ordinary where a merge patch could not say it, or parsing could re-spell it."""
    if not text.isascii():
        text = restored(text)
    if MARK in text or "null" in text or "\\ud" in text or _may_hold_minus_zero(text):
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


def _patch(was: dict[str, Any], now: dict[str, Any], tags: list[str] | None) -> str:
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
    pieces = ([f'"metadata":{{{",".join(parts)}}}'] if parts else []) + (
        [] if tags is None else [f'"tags":{_text(tags)}']
    )
    return "{" + ",".join(pieces) + "}"
