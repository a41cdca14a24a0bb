"""Sources into the table ``lines``: one scan, and a strict second look at the few lines that need it."""

from __future__ import annotations

from collections.abc import Iterable

import duckdb

from migrate.engine import strict
from migrate.engine.database import Database, script_text
from migrate.engine.errors import EngineError
from migrate.engine.model import METADATA_FIELDS, PACKAGE, path_list
from migrate.engine.sources import Loaded, Source
from migrate.types import Progress

_PLACES = {
    "LINKS": "links",
    "REFERENCES": "references",
    "VERSION": "schema_version",
    "PRIORITY": "priority",
    "ESTIMATE": "estimate",
}

_LARGEST = 16_777_216
"""Bytes of the largest object DuckDB reads unless it is told otherwise."""


def create_lines(database: Database) -> None:
    """An empty table ``lines``, and the tables for what the strict reader says of them."""
    fragments = _fragments("(SELECT NULL::VARCHAR AS json WHERE false)", 0)
    text = script_text(PACKAGE, "lines.sql", fragments)
    database.run("CREATE TABLE lines AS " + text.split("INSERT INTO lines BY NAME", 1)[1])
    database.run("CREATE TABLE broken (ordinal BIGINT, reason VARCHAR, byte BIGINT, fingerprint VARCHAR)")
    database.run("CREATE TABLE doubled_members (ordinal BIGINT, member VARCHAR)")
    database.run("CREATE TABLE nested_references (ordinal BIGINT, path VARCHAR, value VARCHAR)")


def load(database: Database, sources: Iterable[Source], progress: Progress | None = None) -> list[Loaded]:
    """Read every source, in order, into ``lines``; bad lines are rows too, and stop nothing."""
    create_lines(database)
    loaded = []
    pending = list(sources)
    for number, source in enumerate(pending):
        if progress is not None:
            progress("reading", number, len(pending))
        loaded.append(_load_one(database, source, number))
    strict.decide(database, loaded)
    return loaded


def _load_one(database: Database, source: Source, number: int) -> Loaded:
    first = int(database.value("SELECT count(*) FROM lines"))
    pattern, compression = source.scan
    try:
        _scan(database, pattern, compression, _LARGEST, number)
    except (duckdb.InvalidInputException, duckdb.IOException) as error:
        if "maximum_object_size" not in str(error):
            _scan_again(database, source, number, first)
        else:
            _scan(database, pattern, compression, source.places().longest + 1_048_576, number)
    count = int(database.value("SELECT count(*) FROM lines")) - first
    if source.plain_size is not None and _is_gapless(database, source.plain_size, first):
        return Loaded(source, first, count, None)
    places = source.places()
    if places.count != count:
        # The scan counts lines in another way than the file has them: read a copy in which it cannot.
        _scan_again(database, source, number, first)
        count = int(database.value("SELECT count(*) FROM lines")) - first
        if places.count != count:
            raise EngineError(
                f"{source.name}: {places.count} items were found and {count} read; this is a fault of the tool"
            )
    if places.strays:
        database.run(
            "UPDATE lines SET doubtful = true WHERE rowid IN (SELECT unnest(?::BIGINT[]))",
            [[first + i for i in sorted(places.strays)]],
        )
    return Loaded(source, first, count, places.lines)


def _scan_again(database: Database, source: Source, number: int, first: int) -> None:
    rows = int(database.value("SELECT count(*) FROM lines"))
    if rows != first:
        kept = f"SELECT * FROM lines WHERE rowid < {first} ORDER BY rowid"
        database.run(f"CREATE OR REPLACE TABLE lines AS {kept}")
    copy = source.clean_lines(database.folder)
    _scan(database, str(copy), "none", max(_LARGEST, source.places().longest + 1_048_576), number)


def _is_gapless(database: Database, size: int, first: int) -> bool:
    """Whether the rows account for every byte of the file: then a row's place is the sum of those before it."""
    unread, total, _ = database.rows(
        f"SELECT count(*) FILTER (broken = 'unparsed'), coalesce(sum(length + 1), 0), count(*) FROM lines WHERE rowid >= {first}"
    )[0]
    return not unread and total in (size, size + 1)


def _scan(database: Database, pattern: str, compression: str, largest: int, number: int) -> None:
    source = (
        f"read_ndjson_objects({_quoted(pattern)}, ignore_errors = true, maximum_object_size = {largest},"
        f" compression = {_quoted(compression)})"
    )
    database.connection.execute(script_text(PACKAGE, "lines.sql", _fragments(source, number)))


def scan_texts(database: Database, texts: Iterable[str], table: str) -> None:
    """A table like ``lines`` from JSON texts made in Python, in their order; they must be JSON that DuckDB reads."""
    path = database.folder / f"{table}.ndjson"
    largest = 0
    with path.open("wb") as file:
        for text in texts:
            line = text.encode()
            largest = max(largest, len(line))
            file.write(line + b"\n")
    source = f"read_ndjson_objects({_quoted(str(path))}, maximum_object_size = {max(largest + 1_048_576, _LARGEST)}, compression = 'none')"
    body = script_text(PACKAGE, "lines.sql", _fragments(source, 0)).split("INSERT INTO lines BY NAME", 1)[1]
    database.run(f"CREATE OR REPLACE TABLE main.{table} AS {body}")
    path.unlink()


def _fragments(source: str, number: int) -> dict[str, str]:
    return {
        "SOURCE": source,
        "FILE": str(number),
        "PATHS": path_list(),
        **{name: str(METADATA_FIELDS.index(field) + 1) for name, field in _PLACES.items()},
        "FIELDS": ", ".join(f"f[{place}] AS f_{name}" for place, name in enumerate(METADATA_FIELDS, 1)),
    }


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
