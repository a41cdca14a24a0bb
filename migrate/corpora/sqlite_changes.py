"""What an SQLite store says of its entries: which were changed since a time, and what tells whether nothing else was.

The *weight* of an entry is a checksum of all it says; of its text that is the beginning, the length and the server's own hash of it. The
*load* of its tags goes by their ids and lengths and is quickly summed; their content is in the weight. A sum of weights tells whether anything
was changed by somebody who left the times alone; it is taken by a process of its own meanwhile.
"""

from __future__ import annotations

import sqlite3
import time
import zlib
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # That process needs nothing but the database: it is to begin at once.
    from migrate.corpora.sqlite_store import SqliteStore

OVERLAP = 120
"""Seconds that two looks have in common: times have a resolution of a second, and are set before they are seen."""
Failure: type[Exception] = sqlite3.Error
_TIME = "%Y-%m-%d %H:%M:%S"
_LOAD = "sum(id * 8 + length(CAST(tag AS BLOB)))"
_TAGS = "group_concat(context_entry_id || char(0) || id || char(0) || tag)"
_OPENING = 240
"""Characters of a text that rules read by themselves."""
_BATCH = 10_000
_BUSY_SECONDS = 30.0
"""How long a lock is waited for, as by every other connection to a store."""
_BESIDE = ("text_content", "summary")
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
    """Yields load and newest id of all tags, then number and weight of all entries. ``place`` is the URI of a database file.

    Ids of tags only rise. Raises what SQLite raises.
    """
    with closing(sqlite3.connect(place, uri=True, isolation_level=None, timeout=_BUSY_SECONDS)) as connection:
        connection.text_factory = bytes
        connection.execute("BEGIN")
        yield connection.execute(f"SELECT coalesce({_LOAD}, 0), coalesce(max(id), 0) FROM tags").fetchone()
        (count,) = connection.execute("SELECT count(*) FROM context_entries").fetchone()
        total = 0
        for query in (
            f"SELECT {_content(columns)} FROM context_entries",
            f"SELECT {_TAGS} FROM tags GROUP BY context_entry_id",
        ):
            cursor = connection.execute(query)
            while rows := cursor.fetchmany(_BATCH):
                total += sum([zlib.crc32(content) for (content,) in rows])
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
    query = f"SELECT id, {_content(store.columns)} FROM context_entries {{}}"
    for rows in _rows(store, query, "id", some):
        yield [(own, zlib.crc32(content)) for own, content in rows]


def tag_weights(store: SqliteStore, some: Sequence[Any] | None = None) -> Iterator[list[tuple[Any, int, int]]]:
    """Of each entry that has tags the weight of these, and their load, in batches. Raises CorpusError."""
    query = f"SELECT context_entry_id, CAST({_TAGS} AS BLOB), {_LOAD} FROM tags {{}} GROUP BY context_entry_id"
    for rows in _rows(store, query, "context_entry_id", some):
        yield [(own, zlib.crc32(tags), load) for own, tags, load in rows]


def _rows(store: SqliteStore, query: str, own: str, some: Sequence[Any] | None) -> Iterator[list[tuple[Any, ...]]]:
    with closing(store.connect()) as connection, store.explained():
        condition = "" if some is None else f"WHERE {own} IN (SELECT id FROM {pick(connection, some)})"
        cursor = connection.execute(query.format(condition))
        while rows := cursor.fetchmany(_BATCH):
            yield rows


def _content(columns: Sequence[str]) -> str:
    """The SQL of what an entry says, as bytes."""
    parts = [f"typeof({name})" for name in ("id", "metadata", "created_at") if name in columns]
    parts += ["coalesce(length(CAST(text_content AS BLOB)), -1)", f"coalesce(substr(text_content, 1, {_OPENING}), '')"]
    parts += [f"coalesce({name}, char(1))" for name in columns if name not in _BESIDE]
    return f"CAST({' || char(0) || '.join(parts)} AS BLOB)"
