"""Somebody else writes while a plan is applied, or the process dies: no edit is lost, none is written over, nothing is done twice."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from databases import Row, make_postgres, make_sqlite
from running import Run

from migrate.applying import postgres_target, sqlite_target

FAULTY = '{"n":%d,"status":"Done","kind":"plan","schema_version":1,"links":{"related":["%032x"]}}'
NUMBER = 2000


class Store:
    """A store of the tests; ``connect`` gives a connection of another writer."""

    def __init__(self, uri: str, connect: Callable[[], Any]) -> None:
        self.uri = uri
        self.connect = connect
        self.sqlite = uri.startswith("sqlite")

    def edit(self, connection: Any, own_id: str) -> None:
        """Another writer's change: whatever the record is now, and one member more."""
        if self.sqlite:
            connection.execute(
                "UPDATE context_entries SET metadata = json_set(metadata, '$.mine', 1), version = version + 1 WHERE id = ?",
                [own_id],
            )
        else:
            connection.execute(
                "UPDATE context_entries SET metadata = metadata || '{\"mine\": 1}', version = version + 1 WHERE id = %s",
                [own_id],
            )

    def changed(self) -> int:
        """How many changes were committed."""
        with contextlib.closing(self.connect()) as connection:
            return committed(connection)

    def records(self) -> dict[str, tuple[dict[str, Any], int]]:
        """Metadata and version by id."""
        with contextlib.closing(self.connect()) as connection:
            cast = "" if self.sqlite else "::text"
            rows = connection.execute(f"SELECT id, metadata{cast}, version FROM context_entries").fetchall()
        return {str(own).replace("-", ""): (json.loads(metadata), version) for own, metadata, version in rows}


def own_id(number: int) -> str:
    return f"0198{number:028x}"


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    rows = [Row(own_id(number), FAULTY % (number, int(own_id(number + 1), 16)), ["plan"]) for number in range(NUMBER)]
    if request.param == "sqlite":
        path = make_sqlite(tmp_path / "a.db", "3.x", rows)
        return Store(f"sqlite:///{path}", lambda: sqlite3.connect(path, isolation_level=None, timeout=1.0))
    uri = make_postgres(request.getfixturevalue("postgres"), "race", "3.x", rows)
    return Store(uri, lambda: psycopg.connect(uri, autocommit=True))


def committed(connection: Any) -> int:
    """How many changes a connection sees."""
    return int(connection.execute("SELECT sum(version) FROM context_entries").fetchone()[0])


