"""Which entries of an SQLite store changed: a mark for every few rows, taken inside the database, so that no row is brought out for it.

Times of change are not gone by: they have a resolution of a second, a change of tags may leave them as they are, and so may whoever
writes without the server.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # The processes that take the marks need nothing but the database: they are to begin at once.
    from migrate.corpora.sqlite_store import SqliteStore
    from migrate.engine.processes import Workers

BLOCK = 32
"""Rows under one mark: those whose rowid has the same quotient by it."""
_STRETCH = 2_000
"""Blocks of one task for a process."""
_BUSY_SECONDS = 30.0
_SPARSE = 8
"""Blocks an entry at most: where rowids lie further apart, going through the blocks is no gain."""


def marks(store: SqliteStore, workers: Workers) -> dict[int, int] | None:
    """The mark of every block that has entries; None where the tables are not such that it can be had quickly.

    Raises CorpusError where the database cannot be read.
    """
    with closing(store.connect()) as connection, store.explained():
        low, high, count = connection.execute("SELECT min(rowid), max(rowid), count(*) FROM context_entries").fetchone()
        if not count:
            return {}
        first, last = low // BLOCK, high // BLOCK
        if low < 0 or last - first > 1_000 + _SPARSE * count or not _indexed(connection):
            return None
    place = f"{store.path.absolute().as_uri()}?mode=ro"
    tasks = [
        (place, store.columns, store.layout, start, min(start + _STRETCH, last + 1))
        for start in range(first, last + 1, _STRETCH)
    ]
    with store.explained():
        return {block: mark for _, part in workers.map("looking for changes", _marks, tasks) for block, mark in part}


def members(store: SqliteStore, blocks: Iterable[int] | None = None) -> Iterator[list[tuple[int, Any]]]:
    """Block and id of the entries, of all of them or of some blocks, in batches. Raises CorpusError."""
    with closing(store.connect()) as connection, store.explained():
        query = f"SELECT rowid / {BLOCK}, id FROM context_entries"
        if blocks is None:
            cursor = connection.execute(query)
            while rows := cursor.fetchmany(10_000):
                yield rows
            return
        for block in blocks:
            yield connection.execute(f"{query} WHERE rowid BETWEEN ? AND ?", _span(block)).fetchall()


def _marks(place: str, names: tuple[str, ...], layout: str, start: int, end: int) -> list[tuple[int, int]]:
    columns = ", ".join(f"group_concat(coalesce({name}, char(0)))" for name in names)
    entries = f"SELECT {columns} FROM context_entries WHERE rowid BETWEEN ? AND ?"
    # The id of a 2.x entry is its rowid.
    own = "BETWEEN ? AND ?" if layout == "2.x" else "IN (SELECT id FROM context_entries WHERE rowid BETWEEN ? AND ?)"
    tags = f"SELECT group_concat(context_entry_id || char(0) || tag) FROM tags WHERE context_entry_id {own}"
    found = []
    with closing(sqlite3.connect(place, uri=True, isolation_level=None, timeout=_BUSY_SECONDS)) as connection:
        connection.text_factory = bytes
        execute = connection.cursor().execute
        for block in range(start, end):
            span = _span(block)
            texts = execute(entries, span).fetchone()
            if texts[0] is None:
                continue
            check = size = 0
            for text in (*texts, *execute(tags, span).fetchone()):
                if text is not None:
                    check, size = zlib.crc32(text, check), size + len(text)
            found.append((block, check << 31 | size & 0x7FFFFFFF))
    return found


def _span(block: int) -> tuple[int, int]:
    return block * BLOCK, block * BLOCK + BLOCK - 1


def _indexed(connection: Any) -> bool:
    """Whether the tags of an entry are found without reading them all."""
    for _, name, *_ in connection.execute("PRAGMA index_list(tags)").fetchall():
        columns = connection.execute("SELECT name FROM pragma_index_info(?) ORDER BY seqno", [name]).fetchall()
        if columns and columns[0][0] == "context_entry_id":
            return True
    return False
