"""Where the records with given ids lie: one scan that reads a few members of every item and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from migrate.engine.database import Database
from migrate.engine.json_text import JsonError, blank, check, members
from migrate.engine.sources import LARGEST, Source, too_long

Int64 = npt.NDArray[np.int64]


def scan_members(database: Database, table: str, sources: Sequence[Source], names: Sequence[str]) -> list[int]:
    """Create a view (file, item, m1, m2, …): the JSON texts of the members ``names`` of every item, in order.

    A text is NULL where the item has no such member, or is no record. Texts are as the engine writes them: ids,
    nulls and empty arrays exactly, other values not. The number of items of each source is returned.
    """
    rows = f"{table}_rows"
    columns = _columns(names)
    database.run(f"CREATE TABLE {rows} (file INTEGER, {', '.join(f'{column} VARCHAR' for column in columns)})")
    firsts: list[int] = [0]
    for number, source in enumerate(sources):
        first = firsts[-1]
        clean = bool(too_long(source.places()))
        _scan(database, rows, source, number, names, clean=clean)
        if not clean and database.value(f"SELECT count(*) FROM {rows}") - first != source.places().count:
            database.run(f"CREATE OR REPLACE TABLE {rows} AS SELECT * FROM {rows} WHERE rowid < {first} ORDER BY rowid")
            _scan(database, rows, source, number, names, clean=True)
        firsts.append(database.value(f"SELECT count(*) FROM {rows}"))
        _read_again(database, rows, first, source, names)
    # Rows arrive in order, so that the number of a row says which item it is; a window function would cost more.
    database.run(
        f"CREATE VIEW {table} AS SELECT file, rowid - ({firsts})[file + 1] AS item, {', '.join(columns)} FROM {rows}"
    )
    return [end - start for start, end in pairwise(firsts)]


def _read_again(database: Database, rows: str, first: int, source: Source, names: Sequence[str]) -> None:
    """Read what the scan could not, strictly and one by one."""
    nothing = " AND ".join(f"{column} IS NULL" for column in _columns(names))
    unread = database.rows(f"SELECT rowid - {first} FROM {rows} WHERE rowid >= {first} AND {nothing} ORDER BY rowid")
    found = [
        (first + index, texts)
        for index, raw in (source.read([row[0] for row in unread]) if unread else ())
        if (texts := _texts(raw, names)) is not None
    ]
    if found:
        places, read = zip(*found, strict=True)
        changed = ", ".join(f"{column} = f.texts[{number}]" for number, column in enumerate(_columns(names), 1))
        database.run(
            f"UPDATE {rows} SET {changed} FROM (SELECT unnest(?::BIGINT[]) AS place, unnest(?::VARCHAR[][]) AS texts) f WHERE {rows}.rowid = f.place",
            [list(places), list(read)],
        )


def _scan(database: Database, rows: str, source: Source, number: int, names: Sequence[str], *, clean: bool) -> None:
    pattern, compression = (
        (str(source.clean_lines(database.folder, too_long(source.places()))), "none") if clean else source.scan
    )
    quoted = pattern.replace("'", "''")
    paths = ", ".join(f"'$.{name}'" for name in names)
    taken = ", ".join(f"found[{number}]" for number in range(1, len(names) + 1))
    database.run(
        f"""
        INSERT INTO {rows} SELECT {number}, {taken} FROM (SELECT json_extract(json, [{paths}])::VARCHAR[] AS found
        FROM read_ndjson_objects('{quoted}', ignore_errors = true, maximum_object_size = {LARGEST}, compression = '{compression}'))
        """
    )


def _columns(names: Sequence[str]) -> list[str]:
    return [f"m{number}" for number in range(1, len(names) + 1)]


def strict_members(raw: bytes) -> list[tuple[str, str]] | None:
    """Names and exact texts of the members of an item, in order, also of what DuckDB cannot read; None where it is no JSON."""
    try:
        text = raw.decode("utf-8").removeprefix("\ufeff")
        check(text)
        start = blank(text, 0)
        found = members(text, start) if text[start] == "{" else []
    except (UnicodeDecodeError, JsonError):
        return None
    return [(member.key, text[member.start : member.end]) for member in found]


def _texts(raw: bytes, names: Sequence[str]) -> list[str | None] | None:
    """The members of a record that the scan could not read; None where it is no record, or has members twice."""
    found = strict_members(raw)
    values = dict(found or ())
    if found is None or len(values) != len(found):
        return None
    return [values.get(name) if "." not in name else _below(values, name) for name in names]


def _below(values: dict[str, str], name: str) -> str | None:
    """The member of a member: ``data.uid``."""
    outer, _, inner = name.partition(".")
    text = values.get(outer, "")
    found = members(text, 0) if text[:1] == "{" else []
    return next((text[member.start : member.end] for member in found if member.key == inner), None)


def load_ids(database: Database, sources: Sequence[Source]) -> list[int]:
    """Fill ``located`` (file, item, id_key) with every record that has an id; the number of items of each source is returned."""
    counts = scan_members(database, "ids_found", sources, database.model.ids)
    database.run("CREATE VIEW located AS SELECT file, item, own_key(coalesce(m1, m2)) AS id_key FROM ids_found")
    return counts


def id_form(database: Database) -> str | None:
    """The form of most of the located ids, a tie being integer; None without any."""
    integers, uuids = database.rows(
        "SELECT count(*) FILTER (own_form(id_key) = 'integer'), count(*) FILTER (own_form(id_key) = 'uuid') FROM located"
    )[0]
    return None if not integers + uuids else "uuid" if uuids > integers else "integer"


def places_of(database: Database, asked: str) -> tuple[Int64, Int64, Int64]:
    """Number, file and item of every located record whose key is in the table ``asked`` (number, id_key); by file and item."""
    found = database.columns(
        f"SELECT a.number, l.file::BIGINT AS file, l.item FROM located l JOIN {asked} a USING (id_key) ORDER BY l.file, l.item"
    )
    return found["number"], found["file"], found["item"]
