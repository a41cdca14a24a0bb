"""Exported files as a target: each shard is written anew, with the changed records in their places, and gets its name when it is proven."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from migrate.applying.errors import ApplyError, Refused
from migrate.applying.judging import Judged
from migrate.applying.orders import TABLE, Orders
from migrate.applying.states import State
from migrate.applying.stretches import Decided, Stretch, decide, decide_plain
from migrate.corpora.interface import BOM, Int64
from migrate.corpora.rewrite import Staged, discard_leftover, probe, stage
from migrate.corpora.shard import Shard
from migrate.corpora.source import ShardSource
from migrate.corpora.spooled import Spooled
from migrate.engine.database import Database
from migrate.engine.json_text import JsonError, check
from migrate.engine.locating import id_form, load_ids, places_of
from migrate.engine.processes import Workers

_STRETCH = 4_000
"""Records that are decided at once: their orders and states are what one process holds."""


@dataclass(frozen=True, slots=True)
class ShardPlace:
    """A file of the corpus, and where it goes."""

    shard: Shard
    """As it is now: the file itself, or what an unfinished run of the same plan has written of it."""
    destination: Path
    kept: Path | None
    """The name that the present file gets when it is replaced; None where the destination is new."""
    done: bool = False
    """Whether it is what an unfinished run has written already."""


@dataclass(slots=True, eq=False)
class _Copies:
    """What was decided of the planned records of one file, in its order; a record may stand there more than once."""

    numbers: Int64
    items: Int64
    decided: list[tuple[Stretch, Decided]]

    def column(self, name: str) -> Int64:
        """One column of all stretches."""
        parts = [getattr(decided, name) for _, decided in self.decided]
        return np.concatenate([np.empty(0, dtype=np.int64), *parts]).astype(np.int64)


class FileTarget:
    """Files as a target, see :class:`migrate.applying.target.Target`."""

    def __init__(
        self,
        name: str,
        places: Sequence[ShardPlace],
        run_id: str,
        database: Database,
        workers: Workers,
        folder: Path | None = None,
    ) -> None:
        """``folder`` is the new one that the files go to, where there are several."""
        self.name = name
        self.places = places
        self.records_written = 0
        """Lines of the files that were written, and their bytes outside of the changed records."""
        self.untouched_bytes = 0
        self.kept: list[Path] = []
        self._folder = folder
        self._run_id = run_id
        self._database = database
        self._workers = workers
        self._sources = [ShardSource(place.shard, database.folder) for place in places]
        if gaps := [gap for source in self._sources for gap in source.prepared.gaps]:
            raise Refused(f"{gaps[0].file} can no longer be read whole: {gaps[0].reason}")
        for place in places:
            if not place.done:
                probe(place.destination if folder is None else folder)
        load_ids(database, self._sources)
        self._copies: list[_Copies] = []

    def about(self) -> dict[str, Any]:
        """The files that are written."""
        return {"kind": "files", "files": [str(place.destination.resolve()) for place in self.places]}

    def identity(self, keys: Collection[str]) -> tuple[str | None, int]:
        """By the ids that the files hold."""
        known = int(self._database.value(f"SELECT count(*) FROM {TABLE} SEMI JOIN located USING (id_key)"))
        return id_form(self._database), known

    def look(self, orders: Orders, judged: Judged) -> None:
        """Decide every planned record once; what is to be written waits in files of the run's own folder."""
        numbers, files, items = places_of(self._database, TABLE)
        spools = 0
        for file, source in enumerate(self._sources):
            here = files == file
            copies = _Copies(numbers[here], items[here], [])
            stretches = []
            for start in range(0, len(copies.items), _STRETCH):
                part = slice(start, start + _STRETCH)
                chosen = copies.numbers[part]
                stretches.append(Stretch(
                    orders.path, orders.decider, orders.offsets[chosen], orders.lengths[chosen],
                    [orders.keys[number] for number in chosen.tolist()], self._database.folder / f"stretch-{spools}",
                ))  # fmt: skip
                spools += 1
            copies.decided = list(zip(stretches, self._decide(source, copies.items, stretches), strict=True))
            self._copies.append(copies)
            for start, (_, decided) in zip(range(0, len(copies.items), _STRETCH), copies.decided, strict=True):
                found = copies.numbers[start : start + _STRETCH]
                reasons = {int(found[position]): reason for position, reason in decided.reasons.items()}
                judged.add_all(found, decided.states, reasons)
        self._hold_differing(orders, judged)

    def _decide(self, source: ShardSource, items: Int64, stretches: Sequence[Stretch]) -> list[Decided]:
        path, compression, _ = source.shard.text
        places = source.places()
        source.shard.check_unchanged()
        if compression is not None:
            records = (raw for _, raw in source.read(items.tolist()))
            return [decide(stretch, _first(records, len(stretch.keys))) for stretch in stretches]
        tasks = []
        for start, stretch in zip(range(0, len(items), _STRETCH), stretches, strict=True):
            here = items[start : start + _STRETCH]
            tasks.append((stretch, path, places.offsets[here], places.lengths[here]))
        found = dict(self._workers.map("comparing", decide_plain, tasks))
        return [found[index] for index in range(len(tasks))]

    def _hold_differing(self, orders: Orders, judged: Judged) -> None:
        """A record that stands on several lines is changed only where they are the same."""
        found = (copies.numbers[copies.column("states") != State.NOTHING] for copies in self._copies)
        numbers = np.concatenate([np.empty(0, dtype=np.int64), *found])
        several, counts = np.unique(numbers, return_counts=True)
        repeated = [number for number in several[counts > 1].tolist() if judged.state(number) is State.BEFORE]
        texts: dict[str, set[str]] = {}
        for key, text in self.records([orders.keys[number] for number in repeated]) if repeated else ():
            texts.setdefault(key, set()).add(text)
        for number in repeated:
            if len(texts.get(orders.keys[number], ())) > 1:
                judged.strike(number, "it stands on several lines that differ")

    def records(self, keys: Collection[str]) -> Iterable[tuple[str, str]]:
        """The texts of records, as they stand; not of lines that cannot be read."""
        self._database.run(
            "CREATE OR REPLACE TEMP TABLE asked AS SELECT row_number() OVER () - 1 AS number, id_key FROM (SELECT unnest(?::VARCHAR[]) AS id_key)",
            [list(keys)],
        )
        names = self._database.column("SELECT id_key FROM asked ORDER BY number")
        numbers, files, items = places_of(self._database, "asked")
        for file, source in enumerate(self._sources):
            here = files == file
            by_item = dict(zip(items[here].tolist(), numbers[here].tolist(), strict=True))
            for item, raw in source.read(sorted(by_item)) if by_item else ():
                text = raw.removeprefix(BOM).decode("utf-8", "surrogateescape")
                try:
                    check(text)
                except JsonError:
                    continue
                yield names[by_item[item]], text

    def batches(self, numbers: Sequence[int], units: Mapping[int, Sequence[int]]) -> Iterator[FileBatch]:
        """A file a batch; one that is replaced only where something in it changes."""
        chosen = np.asarray(numbers, dtype=np.int64)
        for place, copies in zip(self.places, self._copies, strict=True):
            here = copies.numbers[np.isin(copies.numbers, chosen) & (copies.column("states") == State.BEFORE)]
            if not place.done and (len(here) or place.kept is None):
                yield FileBatch(self, place, copies, np.unique(here).tolist())

    def stage(self, place: ShardPlace, new: Spooled) -> Staged:
        """Write a file under its hidden name."""
        if self._folder is not None:
            self._folder.mkdir(exist_ok=True)
        return stage(
            place.shard,
            place.destination,
            new,
            replace=place.kept is not None,
            mark=self._run_id,
            workers=self._workers,
        )

    def wrote(self, place: ShardPlace, records: int, untouched: int) -> None:
        """A file has its name."""
        self.records_written += records
        self.untouched_bytes += untouched
        if place.kept is not None:
            self.kept.append(place.kept)

    def result(self) -> dict[str, Any]:
        """What was written and proven, and where the old files are."""
        return {
            "records": self.records_written,
            "untouched_bytes": self.untouched_bytes,
            "kept": [str(path) for path in self.kept],
        }

    def close(self) -> None:
        """Remove what a killed part of this run may have left beside the files."""
        for place in self.places:
            if place.destination.parent.is_dir():
                discard_leftover(place.destination, self._run_id)
        if self._folder is not None and self._folder.is_dir() and not any(self._folder.iterdir()):
            self._folder.rmdir()


