"""The entries of an SQLite database as lines: the plain ones made at once, those with anything odd in them with care."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from migrate.corpora.entry_line import entry_line, metadata_json, tags_json

VALID = "typeof(metadata) = 'text' AND json_valid(metadata)"
"""The SQL that says whether metadata is JSON; NULL or 0 where it is not."""

_METADATA = f"CASE WHEN {VALID} THEN metadata WHEN metadata IS NOT NULL THEN x'' END"
"""A value that is no JSON comes as bytes: the one type that makes no plain line."""
_TAGS = "SELECT context_entry_id, CASE typeof(tag) WHEN 'text' THEN tag ELSE x'ff' END FROM tags"


def _quoted(column: str) -> str:
    return f"CASE typeof({column}) WHEN 'text' THEN json_quote({column}) WHEN 'integer' THEN {column} ELSE 'null' END"


_IMAGES = (
    f"SELECT context_entry_id, '{{\"id\":' || id || ',\"mime_type\":' || {_quoted('mime_type')} || ',\"position\":' || {_quoted('position')}"
    " || ',\"size\":' || coalesce(length(image_data), 'null') || '}' FROM image_attachments"
)
_PLAIN = frozenset((str, int, type(None)))
_BLOCK = 1 << 16
"""Bytes of lines that are handed on at once."""


def any_text(raw: bytes) -> str:
    """A text that may not be UTF-8; what is none becomes what JSON has escapes for."""
    return raw.decode("utf-8", "surrogateescape")


class EntryLines:
    """Reads the lines of entries, in ascending order of ids, in the transaction of a connection."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        columns: Sequence[str],
        id_type: str,
        *,
        images: bool = False,
        picked: str | None = None,
    ) -> None:
        """``columns`` are those of a line that the table has; ``id_type`` is the type of a usual id, for ``typeof``.

        ``picked`` is a table of ids, where not all entries are wanted.
        """
        self._connection = connection
        self._columns = tuple(columns)
        self._id_type = id_type
        self._images = images
        self._picked = picked
        place = columns.index("metadata")
        self._names = (*columns[: place + 1], "tags", *columns[place + 1 :])
        self._values = ", ".join((*columns[:place], _METADATA, "NULL", *columns[place + 1 :]))

    def between(self, after: Any = None, last: Any = None) -> Iterator[bytes]:
        """Whole lines, some at a time: those of the entries behind one id up to another, None for all.

        What SQLite raises is raised here, when all lines before it were given.
        """
        tags = self._beside(_TAGS, "id", after)
        images = self._beside(_IMAGES, "position, id", after) if self._images else None
        block: list[bytes] = []
        size = 0
        try:
            for row in self._rows(after, last):
                own_tags, own_images = tags.of(row[0]), images.of(row[0]) if images else ()
                line = self._plain(row, own_tags, own_images) or self._with_care(row[0], own_images)
                block.append(line)
                size += len(line)
                if size > _BLOCK:
                    yield b"".join(block)
                    block.clear()
                    size = 0
        except sqlite3.Error:
            yield b"".join(block)
            raise
        yield b"".join(block)

    def _rows(self, after: Any, last: Any) -> Iterator[tuple[Any, ...]]:
        """The entries as :meth:`_plain` takes them. Python stops at a text that is not UTF-8: it is read, and on from there."""
        started = False
        while True:
            self._connection.text_factory = str
            try:
                for row in self._connection.execute(*self._query(after, last)):
                    started, after = True, row[0]
                    yield row
                return
            except sqlite3.OperationalError:
                self._connection.text_factory = any_text
                found = self._connection.execute(*self._query(after, last)).fetchone()
                if found is None or (started and after is None):
                    raise
            started, after = True, found[0]
            yield found

    def _query(self, after: Any, last: Any) -> tuple[str, list[Any]]:
        where, given = _where(("id >", after), ("id <=", last))
        return f"SELECT {self._values} FROM context_entries{where}{self._among('id', where)} ORDER BY id", given

    def _among(self, own_id: str, where: str) -> str:
        picked = f"{own_id} IN (SELECT id FROM {self._picked})"
        return "" if self._picked is None else f"{' AND' if where else ' WHERE'} {picked}"

    def _plain(self, row: Sequence[Any], tags: Sequence[bytes], images: Sequence[bytes]) -> bytes | None:
        """The line of an entry, None where it has a type, a metadata or a text that JSON has no plain word for."""
        if not _PLAIN.issuperset(map(type, row)):
            return None
        entry = dict(zip(self._names, row))  # noqa: B905 - as many as were asked for, and this is the hottest line
        metadata = entry["metadata"]
        if metadata is not None:
            if "\n" in metadata or "\r" in metadata or "\0" in metadata:
                return None
            entry["metadata"] = orjson.Fragment(metadata)
        try:
            entry["tags"] = [tag.decode() for tag in tags] if tags else ()
            if images:
                entry = _with_images(entry, images)
            return orjson.dumps(entry, None, orjson.OPT_APPEND_NEWLINE)
        except (UnicodeDecodeError, orjson.JSONEncodeError):
            return None

    def _with_care(self, own_id: Any, images: Sequence[bytes]) -> bytes:
        """The line of an entry with an odd type, odd metadata, or a text that is not UTF-8."""
        own, given = _bound(own_id)
        self._connection.text_factory = any_text
        (row,) = self._connection.execute(
            f"SELECT {', '.join(self._columns)}, {VALID} FROM context_entries WHERE id = {own}", [given]
        )
        tags = self._connection.execute(
            f"SELECT tag FROM tags WHERE context_entry_id = {own} ORDER BY id", [given]
        ).fetchall()
        self._connection.text_factory = str
        metadata = metadata_json(row[self._columns.index("metadata")], valid=bool(row[-1]))
        pictures = b",".join(images).decode("utf-8", "surrogateescape")
        return entry_line(
            self._columns, row, metadata, tags_json(tag for (tag,) in tags), f"[{pictures}]" if pictures else None
        )

    def _beside(self, query: str, order: str, after: Any) -> _Beside:
        where, given = _where(("context_entry_id >", after))
        where += self._among("context_entry_id", where)
        usual = f"{' AND' if where else ' WHERE'} typeof(context_entry_id) = '{self._id_type}'"
        return _Beside(self._connection, f"{query}{where}{usual} ORDER BY context_entry_id, {order}", given)


