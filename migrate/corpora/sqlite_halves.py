"""The entries of a large SQLite database read by two processes, each one half of them, in one and the same state of it."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Protocol

from migrate.corpora.sqlite_lines import EntryLines
from migrate.engine.processes import Aside

WORTH_IT = 50_000
"""Entries from which on a second process has read more than its start takes."""
_ATTEMPTS = 5
"""How often both begin anew because something was committed between their beginnings."""
_SHARE = 0.53
"""The part that is read here: what is written there is copied once more."""
_PIECE = 1 << 16


class Readable(Protocol):
    """A database that another process can open too: it travels."""

    def connect(self) -> sqlite3.Connection:
        """A new connection without implicit transactions."""

    def reader(self, connection: sqlite3.Connection) -> EntryLines:
        """What reads lines in the transaction of a connection."""


def is_large(connection: sqlite3.Connection) -> bool:
    """Whether there are enough entries for two processes; not where SQLite cannot say."""
    with suppress(sqlite3.Error):
        return bool(connection.execute("SELECT count(*) >= ? FROM context_entries", [WORTH_IT]).fetchone()[0])
    return False


def in_two(store: Readable, connection: sqlite3.Connection, folder: Path) -> Iterator[bytes]:
    """All lines: those up to an id as they are read here, then those that another process wrote into ``folder`` meanwhile.

    Raises what SQLite raises, here or there, when all lines before it were given; OSError where there is no room for a file.
    """
    handle, name = tempfile.mkstemp(prefix=".half-", suffix=".ndjson", dir=folder)
    try:
        with os.fdopen(handle, "rb") as part, Aside(write_behind, store, name) as other:
            last = _middle(connection)
            other.receive()
            if last is None or not _begun_together(store, connection, other):
                begin(connection)
                yield from store.reader(connection).between()
                return
            other.send(last)
            yield from store.reader(connection).between(last=last)
            failure = other.receive()
            while piece := part.read(_PIECE):
                yield piece
        if failure is not None:
            raise failure
    finally:
        Path(name).unlink(missing_ok=True)


def _middle(connection: sqlite3.Connection) -> Any:
    """The last id that is read here; None where SQLite cannot say."""
    with suppress(sqlite3.Error):
        query = "SELECT id FROM context_entries ORDER BY id LIMIT 1 OFFSET (SELECT CAST(count(*) * ? AS INTEGER) FROM context_entries)"
        found = connection.execute(query, [_SHARE]).fetchone()
        return None if found is None else found[0]
    return None


def _begun_together(store: Readable, connection: sqlite3.Connection, other: Aside) -> bool:
    """Begin a transaction here and one there that see the same state.

    SQLite has no way to hand on a state, but a third connection can tell that nothing was committed from before the first
    beginning until after the second one.
    """
    with closing(store.connect()) as witness:
        for _ in range(_ATTEMPTS):
            before = _version(witness)
            begin(connection)
            other.send(None)
            other.receive()
            if _version(witness) == before:
                return True
    return False


def _version(connection: sqlite3.Connection) -> int:
    """A number that is another one when somebody else has committed since this connection was asked last."""
    (number,) = connection.execute("PRAGMA data_version").fetchone()
    return int(number)


def begin(connection: sqlite3.Connection) -> None:
    """A new transaction. It sees the state of its first read, so there is one."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")
    connection.execute("BEGIN")
    connection.execute("SELECT 1 FROM context_entries LIMIT 1").fetchone()


def write_behind(store: Readable, name: str) -> Generator[sqlite3.Error | None, Any, None]:
    """The other process: it begins as often as it is sent None, then writes the lines behind an id, and says what ended them."""
    with closing(store.connect()) as connection:
        while (after := (yield None)) is None:
            begin(connection)
        failure = None
        with Path(name).open("wb") as part:
            try:
                part.writelines(store.reader(connection).between(after=after))
            except sqlite3.Error as error:
                failure = error
        yield failure