class FileBatch:
    """The changes of one file, see :class:`migrate.applying.target.Batch`."""

    def __init__(self, target: FileTarget, place: ShardPlace, copies: _Copies, numbers: Sequence[int]) -> None:
        self.numbers = numbers
        self.failed: Mapping[int, str] = {}
        self._target = target
        self._place = place
        self._copies = copies
        self._staged: Staged | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        if self._staged is not None:
            self._staged.discard()

    def look(self, judged: Judged) -> None:
        """Nothing: the file is found unchanged when it is replaced, or it is not replaced."""

    def put(self, numbers: Sequence[int]) -> Iterator[bytes]:
        """Write the file under its hidden name; the intents were made when the records were looked at."""
        copies = self._copies
        # Of a record that stands there twice, one copy may be repaired already, and a broken line with its id is none.
        kept = np.isin(copies.numbers, np.asarray(numbers, dtype=np.int64)) & (copies.column("states") == State.BEFORE)
        places = np.flatnonzero(kept)
        first = np.zeros(len(kept), dtype=np.bool_)
        first[places[np.unique(copies.numbers[places], return_index=True)[1]]] = True
        at = 0
        for stretch, decided in copies.decided:
            here = slice(at, at + len(decided.states))
            at = here.stop
            yield from _chosen_lines(stretch.intents, decided.intents, first[here])
        self._staged = self._target.stage(self._place, _spooled(copies, kept))
        line = {"writes": str(self._place.destination.resolve()), "size": self._staged.size}
        yield json.dumps(line, separators=(",", ":")).encode() + b"\n"

    def commit(self) -> None:
        """Prove the file, and give it its name."""
        if self._staged is None:
            raise ApplyError(f"{self._place.destination}: nothing was written")
        proof = self._staged.verify()
        self._staged.commit(self._place.kept)
        self._target.wrote(self._place, proof.records[1], proof.untouched_bytes[1])


