"""What a sweep's findings are against what was known: new, known, regressed; and what is fixed. All by set operations.

The ledger, ``state/ledger.duckdb`` in the corpus's folder, has every fingerprint that was ever found: whether it was there at the
last sweep, and whether it had been gone in between. A night changes the few rows that differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from migrate.engine.database import Database, first_line
from migrate.results import Changes
from migrate.sweeps import baseline as baselines
from migrate.sweeps.errors import SweepError
from migrate.sweeps.found import Found
from migrate.types import Finding, Level, Severity

FOLDER = "state"
LEDGER = "ledger.duckdb"
_TOLD = 20
"""Fixed findings that are told one by one."""
_FACTS = ("code", "slug", "level", "severity", "record", "path", "file")


@dataclass(frozen=True, slots=True)
class Compared:
    """A sweep against what was known."""

    changes: Changes
    rules: Mapping[str, tuple[int, int, int]]
    """Code to its new, regressed and fixed findings."""
    fixed: tuple[Finding, ...]
    """The first few of the fixed ones; where they stood is not known any more."""
    usual: str
    """The state of every finding that has no other one."""


def compare(
    database: Database,
    folder: Path,
    found: Found,
    codes: Sequence[str],
    *,
    complete: bool,
    baseline: Path | None,
    since: str | None,
) -> Compared:
    """Compare findings with the ledger and the baseline, and bring the ledger up to date.

    Leaves ``found``, the findings, and ``loud``, the states of those that the ledger does not have or that are not what
    ``Compared.usual`` says. Findings of rules that did not run stay as they were; of an incomplete sweep nothing is called fixed.
    """
    database.run(f"CREATE OR REPLACE VIEW found AS {found.attach(database)}")
    first = _open(database, folder)
    accepted = baselines.load(database, baseline)
    database.set("judged", list(codes))
    usual = "new" if first and not accepted else "known"
    _judge(database, usual, accepted=accepted, complete=complete, first=first)
    changes = _changes(database, usual, since, "baseline" if accepted else "nothing" if first else "sweep")
    rules = {
        str(code): (int(new), int(regressed), int(fixed))
        for code, new, regressed, fixed in database.rows(
            f"""
            SELECT code, count(*) FILTER (state = 'new'), count(*) FILTER (state = 'regressed'), count(*) FILTER (state = 'fixed')
            FROM (SELECT code, state FROM loud UNION ALL SELECT code, 'fixed' FROM gone
                  {"UNION ALL SELECT code, 'new' FROM found WHERE fp NOT IN (SELECT fp FROM loud)" if usual == "new" else ""}) GROUP BY code
            """
        )
    }
    fixed = tuple(
        Finding(
            code, slug, Level(level), Severity(severity), record, path, {}, file, None, f"{mark:016x}", None, None, None, None,
            state="fixed",
        )
        for mark, code, slug, level, severity, record, path, file in database.rows(
            f"SELECT fp, {', '.join(_FACTS)} FROM gone ORDER BY code, file, length(record), record, path LIMIT {_TOLD}"
        )
    )  # fmt: skip
    _write(database, folder, first=first)
    return Compared(changes, rules, fixed, usual)


def accept(database: Database, folder: Path) -> None:
    """After a baseline was written: what is there counts as accepted, and as regressed only if it goes and comes again."""
    if (folder / FOLDER / LEDGER).exists():
        _open(database, folder)
        database.run("UPDATE ledger.entries SET reopened = false WHERE reopened")
        database.run("DETACH ledger")


def _open(database: Database, folder: Path) -> bool:
    """Open the ledger, or begin one; whether it is new."""
    path = folder / FOLDER / LEDGER
    facts = ", ".join(f"{name} VARCHAR" for name in _FACTS)
    known = path.exists()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        database.attach(path, "ledger")
        first = not database.rows("FROM duckdb_tables() WHERE database_name = 'ledger' AND table_name = 'entries'")
        database.connection.execute(
            f"CREATE TABLE IF NOT EXISTS ledger.entries (fp UBIGINT, {facts}, open BOOLEAN, reopened BOOLEAN);"
            f"FROM (SELECT fp, {', '.join(_FACTS)}, open, reopened FROM ledger.entries) LIMIT 0"
        )
    except (OSError, duckdb.Error) as error:
        sentence = "cannot be read, remove it to start anew" if known else "cannot be written"
        raise SweepError(f"the state {path} {sentence}: {first_line(error)}") from error
    return first


def _judge(database: Database, usual: str, *, accepted: bool, complete: bool, first: bool) -> None:
    state = (
        "CASE WHEN l.reopened OR NOT l.open THEN 'regressed' WHEN b.fp IS NOT NULL THEN 'known' ELSE 'new' END"
        if accepted
        else "CASE WHEN l.fp IS NULL THEN 'new' WHEN NOT l.open THEN 'regressed' ELSE 'known' END"
    )
    baseline = "SELECT DISTINCT try_cast('0x' || fingerprint AS UBIGINT) AS fp FROM baseline"
    ran = f"{complete} AND l.open AND list_contains(getvariable('judged'), l.code)"
    database.run(
        f"""
        CREATE OR REPLACE TABLE differing AS
        SELECT * FROM (
            SELECT f.fp, f.code, f.severity, {state} AS state, l.fp IS NULL AS unlisted, CASE WHEN f.fp IS NULL AND {ran} THEN l.fp END AS gone
            FROM (SELECT fp, code, severity FROM found) f FULL JOIN (SELECT fp, code, open, reopened FROM ledger.entries) l ON l.fp = f.fp
            {f"LEFT JOIN ({baseline}) b ON b.fp = f.fp" if accepted else ""})
        WHERE gone IS NOT NULL OR fp IS NOT NULL AND (state <> '{usual}' {"" if first else "OR unlisted"});
        CREATE OR REPLACE VIEW loud AS SELECT fp, code, severity, state, unlisted FROM differing WHERE fp IS NOT NULL;
        CREATE OR REPLACE TABLE gone AS SELECT * FROM ledger.entries WHERE fp IN (SELECT gone FROM differing WHERE gone IS NOT NULL);
        """
    )


def _changes(database: Database, usual: str, since: str | None, reference: str) -> Changes:
    number = dict(database.rows(f"SELECT state, count(*) FROM loud WHERE state <> '{usual}' GROUP BY state"))
    number[usual] = int(database.value("SELECT count(*) FROM found")) - sum(number.values())
    counting = "FROM loud WHERE state <> 'known'" if reference == "baseline" else "FROM found"
    return Changes(
        reference=reference,  # type: ignore[arg-type]  # one of the three words
        since=since,
        new=number.get("new", 0),
        known=number.get("known", 0),
        fixed=database.value("SELECT count(*) FROM gone"),
        regressed=number.get("regressed", 0),
        counting=dict(database.rows(f"SELECT severity, count(*) {counting} GROUP BY severity")),
    )


def _write(database: Database, folder: Path, *, first: bool) -> None:
    facts = ", ".join(f"any_value({name})" for name in _FACTS)
    try:
        database.connection.execute(
            f"""
            BEGIN;
            UPDATE ledger.entries SET open = true, reopened = true WHERE NOT open AND fp IN (SELECT fp FROM loud WHERE state = 'regressed');
            UPDATE ledger.entries SET open = false WHERE open AND fp IN (SELECT fp FROM gone);
            INSERT INTO ledger.entries
            SELECT fp, {facts}, true, false FROM found {"" if first else "WHERE fp IN (SELECT fp FROM loud WHERE unlisted)"} GROUP BY fp;
            COMMIT;
            {"CHECKPOINT ledger;" if first else ""}
            DETACH ledger;
            """
        )
    except duckdb.Error as error:
        raise SweepError(f"the state {folder / FOLDER / LEDGER} cannot be written: {first_line(error)}") from error
