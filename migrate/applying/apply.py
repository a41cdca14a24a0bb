"""A plan into a new file: every record compared and set, everything else copied byte for byte and proven so."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from migrate.applying.comparing import State, compare, holds, own_key
from migrate.applying.errors import ApplyError, Refused
from migrate.applying.journal import Journal, new_run_id, write_result
from migrate.applying.planned import PlanIndex, Planned, Requirement
from migrate.corpora.files import FileCorpus, open_files
from migrate.corpora.interface import CorpusError
from migrate.corpora.rewrite import Staged, stage
from migrate.corpora.source import ShardSource
from migrate.engine.database import Database
from migrate.engine.locating import load_ids, positions
from migrate.engine.macros import create_plain_macros
from migrate.naming import corpus_name
from migrate.planning.canonical import record_hash
from migrate.planning.drafting import stored, value_at
from migrate.planning.merge_patch import Patch
from migrate.planning.plan_file import read_plan
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
        with PlanIndex(plan) as index:
            _check_target(database, header, index)
            where = positions(database, index.entries.keys())
            _judge(database, sources, index, where)
            return _write(corpus, sources, targets, index, where, workspace, out)


def _targets(corpus: FileCorpus, out: Path) -> list[Path]:
    if len(corpus.shards) == 1 and out.is_dir():
        raise CorpusError(f"{out} is a folder; name a new file for the output")
    if out.exists() or out.is_symlink():
        raise Refused(f"{out} exists already; name a new file for the output")
    if len(corpus.shards) == 1:
        return [out]
    return [out / shard.written_name for shard in corpus.shards]


def _check_target(database: Database, header: dict[str, Any], index: PlanIndex) -> None:
    integers, uuids = database.rows(
        "SELECT count(*) FILTER (own_form(id_key) = 'integer'), count(*) FILTER (own_form(id_key) = 'uuid') FROM located"
    )[0]
    form, uri = "uuid" if uuids > integers else "integer", header["corpus"]["uri"]
    if integers + uuids and form != header["corpus"]["id_form"]:
        raise Refused(
            f"{uri} is not the corpus of this plan: its ids are {form}, the plan's are {header['corpus']['id_form']}"
        )
    if index.entries and not positions(database, index.entries.keys()):
        number = len(index.entries)
        raise Refused(f"{uri} is not the corpus of this plan: none of the {number} planned records is in it")


def _judge(
    database: Database, sources: Sequence[ShardSource], index: PlanIndex, where: dict[str, list[tuple[int, int]]]
) -> None:
    """Decide for every planned record whether it is changed: its own state, what it rests on, then its unit."""
    for key, _, record in _records(sources, where):
        entry = index.entries[key]
        found = compare(record, entry.before, entry.after, entry.version, lambda entry=entry: index.line(entry))  # type: ignore[misc]
        # A record that stands on several lines is as stale as its worst one, and done when all are.
        if (
            entry.state is None
            or (entry.state is State.AFTER and found.state is not State.AFTER)
            or found.state is State.OTHER
        ):
            entry.state, entry.reason = found.state, found.reason
    for entry in index.entries.values():
        if entry.state is None:
            entry.state = State.OTHER
    _check_requirements(database, sources, index)
    _check_units(index)


def _check_requirements(database: Database, sources: Sequence[ShardSource], index: PlanIndex) -> None:
    needs: dict[str, list[Requirement]] = {}
    for entry in index.entries.values():
        if entry.rests and entry.state is State.BEFORE:
            for need in index.requirements(entry):
                needs.setdefault(own_key(need.record) or "", []).append(need)
    if not needs:
        return
    id_form = index.plan.header["corpus"]["id_form"]
    met: set[Requirement] = set()
    for other, _, record in _records(sources, positions(database, needs.keys())):
        met.update(need for need in needs[other] if holds(record, need.path, need.holds, need.spelled, id_form))
    for need in (need for wanted in needs.values() for need in wanted if need not in met):
        entry = index.entries[need.key]
        entry.state = State.OTHER
        entry.reason = f"the record {need.record} no longer has {need.holds} at {need.path}, on which this change rests"


def _check_units(index: PlanIndex) -> None:
    units: dict[str, list[Planned]] = {}
    for entry in index.entries.values():
        if entry.unit is not None:
            units.setdefault(entry.unit, []).append(entry)
    for unit, entries in units.items():
        bad = next((entry for entry in entries if entry.state is State.OTHER), None)
        for entry in entries if bad is not None else ():
            if entry.state is State.BEFORE and bad is not None:
                entry.state = State.OTHER
                entry.reason = f"the record {bad.key[1:]} of its unit {unit} is stale"


def _records(
    sources: Sequence[ShardSource], where: dict[str, list[tuple[int, int]]]
) -> Iterator[tuple[str, tuple[int, int], str]]:
    """Key, place and text of the located records, file by file."""
    for number, source in enumerate(sources):
        items = {item: key for key, places in where.items() for file, item in places if file == number}
        for item, raw in source.read(sorted(items)) if items else ():
            yield items[item], (number, item), raw.decode("utf-8").removeprefix("\ufeff")


def _write(
    corpus: FileCorpus, sources: Sequence[ShardSource], targets: Sequence[Path], index: PlanIndex,
    where: dict[str, list[tuple[int, int]]], workspace: Path, out: Path,
) -> ApplyResult:  # fmt: skip
    run_id = new_run_id()
    plan, entries = index.plan, index.entries.values()
    counts = {state: sum(entry.state is state for entry in entries) for state in State}
    folder = workspace / corpus_name(corpus.uri) / "runs" / run_id
    if counts[State.AFTER] == len(entries):
        return ApplyResult(run_id, out, folder / "journal.jsonl", 0, len(entries), 0, 0, 0, 0, True, ())
    problems = tuple(f"{entry.key[1:]}: stale: {entry.reason}" for entry in entries if entry.state is State.OTHER)
    about = {"plan_id": plan.header["plan_id"], "plan": str(plan.path), "source": corpus.uri, "target": str(out)}
    with Journal(folder, {"run_id": run_id, **about}) as journal:
        several = len(corpus.shards) > 1
        if several:
            out.mkdir()
        try:
            records, untouched = _write_shards(sources, targets, index, where, journal)
        except BaseException:
            if several and not any(out.iterdir()):
                out.rmdir()
            raise
        words = {State.BEFORE: "applied", State.AFTER: "already-applied", State.OTHER: "stale"}
        for entry in entries:
            outcome = words[entry.state or State.OTHER]
            own_id = entry.key[1:] if entry.key[0] == "i" else json.dumps(entry.key[1:])
            journal.write_text(
                f'{{"outcome":"{outcome}","record":{own_id},"reason":{json.dumps(entry.reason or None)}}}'
            )
        done = {
            "applied": counts[State.BEFORE],
            "already_applied": counts[State.AFTER],
            "stale": counts[State.OTHER],
            "failed": 0,
        }
        journal.write({"complete": True, **done})
        journal.flush()
    write_result(
        folder,
        {"run_id": run_id, **about, **done, "records": records, "untouched_bytes": untouched, "complete": True},
    )
    return ApplyResult(
        run_id, out, folder / "journal.jsonl", counts[State.BEFORE], counts[State.AFTER], counts[State.OTHER], 0, records, untouched, True, problems
    )  # fmt: skip


def _write_shards(
    sources: Sequence[ShardSource], targets: Sequence[Path], index: PlanIndex, where: dict[str, list[tuple[int, int]]], journal: Journal
) -> tuple[int, int]:  # fmt: skip
    """Write every shard beside its target, prove them all, then give them their names. Lines and untouched bytes."""
    staged: list[Staged] = []
    with ExitStack() as stack:
        for number, (source, target) in enumerate(zip(sources, targets, strict=True)):
            here = {
                key: [(0, item) for file, item in places if file == number]
                for key, places in where.items()
                if index.entries[key].state is State.BEFORE
            }
            staged.append(stack.enter_context(stage(source.shard, target, _changed(source, here, index, journal))))
        journal.flush()
        proofs = [shard.verify() for shard in staged]
        for shard in staged:
            shard.commit()
    return sum(proof.records[1] for proof in proofs), sum(proof.untouched_bytes[1] for proof in proofs)


def _changed(
    source: ShardSource, where: dict[str, list[tuple[int, int]]], index: PlanIndex, journal: Journal
) -> Iterator[tuple[int, bytes]]:
    text_encoded = bool(index.plan.header["corpus"].get("text_encoded", False))
    for key, (_, item), record in _records([source], where):
        entry = index.entries[key]
        line = index.line(entry)
        was = stored(record)
        encoded = text_encoded and (was.metadata is None or was.metadata[:1] in '"n')
        new = splice(record, Patch.read(value_at(line, "/patch") or "{}"), text_encoded=encoded)
        now = stored(new)
        if record_hash(now.metadata, now.tags) != entry.after:
            raise ApplyError(
                f"the record {key[1:]} would not become what the plan says; nothing was written, make the plan anew"
            )
        codes, own_id = value_at(line, "/codes"), value_at(line, "/record")
        journal.write_text(
            f'{{"intent":{own_id},"codes":{codes},"old":{_texts(was.metadata, was.tags)},"new":{_texts(now.metadata, now.tags)},'
            f'"version":{was.version or "null"}}}'
        )
        yield item, new.encode("utf-8")


def _texts(metadata: str | None, tags: str | None) -> str:
    """Exact old or new text of metadata and tags, each as a JSON string, null where there is none."""
    return json.dumps({"metadata": metadata, "tags": tags}, separators=(",", ":"))
