"""A plan carried out: into new files, or in place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from migrate.applying import context_orders
from migrate.applying.errors import Refused
from migrate.applying.file_places import copies, originals
from migrate.applying.file_target import FileTarget
from migrate.applying.guard import alone
from migrate.applying.journal import PastRun, new_run_id, past_runs
from migrate.applying.judging import Judged
from migrate.applying.kata_client import Client
from migrate.applying.kata_daemon import KIND, DaemonTarget
from migrate.applying.manners import Manner, manner_of
from migrate.applying.orders import Orders, of_plan
from migrate.applying.running import Run, RunResult, Settings, check_identity
from migrate.applying.states import State
from migrate.applying.target import Target
from migrate.corpora.files import FileCorpus, open_files
from migrate.corpora.interface import CorpusError
from migrate.corpora.stores import is_store
from migrate.engine.database import Database
from migrate.engine.macros import create_plain_macros
from migrate.engine.processes import Workers, available
from migrate.naming import corpus_name
from migrate.planning.plan_file import PlanFile, read_plan


class Destination(Protocol):
    """Where a plan goes: one class a kind of place, which opens its target."""

    @property
    def mode(self) -> str:
        """``copy`` where new files are made, ``in-place`` or ``store`` where records are changed."""

    @property
    def kind(self) -> str:
        """``files``, or the kind of store."""

    def named(self, source: str) -> tuple[str, str]:
        """Of the plan's corpus: the target as it was typed, without secrets; and a name that is the same for the same place."""

    def open(self, source: str, run_id: str, past: PastRun | None, database: Database, workers: Workers) -> Target:
        """The target; ``past`` is the unfinished part of this very run."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A new file, or a new folder for shards."""

    out: Path
    mode: str = "copy"
    kind: str = "files"

    def named(self, source: str) -> tuple[str, str]:
        """The new file."""
        return str(self.out), str(self.out.resolve())

    def open(self, source: str, run_id: str, past: PastRun | None, database: Database, workers: Workers) -> Target:
        """The source's files, to be written there."""
        corpus = open_files(source)
        self._refuse_other_form(corpus)
        places = copies(corpus, self.out, past)
        return FileTarget(str(self.out), places, run_id, database, workers, self.out if len(places) > 1 else None)

    def _refuse_other_form(self, corpus: FileCorpus) -> None:
        """A name must not promise what the copy of a single file is not, unless the source's own name does."""
        suffix = self.out.suffix.lower()
        if suffix == ".parquet":
            raise CorpusError(f"{self.out}: a repaired copy is JSON lines; name it .jsonl")
        if len(corpus.shards) != 1 or suffix not in (".gz", ".zst"):
            return
        (shard,) = corpus.shards
        if suffix not in (f".{shard.compression}", shard.path.suffix.lower()):
            raise CorpusError(
                f"{self.out}: a copy is compressed as its source is, which this one is not; name it without {suffix}"
            )


@dataclass(frozen=True, slots=True)
class InPlace:
    """The files of the corpus itself."""

    mode: str = "in-place"
    kind: str = "files"

    def named(self, source: str) -> tuple[str, str]:
        """The corpus."""
        return source, str(Path(source).absolute())

    def open(self, source: str, run_id: str, past: PastRun | None, database: Database, workers: Workers) -> Target:
        """The source's files, to be replaced."""
        return FileTarget(source, originals(open_files(source).shards, run_id), run_id, database, workers)


@dataclass(frozen=True, slots=True)
class Daemon:
    """A running kata daemon."""

    uri: str
    actor: str
    mode: str = "store"
    kind: str = KIND

    def named(self, source: str) -> tuple[str, str]:
        """Its address."""
        base = Client(self.uri).base
        return base, base

    def open(self, source: str, run_id: str, past: PastRun | None, database: Database, workers: Workers) -> Target:
        """Its metadata endpoints."""
        return DaemonTarget(Client(self.uri), self.actor)


@contextmanager
def engine(settings: Settings, manner: Manner) -> Iterator[tuple[Database, Workers]]:
    """The database of a run, and the processes that share its work."""
    limits = settings.limits
    with (
        Database(limits, manner.model) as database,
        Workers(available(limits.threads), settings.progress) as workers,
    ):
        create_plain_macros(database, *manner.words())
        yield database, workers


def apply_plan(plan_path: Path, destination: Destination, settings: Settings) -> RunResult:
    """Do what a plan says: each record is compared with what the plan saw, and changed only if it is that.

    An unfinished run of the same plan to the same place is gone on with. Raises Refused (nothing was written) for an
    incomplete plan, a plan for another corpus, an output that exists, and where a record is no longer as a complete run of the plan
    left it; ApplyError or CorpusError where reading or writing fails.
    """
    plan = read_plan(plan_path)
    header = plan.header
    if not header.get("complete"):
        raise Refused(f"{plan.path} is incomplete: input was lost when it was made; mend the input and plan again")
    manner = manner_of(header["corpus"]["system"], destination.kind)
    source = header["corpus"]["uri"]
    if destination.mode != "store" and is_store(source):
        raise Refused(f"{source} is a store, which is changed itself: apply its plan without -o and --in-place")
    # An export's own encoding is none of a database's.
    encoded = bool(header["corpus"].get("text_encoded")) and (destination.mode != "store" or is_store(source))
    corpus = {**header["corpus"], "text_encoded": encoded}
    target_name, place = destination.named(source)
    runs = settings.workspace / corpus_name(source) / "runs"
    about: dict[str, Any] = {"command": "apply", "mode": destination.mode, "plan_id": header["plan_id"], "place": place}
    with alone(runs):
        earlier = past_runs(runs)
        same = [run for run in earlier if all(run.header.get(name) == value for name, value in about.items())]
        past = next((run for run in reversed(same) if not run.complete), None)
        run_id = past.run_id if past is not None else new_run_id()

        def may_begin(judged: Judged) -> None:
            if destination.mode != "copy":
                _check_not_moved(judged, [run for run in same if run.complete], earlier)

        with engine(settings, manner) as (database, workers), _orders(database, plan, manner, corpus) as orders:
            target = destination.open(source, run_id, past, database, workers)
            try:
                check_identity(orders, target, "this plan")
                system = header["corpus"]["system"]
                names = {
                    "run_id": run_id,
                    "plan": str(plan.path),
                    "system": system,
                    "source": source,
                    "target": target_name,
                }
                run = Run(orders, target, run_id, runs / run_id, {**names, **about, **target.about()}, past)
                return run.carry_out(may_begin, settings.said)
            finally:
                target.close()


def _orders(database: Database, plan: PlanFile, manner: Manner, corpus: Mapping[str, Any]) -> Orders:
    of_contexts = plan.header["corpus"].get("system") == "repository-context"
    return context_orders.of_plan(plan) if of_contexts else of_plan(database, plan, manner, corpus)


def _check_not_moved(judged: Judged, complete: Sequence[PastRun], earlier: Sequence[PastRun]) -> None:
    """Raises Refused where a record is no longer as a complete run left it, unless that run was undone."""
    if judged.count(State.AFTER) == len(judged.orders):
        return
    undone = {run.header.get("undoes") for run in earlier if run.complete}
    for run in (run for run in complete if run.run_id not in undone):
        finished = run.outcomes("applied", "already-applied")
        for number in range(len(judged.orders)):
            if judged.state(number) is not State.AFTER and judged.orders.id_json(number) in finished:
                raise Refused(
                    f"the record {judged.orders.shown(number)} is no longer as the complete run {run.run_id} left it: it was changed"
                    " since, and is not changed back; make a new plan"
                )
