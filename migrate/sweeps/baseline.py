"""``baseline.jsonl``: the findings that are accepted, one a line, sorted, so that it can be kept in Git and merged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from migrate.engine.database import Database, first_line
from migrate.sweeps.errors import SweepError

NAME = "baseline.jsonl"
_COLUMNS = "{'fingerprint': 'VARCHAR', 'code': 'VARCHAR', 'record': 'JSON', 'path': 'VARCHAR'}"


@dataclass(frozen=True, slots=True)
class Written:
    """What a baseline held before, and what it holds now."""

    before: int
    after: int
    added: int
    removed: int


def load(database: Database, path: Path | None) -> bool:
    """Fill ``baseline`` (fingerprint, code, record, path) from a file; whether there is one. SweepError for a file that is none."""
    database.run("CREATE OR REPLACE TABLE baseline (fingerprint VARCHAR, code VARCHAR, record VARCHAR, path VARCHAR)")
    if path is None or not path.exists():
        return False
    if path.stat().st_size == 0:
        return True
    source = f"read_json('{pattern(path)}', format = 'newline_delimited', columns = {_COLUMNS})"
    try:
        database.run(f"INSERT INTO baseline SELECT fingerprint, code, record::VARCHAR, path FROM {source}")
    except duckdb.Error as error:
        raise SweepError(f"{path} is no baseline: {first_line(error)}") from error
    if database.value("SELECT count(*) FROM baseline WHERE fingerprint IS NULL OR code IS NULL"):
        raise SweepError(f"{path} is no baseline: a line of it has no fingerprint or no code")
    return True


def rewrite(database: Database, path: Path, table: Path, codes: Sequence[str], *, only_remove: bool) -> Written:
    """Make the baseline what the findings of a table are; entries of rules that did not run stay as they are.

    With ``only_remove`` nothing is added: entries that are found no more go, everything else stays.
    """
    load(database, path)
    database.set("judged", list(codes))
    database.run(
        f"""
        CREATE OR REPLACE TABLE present AS
        SELECT fingerprint, any_value(code) AS code, any_value(record) AS record, any_value(path) AS path
        FROM read_parquet('{pattern(table)}') GROUP BY fingerprint
        """
    )
    kept = "SELECT b.* FROM baseline b WHERE NOT list_contains(getvariable('judged'), b.code)"
    found = (
        "SELECT * FROM present WHERE fingerprint IN (SELECT fingerprint FROM baseline)"
        if only_remove
        else "FROM present"
    )
    database.run(f"CREATE OR REPLACE TABLE accepted AS {kept} UNION ALL {found}")
    before, after, stayed = database.rows(
        "SELECT (SELECT count(DISTINCT fingerprint) FROM baseline), (SELECT count(*) FROM accepted),"
        " (SELECT count(*) FROM accepted WHERE fingerprint IN (SELECT fingerprint FROM baseline))"
    )[0]
    _write(database, path)
    return Written(before, after, after - stayed, before - stayed)


def _write(database: Database, path: Path) -> None:
    fresh = path.with_name(f".{path.name}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        database.run(
            f"""
            COPY (SELECT fingerprint, code, record::JSON AS record, path FROM accepted
                  ORDER BY code, length(record), record, path, fingerprint)
            TO '{quoted(fresh)}' (FORMAT json)
            """
        )
        fresh.replace(path)
    except (OSError, duckdb.IOException) as error:
        raise SweepError(f"the baseline cannot be written to {path}: {first_line(error)}") from error
    finally:
        fresh.unlink(missing_ok=True)


def counts(database: Database) -> list[tuple[str, int]]:
    """Code to the number of its entries in the baseline that is loaded."""
    return [
        (str(code), int(number))
        for code, number in database.rows("SELECT code, count(*) FROM baseline GROUP BY code ORDER BY code")
    ]


def quoted(path: Path) -> str:
    """A path inside a string of SQL."""
    return str(path).replace("'", "''")


def pattern(path: Path) -> str:
    """A path inside a string of SQL that is read: its globbing characters stand for themselves."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in quoted(path))
