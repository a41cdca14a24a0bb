"""A store as the place that a plan goes to, or that a run is undone in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from migrate.applying.errors import Refused
from migrate.applying.journal import PastRun
from migrate.applying.sqlite_target import SqliteTarget
from migrate.applying.store_target import KIND
from migrate.applying.target import Target
from migrate.corpora.sniff import is_sqlite
from migrate.corpora.sqlite_store import SqliteStore
from migrate.corpora.stores import is_server, open_store
from migrate.engine.database import Database
from migrate.engine.processes import Workers
from migrate.naming import without_secrets

WINDOW = "the server takes no expected version, so between the last look at a record and its change another writer has a small window"


@dataclass(frozen=True, slots=True)
class InStore:
    """The store of the plan itself, or another one that is named."""

    to: str | None = None
    """As typed, perhaps with a secret."""
    keep_updated_at: bool = False
    mode: str = "store"
    kind: str = KIND

    def named(self, source: str) -> tuple[str, str]:
        """The store without secrets, and its place."""
        shown = without_secrets(self.to or source)
        return shown, same_place(shown)

    def window(self, source: str) -> str | None:
        """What a person should know before a change through a running server; None for a database."""
        return f"{self.named(source)[0]}: {WINDOW}" if is_server(self.to or source) else None

    def open(self, source: str, run_id: str, past: PastRun | None, database: Database, workers: Workers) -> Target:
        """The store, open for writing."""
        return open_target(self.to or source, keep_updated_at=self.keep_updated_at)


def same_place(uri: str) -> str:
    """A name that is the same for every spelling of one store's URI."""
    if uri.startswith("sqlite:///") or is_sqlite(Path(uri)):
        return str(Path(uri.removeprefix("sqlite:///")).resolve())
    return uri.replace(":***@", "@", 1)


def open_target(uri: str, *, keep_updated_at: bool = False) -> Target:
    """The target of a store. Raises CorpusError where it cannot be opened, Refused where it is asked for what it cannot do."""
    store = open_store(uri)
    if isinstance(store, SqliteStore):
        return SqliteTarget(store, keep_updated_at=keep_updated_at)
    if keep_updated_at:
        raise Refused(f"{store.uri}: --keep-updated-at is for SQLite; here the server itself sets the time of a change")
    from migrate.corpora.live_server import LiveServer

    if isinstance(store, LiveServer):
        from migrate.applying.live_target import LiveTarget

        return LiveTarget(store)
    from migrate.applying.postgres_target import PostgresTarget
    from migrate.corpora.postgres_store import PostgresStore

    assert isinstance(store, PostgresStore)
    return PostgresTarget(store)
