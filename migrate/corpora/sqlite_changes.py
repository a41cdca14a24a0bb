"""What an SQLite store says of its entries: which were changed since a time, and what tells whether nothing else was.

The *weight* of an entry is a checksum of all that rules read of it and its tags; of its text that is the beginning, the length and the
server's own hash of it. A sum of weights tells whether anything was changed by somebody who left the times alone; it is taken by a process of
its own meanwhile.
"""

from __future__ import annotations

import marshal
import sqlite3
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import repeat
from typing import TYPE_CHECKING, Any
from zlib import crc32

if TYPE_CHECKING:
    # That process needs nothing but the database: it is to begin at once.
    from migrate.corpora.sqlite_store import SqliteStore

OVERLAP = 120
"""Seconds that two looks have in common: times have a resolution of a second, and are set before they are seen."""
Failure: type[Exception] = sqlite3.Error
_TIME = "%Y-%m-%d %H:%M:%S"
_TAG = "context_entry_id, id, tag"
_OPENING = 240
"""Bytes of a text that rules read by themselves."""
_BATCH = 10_000
_WEIGHED = 64
"""Rows that are weighed at a time: so few stay in the processor's cache."""
_FORM = 2
"""Of ``marshal``, the one in which equal values have equal bytes."""
_BUSY_SECONDS = 30.0
"""How long a lock is waited for, as by every other connection to a store."""
_BESIDE = ("text_content", "summary", "content_type", "version")
"""Columns that a weight does not have whole: what is too long, and what no rule reads."""


def pick(connection: sqlite3.Connection, ids: Sequence[Any]) -> str:
    """A table of ids, by its name: a read-only database still has temporary tables."""
    connection.execute("CREATE TEMP TABLE picked (id PRIMARY KEY)")
    connection.executemany("INSERT OR IGNORE INTO picked VALUES (?)", ([own_id] for own_id in ids))
    return "picked"


def place(store: SqliteStore) -> str:
    """What another process connects with."""
    return f"{store.path.absolute().as_uri()}?mode=ro"


def sums(place: str, columns: tuple[str, ...]) -> Generator[tuple[int, int]]:
    """Yields number and newest id of all tags, then number and weight of all entries. ``place`` is the URI of a database file.

    Ids of tags only rise. Raises what SQLite raises.
    """
    with closing(sqlite3.connect(place, uri=True, isolation_level=None, timeout=_BUSY_SECONDS)) as connection:
        connection.text_factory = bytes
        connection.execute("BEGIN")
        yield connection.execute("SELECT count(*), coalesce(max(id), 0) FROM tags").fetchone()
        (count,) = connection.execute("SELECT count(*) FROM context_entries").fetchone()
        total = 0
        for query in (f"SELECT {_content(columns)} FROM context_entries", f"SELECT {_TAG} FROM tags"):
            cursor = connection.execute(query)
            while rows := cursor.fetchmany(_WEIGHED):
                total += sum(_weights(rows))
        yield count, total


def count(store: SqliteStore) -> int:
    """The number of entries. Raises CorpusError."""
    return store.count()


def newest_change(store: SqliteStore) -> str:
    """The last time of change, or now where that lies ahead. Raises CorpusError."""
    now = time.strftime(_TIME, time.gmtime())
    with closing(store.connect()) as connection, store.explained():
        (newest,) = connection.execute(
            "SELECT max(updated_at) FROM context_entries WHERE typeof(updated_at) = 'text' AND updated_at <= ?", [now]
        ).fetchone()
        return now if newest is None else str(newest)


def changed_since(store: SqliteStore, newest: str, newest_tag: int) -> tuple[set[Any], str]:
    """The ids of entries that may have been changed since, and the newest change now. Raises CorpusError.

    They were changed after ``newest``, less an overlap, or at a time that is none, or have a tag that was made after ``newest_tag``.
    """
    with closing(store.connect()) as connection, store.explained():
        entries = connection.execute(
            "SELECT id, updated_at FROM context_entries WHERE coalesce(updated_at, 0) NOT BETWEEN '0' AND datetime(?, ?)",
            [newest, f"-{OVERLAP} seconds"],
        ).fetchall()
        tagged = connection.execute(
            "SELECT id FROM context_entries WHERE id IN (SELECT context_entry_id FROM tags WHERE id > ?)", [newest_tag]
        ).fetchall()
    now = time.strftime(_TIME, time.gmtime())
    times = [text for _, text in entries if isinstance(text, str) and text <= now]
    return {row[0] for row in (*entries, *tagged)}, max(times, default=newest)


def ids(store: SqliteStore) -> Iterator[list[tuple[Any]]]:
    """The ids of all entries, in batches. Raises CorpusError."""
    with closing(store.connect()) as connection, store.explained():
        cursor = connection.execute("SELECT id FROM context_entries")
        while rows := cursor.fetchmany(_BATCH):
            yield rows


def weights(store: SqliteStore, some: Sequence[Any] | None = None) -> Iterator[list[tuple[Any, int]]]:
    """The weight of each entry without its tags, of all or of some, in batches. Raises CorpusError."""
    query = f"SELECT {_content(store.columns)}, id FROM context_entries {{}}"
    for rows in _rows(store, query, "id", some):
        yield [(_text(own), weight) for (*_, own), weight in zip(rows, _weights(row[:-1] for row in rows), strict=True)]


def tag_weights(store: SqliteStore, some: Sequence[Any] | None = None) -> Iterator[list[tuple[Any, int, int]]]:
    """Of each tag of all entries or of some: the entry, the tag's weight, and 1, in batches. Raises CorpusError."""
    for rows in _rows(store, f"SELECT {_TAG} FROM tags {{}}", "context_entry_id", some):
        yield [(_text(own), weight, 1) for (own, *_), weight in zip(rows, _weights(rows), strict=True)]


def _rows(store: SqliteStore, query: str, own: str, some: Sequence[Any] | None) -> Iterator[list[tuple[Any, ...]]]:
    with closing(store.connect()) as connection, store.explained():
        connection.text_factory = bytes
        condition = "" if some is None else f"WHERE {own} IN (SELECT id FROM {pick(connection, some)})"
        cursor = connection.execute(query.format(condition))
        while rows := cursor.fetchmany(_BATCH):
            yield rows


def _content(columns: Sequence[str]) -> str:
    """The SQL of what an entry says."""
    text = "CAST(text_content AS BLOB)"
    parts = [name for name in columns if name not in _BESIDE]
    parts += [f"length({text})", f"substr({text}, 1, {_OPENING})"]
    # Bytes are read as texts are.
    parts.append(" OR ".join(f"{name} >= x''" for name in ("id", "metadata", "created_at") if name in columns))
    return ", ".join(parts)


def _weights(rows: Iterable[tuple[Any, ...]]) -> Iterator[int]:
    """The weights of rows of numbers and bytes."""
    return map(crc32, map(marshal.dumps, rows, repeat(_FORM)))


def _text(own: Any) -> Any:
    """An id of an entry. One that is no text is nobody's: such a store is not judged by what changed."""
    return own.decode("utf-8", "replace") if isinstance(own, bytes) else own
