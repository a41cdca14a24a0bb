"""The database of a context server on SQLite: recognised by its tables, read in one snapshot, never written here."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from migrate.corpora.entry_line import (
    CHANGEABLE,
    COLUMNS,
    REQUIRED,
    entry_line,
    entry_text,
    metadata_json,
    tags_json,
)
from migrate.corpora.identity import Identity
from migrate.corpora.interface import CorpusError
from migrate.corpora.spool import CutShort, Layout

BUSY_SECONDS = 30.0
"""How long a statement waits for a lock: longer than the server's own transactions ever are."""

_VALID = "typeof(metadata) = 'text' AND json_valid(metadata)"
_LAYOUTS: dict[str, Layout] = {"INTEGER": "2.x", "TEXT": "3.x"}


def _quoted(column: str) -> str:
    """The SQL of a value as JSON text; NULL where it is no text, integer or NULL."""
    return f"CASE typeof({column}) WHEN 'text' THEN json_quote({column}) WHEN 'integer' THEN {column} WHEN 'null' THEN 'null' END"


_TAGS = (
    "SELECT context_entry_id, CASE typeof(tag) WHEN 'text' THEN json_quote(tag) ELSE '\"x''' || lower(hex(tag)) || '''\"' END"
    " FROM tags {} ORDER BY context_entry_id, id"
)
_IMAGES = (
    f"SELECT context_entry_id, '{{{{\"id\":' || id || ',\"mime_type\":' || {_quoted('mime_type')} || ',\"position\":' || {_quoted('position')}"
    " || ',\"size\":' || length(image_data) || '}}' FROM image_attachments {} ORDER BY context_entry_id, position, id"
)


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

    def lines(self, ids: Sequence[Any] | None = None) -> Iterator[bytes]:
        """One line an entry, of all or of some, in ascending order of ids. Raises CorpusError or CutShort."""
        with closing(self.connect()) as connection:
            with self.explained():
                picked = "" if ids is None else f"IN (SELECT id FROM {pick(connection, ids)})"
                some, theirs = (f"WHERE {own} {picked}" if picked else "" for own in ("id", "context_entry_id"))
                connection.execute("BEGIN")
                connection.text_factory = bytes
                tags = _Beside(connection.execute(_TAGS.format(theirs)))
                has_images = self._has(connection, "image_attachments")
                images = _Beside(connection.execute(_IMAGES.format(theirs)) if has_images else ())
            begin, end = self._ends()
            try:
                for own_id, head, tail in connection.execute(
                    f"SELECT id, {begin}, {end} FROM context_entries {some} ORDER BY id"
                ):
                    quoted, pictures = tags.of(own_id), images.of(own_id)
                    between = b'],"images":[' + b",".join(pictures) if pictures else b""
                    line = b"" if head is None or tail is None else b"".join((head, b",".join(quoted), between, tail))
                    if not line or b"\n" in line or b"\r" in line or b"\0" in line or not _is_utf8(line):
                        yield self._with_care(connection, own_id, pictures)
                    else:
                        yield line + b"\n"
            except sqlite3.OperationalError as error:
                raise CorpusError(f"{self.uri}: it cannot be read: {error}") from error
            except sqlite3.Error as error:
                raise CutShort(f"the database gave no more entries: {error}") from error

    def _ends(self) -> tuple[str, str]:
        """The SQL of a line up to its tags and from there on: SQLite quotes faster than Python. NULL where a value is no text or integer."""
        place = self.columns.index("metadata")
        members = {name: _quoted(name) for name in self.columns}
        members["metadata"] = f"CASE WHEN metadata IS NULL THEN 'null' WHEN {_VALID} THEN metadata END"
        parts = [f"'\"{name}\":'||{value}" for name, value in members.items()]
        first, rest = "||','||".join(parts[: place + 1]), "".join(f"||','||{part}" for part in parts[place + 1 :])
        return f"'{{'||{first}||',\"tags\":['", f"']'{rest}||'}}'"

    def _with_care(self, connection: sqlite3.Connection, own_id: Any, pictures: Sequence[bytes]) -> bytes:
        """The line of an entry that SQLite alone does not make a line of: an odd type, odd metadata, a text that is not UTF-8."""
        own = "?" if self.layout == "2.x" else "CAST(? AS TEXT)"
        connection.text_factory = _any_text
        (row,) = connection.execute(
            f"SELECT {', '.join(self.columns)}, {_VALID} FROM context_entries WHERE id = {own}", [own_id]
        )
        tags = connection.execute(
            f"SELECT tag FROM tags WHERE context_entry_id = {own} ORDER BY id", [own_id]
        ).fetchall()
        connection.text_factory = bytes
        metadata = metadata_json(row[self.columns.index("metadata")], valid=bool(row[-1]))
        images = b",".join(pictures).decode("utf-8", "surrogateescape")
        return entry_line(
            self.columns, row, metadata, tags_json(tag for (tag,) in tags), f"[{images}]" if images else None
        )

    def entries(self, connection: sqlite3.Connection, ids: Sequence[Any]) -> dict[Any, str]:
        """What a run may change of some entries, and what it goes by: each as one JSON object, spelled as it is stored."""
        names = [name for name in self.columns if name in CHANGEABLE]
        marks, place = ", ".join("?" * len(ids)), names.index("metadata")
        connection.text_factory = _any_text
        tags: dict[Any, list[Any]] = {}
        for own_id, tag in connection.execute(
            f"SELECT context_entry_id, tag FROM tags WHERE context_entry_id IN ({marks}) ORDER BY context_entry_id, id",
            ids,
        ):
            tags.setdefault(own_id, []).append(tag)
        query = f"SELECT {', '.join(names)}, {_VALID} FROM context_entries WHERE id IN ({marks})"
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
            connection.text_factory = _any_text
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


def pick(connection: sqlite3.Connection, ids: Sequence[Any]) -> str:
    """A table of ids, by its name: a read-only database still has temporary tables."""
    connection.execute("CREATE TEMP TABLE picked (id PRIMARY KEY)")
    connection.executemany("INSERT OR IGNORE INTO picked VALUES (?)", ([own_id] for own_id in ids))
    return "picked"


class _Explained:
    """Turns an error of SQLite into a sentence about the store."""

    def __init__(self, uri: str) -> None:
        self.uri = uri

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, sqlite3.Error):
            raise CorpusError(f"{self.uri}: the database cannot be read: {error}") from error


class _Beside:
    """JSON texts that belong to entries, in the order of the entries: walked once, beside them."""

    def __init__(self, rows: Iterable[tuple[Any, bytes]]) -> None:
        self._rows = iter(rows)
        self._next = next(self._rows, None)

    def of(self, entry: Any) -> list[bytes]:
        """The texts of an entry; entries ascend, and what belongs to none that is there is passed over."""
        found: list[bytes] = []
        while self._next is not None and self._next[0] < entry:
            self._next = next(self._rows, None)
        while self._next is not None and self._next[0] == entry:
            found.append(self._next[1])
            self._next = next(self._rows, None)
        return found


def _any_text(raw: bytes) -> str:
    """A text that may not be UTF-8; what is none becomes what JSON has escapes for."""
    return raw.decode("utf-8", "surrogateescape")


def _is_utf8(line: bytes) -> bool:
    if line.isascii():
        return True
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
