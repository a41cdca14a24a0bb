"""Where the records with given ids lie: one scan for ids alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from migrate.engine.database import Database
from migrate.engine.json_text import JsonError, blank, check, members
from migrate.engine.sources import LARGEST, Source, too_long


def load_ids(database: Database, sources: Sequence[Source]) -> list[int]:
    """Fill ``located`` (file, item, id key) from the sources; the number of items of each is returned.

    A line that is no record has no id and is left out.
    """
    database.run("CREATE TABLE scanned (file INTEGER, id_json VARCHAR, unread BOOLEAN)")
    counts = []
    for number, source in enumerate(sources):
        first = int(database.value("SELECT count(*) FROM scanned"))
        clean = bool(too_long(source.places()))
        _scan(database, source, number, clean=clean)
        count = int(database.value("SELECT count(*) FROM scanned")) - first
        if not clean and count != source.places().count:
            database.run(f"DELETE FROM scanned WHERE rowid >= {first}")
            database.run("CREATE OR REPLACE TABLE scanned AS SELECT * FROM scanned ORDER BY rowid")
            _scan(database, source, number, clean=True)
            count = source.places().count
        unread = [
            row[0] - first
            for row in database.rows(f"SELECT rowid FROM scanned WHERE rowid >= {first} AND unread ORDER BY rowid")
        ]
        found = [
            (first + index, own)
            for index, raw in (source.read(unread) if unread else ())
            if (own := _own_id(raw)) is not None
        ]
        if found:
            columns = [list(column) for column in zip(*found, strict=True)]
            database.run(
                "UPDATE scanned SET id_json = f.own FROM (SELECT unnest(?::BIGINT[]) AS place, unnest(?::VARCHAR[]) AS own) f WHERE scanned.rowid = f.place",
                columns,
            )
        counts.append(count)
    database.run(
        "CREATE TABLE located AS SELECT file, rowid - min(rowid) OVER (PARTITION BY file) AS item, own_key(id_json) AS id_key FROM scanned"
    )
    database.run("DROP TABLE scanned")
    return counts


def _scan(database: Database, source: Source, number: int, *, clean: bool = False) -> None:
    pattern, compression = (
        (str(source.clean_lines(database.folder, too_long(source.places()))), "none") if clean else source.scan
    )
    quoted = pattern.replace("'", "''")
    database.run(
        f"""
        INSERT INTO scanned
        SELECT {number}, coalesce(m[1], m[2]), coalesce(m[1], m[2]) IS NULL OR len(list_distinct(keys)) < len(keys) FROM (
            SELECT json_extract(j, ['$.id', '$.context_id'])::VARCHAR[] AS m, json_keys(j) AS keys
            FROM (SELECT json::VARCHAR AS j FROM read_ndjson_objects('{quoted}', ignore_errors = true,
                  maximum_object_size = {LARGEST}, compression = '{compression}')))
        """
    )


def _own_id(raw: bytes) -> str | None:
    """The id of a record that the scan could not read; None where it is no record, or has members twice."""
    try:
        text = raw.decode("utf-8").removeprefix("\ufeff")
        check(text)
        start = blank(text, 0)
        found = members(text, start) if text[start] == "{" else []
    except (UnicodeDecodeError, JsonError):
        return None
    values = {member.key: text[member.start : member.end] for member in found}
    return values.get("id", values.get("context_id")) if len(values) == len(found) else None


def positions(database: Database, keys: Iterable[str]) -> dict[str, list[tuple[int, int]]]:
    """Id key to (file, item) of every record that has it, in the order of the files."""
    database.run("CREATE OR REPLACE TABLE asked AS SELECT DISTINCT unnest(?::VARCHAR[]) AS id_key", [list(keys)])
    found: dict[str, list[tuple[int, int]]] = {}
    cursor = database.stream(
        "SELECT id_key, file, item FROM located SEMI JOIN asked USING (id_key) ORDER BY file, item"
    )
    while batch := cursor.fetchmany(10_000):
        for key, file, item in batch:
            found.setdefault(key, []).append((file, item))
    return found
