"""What a sweep's findings are against what was known: new, known, regressed; and what is fixed. All by set operations.

The ledger, ``state/findings.parquet`` in the corpus's folder, has every fingerprint that was ever found: whether it was there at the
last sweep, and whether it had been gone in between.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from migrate.engine.database import Database, first_line
from migrate.results import Changes
from migrate.sweeps import baseline as baselines
from migrate.sweeps.baseline import pattern, quoted
from migrate.sweeps.errors import SweepError
from migrate.types import Finding, Level, Severity

FOLDER = "state"
LEDGER = "findings.parquet"
_TOLD = 20
"""Fixed findings that are told one by one."""
_FACTS = ("code", "slug", "level", "severity", "record", "path", "file", "line")


@dataclass(frozen=True, slots=True)
class Compared:
    """A sweep against what was known."""

    changes: Changes
    rules: Mapping[str, tuple[int, int, int]]
    """Code to its new, regressed and fixed findings."""
    fixed: tuple[Finding, ...]
    """The first few of the fixed ones."""


def compare(
    database: Database,
    folder: Path,
    table: Path,
    codes: Sequence[str],
    *,
    complete: bool,
    baseline: Path | None,
    since: str | None,
    sweep: int,
) -> Compared:
    """Compare the findings of a table with the ledger and the baseline, write their states into it, and a new ledger.

    Findings of rules that did not run stay as they were, and of an incomplete sweep nothing is called fixed.
    """
    ledger = folder / FOLDER / LEDGER
    first = not _load(database, ledger, table)
    accepted = baselines.load(database, baseline)
    database.set("judged", list(codes))
    _judge(database, accepted=accepted, complete=complete)
    changes = _changes(database, table, since, "baseline" if accepted else "nothing" if first else "sweep")
    rules = {
        str(code): (int(new), int(regressed), int(fixed))
        for code, new, regressed, fixed in database.rows(
            """
            SELECT code, count(*) FILTER (state = 'new'), count(*) FILTER (state = 'regressed'), count(*) FILTER (state = 'fixed')
            FROM (SELECT code, state FROM judged UNION ALL SELECT code, 'fixed' FROM gone) GROUP BY code
            """
        )
    }
    fixed = tuple(
        Finding(
            code,
            slug,
            Level(level),
            Severity(severity),
            record,
            path,
            {},
            file,
            line,
            mark,
            None,
            None,
            None,
            None,
            state="fixed",
        )
        for mark, code, slug, level, severity, record, path, file, line in database.rows(
            f"SELECT fingerprint, {', '.join(_FACTS)} FROM gone ORDER BY code, file, line, path LIMIT {_TOLD}"
        )
    )
    _write(database, ledger, table, sweep)
    return Compared(changes, rules, fixed)


def accept(database: Database, folder: Path) -> None:
    """After a baseline was written: what is there counts as accepted, and as regressed only if it goes and comes again."""
    ledger = folder / FOLDER / LEDGER
    if not ledger.exists():
        return
    _save(database, f"SELECT * REPLACE (false AS reopened) FROM read_parquet('{pattern(ledger)}')", ledger)


def _load(database: Database, ledger: Path, table: Path) -> bool:
    facts = ", ".join(f"any_value({name}) AS {name}" for name in _FACTS)
    database.run(
        f"CREATE OR REPLACE TABLE found AS SELECT fingerprint, count(*) AS n, {facts} FROM read_parquet('{pattern(table)}') GROUP BY fingerprint"
    )
    database.run(
        "CREATE OR REPLACE TABLE ledger AS SELECT * EXCLUDE (n), true AS open, false AS reopened, 0 AS first, 0 AS last FROM found LIMIT 0"
    )
    if not ledger.exists():
        return False
    try:
        database.run(f"INSERT INTO ledger BY NAME SELECT * FROM read_parquet('{pattern(ledger)}')")
    except duckdb.Error as error:
        raise SweepError(f"the state {ledger} cannot be read, remove it to start anew: {first_line(error)}") from error
    return True


def _judge(database: Database, *, accepted: bool, complete: bool) -> None:
    known = (
        "CASE WHEN l.fingerprint IS NOT NULL AND (l.reopened OR NOT l.open) THEN 'regressed'"
        " WHEN f.fingerprint IN (SELECT fingerprint FROM baseline) THEN 'known' ELSE 'new' END"
        if accepted
        else "CASE WHEN l.fingerprint IS NULL THEN 'new' WHEN NOT l.open THEN 'regressed' ELSE 'known' END"
    )
    database.run(
        f"""
        CREATE OR REPLACE TABLE judged AS
        SELECT f.*, {known} AS state, l.first, coalesce(l.reopened OR NOT l.open, false) AS reopened
        FROM found f LEFT JOIN ledger l USING (fingerprint)
        """
    )
    database.run(
        f"""
        CREATE OR REPLACE TABLE gone AS
        SELECT * FROM ledger l WHERE {complete} AND open AND list_contains(getvariable('judged'), code)
          AND NOT EXISTS (FROM found f WHERE f.fingerprint = l.fingerprint)
        """
    )


def _changes(database: Database, table: Path, since: str | None, reference: str) -> Changes:
    number = dict(database.rows("SELECT state, sum(n)::BIGINT FROM judged GROUP BY state"))
    counting = "" if reference != "baseline" else "WHERE state <> 'known'"
    return Changes(
        reference=reference,  # type: ignore[arg-type]  # one of the three words
        since=since,
        new=number.get("new", 0),
        known=number.get("known", 0),
        fixed=database.value("SELECT count(*) FROM gone"),
        regressed=number.get("regressed", 0),
        counting={
            name: int(n)
            for name, n in database.rows(
                f"SELECT t.severity, count(*) FROM read_parquet('{pattern(table)}') t JOIN judged USING (fingerprint) {counting} GROUP BY ALL"
            )
        },
    )


def _write(database: Database, ledger: Path, table: Path, sweep: int) -> None:
    stated = table.with_name(f".{table.name}.stated")
    database.run(
        f"""
        COPY (SELECT t.* EXCLUDE (file_row_number), j.state
              FROM read_parquet('{pattern(table)}', file_row_number = true) t JOIN judged j USING (fingerprint) ORDER BY file_row_number)
        TO '{quoted(stated)}' (FORMAT parquet, COMPRESSION zstd)
        """
    )
    stated.replace(table)
    facts = ", ".join(_FACTS)
    _save(
        database,
        f"""
        SELECT fingerprint, {facts}, true AS open, reopened, coalesce(first, {sweep}) AS first, {sweep} AS last FROM judged
        UNION ALL BY NAME
        SELECT l.* REPLACE (l.open AND NOT EXISTS (FROM gone g WHERE g.fingerprint = l.fingerprint) AS open)
        FROM ledger l WHERE NOT EXISTS (FROM found f WHERE f.fingerprint = l.fingerprint)
        """,
        ledger,
    )


def _save(database: Database, query: str, ledger: Path) -> None:
    fresh = ledger.with_name(f".{ledger.name}.tmp")
    try:
        ledger.parent.mkdir(parents=True, exist_ok=True)
        database.run(f"COPY ({query}) TO '{quoted(fresh)}' (FORMAT parquet, COMPRESSION zstd)")
        fresh.replace(ledger)
    except (OSError, duckdb.IOException) as error:
        raise SweepError(f"the state cannot be written to {ledger}: {first_line(error)}") from error
