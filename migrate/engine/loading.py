"""Sources into the table ``lines``: one scan, and a strict second look at the few lines that need it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import duckdb

from migrate.engine import strict
from migrate.engine.database import Database, script_text
from migrate.engine.errors import EngineError
from migrate.engine.model import TableModel
from migrate.engine.sources import LARGEST, Loaded, Source, too_long
from migrate.types import Progress


def _create_views(database: Database) -> None:
    """What stands beside ``lines`` once it is there, and the tables for what the strict reader says of it."""
    # Rows that had a second look stand here with their ordinal; what the scan wrote is never changed, so that its rowid is.
    database.run("CREATE TABLE fixed AS SELECT 0::BIGINT AS ordinal, * FROM lines LIMIT 0")
    database.run(
        "CREATE VIEW kept AS SELECT rowid AS ordinal, * FROM main.lines WHERE rowid NOT IN (SELECT ordinal FROM main.fixed)"
        " UNION ALL BY NAME SELECT * FROM main.fixed"
    )
    database.run(f"CREATE VIEW items AS FROM {described(database.model, 'SELECT * FROM main.kept')}")
    database.run("CREATE TABLE broken (ordinal BIGINT, reason VARCHAR, byte BIGINT, fingerprint VARCHAR)")
    database.run("CREATE TABLE doubled_members (ordinal BIGINT, member VARCHAR)")
    database.run("CREATE TABLE unstorable (ordinal BIGINT, path VARCHAR, evidence VARCHAR)")
    database.run("CREATE TABLE nested_references (ordinal BIGINT, path VARCHAR, value VARCHAR)")


def load(
    database: Database,
    sources: Iterable[Source],
    progress: Progress | None = None,
    judge: Callable[[bytes], strict.Verdict] | None = None,
) -> list[Loaded]:
    """Read every source, in order, into ``lines``; bad lines are rows too, and stop nothing.

    ``judge`` is the strict reader of the system's items; None is that of the context server.
    """
    loaded: list[Loaded] = []
    strays: list[int] = []
    pending = list(sources)
    for number, source in enumerate(pending):
        if progress is not None:
            progress("reading", number, len(pending))
        loaded.append(_load_one(database, source, number, strays))
    _create_views(database)
    strict.decide(database, loaded, strays, judge or strict.judge)
    database.script("held.sql")
    return loaded


def _load_one(database: Database, source: Source, number: int, strays: list[int]) -> Loaded:
    first = _rows(database)
    pattern, compression = source.scan
    try:
        _scan(database, pattern, compression, number)
    except (duckdb.InvalidInputException, duckdb.IOException):
        _scan_again(database, source, number, first)
    count = _rows(database) - first
    if source.plain_size is not None and _is_gapless(database, source.plain_size, first):
        return Loaded(source, first, count, None)
    places = source.places()
    if places.count != count:
        # The scan counts lines in another way than the file has them: read a copy in which it cannot.
        _scan_again(database, source, number, first)
        count = _rows(database) - first
        if places.count != count:
            raise EngineError(
                f"{source.name}: {places.count} items were found and {count} read; this is a fault of the tool"
            )
    strays += [first + index for index in sorted(places.strays)]
    return Loaded(source, first, count, places.lines)


def _scan_again(database: Database, source: Source, number: int, first: int) -> None:
    if _rows(database) != first:
        kept = f"SELECT * FROM lines WHERE rowid < {first} ORDER BY rowid"
        database.run(f"CREATE OR REPLACE TABLE lines AS {kept}")
    copy = source.clean_lines(database.folder, too_long(source.places()))
    _scan(database, str(copy), "none", number)
    copy.unlink()


def _is_gapless(database: Database, size: int, first: int) -> bool:
    """Whether the rows account for every byte of the file: then a row's place is the sum of those before it."""
    unread, total, _ = database.rows(
        f"SELECT count(*) FILTER (broken = 'unparsed'), coalesce(sum(length + 1), 0), count(*) FROM lines WHERE rowid >= {first}"
    )[0]
    return not unread and total in (size, size + 1)


def _scan(database: Database, pattern: str, compression: str, number: int) -> None:
    source = (
        f"read_ndjson_objects({_quoted(pattern)}, ignore_errors = true, maximum_object_size = {LARGEST},"
        f" compression = {_quoted(compression)})"
    )
    verb = "INSERT INTO lines BY NAME" if _rows(database) else "CREATE OR REPLACE TABLE lines AS"
    database.run(f"{verb} {projection(database.model, source, number)}")


def _rows(database: Database) -> int:
    """The rows of ``lines``, 0 before the first scan."""
    there = database.value("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'lines' AND schema_name = 'main'")
    return int(database.value("SELECT count(*) FROM lines")) if there else 0


def scan_texts(database: Database, texts: Iterable[str], table: str) -> None:
    """A table like ``lines`` from JSON texts made in Python, in their order; they must be JSON that DuckDB reads."""
    path = database.folder / f"{table}.ndjson"
    with path.open("wb") as file:
        for text in texts:
            file.write(text.encode() + b"\n")
    scan_files(database, [path], table)


def scan_files(database: Database, paths: Sequence[Path], table: str) -> None:
    """A table like ``lines`` from files of JSON texts, a line each."""
    if paths:
        database.run(f"CREATE OR REPLACE TABLE main.{table} AS {projection(database.model, made_texts(paths), 0)}")


def read_planned(database: Database, paths: Sequence[Path]) -> None:
    """Metadata and tags as planned, ``{"metadata": …, "tags": …}`` a record, into the table ``read_after``."""
    if paths:
        database.run(
            "CREATE OR REPLACE TABLE main.read_after AS SELECT present(m[1]) AS metadata, m[2] AS tags_json FROM"
            f" (SELECT json_extract(json::VARCHAR, ['$.metadata', '$.tags'])::VARCHAR[] AS m FROM {made_texts(paths)})"
        )


def made_texts(paths: Sequence[Path]) -> str:
    """The SQL that reads files of JSON texts that were made in the run's folder, in their order."""
    largest = max([LARGEST, *(path.stat().st_size + 1_048_576 for path in paths if path.stat().st_size > LARGEST)])
    names = ", ".join(_quoted(str(path)) for path in paths)
    return f"read_ndjson_objects([{names}], maximum_object_size = {largest}, compression = 'none')"


def projection(model: TableModel, source: str, file: int) -> str:
    """The query from the items of a source, one column ``json``, to the columns of ``lines``."""
    facts = script_text(model.package, "facts.sql", {})
    return (
        f"WITH source AS (SELECT json::VARCHAR AS json FROM {source}),\n{facts}\n{typed(model, f'{file} AS file_no')}"
    )


def typed(model: TableModel, place: str) -> str:
    """The query from a table expression ``facts`` to the columns that are kept; ``place`` are those that come first."""
    return script_text(model.package, "typed.sql", {"PLACE": place, **model.fragments})


def described(model: TableModel, rows: str) -> str:
    """The table expression that has all columns of items; ``rows`` is a query of kept columns, with their ordinal."""
    return f"({script_text(model.package, 'items.sql', {'ROWS': f'({rows})', **model.fragments})})"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