def _with_images(entry: dict[str, Any], images: Sequence[bytes]) -> dict[str, Any]:
    """The members of an entry with its images behind the tags."""
    members = list(entry.items())
    behind = list(entry).index("tags") + 1
    return dict(
        [*members[:behind], ("images", [orjson.Fragment(image.decode()) for image in images]), *members[behind:]]
    )


class _Beside:
    """Texts that belong to entries, in the order of the entries: walked once, beside them, as bytes."""

    def __init__(self, connection: sqlite3.Connection, query: str, given: Sequence[Any]) -> None:
        self._connection = connection
        self._connection.text_factory = bytes
        self._rows: Iterator[tuple[Any, bytes]] = connection.execute(query, given)
        self._next = next(self._rows, None)

    def of(self, entry: Any) -> Sequence[bytes]:
        """The texts of an entry; entries ascend, and what belongs to none that is there is passed over."""
        following = self._next
        key = entry.encode("utf-8", "surrogateescape") if isinstance(entry, str) else entry
        if following is None or type(key) is not type(following[0]) or key < following[0]:
            return ()
        found: list[bytes] = []
        self._connection.text_factory = bytes
        while following is not None and following[0] <= key:
            if following[0] == key:
                found.append(following[1])
            following = next(self._rows, None)
        self._connection.text_factory = str
        self._next = following
        return found


def _where(*limits: tuple[str, Any]) -> tuple[str, list[Any]]:
    """The SQL of the limits that are not None, and the values in it."""
    marks, values = [], []
    for comparison, own_id in limits:
        if own_id is not None:
            mark, value = _bound(own_id)
            marks.append(f"{comparison} {mark}")
            values.append(value)
    return " WHERE " + " AND ".join(marks) if marks else "", values


def _bound(own_id: Any) -> tuple[str, Any]:
    """An id in SQL: the mark for it, and the value to give. One that is not UTF-8 goes as it is."""
    if isinstance(own_id, str) and not own_id.isascii():
        return "CAST(? AS TEXT)", own_id.encode("utf-8", "surrogateescape")
    return "?", own_id
