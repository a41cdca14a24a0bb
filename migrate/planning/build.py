"""A plan from an examination: drafted record by record, checked again by every rule, and written only if its books balance."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Protocol

import orjson

import migrate
from migrate.engine import loading, tracks
from migrate.engine.database import Database
from migrate.engine.json_text import JsonError
from migrate.engine.model import PACKAGE
from migrate.engine.sources import Loaded
from migrate.engine.strict import readable, readable_metadata, restored
from migrate.engine.tracks import RuleSet
from migrate.planning.chosen import chosen_options
from migrate.planning.conservation import Books
from migrate.planning.drafting import Draft, Grounds, Wanted, draft
from migrate.planning.errors import PlanError
from migrate.planning.grouped import grouped
from migrate.planning.plan_file import FORMAT, Plan, plan_options
from migrate.types import Options, Progress, Summary

_BATCH = 10_000


class Examined(Protocol):
    """What the planner asks of a run."""

    database: Database
    loaded: list[Loaded]
    rules: RuleSet
    selected: tuple[str, ...]
    options: Options
    summary: Summary
    progress: Progress | None


@dataclass(slots=True)
class _Drafted:
    """What one pass over the changed records gave."""

    ordinals: list[int]
    plan_hash: Any
    fingerprint: Any
    body: Any
    books: Books
    levels: dict[str, int]


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
    database.script(PACKAGE, "requirements.sql")
    units = _units(database)
    path = database.folder / "plan-lines.jsonl"
    withheld: set[int] = set()
    while True:
        drafted = _draft_all(examination, track, units, withheld, path)
        faults = _recheck(examination, track, drafted.ordinals, units) - withheld
        if not faults:
            break
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
                [sorted(withheld)],
            )
        ]
        if withheld
        else []
    )
    return Plan(_header(examination, options, drafted, names), path, tuple(names))


def _draft_all(
    examination: Examined, track: str, units: dict[int, tuple[int, str]], withheld: set[int], path: Path
) -> _Drafted:
    database = examination.database
    text_encoded = bool(database.value("SELECT getvariable('text_encoded')"))
    wanted = grouped(database.stream(
        f"SELECT ordinal, path, code, level, value, wave FROM {track}.edits ORDER BY ordinal, path, wave, code, level"))  # fmt: skip
    evidence = grouped(database.stream(
        f"SELECT ordinal, code, path, evidence FROM {track}.findings WHERE evidence IS NOT NULL AND level IN ('safe', 'unsafe') ORDER BY ordinal, code, path"))  # fmt: skip
    requires = grouped(database.stream(
        f"SELECT DISTINCT ordinal, code, record, path, holds, spelled FROM {track}.requirements ORDER BY ALL"))  # fmt: skip
    made = dict(database.rows(
        f"SELECT m.ordinal, to_json({{'asked_by': list(id_value::JSON ORDER BY length(id_value), id_value)}})::VARCHAR FROM"
        f" (SELECT DISTINCT m.ordinal, n.id_value FROM {track}.made_edges m JOIN {track}.nodes n ON n.ordinal = m.asked_by) m GROUP BY m.ordinal"))  # fmt: skip

    def grounds_of(ordinal: int) -> dict[str, dict[str, str]]:
        found: dict[str, dict[str, str]] = {"CS504": {"": made[ordinal]}} if ordinal in made else {}
        for code, where, text in evidence(ordinal):
            found.setdefault(code, {})[where] = restored(text)
        return found

    ordinals = [row[0] for row in database.rows(f"SELECT DISTINCT ordinal FROM {track}.edits ORDER BY ordinal")]
    ids = dict(
        database.rows(
            f"SELECT ordinal, id_value FROM {track}.records WHERE ordinal IN (SELECT ordinal FROM {track}.edits)"
        )
    )
    out = _Drafted([], hashlib.sha256(), hashlib.sha256(), hashlib.sha256(), Books(), {"safe": 0, "unsafe": 0})
    total = Books()

    def after() -> Iterator[str]:
        nonlocal total
        with path.open("wb") as file:
            for place, (ordinal, raw) in enumerate(_raw(examination.loaded, ordinals)):
                if examination.progress is not None and place % 1000 == 0:
                    examination.progress("planning", place, len(ordinals))
                edits = [Wanted(*row) for row in wanted(ordinal)]
                needs = [
                    (code, record, where, restored(held), None if spelled is None else restored(spelled))
                    for code, record, where, held, spelled in requires(ordinal)
                ]
                unit = units[ordinal][1] if ordinal in units else None
                grounds = Grounds(ids[ordinal], grounds_of(ordinal), needs, unit)
                if ordinal in withheld:
                    continue
                proposed = _drafted(raw, edits, grounds, text_encoded)
                if proposed is None:
                    continue
                raw_line = proposed.line.encode("utf-8") + b"\n"
                file.write(raw_line)
                out.body.update(raw_line)
                out.ordinals.append(ordinal)
                out.plan_hash.update(proposed.identity.encode("utf-8", "surrogatepass") + b"\n")
                out.fingerprint.update(f"{grounds.record}\t{proposed.before}\n".encode())
                out.levels[proposed.level] += 1
                total += proposed.books
                metadata = readable_metadata(proposed.metadata or "null")
                yield f'{{"metadata":{metadata},"tags":{readable(proposed.tags or "null")}}}'

    loading.read_planned(database, after())
    out.books = total
    return out


def _drafted(raw: bytes, edits: Sequence[Wanted], grounds: Grounds, text_encoded: bool) -> Draft | None:
    try:
        return draft(raw.decode("utf-8").removeprefix("\ufeff"), edits, grounds, text_encoded=text_encoded)
    except (JsonError, UnicodeDecodeError) as error:
        raise PlanError(
            f"the record {grounds.record} has changed while it was read ({error}); check the corpus again"
        ) from error


def _raw(loaded: Sequence[Loaded], ordinals: Sequence[int]) -> Iterator[tuple[int, bytes]]:
    place = 0
    for part in loaded:
        end = place
        while end < len(ordinals) and ordinals[end] < part.first + part.count:
            end += 1
        if end > place:
            for index, raw in part.source.read([ordinal - part.first for ordinal in ordinals[place:end]]):
                yield part.first + index, raw
        place = end


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
    to light (a promoted record is judged as v1, a moved label is a tag) is for the person who asked for it.
    """
    if not ordinals:
        return set()
    database = examination.database
    try:
        tracks.build_after(database, list(ordinals), examination.rules, examination.progress)
        known = "SELECT ordinal, code, path FROM safe.findings" + (
            " UNION SELECT ordinal, code, path FROM unsafe.findings" if track == "unsafe" else ""
        )
        rows = database.rows(
            f"""
            SELECT DISTINCT a.ordinal FROM after.findings a
            SEMI JOIN main.planned p USING (ordinal)
            LEFT JOIN ({known}) k USING (ordinal, code, path)
            LEFT JOIN (SELECT DISTINCT ordinal FROM {track}.edits WHERE level = 'unsafe') inferred USING (ordinal)
            WHERE a.level = 'safe' OR (k.ordinal IS NULL AND inferred.ordinal IS NULL)
            """
        )
    finally:
        database.run(f"SET search_path = '{track},main'")
        database.set("track", track)
    faults = {row[0] for row in rows}
    struck = {units[ordinal][0] for ordinal in faults if ordinal in units}
    return faults | {ordinal for ordinal in ordinals if ordinal in units and units[ordinal][0] in struck}


