"""Starts a context server and talks to it as an agent does."""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from running import missing

from migrate.corpora.live_server import LiveServer, Session

_INSIDE = Path(__file__).parents[2] / ".venv-peers" / ("Scripts" if os.name == "nt" else "bin")
_numbers = itertools.count()
PLAIN = {
    "ENABLE_EMBEDDING_GENERATION": "false",
    "ENABLE_SUMMARY_GENERATION": "false",
    "ENABLE_FTS": "true",
    "LOG_LEVEL": "ERROR",
}
"""What a server needs to know that has no providers of models."""


@dataclass(frozen=True)
class Peer:
    """A server that runs, the database it keeps, and the URI under which anybody starts another over the same database."""

    session: Session
    store: str
    uri: str

    def call(self, tool: str, **arguments: Any) -> Any:
        """What a tool answers, as data."""
        return json.loads(self.session.call(tool, arguments))

    def store_entry(
        self, text: str, metadata: Any, tags: Sequence[str] = (), *, thread: str = "work", source: str = "agent"
    ) -> int:
        """Store an entry; its id."""
        told = self.call(
            "store_context", thread_id=thread, source=source, text=text, metadata=metadata, tags=list(tags)
        )
        assert told["success"], told
        return int(told["context_id"])

    def store_all(self, entries: Sequence[tuple[str, Any, str]]) -> list[int]:
        """Store many: text, metadata and thread; their ids."""
        ids: list[int] = []
        for start in range(0, len(entries), 100):
            batch = [
                {"thread_id": thread, "source": "agent", "text": text, "metadata": metadata}
                for text, metadata, thread in entries[start : start + 100]
            ]
            told = self.call("store_context_batch", entries=batch)
            ids += [result["context_id"] for result in told["results"]]
        return ids

    def entry(self, own_id: int) -> dict[str, Any]:
        """An entry as the server tells it."""
        (found,) = self.call("get_context_by_ids", context_ids=[own_id])
        return dict(found)

    def search(self, *filters: dict[str, Any]) -> list[int]:
        """The ids of what a search with these metadata filters returns, ascending."""
        told = self.call("search_context", limit=100, metadata_filters=list(filters))
        assert "error" not in told, told
        return sorted(entry["id"] for entry in told["results"])


def program() -> str:
    """The server's own command."""
    path = _INSIDE / "mcp-context-server"
    if not path.exists():
        missing(f"there is no {path}; `python3 dev.py test` installs it")
    return str(path)


@contextmanager
def started(folder: Path, admin: str | None) -> Iterator[Peer]:
    """A server over an SQLite file in a folder, or over a new database of a PostgreSQL."""
    command = program()
    if admin is None:
        path = folder / "server.db"
        store, backend = f"sqlite:///{path}", f"DB_PATH={path}"
    else:
        with psycopg.connect(admin, autocommit=True) as connection:
            name = f"peer_{next(_numbers)}"
            connection.execute(f"CREATE DATABASE {name}")  # type: ignore[arg-type]
        store = re.sub(r"/[^/?]+(\?|$)", rf"/{name}\1", admin, count=1)
        backend = f"STORAGE_BACKEND=postgresql POSTGRESQL_SSL_MODE=disable POSTGRESQL_CONNECTION_STRING={shlex.quote(store)} DB_PATH={folder / 'unused.db'}"
    plain = " ".join(f"{name}={value}" for name, value in PLAIN.items())
    uri = f"mcp+stdio:env {backend} {plain} {shlex.quote(command)}"
    with LiveServer(uri).session() as session:
        yield Peer(session, store, uri)
