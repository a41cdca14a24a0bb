"""What of a corpus is new, other than it was, or gone since its index was made; as little else of it as can be is read for that.

Each kind of corpus that can tell fills ``seen`` (file, item, line, id, key and mark of the records that were looked at) and ``looked`` (the keys
that the index has for the same part of the corpus); from them come ``changed`` and ``present``.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

import duckdb

from migrate.corpora.source import ShardSource
from migrate.engine.database import Database
from migrate.engine.locating import strict_members
from migrate.engine.macros import create_plain_macros
from migrate.engine.sources import LARGEST
from migrate.rules import vocabulary
from migrate.systems.index import key_of


class Watched(Protocol):
    """A corpus that can tell what changed. ``kept`` is the index, attached to the database."""

    @property
    def names(self) -> list[str]:
        """Its files or the store, as findings name them."""

    def begin(self, folder: Path) -> None:
        """Before everything is read; what has to be kept until afterwards goes into the folder."""

    def note(self, database: Database, folder: Path) -> bool:
        """After everything was read: put into the index what the next look goes by; whether there can be one."""

    def look(self, database: Database) -> bool:
        """Fill ``seen`` and ``looked``; whether that could be done."""

    def confirm(self, database: Database) -> bool:
        """Whether nothing changed that was not looked at; asked after ``keep``."""

    def close(self) -> None:
        """Let go of what a look began, however it ended."""

    def keep(self, database: Database) -> None:
        """Put into the index what the next look goes by; ``anew`` are the keys that it has read again."""

    def items(self, rows: Iterable[tuple[int, int, str | None]]) -> tuple[tuple[Any, ...], ...]:
        """What a part of the corpus reads, from file, item and id of its records in corpus order."""


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


def prepare(database: Database) -> None:
    """Begin ``seen``, which is empty."""
    create_plain_macros(database, vocabulary.word_lists(), vocabulary.meanings())
    database.run(
        "CREATE TABLE seen (file_no INTEGER, item BIGINT, line BIGINT, id_key VARCHAR, key UBIGINT, mark UBIGINT)"
    )


def scan(database: Database, number: int, source: ShardSource) -> bool:
    """Put every item of a source into ``seen``; not where the scan does not find each of them."""
    pattern, compression = source.scan
    quoted = pattern.replace("'", "''")
    database.run("CREATE OR REPLACE TABLE scanned (id_key VARCHAR, mark UBIGINT)")
    try:
        database.run(
            f"""
            INSERT INTO scanned SELECT own_key(coalesce(m[1], m[2])), CASE WHEN json IS NOT NULL THEN hash(json) END FROM (
                SELECT json::VARCHAR AS json, json_extract(json, ['$.id', '$.context_id'])::VARCHAR[] AS m
                FROM read_ndjson_objects('{quoted}', ignore_errors = true, maximum_object_size = {LARGEST}, compression = '{compression}'))
            """
        )
    except (duckdb.InvalidInputException, duckdb.IOException):
        return False
    places = source.places()
    if database.value("SELECT count(*) FROM scanned") != places.count:
        return False
    _read_again(database, source)
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


def _read_again(database: Database, source: ShardSource) -> None:
    """Ids of records that the scan cannot read, which strict reading can: these have no mark and are read every time."""
    unread = [row[0] for row in database.rows("SELECT rowid FROM scanned WHERE mark IS NULL ORDER BY rowid")]
    found = (
        [(index, own) for index, raw in source.read(unread) if (own := _own_text(raw)) is not None] if unread else []
    )
    if found:
        places, texts = zip(*found, strict=True)
        database.run(
            "UPDATE scanned SET id_key = own_key(f.own) FROM (SELECT unnest(?::BIGINT[]) AS place, unnest(?::VARCHAR[]) AS own) f"
            " WHERE scanned.rowid = f.place",
            [list(places), list(texts)],
        )


def _own_text(raw: bytes) -> str | None:
    """The JSON text of a record's id, of one that stands twice the first; None for what is no record."""
    texts = dict(reversed(strict_members(raw) or ()))
    return texts.get("id", texts.get("context_id"))