def _header(examination: Examined, options: Options, drafted: _Drafted, withheld: Sequence[str]) -> dict[str, Any]:
    summary = examination.summary
    chosen = chosen_options(options, examination.selected)
    drafted.plan_hash.update(plan_options(chosen, summary.id_form))
    fingerprint = hashlib.sha256(f"{summary.records}\n".encode() + drafted.fingerprint.digest()).hexdigest()
    accounts = {
        field.name: getattr(drafted.books, field.name) for field in fields(drafted.books) if field.name != "unexplained"
    }
    return {
        "format": FORMAT,
        "plan_id": drafted.plan_hash.hexdigest()[:16],
        "body": f"sha256:{drafted.body.hexdigest()}",
        "complete": summary.complete,
        "tool": {"name": "corpus-migrate", "version": migrate.__version__},
        "corpus": {
            "system": summary.system,
            "uri": summary.uri,
            "id_form": summary.id_form,
            "records": summary.records,
            "text_encoded": bool(examination.database.value("SELECT getvariable('text_encoded')")),
            "fingerprint": f"sha256:{fingerprint}",
        },
        "options": chosen,
        "counts": {
            "records": summary.records,
            "patches": len(drafted.ordinals),
            "safe": drafted.levels["safe"],
            "unsafe": drafted.levels["unsafe"],
            "findings": {rule.code: rule.findings for rule in summary.rules},
            "withheld": len(withheld),
        },
        "withheld": [orjson.loads(name) for name in withheld],
        "gaps": [{"file": gap.file, "reason": gap.reason} for gap in summary.gaps],
        "conservation": {
            name: dict(sorted(value.items())) if isinstance(value, dict) else value for name, value in accounts.items()
        },
        "created_at": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
