"""The work of drafting: what the rules want of each record, a line a record, and the drafts of a stretch of these lines.

The engine writes the lines; several processes draft stretches of them, each into files of its own, in the order of the corpus.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from migrate.engine.database import Database
from migrate.engine.json_text import JsonError
from migrate.engine.sources import Loaded
from migrate.engine.strict import restored
from migrate.planning.conservation import Books, Ledger
from migrate.planning.drafting import Draft, Grounds, Wanted
from migrate.planning.errors import PlanError
from migrate.planning.ways import Evidence, Ways

_PORTION = 4000
"""Records that a process drafts before it asks for more."""

_JOBS = """
SELECT e.ordinal, r.id_value AS record, e.edits, f.evidence, q.requires
FROM (SELECT ordinal, list([path, code, level, value, wave::VARCHAR] ORDER BY path, wave, code, level) AS edits
      FROM {track}.edits GROUP BY ordinal) e
JOIN (SELECT ordinal, id_value FROM {track}.records) r USING (ordinal)
LEFT JOIN (SELECT f.ordinal, list([f.code, f.path, f.evidence] ORDER BY f.code, f.path) AS evidence
           FROM {track}.findings f SEMI JOIN {track}.edits USING (ordinal)
           WHERE f.evidence IS NOT NULL AND f.level IN ('safe', 'unsafe') GROUP BY f.ordinal) f USING (ordinal)
LEFT JOIN (SELECT ordinal, list([code, record, path, holds, spelled] ORDER BY code, record, path, holds, spelled) AS requires
           FROM (SELECT DISTINCT ordinal, code, record, path, holds, spelled FROM {track}.requirements) GROUP BY ordinal) q USING (ordinal)
ORDER BY e.ordinal
"""


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A stretch of the jobs, and all that a process needs for it."""

    jobs: Path
    start: int
    end: int
    raw: Sequence[tuple[Path, npt.NDArray[np.int64], npt.NDArray[np.int64]]]
    """Files with the first bytes and the lengths of the records, which follow one another through them."""
    ways: Ways
    made: Mapping[int, Evidence]
    units: Mapping[int, str]
    """Ordinal to the name of its unit."""
    withheld: Collection[int]
    output: Path
    """Where the files go; their names begin so."""


@dataclass(frozen=True, slots=True)
class Drafted:
    """What a stretch gave. The files are read in order: ``.lines``, ``.identities``, ``.states``, ``.after``."""

    output: Path
    ordinals: Sequence[int]
    """The records that change, in the order of ``.after``."""
    levels: Mapping[str, int]
    """Lines by level."""
    books: Books


def prepared(
    database: Database, loaded: Sequence[Loaded], track: str, ways: Ways, units: Mapping[int, str]
) -> list[Task]:
    """The jobs of a track, written by the engine and cut into tasks."""
    jobs = database.folder / "jobs.ndjson"
    database.run(f"COPY ({_JOBS.format(track=track)}) TO '{str(jobs).replace(chr(39), chr(39) * 2)}' (FORMAT json)")
    ordinals = np.array(
        [row[0] for row in database.rows(f"SELECT DISTINCT ordinal FROM {track}.edits ORDER BY ordinal")],
        dtype=np.int64,
    )
    if not len(ordinals):
        return []
    starts = _line_starts(jobs)
    made = ways.made(database, track)
    stretches = [
        (part, part.source.stretches(wanted - part.first, database.folder), wanted)
        for part in loaded
        if len(wanted := ordinals[(ordinals >= part.first) & (ordinals < part.first + part.count)])
    ]
    tasks = []
    for first in range(0, len(ordinals), _PORTION):
        last = min(first + _PORTION, len(ordinals))
        low, high = int(ordinals[first]), int(ordinals[last - 1])
        raw = []
        for _part, stretch, wanted in stretches:
            here = slice(*np.searchsorted(wanted, [low, high + 1]).tolist())
            if here.start < here.stop:
                raw.append((stretch.path, stretch.offsets[here], stretch.lengths[here]))
        mine = ordinals[first:last].tolist()
        tasks.append(
            Task(
                jobs, int(starts[first]), int(starts[last]), raw, ways,
                {ordinal: made[ordinal] for ordinal in mine if ordinal in made},
                {ordinal: units[ordinal] for ordinal in mine if ordinal in units},
                (), database.folder / f"drafts-{first}",
            )
        )  # fmt: skip
    return tasks


