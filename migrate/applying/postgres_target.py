"""A context server's PostgreSQL database as a target: rows are locked in the order of their ids, and never waited for long."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import psycopg

from migrate.applying.deciding import Decision, Touched
from migrate.applying.errors import ApplyError
from migrate.applying.store_target import StoreBatch, StoreTarget, changed
from migrate.corpora.interface import CorpusError
from migrate.corpora.postgres_store import PostgresStore, said

PATIENCE = 30.0
"""Seconds to wait for other writers in all."""
_LOCK_MILLISECONDS = 400
"""Of one attempt: less than the second after which PostgreSQL looks for deadlocks, so that the server is never the one to go."""

_PASSING = (
    psycopg.errors.LockNotAvailable,
    psycopg.errors.DeadlockDetected,
    psycopg.errors.SerializationFailure,
)


class PostgresTarget(StoreTarget):
    """A PostgreSQL database, see :class:`migrate.applying.target.Target`."""

    def __init__(self, store: PostgresStore) -> None:
        super().__init__(store)
        self.store = store
        self.connection = store.connect()
        self.connection.execute(f"SET lock_timeout = {_LOCK_MILLISECONDS}")

    def texts(self, ids: Sequence[Any]) -> Mapping[Any, str]:
        """The records as the database has them."""
        with self.store.explained():
            return self.store.entries(self.connection, ids)

    def batch(self, groups: Sequence[Sequence[int]]) -> PostgresBatch:
        """A transaction of these units."""
        return PostgresBatch(self, groups)

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()


class PostgresBatch(StoreBatch):
    """One transaction, see :class:`migrate.applying.target.Batch`."""

    def __init__(self, target: PostgresTarget, groups: Sequence[Sequence[int]]) -> None:
        super().__init__(target, groups)
        self.target = target
        self._run = target.connection.execute
        self._kind = target.store.id_type

    def __enter__(self) -> Self:
        with self.target.store.explained():
            self._run("BEGIN")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        if not self.target.connection.closed and self.target.connection.info.transaction_status:
            self._run("ROLLBACK")

    def lock(self) -> None:
        """Lock the entries and their tags; where another writer has one of them, let go of all and try again."""
        ids = [self.target.id_of(self.target.orders.keys[number]) for number in self.numbers]
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                self._run(
                    f"SELECT 1 FROM context_entries WHERE id = ANY(%s::{self._kind}[]) ORDER BY id FOR UPDATE", [ids]
                )
                self._run(
                    f"SELECT 1 FROM tags WHERE context_entry_id = ANY(%s::{self._kind}[]) ORDER BY id FOR UPDATE", [ids]
                )
                return
            except _PASSING as error:
                self._run("ROLLBACK")
                if time.monotonic() > deadline:
                    raise CorpusError(
                        f"{self.target.name}: another writer has kept records locked for {PATIENCE:g} seconds"
                    ) from error
                time.sleep(random.uniform(0.02, 0.2))  # noqa: S311 - only so that two that wait do not keep step
                self._run("BEGIN")
            except psycopg.Error as error:
                raise CorpusError(f"{self.target.name}: {said(error)}") from error

    def put(self, numbers: Sequence[int]) -> Iterator[bytes]:
        """Write all at once; where the database refuses something, unit by unit, to find what."""
        groups = list(self.chosen(numbers))
        if not groups:
            return
        try:
            lines = self._saved([number for group in groups for number in group])
        except (psycopg.DataError, psycopg.IntegrityError, psycopg.errors.ProgramLimitExceeded, ApplyError):
            for group in groups:
                try:
                    yield from self._saved(group)
                except (psycopg.DataError, psycopg.IntegrityError, psycopg.errors.ProgramLimitExceeded) as error:
                    self.fail(group, f"the database refuses it: {said(error)}")
                except ApplyError as error:
                    self.fail(group, str(error))
            return
        yield from lines

    def commit(self) -> None:
        """Make it last, and measure how long others had to wait."""
        with self.target.store.explained():
            self._run("COMMIT")
        self.target.held(time.monotonic() - self.began)

    def _saved(self, numbers: Sequence[int]) -> list[bytes]:
        """Write these records inside a savepoint; their intents. Another error than one of a value ends the run."""
        try:
            with self.target.connection.transaction():
                return self._write(numbers)
        except (psycopg.DataError, psycopg.IntegrityError, psycopg.errors.ProgramLimitExceeded):
            raise
        except psycopg.Error as error:
            raise CorpusError(f"{self.target.name}: {said(error)}") from error

    def _write(self, numbers: Sequence[int]) -> list[bytes]:
        ids = {number: self.target.id_of(self.target.orders.keys[number]) for number in numbers}
        decisions = {number: self.decisions[number] for number in numbers}
        rewritten = [n for n in numbers if changed((decisions[n].was.metadata, decisions[n].now.metadata))]
        retagged = [n for n in numbers if changed((decisions[n].was.tags, decisions[n].now.tags))]
        kept = self._write_metadata({ids[n]: decisions[n] for n in rewritten})
        if "version" in self.target.store.columns:
            only_tags = [ids[n] for n in numbers if n not in set(rewritten)]
            self._run(
                f"UPDATE context_entries SET version = version + 1 WHERE id = ANY(%s::{self._kind}[])", [only_tags]
            )
        self._write_tags({ids[n]: decisions[n] for n in retagged})
        lines = []
        for number in numbers:
            decision = decisions[number]
            now = Touched(kept.get(ids[number], decision.now.metadata), decision.now.tags)
            lines.append((decision.stored_as(now).intent() + "\n").encode())
        return lines

    def _write_metadata(self, decisions: Mapping[Any, Decision]) -> dict[Any, str]:
        """The metadata as the database spells it then, by id."""
        if not decisions:
            return {}
        texts = [None if one.now.metadata in (None, "null") else one.now.metadata for one in decisions.values()]
        version = ", version = e.version + 1" if "version" in self.target.store.columns else ""
        rows = self._run(
            f"UPDATE context_entries e SET metadata = u.metadata::jsonb{version}"
            f" FROM unnest(%s::{self._kind}[], %s::text[]) u(id, metadata) WHERE e.id = u.id"
            " RETURNING replace(e.id::text, '-', ''), coalesce(e.metadata::text, 'null')",
            [list(decisions), texts],
        )
        return {(int(own_id) if self._kind == "bigint" else own_id): text for own_id, text in rows}

    def _write_tags(self, decisions: Mapping[Any, Decision]) -> None:
        if not decisions:
            return
        pairs = [(own_id, tag) for own_id, one in decisions.items() for tag in json.loads(one.now.tags or "null") or ()]
        self._run(f"DELETE FROM tags WHERE context_entry_id = ANY(%s::{self._kind}[])", [list(decisions)])
        if pairs:
            self._run(
                f"INSERT INTO tags (context_entry_id, tag) SELECT id, tag FROM unnest(%s::{self._kind}[], %s::text[])"
                " WITH ORDINALITY u(id, tag, place) ORDER BY place",
                [[own_id for own_id, _ in pairs], [tag for _, tag in pairs]],
            )
