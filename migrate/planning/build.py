"""A plan from an examination: drafted record by record, checked again by every rule, and written only if its books balance."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Protocol

from migrate.engine import tracks
from migrate.engine.database import Database
from migrate.engine.processes import Workers, available
from migrate.engine.sources import Loaded
from migrate.engine.strict import restored
from migrate.engine.tracks import RuleSet
from migrate.planning.chosen import chosen_options
from migrate.planning.conservation import Books, Ledger
from migrate.planning.errors import PlanError
from migrate.planning.heading import Digests, heading
from migrate.planning.jobs import Drafted, Task, draft_stretch, joined, prepared
from migrate.planning.plan_file import Plan
from migrate.planning.ways import Ways
from migrate.types import Options, Progress, Summary

_ROUNDS = 3
"""How often what the plan brings to light is repaired in the plan."""


class Examined(Protocol):
    """What the planner asks of a run."""

    database: Database
    loaded: list[Loaded]
    rules: RuleSet
    selected: tuple[str, ...]
    options: Options
    summary: Summary
    progress: Progress | None

    @property
    def ways(self) -> Ways:
        """What is its system's own."""


@dataclass(slots=True)
class _Drafted:
    """What one pass over the changed records gave."""

    ordinals: list[int]
    digests: Digests
    books: Books


def build(examination: Examined, options: Options) -> Plan:
    """Propose what the options allow, and check the result before it enters the plan.

    A record whose planned state has a finding that the run does not know, or a repair that did not settle, is a fault of
    the tool: its patch, and that of its unit, is withheld. Raises PlanError where a record cannot be read again.
    """
    database = examination.database
    track = "unsafe" if options.unsafe_fixes else "safe"
    if track == "unsafe":
        tracks.build(database, "unsafe", "unsafe", examination.rules, examination.progress)
    database.run(f"SET search_path = '{track},main'")
    database.script("requirements.sql")
    units = _units(database)
    path = database.folder / "plan-lines.jsonl"
    barred = _with_units({row[0] for row in database.rows("SELECT DISTINCT ordinal FROM main.unstorable")}, units)
    withheld = set(barred)
    names_of_units = {ordinal: name for ordinal, (_, name) in units.items()}
    with Workers(available(options.limits.threads), examination.progress) as workers:
        rounds = 0
        while True:
            tasks = prepared(database, examination.loaded, track, examination.ways, names_of_units)
            drafted = _draft_all(examination, tasks, workers, withheld, path)
            faults = _recheck(examination, track, drafted.ordinals, units) - withheld
            if not faults:
                break
            rounds += 1
            if rounds > _ROUNDS or not _repaired_too(database, track):
                withheld |= faults
    if not drafted.books.balanced:
        raise PlanError(
            f"the plan's books do not balance ({drafted.books}); nothing was written, this is a fault of the tool"
        )
    names = (
        [
            restored(row[0])
            for row in database.rows(
                "SELECT id_value FROM safe.records WHERE ordinal IN (SELECT unnest(?::BIGINT[])) ORDER BY ordinal",
                [sorted(withheld - barred)],
            )
        ]
        if withheld - barred
        else []
    )
    return Plan(_header(examination, options, drafted, names), path, tuple(names))


def _draft_all(
    examination: Examined, tasks: Sequence[Task], workers: Workers, withheld: Collection[int], path: Path
) -> _Drafted:
    given = [(dataclasses.replace(task, withheld=withheld),) for task in tasks]
    found: dict[int, Drafted] = dict(workers.map("planning", draft_stretch, given))
    parts = [found[index] for index in range(len(tasks))]
    digests, ledger = Digests(), Ledger()
    digests.portions(joined(parts, ".lines", path), joined(parts, ".identities"), joined(parts, ".states"))
    for part in parts:
        ledger.add(part.books)
        for level, number in part.levels.items():
            digests.levels[level] += number
    if not parts:
        path.touch()
    examination.ways.read_after(examination.database, [part.output.with_suffix(".after") for part in parts])
    return _Drafted([ordinal for part in parts for ordinal in part.ordinals], digests, ledger.books())