def _line_starts(path: Path) -> npt.NDArray[np.int64]:
    """Where each line of a file begins, and where the last one ends."""
    found, at = [np.zeros(1, dtype=np.int64)], 0
    with path.open("rb") as file:
        while block := file.read(1 << 24):
            found.append(np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == 10).astype(np.int64) + at + 1)
            at += len(block)
    return np.concatenate(found)


def draft_stretch(task: Task) -> Drafted:
    """Draft a stretch of the jobs. Raises PlanError where a record cannot be read as the rules read it."""
    ordinals, levels, ledger = [], Counter[str](), Ledger()
    names = [task.output.with_suffix(suffix) for suffix in (".lines", ".identities", ".states", ".after")]
    with (
        names[0].open("wb") as lines,
        names[1].open("wb") as identities,
        names[2].open("wb") as states,
        names[3].open("wb") as after,
    ):
        for job, raw in zip(_jobs(task), _raw(task), strict=True):
            ordinal = job["ordinal"]
            if ordinal in task.withheld:
                continue
            text, drafts = _drafts(task, job, raw)
            if not drafts:
                continue
            for draft in drafts:
                lines.write(draft.line.encode("utf-8") + b"\n")
                identities.write(draft.identity.encode("utf-8", "surrogatepass") + b"\n")
                states.write(f"{restored(job['record'])}\t{draft.before}\n".encode())
                levels[draft.level] += 1
                ledger.add(draft.books)
            ordinals.append(ordinal)
            after.write(task.ways.after(text, drafts).encode() + b"\n")
    return Drafted(task.output, ordinals, levels, ledger.books())


def _drafts(task: Task, job: Mapping[str, Any], raw: bytes) -> tuple[str, Sequence[Draft]]:
    ordinal, record = job["ordinal"], restored(job["record"])
    evidence: dict[str, dict[str, str]] = {code: dict(texts) for code, texts in task.made.get(ordinal, {}).items()}
    for code, where, text in job["evidence"] or ():
        evidence.setdefault(code, {})[where] = text if text.isascii() else restored(text)
    requires = [
        (code, other, where, restored(held), None if spelled is None else restored(spelled))
        for code, other, where, held, spelled in job["requires"] or ()
    ]
    wanted = [Wanted(path, code, level, value, int(wave)) for path, code, level, value, wave in job["edits"]]
    try:
        text = raw.decode("utf-8").removeprefix("\ufeff")
        return text, task.ways.draft(text, wanted, Grounds(record, evidence, requires, task.units.get(ordinal)))
    except (JsonError, UnicodeDecodeError) as error:
        raise PlanError(
            f"the record {record} has changed while it was read ({error}); check the corpus again"
        ) from error


def _jobs(task: Task) -> Iterator[dict[str, Any]]:
    with task.jobs.open("rb") as file:
        file.seek(task.start)
        for line in file.read(task.end - task.start).splitlines():
            yield orjson.loads(line)


def _raw(task: Task) -> Iterator[bytes]:
    for path, offsets, lengths in task.raw:
        with path.open("rb", buffering=1 << 20) as file:
            for offset, length in zip(offsets.tolist(), lengths.tolist(), strict=True):
                file.seek(offset)
                raw = file.read(length)
                if len(raw) != length:
                    raise PlanError(f"{path}: it became shorter while it was read; check the corpus again")
                yield raw


def joined(drafted: Sequence[Drafted], suffix: str, target: Path | None = None) -> Iterator[bytes]:
    """The bytes of one kind of file of all stretches, in order, in blocks; they are written to ``target`` as they pass."""
    sink = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600) if target is not None else None
    try:
        for part in drafted:
            with part.output.with_suffix(suffix).open("rb") as file:
                while block := file.read(1 << 20):
                    if sink is not None:
                        os.write(sink, block)
                    yield block
    finally:
        if sink is not None:
            os.close(sink)
