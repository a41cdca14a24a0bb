"""What of a corpus is new, other than it was, or gone since its index was made; nothing else of it is read whole.

A file is read and hashed line by line. An SQLite store is asked for the marks of its blocks; of those that differ the entries are read.
Both fill ``seen`` (file, item, line, id, key and mark of the records that were looked at) and ``looked`` (the keys the index has for the
same part of the corpus), and from them ``changed`` and ``present``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

import duckdb

from migrate.corpora import sqlite_marks
from migrate.corpora.files import FileCorpus
from migrate.corpora.source import ShardSource
from migrate.corpora.spool import StoreCorpus, StoreSource
from migrate.corpora.sqlite_store import SqliteStore
from migrate.engine.database import Database
from migrate.engine.macros import create_plain_macros
from migrate.engine.processes import Workers, available
from migrate.engine.sources import LARGEST
from migrate.rules import vocabulary
from migrate.systems.index import item_of, key_of
from migrate.types import Limits, Progress

_BATCH = 100_000


class Watched(Protocol):
    """A corpus that can tell what changed. ``kept`` is the index, attached to the database."""

    @property
    def names(self) -> list[str]:
        """Its files or the store, as findings name them."""

    def begin(self) -> None:
        """Before everything is read."""

    def note(self, database: Database) -> bool:
        """After everything was read: put into the index what the next look goes by; whether there can be one."""

    def look(self, database: Database) -> bool:
        """Fill ``seen`` and ``looked``; whether that could be done."""

    def keep(self, database: Database) -> None:
        """Put into the index what the next look goes by; ``anew`` are the keys that it has read again."""

    def items(self, rows: Iterable[tuple[int, int, str | None]]) -> tuple[tuple[Any, ...], ...]:
        """What a part of the corpus reads, from file, item and id of its records in corpus order."""


def watched(corpus: FileCorpus | StoreCorpus, limits: Limits, progress: Progress | None) -> Watched | None:
    """The corpus as one that can tell what changed; None where it cannot."""
    if isinstance(corpus, FileCorpus):
        return Files(corpus)
    return Sqlite(corpus.store, limits, progress) if isinstance(corpus.store, SqliteStore) else None


def find_changes(database: Database) -> None:
    """From what was seen: ``changed``, the keys that are new, other or gone, and ``present``, the records there are now."""
    database.run(
        """
        CREATE TABLE now_ids AS
        SELECT key, count(*) AS n, sum(mark) AS marks, bool_or(mark IS NULL) AS unread FROM seen WHERE key IS NOT NULL GROUP BY ALL;
        CREATE TABLE old_ids AS
        SELECT key, count(*) AS n, sum(mark) AS marks, bool_or(irregular) AS irregular FROM kept.items
        WHERE key IS NOT NULL AND key IN (FROM looked) GROUP BY ALL;
        CREATE TABLE changed AS
        SELECT coalesce(a.key, b.key) AS key FROM now_ids a FULL JOIN old_ids b ON a.key = b.key
        WHERE a.key IS NULL OR b.key IS NULL OR a.n <> b.n OR a.unread OR a.marks <> b.marks;
        CREATE VIEW present AS
        SELECT file_no, item, line, id_key, key FROM seen
        UNION ALL
        SELECT file_no, item, line, id_key, key FROM kept.items WHERE key NOT IN (FROM looked) AND key NOT IN (SELECT key FROM changed);
        """
    )


@dataclass(slots=True)
class Files:
    """Exported files: each is read to its end."""

    corpus: FileCorpus

    @property
    def names(self) -> list[str]:
        """Their paths."""
        return [str(shard.path) for shard in self.corpus.shards]

    def begin(self) -> None:
        """Nothing to do."""

    def note(self, database: Database) -> bool:
        """Nothing to note: the index has a mark of every line."""
        return True

    def look(self, database: Database) -> bool:
        """Every line of every file; not where a file was not read to its end."""
        _prepare(database)
        sources = [ShardSource(shard, database.folder) for shard in self.corpus.shards]
        if any(source.prepared.gaps for source in sources):
            return False
        if not all(_scan(database, number, source) for number, source in enumerate(sources)):
            return False
        database.run("CREATE TABLE looked AS SELECT DISTINCT key FROM kept.items WHERE key IS NOT NULL")
        return True

    def keep(self, database: Database) -> None:
        """Where lines have moved, the records that were not read again lie elsewhere."""
        database.run(
            """
            UPDATE kept.items SET file_no = s.file_no, item = s.item, line = s.line FROM seen s
            WHERE s.key = items.key AND s.key NOT IN (FROM anew) AND (s.item <> items.item OR s.file_no <> items.file_no OR s.line <> items.line)
            """
        )

    def items(self, rows: Iterable[tuple[int, int, str | None]]) -> tuple[tuple[Any, ...], ...]:
        """The items of each file."""
        items: list[list[int]] = [[] for _ in self.corpus.shards]
        for number, item, _ in rows:
            items[number].append(item)
        return tuple(map(tuple, items))


@dataclass(slots=True)
class Sqlite:
    """An SQLite store: ``kept.blocks`` has the mark of each block of its rows, ``kept.members`` the keys in it."""

    store: SqliteStore
    limits: Limits
    progress: Progress | None
    _marks: dict[int, int] | None = None
    _rows: list[tuple[int, Any]] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """The store."""
        return [self.store.uri]

    def begin(self) -> None:
        """Mark the blocks before an entry is read: what changes meanwhile will differ from its mark the next time."""
        self._mark()
        self._rows = [] if self._marks is None else [row for batch in sqlite_marks.members(self.store) for row in batch]

    def note(self, database: Database) -> bool:
        """Every block; not where entries are not told by their ids alone."""
        if self._marks is None:
            return False
        database.run(
            "CREATE TABLE kept.blocks (block BIGINT, mark BIGINT); CREATE TABLE kept.members (block BIGINT, key UBIGINT)"
        )
        self._insert(database, "kept.blocks", "kept.members")
        strange = "SELECT count(*) FROM kept.items WHERE irregular OR item IS NULL OR key NOT IN (SELECT key FROM kept.members)"
        return not database.value(strange)

    def look(self, database: Database) -> bool:
        """The entries of the blocks whose marks differ."""
        self._mark()
        if self._marks is None:
            return False
        _prepare(database)
        database.run(
            "CREATE TABLE new_blocks (block BIGINT, mark BIGINT); CREATE TABLE new_members (block BIGINT, key UBIGINT)"
        )
        self._insert(database, "new_blocks", "new_members")
        database.run(
            """
            CREATE TABLE other AS
            SELECT coalesce(n.block, o.block) AS block FROM new_blocks n FULL JOIN kept.blocks o ON n.block = o.block
            WHERE n.mark IS DISTINCT FROM o.mark;
            CREATE TABLE looked AS SELECT DISTINCT key FROM kept.members WHERE block IN (FROM other)
            """
        )
        blocks = database.column("SELECT block FROM other ORDER BY block")
        self._rows = [row for batch in sqlite_marks.members(self.store, blocks) for row in batch]
        self._marks = {}
        self._insert(database, "new_blocks", "new_members")
        source = StoreSource(self.store, database.folder, lines=self.store.lines([own for _, own in self._rows]))
        if source.prepared.gaps or not _scan(database, 0, source):
            return False
        database.run(f"UPDATE seen SET line = NULL, item = {item_of('id_key')}")
        # Not where an entry came or went between the two looks, or is not told by its id alone.
        return not database.value(
            """
            SELECT (SELECT count(*) FROM seen WHERE item IS NULL OR key NOT IN (SELECT key FROM new_members))
                 + (SELECT count(*) FROM new_members WHERE key NOT IN (SELECT key FROM seen WHERE key IS NOT NULL))
            """
        )

    def keep(self, database: Database) -> None:
        """The blocks that differed."""
        database.run(
            """
            DELETE FROM kept.blocks WHERE block IN (FROM other);
            INSERT INTO kept.blocks FROM new_blocks WHERE block IN (FROM other);
            DELETE FROM kept.members WHERE block IN (FROM other);
            INSERT INTO kept.members FROM new_members;
            """
        )

    def items(self, rows: Iterable[tuple[int, int, str | None]]) -> tuple[tuple[Any, ...], ...]:
        """The ids of the entries."""
        integers = self.store.layout == "2.x"
        return (tuple(int(key[1:]) if integers else key[1:] for _, _, key in rows if key is not None),)

    def _mark(self) -> None:
        with Workers(available(self.limits.threads), self.progress) as workers:
            self._marks = sqlite_marks.marks(self.store, workers)

    def _insert(self, database: Database, blocks: str, members: str) -> None:
        """Put the blocks and the rows into tables."""
        assert self._marks is not None
        database.run(
            f"INSERT INTO {blocks} SELECT unnest(?::BIGINT[]), unnest(?::BIGINT[])",
            [list(self._marks), list(self._marks.values())],
        )
        kind = "i" if self.store.layout == "2.x" else "h"
        for start in range(0, len(self._rows), _BATCH):
            rows = self._rows[start : start + _BATCH]
            database.run(
                f"INSERT INTO {members} SELECT block, hash('{kind}' || id) FROM (SELECT unnest(?::BIGINT[]) AS block, unnest(?::VARCHAR[]) AS id)",
                [[block for block, _ in rows], [str(own) for _, own in rows]],
            )


def _prepare(database: Database) -> None:
    create_plain_macros(database, vocabulary.word_lists(), vocabulary.meanings())
    database.run(
        "CREATE TABLE seen (file_no INTEGER, item BIGINT, line BIGINT, id_key VARCHAR, key UBIGINT, mark UBIGINT)"
    )


def _scan(database: Database, number: int, source: ShardSource) -> bool:
    """Put every item of a source into ``seen``; not where the scan does not find each of them."""
    pattern, compression = source.scan
    quoted = pattern.replace("'", "''")
    database.run("CREATE OR REPLACE TABLE scanned (id_key VARCHAR, mark UBIGINT)")
    try:
        database.run(
            f"""
            INSERT INTO scanned SELECT own_key(coalesce(m[1], m[2])), hash(json) FROM (
                SELECT json::VARCHAR AS json, json_extract(json, ['$.id', '$.context_id'])::VARCHAR[] AS m
                FROM read_ndjson_objects('{quoted}', ignore_errors = true, maximum_object_size = {LARGEST}, compression = '{compression}'))
            """
        )
    except (duckdb.InvalidInputException, duckdb.IOException):
        return False
    places = source.places()
    if database.value("SELECT count(*) FROM scanned") != places.count:
        return False
    database.run(
        f"INSERT INTO seen SELECT {number}, rowid, rowid + 1, id_key, {key_of('id_key')}, mark FROM scanned ORDER BY rowid"
    )
    if places.numbers is not None:
        database.run(
            f"UPDATE seen SET line = l.line FROM (SELECT generate_subscripts(n, 1) - 1 AS item, unnest(n) AS line FROM (SELECT ?::BIGINT[] AS n)) l"
            f" WHERE seen.file_no = {number} AND seen.item = l.item",
            [places.numbers.tolist()],
        )
    return True
