"""A run: orders carried out on a target, each intent on the disk before it is done, each outcome after it. Apply and undo alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from migrate.applying.errors import ApplyError, Refused, TargetLost
from migrate.applying.journal import NAME, Journal, PastRun, write_result
from migrate.applying.judging import Judged
from migrate.applying.orders import Orders
from migrate.applying.states import State
from migrate.applying.target import Batch, Target
from migrate.corpora.interface import CorpusError
from migrate.types import Limits, Progress


@dataclass(frozen=True, slots=True)
class RunResult:
    """What a run did, in records."""

    run_id: str
    target: str
    journal: Path | None
    """None where nothing was to do, and so nothing was written."""
    applied: int
    already: int
    stale: int
    failed: int
    problems: tuple[str, ...]
    """A sentence a record that was left alone."""
    resumed: bool = False
    records: int = 0
    untouched_bytes: int = 0
    kept: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every record is as the orders want it."""
        return not self.stale + self.failed


def _say_nothing(sentence: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What every run needs to know of its surroundings."""

    workspace: Path
    limits: Limits
    said: Callable[[str], None] = _say_nothing
    """Told what would be true if the run ended now, in words."""
    progress: Progress | None = None


def _may_always(judged: Judged) -> None:
    """Nothing forbids the run."""


@dataclass(slots=True)
class Run:
    """One run."""

    orders: Orders
    target: Target
    run_id: str
    folder: Path
    """Where its journal is."""
    header: dict[str, Any]
    past: PastRun | None = None
    """Its own unfinished part, if it was begun before."""
    failed: dict[int, str] = field(default_factory=dict)
    made: set[str] = field(default_factory=set)
    """Keys of the records that it has changed."""

    def carry_out(
        self, may_begin: Callable[[Judged], None] = _may_always, said: Callable[[str], None] = _say_nothing
    ) -> RunResult:
        """Do what the orders say, where the records allow it. ``may_begin`` raises Refused where what was found forbids the run.

        Raises Refused with nothing written, ApplyError where the run had to stop (what is done is journalled, the same run
        again goes on).
        """
        try:
            return self._carry_out(may_begin, said)
        except OSError as error:
            what = error.filename or self.target.name
            raise ApplyError(
                f"{what} cannot be written or read: {error.strerror or error}; what is done is in the journal, the same command again goes on"
            ) from error

    def _carry_out(self, may_begin: Callable[[Judged], None], said: Callable[[str], None]) -> RunResult:
        judged = Judged(self.orders)
        self.target.look(self.orders, judged)
        made = self._made_before(judged)
        self.made.update(self.orders.keys[number] for number in made)
        judged.settle(self.target.records, made=self.made)
        may_begin(judged)
        if self.past is None and judged.count(State.AFTER) == len(self.orders):
            return RunResult(self.run_id, self.target.name, None, 0, len(self.orders), 0, 0, ())
        chosen = judged.chosen()
        with self._journal() as journal:
            done = [*made, *self._batches(judged, chosen, journal, said)]
            return self._finish(judged, journal, done, made)

    def _made_before(self, judged: Judged) -> list[int]:
        """The orders that an unfinished part of this run has carried out: it meant to, and they are."""
        if self.past is None:
            return []
        meant = self.past.intents()
        return [
            n for n in range(len(self.orders)) if judged.state(n) is State.AFTER and self.orders.id_json(n) in meant
        ]

    def _journal(self) -> Journal:
        return Journal.begin(self.folder, self.header) if self.past is None else Journal.go_on(self.past.path)

    def _batches(
        self, judged: Judged, chosen: Sequence[int], journal: Journal, said: Callable[[str], None]
    ) -> list[int]:
        together = {number: numbers for numbers in self.orders.units.values() for number in numbers}
        done: list[int] = []
        for batch in self.target.batches(chosen, together):
            try:
                written = self._write(judged, batch, journal)
            except (CorpusError, TargetLost) as error:
                raise self._stopped(error, done) from error
            self._tell(journal, "applied", ((number, "") for number in written))
            done += written
            self.made.update(self.orders.keys[number] for number in written)
            said(f"{len(done):,} of {len(chosen):,} records are changed (run {self.run_id})")
        return done

    def _write(self, judged: Judged, batch: Batch, journal: Journal) -> list[int]:
        with batch:
            batch.look(judged)
            judged.settle(self.target.records, batch.numbers, self.made)
            for lines in batch.put([number for number in batch.numbers if judged.state(number) is State.BEFORE]):
                journal.write_lines(lines)
            journal.flush()
            batch.commit()
            for line in getattr(batch, "notes", ()):
                journal.write_lines(line)
            self.failed.update(batch.failed)
            return [n for n in batch.numbers if judged.state(n) is State.BEFORE and n not in batch.failed]

    def _stopped(self, error: Exception, done: Sequence[int]) -> ApplyError:
        if done:
            return ApplyError(
                f"{error}; {len(done):,} records are changed, the same command again goes on (run {self.run_id})"
            )
        return ApplyError(f"{error}; the same command again goes on (run {self.run_id})")

    def _tell(self, journal: Journal, outcome: str, numbers: Iterable[tuple[int, str]]) -> None:
        """Journal the outcomes that its unfinished part has not told already."""
        told = self.past.outcomes(outcome) if self.past is not None else ()
        found = ((self.orders.id_json(number), reason) for number, reason in numbers)
        journal.outcomes(outcome, (each for each in found if each[0] not in told))

    def _finish(self, judged: Judged, journal: Journal, done: list[int], made: Sequence[int]) -> RunResult:
        orders, finished = self.orders, set(done)
        already = [n for n in range(len(orders)) if n not in finished and judged.state(n) is State.AFTER]
        stale = [n for n in judged.stale() if n not in self.failed]
        self._tell(journal, "applied", ((number, "") for number in made))
        self._tell(journal, "already-applied", ((number, "") for number in already))
        self._tell(journal, "stale", ((number, judged.reason(number)) for number in stale))
        self._tell(journal, "failed", self.failed.items())
        counts = {
            "applied": len(done),
            "already_applied": len(already),
            "stale": len(stale),
            "failed": len(self.failed),
        }
        journal.flush()
        more = self.target.result()
        about = {name: value for name, value in self.header.items() if name != "format"}
        write_result(self.folder, {**about, **counts, **more, "complete": True})
        journal.write({"complete": True, **counts})
        journal.flush()
        problems = [
            *_problems(orders, "stale", ((number, judged.reason(number)) for number in stale)),
            *_problems(orders, "failed", self.failed.items()),
        ]
        return RunResult(
            self.run_id, self.target.name, self.folder / NAME, len(done), len(already), len(stale), len(self.failed), tuple(problems),
            self.past is not None, more.get("records", 0), more.get("untouched_bytes", 0), tuple(more.get("kept", ())),
        )  # fmt: skip


def _problems(orders: Orders, word: str, numbers: Iterable[tuple[int, str]]) -> list[str]:
    return [f"{orders.shown(number)}: {word}: {reason}" for number, reason in numbers]


def check_identity(orders: Orders, target: Target, whose: str) -> None:
    """Raises Refused where the target is another corpus than that of the orders: ``whose`` ids they are, in words."""
    form, known = target.identity(orders.keys)
    if form is not None and orders.id_form is not None and form != orders.id_form:
        raise Refused(
            f"{target.name} is not the corpus of {whose}: its ids are {form}, the plan's are {orders.id_form}"
        )
    if len(orders) and not known:
        raise Refused(f"{target.name} is not the corpus of {whose}: none of the {len(orders)} planned records is in it")
