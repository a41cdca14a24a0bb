"""What a PostgreSQL store says of its entries: like ``sqlite_changes``, with the checksums taken by the server."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import psycopg

from migrate.corpora.sqlite_changes import OVERLAP

if TYPE_CHECKING:
    from migrate.corpora.postgres_store import PostgresStore

Failure: type[Exception] = psycopg.Error
_TAGS = "coalesce(sum(mod(hashtextextended(concat_ws(chr(1), context_entry_id, id, tag), 0), 4294967296)), 0)::bigint"
_BATCH = 10_000
_BESIDE = ("text_content", "summary", "content_type", "version")
"""Columns that a weight does not have as they are: the server hashes a text quickly, and no rule reads the others."""


def place(store: PostgresStore) -> str:
    """What another process connects with."""
    return store.conninfo


def sums(place: str, columns: tuple[str, ...]) -> Generator[tuple[int, int]]:
    """Yields number and newest id of all tags, then number and weight of all entries. Raises what PostgreSQL raises."""
    with psycopg.connect(place, application_name="corpus-migrate") as connection:
        connection.read_only = True
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        for query in (
            "SELECT count(*), coalesce(max(id), 0) FROM tags",
            f"SELECT count(*), coalesce(sum({_weight(columns)}), 0) + (SELECT {_TAGS} FROM tags) FROM context_entries",
        ):
            first, second = connection.execute(query).fetchone() or (0, 0)
            yield int(first), int(second)


def count(store: PostgresStore) -> int:
    """The number of entries. Raises CorpusError."""
    with store.reading() as connection:
        row = connection.execute("SELECT count(*) FROM context_entries").fetchone()
        return int(row[0]) if row else 0


def newest_change(store: PostgresStore) -> str:
    """The last time of change, or now where that lies ahead. Raises CorpusError."""
    with store.reading() as connection:
        row = connection.execute("SELECT least(max(updated_at), now())::text FROM context_entries").fetchone()
        return str(row[0]) if row else ""


def changed_since(store: PostgresStore, newest: str, newest_tag: int) -> tuple[set[Any], str]:
    """The ids of entries that may have been changed since, and the newest change now. Raises CorpusError."""
    with store.reading() as connection:
        entries = connection.execute(
            f"SELECT {store.own_id}, least(updated_at, now())::text FROM context_entries"
            f" WHERE updated_at IS NULL OR updated_at >= %s::timestamptz - interval '{OVERLAP} seconds' ORDER BY updated_at NULLS FIRST",
            [newest],
        ).fetchall()
        tagged = connection.execute(
            f"SELECT {store.own_id} FROM context_entries WHERE id IN (SELECT context_entry_id FROM tags WHERE id > %s)",
            [newest_tag],
        ).fetchall()
    times = [time for _, time in entries if time is not None]
    return {row[0] for row in (*entries, *tagged)}, times[-1] if times else newest


def ids(store: PostgresStore) -> Iterator[list[tuple[Any]]]:
    """The ids of all entries, in batches. Raises CorpusError."""
    yield from _rows(store, f"SELECT {store.own_id} FROM context_entries", None)


def weights(store: PostgresStore, some: Sequence[Any] | None = None) -> Iterator[list[tuple[Any, ...]]]:
    """The weight of each entry without its tags, of all or of some, in batches. Raises CorpusError."""
    condition = "" if some is None else f"WHERE id = ANY(%s::{store.id_type}[])"
    query = f"SELECT {store.own_id}, {_weight(store.columns)} FROM context_entries {condition}"
    yield from _rows(store, query, some)


def tag_weights(store: PostgresStore, some: Sequence[Any] | None = None) -> Iterator[list[tuple[Any, ...]]]:
    """The weight and the number of each entry's tags, of all or of some, in batches. Raises CorpusError."""
    condition = "" if some is None else f"WHERE context_entry_id = ANY(%s::{store.id_type}[])"
    own = store.own_id.replace("id", "context_entry_id", 1)
    yield from _rows(store, f"SELECT {own}, {_TAGS}, count(*) FROM tags {condition} GROUP BY context_entry_id", some)


def _rows(store: PostgresStore, query: str, some: Sequence[Any] | None) -> Iterator[list[tuple[Any, ...]]]:
    with store.reading() as connection, connection.cursor("weights") as cursor:
        cursor.itersize = _BATCH
        cursor.execute(query, None if some is None else [list(some)])
        while rows := cursor.fetchmany(_BATCH):
            yield rows


def _weight(columns: Sequence[str]) -> str:
    """The SQL of a checksum over what an entry says."""
    parts = ["hashtextextended(text_content, 0)::text", *(f"{name}::text" for name in columns if name not in _BESIDE)]
    return f"hashtextextended(concat_ws(chr(1), {', '.join(f'coalesce({part}, chr(2))' for part in parts)}), 0)"