def _units(database: Database) -> dict[int, tuple[int, str]]:
    """Ordinal to the number of its unit and the unit's name, the lowest id in it as JSON text."""
    parent: dict[int, int] = {}

    def root(node: int) -> int:
        while parent.setdefault(node, node) != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for one, other in database.rows("SELECT one, other FROM unit_pairs ORDER BY ALL"):
        parent[root(one)] = root(other)
    if not parent:
        return {}
    ids = {
        ordinal: (key, value)
        for ordinal, key, value in database.rows("SELECT ordinal, id_key, id_value FROM nodes")
        if ordinal in parent
    }
    lowest: dict[int, tuple[int, str, str]] = {}
    for ordinal in parent:
        key, value = ids[ordinal]
        candidate = (len(key), key, value)
        lowest[root(ordinal)] = min(lowest.get(root(ordinal), candidate), candidate)
    return {ordinal: (root(ordinal), lowest[root(ordinal)][2]) for ordinal in parent}


def _recheck(examination: Examined, track: str, ordinals: Sequence[int], units: dict[int, tuple[int, str]]) -> set[int]:
    """Ordinals whose planned state is not what the run knows: every rule over the state after the plan.

    A finding that the run does not know is a fault, and so is a repair that is still safe to make. What an unsafe fix brings
    to light (a promoted record is judged as v1, a moved label is a tag) is for the person who asked for it; also in other records, by
    the rules that compare them (a name that was given to several has become the usual spelling).
    """
    if not ordinals:
        return set()
    database = examination.database
    try:
        examination.ways.build_after(database, ordinals, examination.rules, examination.progress)
        known = "SELECT ordinal, code, path FROM safe.findings" + (
            " UNION SELECT ordinal, code, path FROM unsafe.findings" if track == "unsafe" else ""
        )
        comparing = [rule.code for rule in examination.rules.sets] if track == "unsafe" else []
        rows = database.rows(
            f"""
            SELECT DISTINCT a.ordinal FROM after.findings a
            SEMI JOIN main.planned p USING (ordinal)
            LEFT JOIN ({known}) k USING (ordinal, code, path)
            LEFT JOIN (SELECT DISTINCT ordinal FROM {track}.edits WHERE level = 'unsafe') inferred USING (ordinal)
            WHERE a.level = 'safe' OR (k.ordinal IS NULL AND inferred.ordinal IS NULL AND NOT list_contains(?::VARCHAR[], a.code))
            """,
            [comparing],
        )
    finally:
        database.run(f"SET search_path = '{track},main'")
        database.set("track", track)
    faults = {row[0] for row in rows}
    return _with_units(faults, units)


def _with_units(ordinals: set[int], units: dict[int, tuple[int, str]]) -> set[int]:
    """The ordinals, and all that change together with one of them."""
    struck = {units[ordinal][0] for ordinal in ordinals if ordinal in units}
    return ordinals | {ordinal for ordinal, (number, _) in units.items() if number in struck}


def _repaired_too(database: Database, track: str) -> bool:
    """Whether there is more to write: safe repairs that only the unsafe ones made possible.

    A record that gets its kind, for example, is judged by the rules of that kind. Such a repair is as unsafe as what it rests on.
    """
    if track != "unsafe":
        return False
    more = """
        SELECT DISTINCT a.ordinal, a.code FROM after.edits a
        SEMI JOIN main.planned USING (ordinal)
        SEMI JOIN (SELECT ordinal FROM unsafe.edits WHERE level = 'unsafe') u USING (ordinal)
        WHERE a.level = 'safe' AND a.requires IS NULL AND a.ordinal NOT IN (SELECT one FROM unit_pairs UNION SELECT other FROM unit_pairs)
    """
    database.run(f"CREATE OR REPLACE TEMP TABLE later AS {more}")
    if not database.value("SELECT count(*) FROM later"):
        return False
    wave = database.value("SELECT max(wave) FROM unsafe.edits") + 1
    database.run(
        f"INSERT INTO unsafe.edits BY NAME SELECT a.* REPLACE ('unsafe' AS level, a.wave + {wave} AS wave) FROM after.edits a SEMI JOIN later USING (ordinal, code)"
    )
    database.run(
        "INSERT INTO unsafe.findings BY NAME SELECT f.* REPLACE ('unsafe' AS level) FROM after.findings f SEMI JOIN later USING (ordinal, code)"
    )
    return True


def _header(examination: Examined, options: Options, drafted: _Drafted, withheld: Sequence[str]) -> dict[str, Any]:
    books = drafted.books
    accounts = {field.name: getattr(books, field.name) for field in fields(books) if field.name != "unexplained"}
    return heading(
        examination.summary, chosen_options(options, examination.selected), drafted.digests, accounts, withheld=withheld,
        corpus=examination.ways.corpus(examination.database),
    )  # fmt: skip