def begin(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """The command line in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.Popen(
        [sys.executable, "-m", "migrate", *arguments], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )  # fmt: skip


def planned(run: Run, store: Store) -> None:
    assert run("plan", store.uri, "-o", "p", "--select", "CS201").exit_code == 0


def test_edits_of_another_writer_are_never_lost(run: Run, store: Store, tmp_path: Path) -> None:
    """Nor does it wait a second for its turn: that is as long as its connection has patience."""
    planned(run, store)
    chance = random.Random(5)
    edited: set[str] = set()
    process = begin(tmp_path, "apply", "p", "--yes", "--format", "json")
    with contextlib.closing(store.connect()) as connection:
        if not store.sqlite:
            connection.execute("SET lock_timeout = '1s'")
        while process.poll() is None:
            record = own_id(chance.randrange(NUMBER))
            store.edit(connection, record)
            edited.add(record)
            time.sleep(0.002)
    told = json.loads(process.communicate()[0])
    after = store.records()
    assert len(edited) > 50
    assert told["stale"] and told["applied"] and not told["failed"]
    assert process.returncode == 5
    named = {problem.partition(":")[0] for problem in told["problems"]}
    assert told["stale"] == NUMBER - told["applied"]
    repaired = {record for record, (metadata, _) in after.items() if metadata["status"] == "done"}
    assert len(repaired) == told["applied"]
    assert named <= after.keys() - repaired <= edited
    for record in edited:
        assert after[record][0]["mine"] == 1


@pytest.mark.parametrize("signal_number", [signal.SIGKILL, signal.SIGTERM])
def test_a_run_that_dies_is_finished_by_the_same_command(
    run: Run, store: Store, tmp_path: Path, signal_number: signal.Signals
) -> None:
    planned(run, store)
    chance = random.Random(int(signal_number))
    partly = 0
    for turn in range(20):
        process = begin(tmp_path, "apply", "p", "--yes")
        before, done = _journalled(tmp_path), store.changed()
        if turn % 2 == 0:
            # Behind a commit, which is somewhere on the way however fast the machine is; to connect may take as long as the rest.
            with contextlib.closing(store.connect()) as watching:
                while process.poll() is None and committed(watching) == done:
                    time.sleep(0.001)
        else:
            while process.poll() is None and _journalled(tmp_path) == before:
                time.sleep(0.01)
            time.sleep(chance.random() * 0.02 * turn)
        process.send_signal(signal_number)
        output = process.communicate()
        changed = store.changed()
        if output[0]:
            break  # it had ended when the signal came
        assert process.returncode in (-signal.SIGKILL, 130), output
        partly += 0 < changed < NUMBER
    assert partly, "no run was stopped on its way"
    assert run("apply", "p", "--yes").exit_code == 0
    once = {record: (metadata["status"], version) for record, (metadata, version) in store.records().items()}
    assert set(once.values()) == {("done", 1)} and len(once) == NUMBER
    (journal,) = tmp_path.glob("reports/*/runs/2*/journal.jsonl")
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    applied = [line["record"] for line in lines if line.get("outcome") == "applied"]
    assert len(applied) == len(set(applied)) == NUMBER == lines[-1]["applied"]
    assert run("undo", journal.parent.name, "--yes").exit_code == 0
    back = store.records()
    assert {(metadata["status"], version) for metadata, version in back.values()} == {("Done", 2)}


def _journalled(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("reports/*/runs/2*/journal.jsonl"))


@contextlib.contextmanager
def locked(store: Store, seconds: float) -> Iterator[None]:
    """Another writer has changed a record, and commits only after so long."""
    begun, released = threading.Event(), threading.Event()

    def hold() -> None:
        with contextlib.closing(store.connect()) as connection:
            connection.execute("BEGIN IMMEDIATE" if store.sqlite else "BEGIN")
            store.edit(connection, own_id(7))
            begun.set()
            released.wait(seconds)
            connection.execute("COMMIT")

    thread = threading.Thread(target=hold)
    thread.start()
    try:
        assert begun.wait(10)
        yield
    finally:
        released.set()
        thread.join()


def test_a_lock_of_three_seconds_is_waited_for(run: Run, store: Store) -> None:
    planned(run, store)
    with locked(store, 3):
        result = run("apply", "p", "--yes", "--format", "json")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["stale"], told["applied"]) == (5, 1, NUMBER - 1)
    assert store.records()[own_id(7)][0]["mine"] == 1


def check_patience(run: Run, store: Store, seconds: float) -> None:
    """The run gives up, says so, and is finished by the same command."""
    planned(run, store)
    with locked(store, seconds):
        result = run("apply", "p", "--yes")
    assert result.exit_code == 5
    assert "another writer has kept" in result.stderr and "the same command again goes on" in result.stderr
    before = store.records()
    assert before[own_id(7)][0]["mine"] == 1 and before[own_id(7)][0]["status"] == "Done"
    result = run("apply", "p", "--yes", "--format", "json")
    assert json.loads(result.stdout)["stale"] == 1
    assert sum(metadata["status"] == "done" for metadata, _ in store.records().values()) == NUMBER - 1


def test_a_lock_beyond_all_patience_ends_the_run(run: Run, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (sqlite_target, postgres_target):
        monkeypatch.setattr(module, "PATIENCE", 1.0)
    check_patience(run, store, 4)


@pytest.mark.slow
def test_a_lock_of_forty_seconds_ends_the_run(run: Run, store: Store) -> None:
    check_patience(run, store, 40)


def test_a_connection_that_is_lost_ends_the_run(run: Run, postgres: str, tmp_path: Path) -> None:
    rows = [Row(own_id(number), FAULTY % (number, 1), ["plan"]) for number in range(NUMBER)]
    uri = make_postgres(postgres, "lost", "3.x", rows)
    store = Store(uri, lambda: psycopg.connect(uri, autocommit=True))
    planned(run, store)
    process = begin(tmp_path, "apply", "p", "--yes")
    while process.poll() is None and not _journalled(tmp_path):
        time.sleep(0.01)
    with contextlib.closing(store.connect()) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'corpus-migrate'"
        )
    _, said = process.communicate()
    assert process.returncode == 5, said
    assert "the same command again goes on" in said
    assert run("apply", "p", "--yes").exit_code == 0
    assert {(metadata["status"], version) for metadata, version in store.records().values()} == {("done", 1)}
