"""The database of a context server on SQLite: recognised by its tables, read in one snapshot, never written here."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from migrate.corpora.entry_line import CHANGEABLE, COLUMNS, REQUIRED, entry_text, metadata_json, tags_json
from migrate.corpora.identity import Identity
from migrate.corpora.interface import CorpusError
from migrate.corpora.spool import CutShort, Layout
from migrate.corpora.sqlite_changes import pick
from migrate.corpora.sqlite_halves import begin, in_two, is_large
from migrate.corpora.sqlite_lines import VALID, EntryLines, any_text
from migrate.engine.processes import available

BUSY_SECONDS = 30.0
"""How long a statement waits for a lock: longer than the server's own transactions ever are."""

_LAYOUTS: dict[str, Layout] = {"INTEGER": "2.x", "TEXT": "3.x"}


class SqliteStore:
    """An SQLite file with the server's tables, of either layout.

    A running server's write-ahead log is honoured: the file is opened with ``mode=ro``, never ``immutable``.
    """

    jsonb = False

    def __init__(self, uri: str, path: Path) -> None:
        self.uri = uri
        self.path = path
        if not path.is_file():
            raise CorpusError(f"{uri}: there is no such file")
        log = path.with_name(path.name + "-wal")
        alone = not (log.is_file() and log.stat().st_size)
        with closing(self.connect()) as connection, self.explained():
            self.layout, self.columns = self._recognised(
                connection, f"; if it was copied, copy {log.name} too" if alone else ""
            )

    def connect(self, *, writable: bool = False) -> sqlite3.Connection:
        """A connection without implicit transactions. Raises CorpusError where the file cannot be opened."""
        mode = "rw" if writable else "ro"
        try:
            return sqlite3.connect(
                f"{self.path.absolute().as_uri()}?mode={mode}", uri=True, isolation_level=None, timeout=BUSY_SECONDS
            )
        except sqlite3.Error as error:
            raise CorpusError(f"{self.uri}: the database cannot be opened: {error}") from error

    def explained(self) -> _Explained:
        """A context in which an error of SQLite becomes a CorpusError with the name of the store."""
        return _Explained(self.uri)

    def count(self) -> int:
        """The number of entries."""
        with closing(self.connect()) as connection, self.explained():
            return int(connection.execute("SELECT count(*) FROM context_entries").fetchone()[0])

    def lines(self, folder: Path, threads: int | None = None) -> Iterator[bytes]:
        """One line an entry, in ascending order of ids; of a large store, two processes read a half each. Raises CorpusError or CutShort."""
        with closing(self.connect()) as connection:
            try:
                if available(threads) > 1 and is_large(connection):
                    yield from in_two(self, connection, folder)
                else:
                    begin(connection)
                    yield from self.reader(connection).between()
            except (sqlite3.OperationalError, ChildProcessError) as error:
                raise CorpusError(f"{self.uri}: it cannot be read: {error}") from error
            except sqlite3.Error as error:
                raise CutShort(f"the database gave no more entries: {error}") from error

    def lines_of(self, ids: Sequence[Any]) -> Iterator[bytes]:
        """Likewise the lines of some entries. Raises CorpusError."""
        with closing(self.connect()) as connection, self.explained():
            picked = pick(connection, ids)
            begin(connection)
            yield from self.reader(connection, picked).between()

    def reader(self, connection: sqlite3.Connection, picked: str | None = None) -> EntryLines:
        """What reads lines in the transaction of a connection; ``picked`` is a table of the ids that are wanted."""
        images, kind = self._has(connection, "image_attachments"), "integer" if self.layout == "2.x" else "text"
        return EntryLines(connection, self.columns, kind, images=images, picked=picked)

    def entries(self, connection: sqlite3.Connection, ids: Sequence[Any]) -> dict[Any, str]:
        """What a run may change of some entries, and what it goes by: each as one JSON object, spelled as it is stored."""
        names = [name for name in self.columns if name in CHANGEABLE]
        marks, place = ", ".join("?" * len(ids)), names.index("metadata")
        connection.text_factory = any_text
        tags: dict[Any, list[Any]] = {}
        for own_id, tag in connection.execute(
            f"SELECT context_entry_id, tag FROM tags WHERE context_entry_id IN ({marks}) ORDER BY context_entry_id, id",
            ids,
        ):
            tags.setdefault(own_id, []).append(tag)
        query = f"SELECT {', '.join(names)}, {VALID} FROM context_entries WHERE id IN ({marks})"
        return {
            row[0]: entry_text(
                names, row, metadata_json(row[place], valid=bool(row[-1])), tags_json(tags.get(row[0], ()))
            )
            for row in connection.execute(query, ids)
        }

    def identities(self) -> Iterator[Identity]:
        """What tells each entry; of the layout 2.x in the order of ``(created_at, id)``, in which a migration writes them."""
        place = "rowid_int" if self.layout == "3.x" else "NULL"
        order = "rowid_int" if self.layout == "3.x" else "created_at, id"
        with closing(self.connect()) as connection, self.explained():
            connection.text_factory = any_text
            rows = connection.execute(
                f"SELECT id, {place}, thread_id, source, created_at, text_content FROM context_entries ORDER BY {order}"
            )
            for rank, (own_id, rowid, *about) in enumerate(rows, 1):
                yield Identity(own_id, rowid if self.layout == "3.x" else rank, *about)

    def _recognised(self, connection: sqlite3.Connection, hint: str) -> tuple[Layout, tuple[str, ...]]:
        declared = {
            name: kind.upper() for _, name, kind, *_ in connection.execute("PRAGMA table_info(context_entries)")
        }
        if not declared:
            raise CorpusError(f"{self.uri}: it has no table context_entries, so it is no context-server database{hint}")
        if missing := sorted(REQUIRED - declared.keys()):
            raise CorpusError(f"{self.uri}: context_entries has no column {', '.join(missing)}; which server wrote it?")
        if not self._has(connection, "tags"):
            raise CorpusError(f"{self.uri}: it has no table tags, so it is no context-server database")
        layout = _LAYOUTS.get(declared["id"])
        if layout is None:
            raise CorpusError(
                f"{self.uri}: context_entries.id is declared {declared['id'] or 'without a type'}; the layouts that are"
                " known have INTEGER (2.x) or TEXT (3.x)"
            )
        # A 3.x server that was started on a 2.x file adds the column `version`: the id alone tells the layouts apart.
        return layout, tuple(name for name in COLUMNS if name in declared)

    def _has(self, connection: sqlite3.Connection, table: str) -> bool:
        with self.explained():
            return bool(connection.execute(f"PRAGMA table_info({table})").fetchone())


class _Explained:
    """Turns an error of SQLite into a sentence about the store."""

    def __init__(self, uri: str) -> None:
        self.uri = uri

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, sqlite3.Error):
            raise CorpusError(f"{self.uri}: the database cannot be read: {error}") from error
