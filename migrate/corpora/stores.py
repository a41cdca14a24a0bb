"""What was typed, to the corpus it names: exported files, a server's database, or the running server itself."""

from __future__ import annotations

from pathlib import Path

from migrate.corpora.files import FileCorpus, open_files
from migrate.corpora.interface import CorpusError
from migrate.corpora.sniff import is_sqlite
from migrate.corpora.spool import Store, StoreCorpus

_SQLITE = "sqlite:///"
_POSTGRESQL = ("postgresql://", "postgres://")
_SERVER = ("mcp+stdio:", "http://", "https://")


def is_store(uri: str) -> bool:
    """Whether a corpus is a database or a server, by its URI, or by the first bytes of the file it names."""
    return uri.lower().startswith(("sqlite:", *_POSTGRESQL, *_SERVER)) or is_sqlite(Path(uri))


def is_postgresql(uri: str) -> bool:
    """Whether a URI names a PostgreSQL database."""
    return uri.lower().startswith(_POSTGRESQL)


def is_server(uri: str) -> bool:
    """Whether a URI names a running server."""
    return uri.lower().startswith(_SERVER)


def open_corpus(uri: str) -> FileCorpus | StoreCorpus:
    """The corpus that a path, a glob or a URI names; no record is read yet. Raises CorpusError."""
    return StoreCorpus(open_store(uri)) if is_store(uri) else open_files(uri)


def open_store(uri: str) -> Store:
    """The store that a URI or the path of a database file names. Raises CorpusError for anything else."""
    scheme = uri.lower()
    if scheme.startswith(_POSTGRESQL):
        from migrate.corpora.postgres_store import PostgresStore

        return PostgresStore(uri)
    if scheme.startswith(_SERVER):
        from migrate.corpora.live_server import LiveServer

        return LiveServer(uri)
    from migrate.corpora.sqlite_store import SqliteStore

    if scheme.startswith(_SQLITE):
        return SqliteStore(uri, Path(uri[len(_SQLITE) :]))
    if scheme.startswith("sqlite:"):
        raise CorpusError(f"{uri}: write sqlite:///PATH, with a fourth slash where the path begins at the root")
    if is_sqlite(Path(uri)):
        return SqliteStore(uri, Path(uri))
    raise CorpusError(
        f"{uri}: this is no store; give sqlite:///PATH, a database file, postgresql://…, mcp+stdio:COMMAND or http(s)://…/mcp"
    )
