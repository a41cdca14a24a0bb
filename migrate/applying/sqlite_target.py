"""A context server's SQLite database as a target: one writer at a time, for as short as can be."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from migrate.applying.deciding import Decision
from migrate.applying.errors import ApplyError
from migrate.applying.store_target import StoreBatch, StoreTarget, changed
from migrate.corpora.interface import CorpusError
from migrate.corpora.sqlite_store import SqliteStore

PATIENCE = 30.0
"""Seconds to wait for another writer in all."""
_ATTEMPT = 0.5
"""Seconds of one attempt: between two of them an interruption is heard."""


class SqliteTarget(StoreTarget):
    """An SQLite database, see :class:`migrate.applying.target.Target`."""

    def __init__(self, store: SqliteStore, *, keep_updated_at: bool = False) -> None:
        super().__init__(store)
        self.store = store
        self.keep_updated_at = keep_updated_at
        self.connection = store.connect(writable=True)
        self.connection.execute(f"PRAGMA busy_timeout = {int(_ATTEMPT * 1000)}")
        # What is committed is on the disk, whatever the mode of the journal: the outcome is journalled as done.
        self.connection.execute("PRAGMA synchronous = FULL")

    def texts(self, ids: Sequence[Any]) -> Mapping[Any, str]:
        """The records as the database has them."""
        found: Mapping[Any, str] = self.patiently(lambda: self.store.entries(self.connection, ids))
        return found

    def batch(self, groups: Sequence[Sequence[int]]) -> SqliteBatch:
        """A transaction of these units."""
        return SqliteBatch(self, groups)

    def patiently(self, work: Any) -> Any:
        """What ``work`` gives, when the database is not locked. Raises CorpusError where it stays locked, or is no longer to be used."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return work()
            except sqlite3.OperationalError as error:
                if _is_busy(error) and time.monotonic() < deadline:
                    continue
                if _is_busy(error):
                    raise CorpusError(
                        f"{self.name}: another writer has kept the database locked for {PATIENCE:g} seconds"
                    ) from error
                raise CorpusError(f"{self.name}: {error}") from error
            except sqlite3.DatabaseError as error:
                raise CorpusError(f"{self.name}: {error}") from error

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()


class SqliteBatch(StoreBatch):
    """One transaction, see :class:`migrate.applying.target.Batch`."""

    def __init__(self, target: SqliteTarget, groups: Sequence[Sequence[int]]) -> None:
        super().__init__(target, groups)
        self.target = target
        self._run = target.connection.execute

    def __enter__(self) -> Self:
        self.target.patiently(lambda: self._run("BEGIN IMMEDIATE"))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        if self.target.connection.in_transaction:
            self._run("ROLLBACK")

    def lock(self) -> None:
        """Beginning was enough: there is one writer at a time."""

    def put(self, numbers: Sequence[int]) -> Iterator[bytes]:
        """Write unit by unit; one that the database refuses is taken back alone."""
        for group in self.chosen(numbers):
            self._run("SAVEPOINT unit")
            try:
                lines = [self._write(number) for number in group]
            except (sqlite3.IntegrityError, sqlite3.OperationalError, sqlite3.DataError, ApplyError) as error:
                if not self.target.connection.in_transaction or _is_grave(error):
                    raise CorpusError(f"{self.target.name}: {error}") from error
                self._run("ROLLBACK TO unit")
                self.fail(group, f"the database refuses it: {error}")
                lines = []
            self._run("RELEASE unit")
            yield from lines

    def commit(self) -> None:
        """Make it last, and measure how long others had to wait."""
        self.target.patiently(lambda: self._run("COMMIT"))
        self.target.held(time.monotonic() - self.began)

    def _write(self, number: int) -> bytes:
        decision = self.decisions[number]
        own_id = self.target.id_of(self.target.orders.keys[number])
        metadata = changed((decision.was.metadata, decision.now.metadata))
        kept = self._write_row(own_id, decision, metadata=metadata)
        if changed((decision.was.tags, decision.now.tags)):
            self._write_tags(own_id, decision.now.tags)
        if metadata and kept != decision.now.metadata:
            decision = decision.stored_as(decision.now._replace(metadata=kept))
        return (decision.intent() + "\n").encode()

    def _write_row(self, own_id: Any, decision: Decision, *, metadata: bool) -> str:
        """The metadata as the database has it then, where it was written."""
        columns, values = [], []
        if metadata:
            columns.append("metadata = ?")
            values.append(None if decision.now.metadata in (None, "null") else decision.now.metadata)
        if "version" in self.target.store.columns:
            columns.append("version = version + 1")
        # A 2.x server leaves the time alone where only tags change, and a 3.x one does not.
        if not self.target.keep_updated_at and (metadata or self.target.store.layout == "3.x"):
            columns.append("updated_at = CURRENT_TIMESTAMP")
        if not columns:
            return "null"
        query = f"UPDATE context_entries SET {', '.join(columns)} WHERE id = ? RETURNING metadata"
        ((kept,),) = self._run(query, [*values, own_id]).fetchall()
        return "null" if kept is None else str(kept)

    def _write_tags(self, own_id: Any, tags: str | None) -> None:
        self._run("DELETE FROM tags WHERE context_entry_id = ?", [own_id])
        for tag in json.loads(tags or "null") or ():
            self._run("INSERT INTO tags (context_entry_id, tag) VALUES (?, ?)", [own_id, tag])


def _is_busy(error: sqlite3.OperationalError) -> bool:
    return any(word in str(error) for word in ("locked", "busy"))


def _is_grave(error: Exception) -> bool:
    """Whether the next unit would fare no better: no room, no disk, no right to write."""
    return any(word in str(error) for word in ("full", "I/O", "disk", "readonly", "locked"))
