"""A plan into a new file: every record compared and set, everything else copied byte for byte and proven so."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from migrate.applying.comparing import State, compare, holds, key_of, spellings
from migrate.applying.errors import ApplyError, Refused
from migrate.applying.journal import Journal, new_run_id, write_result
from migrate.corpora.files import FileCorpus, open_files
from migrate.corpora.rewrite import Staged, stage
from migrate.corpora.source import ShardSource
from migrate.engine.database import Database
from migrate.engine.json_text import JsonError, elements, unquote
from migrate.engine.locating import load_ids, positions
from migrate.engine.macros import create_plain_macros
from migrate.naming import corpus_name
from migrate.planning.canonical import record_hash
from migrate.planning.drafting import stored, value_at
from migrate.planning.errors import PlanError
from migrate.planning.merge_patch import Patch
from migrate.planning.plan_file import PlanFile, read_plan
from migrate.planning.splice import splice
from migrate.rules import vocabulary
from migrate.types import Limits


@dataclass(frozen=True, slots=True)
class ApplyResult:
    """What a run did."""

    run_id: str
    out: Path
    journal: Path
    applied: int
    already: int
    stale: int
    failed: int
    records: int
    untouched_bytes: int
    complete: bool
    problems: tuple[str, ...]


@dataclass(slots=True)
class _Planned:
    """One plan line against the target."""

    key: str
    line: str
    unit: str | None
    state: State = State.OTHER
    reason: str = "no record of the target has its id"


def apply_to_file(plan_path: Path, out: Path, *, workspace: Path, limits: Limits) -> ApplyResult:
    """Write the plan's corpus again, with the planned records changed, to a new file (a folder for shards).

    Raises Refused (nothing was written) for an incomplete plan, a plan for another corpus, or an output that exists;
    ApplyError or CorpusError where reading or writing fails, with nothing left of the output.
    """
    plan = read_plan(plan_path)
    header = plan.header
    if not header.get("complete"):
        raise Refused(f"{plan.path} is incomplete: input was lost when it was made; mend the input and plan again")
    corpus = open_files(header["corpus"]["uri"])
    targets = _targets(corpus, out)
    with Database(limits) as database:
        create_plain_macros(database, vocabulary.word_lists())
        sources = [ShardSource(shard, database.folder) for shard in corpus.shards]
        if gaps := [gap for source in sources for gap in source.prepared.gaps]:
            raise Refused(f"{gaps[0].file} can no longer be read whole: {gaps[0].reason}")
        load_ids(database, sources)
        planned = _planned(plan)
        _check_target(database, header, planned)
        where = positions(database, planned.keys())
        _judge(database, sources, planned, where)
        return _write(plan, corpus, sources, targets, planned, where, workspace, out)


def _targets(corpus: FileCorpus, out: Path) -> list[Path]:
    if out.exists() or out.is_symlink():
        raise Refused(f"{out} exists already; name a new file for the output")
    if len(corpus.shards) == 1:
        return [out]
    return [out / shard.written_name for shard in corpus.shards]


def _planned(plan: PlanFile) -> dict[str, _Planned]:
    found: dict[str, _Planned] = {}
    for raw in plan.lines():
        text = raw.decode("utf-8").rstrip("\n")
        try:
            key = key_of(value_at(text, "/record") or "null")
        except JsonError as error:
            raise PlanError(f"{plan.path}: has a line that is none of a plan ({error}); make the plan anew") from error
        if key is None or key in found:
            raise PlanError(f"{plan.path}: has a line without a record of its own; make the plan anew")
        unit = value_at(text, "/unit")
        found[key] = _Planned(key, text, None if unit == "null" else unit)
    return found


def _check_target(database: Database, header: dict[str, Any], planned: dict[str, _Planned]) -> None:
    integers, uuids = database.rows(
        "SELECT count(*) FILTER (own_form(id_key) = 'integer'), count(*) FILTER (own_form(id_key) = 'uuid') FROM located"
    )[0]
    form, uri = "uuid" if uuids > integers else "integer", header["corpus"]["uri"]
    if integers + uuids and form != header["corpus"]["id_form"]:
        raise Refused(
            f"{uri} is not the corpus of this plan: its ids are {form}, the plan's are {header['corpus']['id_form']}"
        )
    if planned and not positions(database, planned.keys()):
        raise Refused(f"{uri} is not the corpus of this plan: none of the {len(planned)} planned records is in it")


def _judge(
    database: Database,
    sources: Sequence[ShardSource],
    planned: dict[str, _Planned],
    where: dict[str, list[tuple[int, int]]],
) -> None:
    """Decide for every planned record whether it is changed: its own state, what it rests on, then its unit."""
    requirements: dict[str, list[_Requirement]] = {}
    for key, _, record in _records(sources, where):
        entry = planned[key]
        line = orjson.loads(entry.line.encode("utf-8"))
        if line["before"]["hash"] == line["after"]["hash"]:
            line["spellings"] = spellings(entry.line)
        compared = compare(record, line)
        if entry.reason and entry.state is State.OTHER and entry.reason != _Planned("", "", None).reason:
            continue
        entry.state, entry.reason = compared.state, compared.reason
    for key, entry in planned.items():
        if entry.state is State.BEFORE:
            for required in _requirements(entry.line):
                other = key_of(required.record)
                if other is not None:
                    requirements.setdefault(other, []).append(dataclasses.replace(required, key=key))
    _check_requirements(database, sources, planned, requirements)
    _check_units(planned)


@dataclass(frozen=True, slots=True)
class _Requirement:
    """What another record must still hold; ids and values as JSON texts."""

    record: str
    path: str
    holds: str
    spelled: str | None
    key: str = ""
    """The key of the planned record that rests on it."""


def _requirements(line: str) -> Iterator[_Requirement]:
    text = value_at(line, "/requires") or "[]"
    for start, end in elements(text, 0):
        one = text[start:end]
        record, path, held = (value_at(one, name) or "null" for name in ("/record", "/path", "/holds"))
        yield _Requirement(record, unquote(path), held, value_at(one, "/as"))


def _check_requirements(
    database: Database,
    sources: Sequence[ShardSource],
    planned: dict[str, _Planned],
    requirements: dict[str, list[_Requirement]],
) -> None:
    if not requirements:
        return
    met: set[_Requirement] = set()
    for other, _, record in _records(sources, positions(database, requirements.keys())):
        met.update(need for need in requirements[other] if holds(record, need.path, need.holds, need.spelled))
    for needs in requirements.values():
        for need in needs:
            if need not in met:
                planned[need.key].state = State.OTHER
                planned[
                    need.key
                ].reason = (
                    f"the record {need.record} no longer has {need.holds} at {need.path}, on which this change rests"
                )


def _check_units(planned: dict[str, _Planned]) -> None:
    units: dict[str, list[_Planned]] = {}
    for entry in planned.values():
        if entry.unit is not None:
            units.setdefault(entry.unit, []).append(entry)
    for unit, entries in units.items():
        bad = next((entry for entry in entries if entry.state is State.OTHER), None)
        for entry in entries if bad is not None else ():
            if entry.state is State.BEFORE:
                entry.state = State.OTHER
                entry.reason = f"the record {bad.key[1:] if bad else ''} of its unit {unit} is stale"


def _records(
    sources: Sequence[ShardSource], where: dict[str, list[tuple[int, int]]]
) -> Iterator[tuple[str, tuple[int, int], str]]:
    """Key, place and text of the located records, file by file."""
    for number, source in enumerate(sources):
        items = {item: key for key, places in where.items() for file, item in places if file == number}
        for item, raw in source.read(sorted(items)) if items else ():
            yield items[item], (number, item), raw.decode("utf-8").removeprefix("\ufeff")


def _write(
    plan: PlanFile, corpus: FileCorpus, sources: Sequence[ShardSource], targets: Sequence[Path], planned: dict[str, _Planned],
    where: dict[str, list[tuple[int, int]]], workspace: Path, out: Path,
) -> ApplyResult:  # fmt: skip
    run_id = new_run_id()
    counts = {state: sum(entry.state is state for entry in planned.values()) for state in State}
    folder = workspace / corpus_name(corpus.uri) / "runs" / run_id
    problems = tuple(
        f"{entry.key[1:]}: stale: {entry.reason}" for entry in planned.values() if entry.state is State.OTHER
    )
    if planned and counts[State.AFTER] == len(planned):
        return ApplyResult(run_id, out, folder / "journal.jsonl", 0, len(planned), 0, 0, 0, 0, True, ())
    with Journal(
        folder,
        {
            "run_id": run_id,
            "plan_id": plan.header["plan_id"],
            "plan": str(plan.path),
            "source": corpus.uri,
            "target": str(out),
        },
    ) as journal:
        if len(corpus.shards) > 1:
            out.mkdir()
        try:
            records, untouched = _write_shards(plan, corpus, sources, targets, planned, where, journal)
        except BaseException:
            if len(corpus.shards) > 1 and not any(out.iterdir()):
                out.rmdir()
            raise
        for entry in planned.values():
            outcome = {State.BEFORE: "applied", State.AFTER: "already-applied", State.OTHER: "stale"}[entry.state]
            journal.write(
                {
                    "outcome": outcome,
                    "record": orjson.loads(value_at(entry.line, "/record") or "null"),
                    "reason": entry.reason or None,
                }
            )
        journal.write(
            {
                "complete": True,
                "applied": counts[State.BEFORE],
                "already_applied": counts[State.AFTER],
                "stale": counts[State.OTHER],
                "failed": 0,
            }
        )
        journal.flush()
    result = ApplyResult(
        run_id,
        out,
        folder / "journal.jsonl",
        counts[State.BEFORE],
        counts[State.AFTER],
        counts[State.OTHER],
        0,
        records,
        untouched,
        True,
        problems,
    )
    write_result(folder, {
        "run_id": run_id, "plan_id": plan.header["plan_id"], "out": str(out), "applied": result.applied, "already_applied": result.already,
        "stale": result.stale, "failed": 0, "records": records, "untouched_bytes": untouched, "complete": True,
    })  # fmt: skip
    return result


def _write_shards(
    plan: PlanFile, corpus: FileCorpus, sources: Sequence[ShardSource], targets: Sequence[Path], planned: dict[str, _Planned],
    where: dict[str, list[tuple[int, int]]], journal: Journal,
) -> tuple[int, int]:  # fmt: skip
    text_encoded = _is_text_encoded(plan)
    staged: list[Staged] = []
    with ExitStack() as stack:
        for number, (source, target) in enumerate(zip(sources, targets, strict=True)):
            here = {
                key: [place for place in places if place[0] == number]
                for key, places in where.items()
                if planned[key].state is State.BEFORE
            }
            changed = _changed(
                [source],
                {key: [(0, item) for _, item in places] for key, places in here.items()},
                planned,
                journal,
                text_encoded,
            )
            staged.append(stack.enter_context(stage(source.shard, target, changed)))
        journal.flush()
        proofs = [shard.verify() for shard in staged]
        for shard in staged:
            shard.commit()
    return sum(proof.records[1] for proof in proofs), sum(proof.untouched_bytes[1] for proof in proofs)


def _changed(
    sources: Sequence[ShardSource],
    where: dict[str, list[tuple[int, int]]],
    planned: dict[str, _Planned],
    journal: Journal,
    text_encoded: bool,
) -> Iterator[tuple[int, bytes]]:
    for key, (_, item), record in _records(sources, where):
        line = planned[key].line
        patch = Patch.read(value_at(line, "/patch") or "{}")
        was = stored(record)
        encoded = text_encoded and (was.metadata is None or was.metadata[:1] in '"n')
        new = splice(record, patch, text_encoded=encoded)
        now = stored(new)
        if f'"{record_hash(now.metadata, now.tags)}"' != value_at(line, "/after/hash"):
            raise ApplyError(
                f"the record {key[1:]} would not become what the plan says; nothing was written, make the plan anew"
            )
        codes, own_id = value_at(line, "/codes"), value_at(line, "/record")
        journal.write_text(
            f'{{"intent":{own_id},"codes":{codes},"old":{_texts(was.metadata, was.tags)},"new":{_texts(now.metadata, now.tags)},"version":{was.version or "null"}}}'
        )
        yield item, new.encode("utf-8")


def _texts(metadata: str | None, tags: str | None) -> str:
    """Exact old or new text of metadata and tags, each as a JSON string, null where there is none."""
    return json.dumps({"metadata": metadata, "tags": tags}, separators=(",", ":"))


def _is_text_encoded(plan: PlanFile) -> bool:
    return bool(plan.header["corpus"].get("text_encoded", False))
