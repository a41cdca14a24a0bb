"""The database of a context server on PostgreSQL: recognised by its tables, read in one snapshot, never written here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import psycopg

from migrate.corpora.entry_line import CHANGEABLE, COLUMNS, REQUIRED, entry_line, entry_text, image_json, metadata_json
from migrate.corpora.identity import Identity
from migrate.corpora.interface import CorpusError
from migrate.corpora.spool import CutShort, Layout
from migrate.naming import without_secrets

CONNECT_SECONDS = 15
_LAYOUTS: dict[str, Layout] = {"bigint": "2.x", "integer": "2.x", "uuid": "3.x"}
_NO_URI = (
    "this is no connection URI of PostgreSQL; write postgresql://USER@HOST:PORT/DATABASE, special characters as %XX,"
    " and the password in PGPASSWORD or the password file"
)

Connection = psycopg.Connection[tuple[Any, ...]]


class PostgresStore:
    """A PostgreSQL database with the server's tables, of either layout. No sentence of it shows the password."""

    jsonb = True

    def __init__(self, uri: str) -> None:
        self.uri = without_secrets(uri)
        # A plan keeps no password: its URI finds it where libpq looks, in PGPASSWORD or the password file.
        self.conninfo = uri.replace(":***@", "@", 1)
        """What libpq connects with: never to be shown."""
        with self.reading() as connection:
            self.layout, self._types = self._recognised(connection)
        self.columns = tuple(name for name in COLUMNS if name in self._types)

    def connect(self) -> Connection:
        """A connection in autocommit. Raises CorpusError where there is none to be had."""
        try:
            connection = psycopg.connect(
                self.conninfo, connect_timeout=CONNECT_SECONDS, application_name="corpus-migrate", prepare_threshold=None
            )  # fmt: skip
        except psycopg.OperationalError as error:
            raise CorpusError(f"{self.uri}: no connection: {said(error)}") from error
        except (psycopg.Error, UnicodeError, ValueError):
            # What the parser says may quote a part of the password.
            raise CorpusError(f"{self.uri}: {_NO_URI}") from None
        connection.autocommit = True
        return connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection inside one READ ONLY, REPEATABLE READ transaction: one snapshot of the database."""
        with self.connect() as connection, self.explained():
            connection.autocommit = False
            connection.read_only = True
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            yield connection

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Inside, an error of the database becomes a CorpusError with the name of the store."""
        try:
            yield
        except psycopg.Error as error:
            raise CorpusError(f"{self.uri}: the database cannot be read: {said(error)}") from error

    def count(self) -> int | None:
        """The number of entries as the planner knows it."""
        with self.reading() as connection:
            row = connection.execute(
                "SELECT reltuples::bigint FROM pg_class WHERE oid = to_regclass('context_entries')"
            ).fetchone()
        return int(row[0]) if row and row[0] > 0 else None

    def lines(self, folder: Path, threads: int | None = None) -> Iterator[bytes]:
        """One line an entry, in ascending order of ids. Raises CorpusError or CutShort."""
        yield from self._lines(None)

    def lines_of(self, ids: Sequence[Any]) -> Iterator[bytes]:
        """Likewise the lines of some entries. Raises CorpusError or CutShort."""
        yield from self._lines(list(ids))

    def _lines(self, ids: list[Any] | None) -> Iterator[bytes]:
        place = self.columns.index("metadata")
        with self.reading() as connection, connection.cursor() as cursor:
            query, given = self._query(connection, some=ids is not None), {"ids": ids}
            with cursor.copy(f"COPY ({query}) TO STDOUT", None if ids is None else given) as copy:
                copy.set_types(["int8" if self.layout == "2.x" else "text", *["text"] * (len(self.columns) + 1)])
                rows = copy.rows()
                while True:
                    try:
                        row = next(rows, None)
                    except psycopg.Error as error:
                        raise CutShort(f"the database gave no more entries: {said(error)}") from error
                    if row is None:
                        return
                    *told, tags, images = row
                    values = self._typed(self.columns, told)
                    pictures = None if images is None else _images(images)
                    yield entry_line(
                        self.columns, values, metadata_json(values[place], valid=True), tags or "[]", pictures
                    )

    def entries(self, connection: Connection, ids: Sequence[Any]) -> dict[Any, str]:
        """What a run may change of some entries, and what it goes by: each as one JSON object, spelled as it is stored."""
        names = [name for name in self.columns if name in CHANGEABLE]
        kind, place = self.id_type, names.index("metadata")
        rows = connection.execute(
            f"SELECT {', '.join(_column(name, self._types[name]) for name in names)},"
            " (SELECT json_agg(tag ORDER BY t.id)::text FROM tags t WHERE t.context_entry_id = e.id)"
            f" FROM context_entries e WHERE e.id = ANY(%s::{kind}[])",
            [list(ids)],
        )
        return {
            row[0]: entry_text(names, self._typed(names, row), metadata_json(row[place], valid=True), row[-1] or "[]")
            for row in rows
        }

    @property
    def id_type(self) -> str:
        """The type of ids, for a cast."""
        return "bigint" if self.layout == "2.x" else "uuid"

    @property
    def own_id(self) -> str:
        """The SQL of an id as it is told: a number, or a UUID without hyphens."""
        return "id" if self.layout == "2.x" else "replace(id::text, '-', '')"

    @staticmethod
    def _typed(names: Sequence[str], row: Sequence[Any]) -> list[Any]:
        """The values of columns that came as texts; a version is a number."""
        values = list(row)
        if "version" in names:
            at = names.index("version")
            values[at] = int(values[at])
        return values

    def identities(self) -> Iterator[Identity]:
        """What tells each entry; of the layout 2.x in the order of ``(created_at, id)``, in which a migration reads them."""
        own_id = "replace(id::text, '-', '')" if self.layout == "3.x" else "id::text"
        rank = "NULL::bigint" if self.layout == "3.x" else "row_number() OVER (ORDER BY created_at, id)"
        with self.reading() as connection, connection.cursor("identities") as cursor:
            cursor.itersize = 500
            cursor.execute(f"SELECT {own_id}, {rank}, thread_id, source, created_at, text_content FROM context_entries")
            for row in cursor:
                yield Identity(*row)

    def _query(self, connection: Connection, *, some: bool = False) -> str:
        asked = ", ".join(_column(name, self._types[name]) for name in self.columns)
        images = "NULL::text"
        own, theirs = (
            f"WHERE {name} = ANY(%(ids)s::{self.id_type}[])" if some else "" for name in ("e.id", "context_entry_id")
        )
        joins = (
            f" LEFT JOIN (SELECT context_entry_id, json_agg(tag ORDER BY id)::text AS all FROM tags {theirs} GROUP BY 1) t"
            " ON t.context_entry_id = e.id"
        )
        if _types(connection, "image_attachments"):
            images = "i.all"
            joins += (
                " LEFT JOIN (SELECT context_entry_id, json_agg(json_build_array(id, mime_type, position, octet_length(image_data))"
                f" ORDER BY position, id)::text AS all FROM image_attachments {theirs} GROUP BY 1) i ON i.context_entry_id = e.id"
            )
        return f"SELECT {asked}, t.all, {images} FROM context_entries e{joins} {own} ORDER BY e.id"

    def _recognised(self, connection: Connection) -> tuple[Layout, dict[str, str]]:
        types = _types(connection, "context_entries")
        if not types:
            raise CorpusError(
                f"{self.uri}: it has no table context_entries, so it is no context-server database; if the table is in another"
                " schema, end the URI with ?options=-csearch_path%3DSCHEMA"
            )
        if missing := sorted(REQUIRED - types.keys()):
            raise CorpusError(f"{self.uri}: context_entries has no column {', '.join(missing)}; which server wrote it?")
        if not _types(connection, "tags"):
            raise CorpusError(f"{self.uri}: it has no table tags, so it is no context-server database")
        layout = _LAYOUTS.get(types["id"])
        if layout is None or types["metadata"] != "jsonb":
            wrong = "id" if layout is None else "metadata"
            raise CorpusError(
                f"{self.uri}: context_entries.{wrong} is of the type {types[wrong]}; the layouts that are known have an id that"
                " is bigint (2.x) or uuid (3.x), and metadata that is jsonb"
            )
        return layout, types


def _types(connection: Connection, table: str) -> dict[str, str]:
    rows = connection.execute(
        "SELECT attname, format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped",
        [table],
    )
    return dict(rows.fetchall())


def _column(name: str, kind: str) -> str:
    if kind == "uuid":
        return f"replace(e.{name}::text, '-', '')"
    if kind == "timestamp with time zone":
        utc = f"to_char(e.{name} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"
        return f"CASE WHEN isfinite(e.{name}) AND e.{name} > '0001-01-02' THEN {utc} ELSE e.{name}::text END"
    return f"e.{name}" if name == "id" else f"e.{name}::text"


def _images(text: str) -> str:
    return f"[{','.join(image_json(*image) for image in orjson.loads(text))}]"


def said(error: psycopg.Error) -> str:
    """The first line of what the database said, without secrets."""
    return without_secrets(str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__)
