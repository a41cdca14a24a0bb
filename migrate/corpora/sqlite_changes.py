"""What an SQLite store says of its entries without giving them out: which were changed since a time, and sums over all of them.

An entry's *weight* goes by its time of change and by the lengths of its metadata and its text, the weight of its tags by their ids and
lengths. Sums of weights tell whether anything else was changed, by whoever left the times alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

from migrate.corpora.sqlite_store import SqliteStore, pick

_OVERLAP = 15 * 60
"""Seconds that two looks have in common: times have a resolution of a second, and are set before they are seen."""
_TIME = "%Y-%m-%d %H:%M:%S"
_WEIGHT = (
    "coalesce(strftime('%s', updated_at), 0) + 31 * coalesce(length(CAST(metadata AS BLOB)), 0)"
    " + 8191 * coalesce(length(CAST(text_content AS BLOB)), 0)"
)
_TAG_WEIGHT = "sum(id * 8 + length(CAST(tag AS BLOB)))"
_BATCH = 50_000

Weights = list[tuple[Any, int]]
"""Ids of entries and a weight of each."""


def entry_sums(store: SqliteStore) -> tuple[int, int]:
    """Number and weight of all entries: one pass inside the database. Raises CorpusError."""
    with closing(store.connect()) as connection, store.explained():
        count, weight = connection.execute(
            f"SELECT count(*), coalesce(sum({_WEIGHT}), 0) FROM context_entries"
        ).fetchone()
        return int(count), int(weight)


def tag_sums(store: SqliteStore) -> tuple[int, int]:
    """Weight and newest id of all tags; ids of tags only rise. Raises CorpusError."""
    with closing(store.connect()) as connection, store.explained():
        weight, newest = connection.execute(
            f"SELECT coalesce({_TAG_WEIGHT}, 0), coalesce(max(id), 0) FROM tags"
        ).fetchone()
        return int(weight), int(newest)


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
            "SELECT id, updated_at FROM context_entries WHERE updated_at >= datetime(?, ?) OR updated_at IS NULL OR typeof(updated_at) <> 'text'",
            [newest, f"-{_OVERLAP} seconds"],
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


def weights(store: SqliteStore, some: Sequence[Any] | None = None) -> Iterator[Weights]:
    """The weight of each entry, of all or of some, in batches. Raises CorpusError."""
    yield from _weights(store, f"SELECT id, {_WEIGHT} FROM context_entries {{}}", "id", some)


def tag_weights(store: SqliteStore, some: Sequence[Any] | None = None) -> Iterator[Weights]:
    """The weight of the tags of each entry that has some, in batches. Raises CorpusError."""
    query = f"SELECT context_entry_id, {_TAG_WEIGHT} FROM tags {{}} GROUP BY context_entry_id"
    yield from _weights(store, query, "context_entry_id", some)


def _weights(store: SqliteStore, query: str, own: str, some: Sequence[Any] | None) -> Iterator[Weights]:
    with closing(store.connect()) as connection, store.explained():
        condition = "" if some is None else f"WHERE {own} IN (SELECT id FROM {pick(connection, some)})"
        cursor = connection.execute(query.format(condition))
        while rows := cursor.fetchmany(_BATCH):
            yield rows
