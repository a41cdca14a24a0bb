"""Databases of a context server, of both layouts on both backends, with the tables that the servers make."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from migrate.engine.json_text import members

INDEXED = ("status", "agent_name", "task_name", "project", "report_type")
_COMMON = """
    thread_id TEXT NOT NULL,
    source TEXT NOT NULL CHECK(source IN ('user', 'agent')),
    content_type TEXT NOT NULL CHECK(content_type IN ('text', 'multimodal')),
    text_content TEXT,
    metadata {json},
    summary TEXT,
    content_hash TEXT,
    {version}
    created_at {time},
    updated_at {time}
"""


def _sqlite(layout: str) -> str:
    common = _COMMON.format(
        json="JSON",
        version="version INTEGER NOT NULL DEFAULT 0," if layout == "3.x" else "",
        time="TIMESTAMP DEFAULT CURRENT_TIMESTAMP",
    )
    own = (
        "id INTEGER PRIMARY KEY AUTOINCREMENT" if layout == "2.x"
        else "rowid_int INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE"
    )  # fmt: skip
    key, rowid = ("INTEGER", "id") if layout == "2.x" else ("TEXT", "rowid_int")
    unique = ", UNIQUE(context_entry_id, tag)" if layout == "3.x" else ""
    expressions = "".join(
        f"CREATE INDEX idx_metadata_{name} ON context_entries(json_extract(metadata, '$.{name}'))"
        f" WHERE json_extract(metadata, '$.{name}') IS NOT NULL;"
        for name in INDEXED
    )
    return f"""
    CREATE TABLE context_entries ({own}, {common});
    CREATE INDEX idx_thread_source ON context_entries(thread_id, source);
    CREATE INDEX idx_created_at ON context_entries(created_at);
    {expressions}
    CREATE TABLE tags (
        id INTEGER PRIMARY KEY AUTOINCREMENT, context_entry_id {key} NOT NULL, tag TEXT NOT NULL{unique},
        FOREIGN KEY (context_entry_id) REFERENCES context_entries(id) ON DELETE CASCADE);
    CREATE INDEX idx_tags_entry ON tags(context_entry_id);
    CREATE TABLE image_attachments (
        id INTEGER PRIMARY KEY AUTOINCREMENT, context_entry_id {key} NOT NULL, image_data BLOB NOT NULL, mime_type TEXT NOT NULL,
        image_metadata JSON, position INTEGER DEFAULT 0, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
        FOREIGN KEY (context_entry_id) REFERENCES context_entries(id) ON DELETE CASCADE);
    CREATE VIRTUAL TABLE context_entries_fts USING fts5(
        text_content, content='context_entries', content_rowid='{rowid}', tokenize='porter unicode61');
    CREATE TRIGGER fts_insert AFTER INSERT ON context_entries BEGIN
        INSERT INTO context_entries_fts(rowid, text_content) VALUES (new.{rowid}, new.text_content); END;
    CREATE TRIGGER fts_update AFTER UPDATE OF text_content ON context_entries BEGIN
        INSERT INTO context_entries_fts(context_entries_fts, rowid, text_content) VALUES ('delete', old.{rowid}, old.text_content);
        INSERT INTO context_entries_fts(rowid, text_content) VALUES (new.{rowid}, new.text_content); END;
    """


def _postgres(layout: str) -> str:
    common = _COMMON.format(
        json="JSONB",
        version="version BIGINT NOT NULL DEFAULT 0," if layout == "3.x" else "",
        time="TIMESTAMPTZ DEFAULT CURRENT_TIMESTAMP",
    )
    key = "BIGINT" if layout == "2.x" else "UUID"
    own = f"id {'BIGSERIAL' if layout == '2.x' else 'UUID'} PRIMARY KEY"
    unique = ", UNIQUE(context_entry_id, tag)" if layout == "3.x" else ""
    return f"""
    CREATE TABLE context_entries ({own}, {common},
        text_search_vector tsvector GENERATED ALWAYS AS (to_tsvector('english', coalesce(text_content, ''))) STORED);
    CREATE INDEX idx_metadata_gin ON context_entries USING GIN (metadata jsonb_path_ops);
    CREATE TABLE tags (
        id BIGSERIAL PRIMARY KEY, context_entry_id {key} NOT NULL REFERENCES context_entries(id) ON DELETE CASCADE,
        tag TEXT NOT NULL{unique});
    CREATE INDEX idx_tags_entry ON tags(context_entry_id);
    CREATE TABLE image_attachments (
        id BIGSERIAL PRIMARY KEY, context_entry_id {key} NOT NULL REFERENCES context_entries(id) ON DELETE CASCADE,
        image_data BYTEA NOT NULL, mime_type TEXT NOT NULL, image_metadata JSONB, position INTEGER DEFAULT 0,
        created_at TIMESTAMPTZ DEFAULT CURRENT_TIMESTAMP);
    CREATE FUNCTION touch_updated_at() RETURNS TRIGGER AS $$ BEGIN NEW.updated_at = CURRENT_TIMESTAMP; RETURN NEW; END; $$ LANGUAGE plpgsql;
    CREATE TRIGGER update_context_entries_updated_at BEFORE UPDATE ON context_entries
        FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
    """


SQLITE = {layout: _sqlite(layout) for layout in ("2.x", "3.x")}
POSTGRES = {layout: _postgres(layout) for layout in ("2.x", "3.x")}


@dataclass
class Row:
    """An entry. ``metadata`` is the text that is stored, or None."""

    id: int | str
    metadata: str | None = "{}"
    tags: Sequence[str] = ()
    text: str | None = "An entry"
    thread: str = "work"
    source: str = "agent"
    created: str = "2026-03-01 10:00:00"
    updated: str | None = None
    version: int = 0
    images: Sequence[tuple[bytes, str]] = field(default=())

    @property
    def values(self) -> list[Any]:
        """The columns as :data:`NAMES` has them."""
        digest = None if self.text is None else hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()
        kind = "multimodal" if self.images else "text"
        return [
            self.id, self.thread, self.source, kind, self.text, self.metadata, None, digest, self.created, self.updated or self.created,
        ]  # fmt: skip


NAMES = "id, thread_id, source, content_type, text_content, metadata, summary, content_hash, created_at, updated_at"


def make_sqlite(path: Path, layout: str, rows: Iterable[Row], *, wal: bool = True) -> Path:
    """A database file; with ``wal`` in the journal mode in which the server leaves it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        if wal:
            connection.execute("PRAGMA journal_mode=WAL")
        connection.executescript(SQLITE[layout])
        connection.execute("BEGIN")
        for row in rows:
            extra, more = (", version", [row.version]) if layout == "3.x" else ("", [])
            marks = ", ".join("?" * (10 + len(more)))
            connection.execute(f"INSERT INTO context_entries ({NAMES}{extra}) VALUES ({marks})", [*row.values, *more])
            for tag in row.tags:
                connection.execute("INSERT INTO tags (context_entry_id, tag) VALUES (?, ?)", [row.id, tag])
            for place, (data, kind) in enumerate(row.images):
                connection.execute(
                    "INSERT INTO image_attachments (context_entry_id, image_data, mime_type, position) VALUES (?, ?, ?, ?)",
                    [row.id, data, kind, place],
                )
        connection.execute("COMMIT")
    return path


