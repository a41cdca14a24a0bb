"""A run taken back: every member that it touched and nobody changed since gets its old text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from migrate.applying import context_orders, context_target
from migrate.applying.apply import engine
from migrate.applying.errors import Refused
from migrate.applying.file_places import originals
from migrate.applying.file_target import FileTarget
from migrate.applying.guard import alone
from migrate.applying.journal import PastRun, new_run_id, past_run, past_runs
from migrate.applying.kata_client import Client
from migrate.applying.kata_daemon import KIND, DaemonTarget
from migrate.applying.manners import Manner, manner_of
from migrate.applying.orders import Orders, read_orders
from migrate.applying.running import Run, RunResult, Settings, check_identity
from migrate.applying.target import Target
from migrate.corpora.files import open_files
from migrate.corpora.shard import Shard
from migrate.engine.database import Database
from migrate.engine.processes import Workers

_NAMES = ("intent", "unit", "requires", "part", "outcome", "writes", "complete", "format", "posted")
"""An order is an intent; the other names are those of a journal's other lines."""


def find_run(workspace: Path, name: str) -> PastRun:
    """The run of that id in a workspace, or of that folder. Raises Refused where there is none."""
    folders = [Path(name)] if Path(name).is_dir() else sorted(workspace.glob(f"*/runs/{_as_name(name)}"))
    found = [run for folder in folders if (run := past_run(folder)) is not None]
    if not found:
        raise Refused(f"there is no run {name} in {workspace}; its folder can be named instead")
    return found[0]


def _as_name(name: str) -> str:
    return "".join(char if char.isalnum() or char in "-_." else "?" for char in name)


def undo_run(run: PastRun, at: str | None, settings: Settings) -> RunResult:
    """Take a run back, unit by unit; ``at`` says where its file is now.

    A unit with a member that was changed since is left alone. Raises Refused (nothing was written) where the file is gone or
    holds none of the run's records; ApplyError or CorpusError where reading or writing fails, and the same call goes on then.
    """
    is_file = run.header["kind"] in ("files", context_target.KIND)
    place = at if at is None or not is_file else str(Path(at).absolute())
    about: dict[str, Any] = {"command": "undo", "mode": "in-place", "undoes": run.run_id, "at": place}
    runs = run.folder.parent
    with alone(runs):
        same = [one for one in past_runs(runs) if all(one.header.get(name) == value for name, value in about.items())]
        past = next((one for one in reversed(same) if not one.complete), None)
        run_id = past.run_id if past is not None else new_run_id()
        manner = manner_of(run.header.get("system", "context-server"), run.header["kind"])
        with engine(settings, manner) as (database, workers), _of_journal(database, run, manner) as orders:
            target = _open(run, at, run_id, database, workers)
            try:
                check_identity(orders, target, f"the run {run.run_id}")
                names = {
                    "run_id": run_id,
                    "system": run.header.get("system", "context-server"),
                    "source": run.header["source"],
                    "target": target.name,
                    "plan_id": run.header.get("plan_id"),
                }
                header = {**names, **about, **target.about()}
                return Run(orders, target, run_id, runs / run_id, header, past).carry_out(said=settings.said)
            finally:
                target.close()


def _of_journal(database: Database, run: PastRun, manner: Manner) -> Orders:
    if run.header.get("kind") == context_target.KIND:
        return context_orders.of_journal(run)
    return read_orders(database, run.path, _NAMES, manner.by_journal, None, manner.inside)


def _open(run: PastRun, at: str | None, run_id: str, database: Database, workers: Workers) -> Target:
    """The target that the run wrote to, wherever it is now."""
    if run.header["kind"] == KIND:
        return DaemonTarget(Client(at or run.header["uri"]), run.header["actor"])
    if run.header["kind"] == context_target.KIND:
        return context_target.open_again(run.header, at, run_id)
    shards: Sequence[Shard]
    if at is not None:
        shards = open_files(at).shards
    else:
        files = [Path(name) for name in run.header.get("files", ())]
        gone = [path for path in files if not path.is_file()]
        if gone or not files:
            raise Refused(f"{gone[0] if gone else run.header['target']} is gone; --at PATH says where it is now")
        shards = [Shard(path) for path in files]
    return FileTarget(at or run.header["target"], originals(shards, run_id), run_id, database, workers)