def _spooled(copies: _Copies, kept: np.ndarray[Any, np.dtype[np.bool_]]) -> Spooled:
    """The new texts of the chosen records."""
    files, offsets = [], []
    for index, (_, decided) in enumerate(copies.decided):
        files.append(np.full(len(decided.texts), index, dtype=np.int64))
        offsets.append(np.cumsum(decided.texts) - decided.texts)
    nothing = np.empty(0, dtype=np.int64)
    return Spooled(
        copies.items[kept], [stretch.texts for stretch, _ in copies.decided], np.concatenate([nothing, *files])[kept],
        np.concatenate([nothing, *offsets])[kept], copies.column("texts")[kept],
    )  # fmt: skip


def _chosen_lines(path: Path, lengths: Int64, chosen: np.ndarray[Any, np.dtype[np.bool_]]) -> Iterator[bytes]:
    """The chosen lines of a file, in blocks."""
    with path.open("rb") as file:
        if bool(chosen[lengths > 0].all()):
            while block := file.read(1 << 20):
                yield block
            return
        for length, wanted in zip(lengths.tolist(), chosen.tolist(), strict=True):
            line = file.read(length)
            if wanted:
                yield line


def _first(records: Iterator[bytes], count: int) -> Iterator[bytes]:
    for _ in range(count):
        yield next(records)