def make_postgres(admin: str, name: str, layout: str, rows: Iterable[Row]) -> str:
    """A new database beside the one of the URI; its own URI."""
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    uri = re.sub(r"/[^/?]+(\?|$)", rf"/{name}\1", admin, count=1)
    with psycopg.connect(uri) as connection:
        connection.execute(POSTGRES[layout])  # type: ignore[arg-type]
        for row in rows:
            extra, more = (", version", [row.version]) if layout == "3.x" else ("", [])
            marks = ", ".join(["%s"] * (10 + len(more)))
            connection.execute(
                f"INSERT INTO context_entries ({NAMES}{extra}) VALUES ({marks})",  # type: ignore[arg-type]
                [*row.values[:-2], f"{row.created}+00", f"{row.updated or row.created}+00", *more],
            )
            for tag in row.tags:
                connection.execute("INSERT INTO tags (context_entry_id, tag) VALUES (%s, %s)", [row.id, tag])
            for place, (data, kind) in enumerate(row.images):
                connection.execute(
                    "INSERT INTO image_attachments (context_entry_id, image_data, mime_type, position) VALUES (%s, %s, %s, %s)",
                    [row.id, data, kind, place],
                )
        if layout == "2.x":
            connection.execute(
                "SELECT setval('context_entries_id_seq', (SELECT greatest(max(id), 1) FROM context_entries))"
            )
    return uri


def rows_of(export: Path, layout: str) -> list[Row]:
    """The records of an export that a store of the layout can hold, with the exact text of their metadata."""
    fits = re.compile(r"[1-9][0-9]{0,17}" if layout == "2.x" else r'"[0-9a-f]{32}"').fullmatch
    rows: dict[int | str, Row] = {}
    for line in export.read_text(encoding="utf-8").splitlines():
        try:
            found = json.loads(line)
            own, text = found["id"], {member.key: line[member.start : member.end] for member in members(line, 0)}
        except (ValueError, TypeError, KeyError):
            continue
        metadata = text.get("metadata", "null")
        if not fits(text["id"]) or own in rows or not isinstance(found.get("text_content"), str):
            continue
        if re.search("[\ud800-\udfff]", json.dumps([found["text_content"], found.get("tags")], ensure_ascii=False)):
            continue
        time = found.get("created_at")
        rows[own] = Row(
            own,
            None if metadata == "null" else metadata,
            [tag for tag in dict.fromkeys(found.get("tags") or ()) if isinstance(tag, str)],
            found["text_content"],
            str(found.get("thread_id")),
            found["source"] if found.get("source") in ("user", "agent") else "agent",
            time.replace("T", " ")[:19]
            if isinstance(time, str) and re.match(r"\d{4}-\d\d-\d\d.\d\d:\d\d:\d\d", time)
            else "2026-01-01 00:00:00",
        )
    return list(rows.values())


def storable(row: Row) -> bool:
    """Whether PostgreSQL takes a row at all."""
    texts = [row.text or "", row.metadata or "", row.thread, row.created, *row.tags]
    return not any("\0" in text or re.search(r"[\ud800-\udfff]|\\u(0000|[dD][89a-fA-F])", text) for text in texts)
