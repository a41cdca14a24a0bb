"""Whatever the servers can leave in a row is read and reported, and stops nothing; what is no such store is refused by name."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from databases import SQLITE, Row, make_postgres, make_sqlite
from running import Run

ODD = {
    1: None,
    2: '"a string"',
    3: "[1, 2]",
    4: "3",
    5: '{"a": 1, "a": 2}',
    6: '{"a": 1e400}',
    7: '{"a": "\\ud800"}',
    8: "007",
    9: '{"a": 1}',
}
"""Metadata texts that SQLite takes into a JSON column with the server's indexes on it."""


def findings(run: Run, store: str, *flags: str) -> dict[Any, list[dict[str, Any]]]:
    """All findings by record."""
    result = run("check", store, "--format", "jsonl", "--fail-on", "never", *flags)
    assert result.exit_code == 0, result.stderr
    found: dict[Any, list[dict[str, Any]]] = {}
    for line in result.stdout.splitlines():
        finding = json.loads(line)
        found.setdefault(finding["record"], []).append(finding)
    return found


def codes(found: dict[Any, list[dict[str, Any]]], record: Any) -> set[str]:
    return {finding["code"] for finding in found.get(record, [])}


def test_metadata_of_every_type_is_read(run: Run, tmp_path: Path) -> None:
    make_sqlite(tmp_path / "a.db", "2.x", [Row(own, text) for own, text in ODD.items()])
    found = findings(run, "a.db")
    for held in (2, 3, 4, 8):
        assert codes(found, held) == {"CS005"}, held
    assert codes(found, 5) == {"CS006"}
    for plain in (1, 6, 7, 9):
        assert not codes(found, plain) & {"CS001", "CS005", "CS006"}, plain
    assert run("export", "a.db", "-o", "a.jsonl").exit_code == 0
    metadata = [
        line.split('"metadata":')[1].split(',"tags"')[0] for line in (tmp_path / "a.jsonl").read_text().splitlines()
    ]
    # NUMERIC affinity: SQLite itself has made numbers of the texts that look like one.
    assert metadata == ["null", *[str(ODD[own]) for own in range(2, 8)], "7", '{"a": 1}']


def test_malformed_metadata_is_held_and_named(run: Run, tmp_path: Path) -> None:
    """No server's own index refuses it where a migration has just made the file."""
    make_sqlite(tmp_path / "a.db", "3.x", [Row("0" * 31 + "1", '{"a": 1}')])
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection, connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE name LIKE 'idx_metadata_%'").fetchall():
            connection.execute(f"DROP INDEX {name}")
        for number, text in (
            (2, "{bad"),
            (3, '{"a": NaN}'),
            (4, '{"a":1,}'),
            (5, '{"a":"\x01"}'),
            (6, ""),
            (7, "1e400"),
        ):
            connection.execute(
                "INSERT INTO context_entries (id, thread_id, source, content_type, text_content, metadata) VALUES (?, 't', 'agent', 'text', 'x', ?)",
                ["0" * 31 + str(number), text],
            )
    found = findings(run, "a.db")
    for number in range(2, 8):
        assert codes(found, "0" * 31 + str(number)) == {"CS005"}, number


def test_texts_that_are_not_utf8_are_read(run: Run, tmp_path: Path) -> None:
    rows = [Row(own, '{"status":"Done","kind":"plan","schema_version":1}', text=f"Entry {own}") for own in range(1, 9)]
    make_sqlite(tmp_path / "a.db", "2.x", rows)
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection, connection:
        connection.execute("UPDATE context_entries SET text_content = CAST(x'61ff62' AS TEXT) WHERE id IN (1, 5)")
        connection.execute("UPDATE context_entries SET metadata = CAST(x'7b2261223a22ff227d' AS TEXT) WHERE id = 6")
        connection.execute("UPDATE context_entries SET text_content = x'00ff' WHERE id = 7")
    found = findings(run, "a.db")
    assert {own for own in found if "CS201" in codes(found, own)} == {1, 2, 3, 4, 5, 7, 8}
    assert codes(found, 6) == {"CS005"}


def test_tags_and_times_of_every_shape_are_read(run: Run, tmp_path: Path) -> None:
    make_sqlite(
        tmp_path / "a.db",
        "2.x",
        [
            Row(1, "{}", ["Report", "report", "report"]),
            Row(2, "{}", ["a"], created="2026-03-01T10:00:00+02:00"),
            Row(3, "{}", created="not a date"),
            Row(4, "{}", created="1700000000"),
        ],
    )
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection, connection:
        connection.execute("INSERT INTO tags (context_entry_id, tag) VALUES (0, 'orphan'), (99, 'orphan')")
        connection.execute("UPDATE context_entries SET created_at = NULL WHERE id = 2")
    found = findings(run, "a.db")
    assert "CS111" in codes(found, 1)
    assert {own for own in found if "CS010" in codes(found, own)} == {3}


def test_a_database_whose_entries_are_all_in_its_log(run: Run, tmp_path: Path) -> None:
    """So a server leaves it when its client goes away; a copy without the log is told from it."""
    held = sqlite3.connect(tmp_path / "live.db", isolation_level=None)
    held.execute("PRAGMA journal_mode=WAL")
    held.execute("PRAGMA wal_autocheckpoint=0")
    held.executescript(SQLITE["2.x"])
    held.execute(
        "INSERT INTO context_entries (thread_id, source, content_type, text_content, metadata) VALUES ('t', 'agent', 'text', 'x', '{}')"
    )
    for suffix in ("", "-wal"):
        shutil.copy(tmp_path / f"live.db{suffix}", tmp_path / f"dead.db{suffix}")
    shutil.copy(tmp_path / "live.db", tmp_path / "cut.db")
    assert (tmp_path / "dead.db").stat().st_size == 4096
    for name in ("live.db", "dead.db"):
        assert 1 in findings(run, name), name
    before = (tmp_path / "dead.db").read_bytes()
    assert before == (tmp_path / "cut.db").read_bytes()
    result = run("check", "cut.db")
    assert result.exit_code == 2
    assert "copy cut.db-wal too" in result.stderr
    held.close()


def test_reading_sees_one_state_and_writes_nothing(run: Run, tmp_path: Path) -> None:
    path = make_sqlite(tmp_path / "a.db", "2.x", [Row(own) for own in range(1, 50)])
    path.chmod(0o444)
    digest = path.read_bytes()
    assert run("export", "a.db", "-o", "a.jsonl").exit_code == 0
    assert path.read_bytes() == digest


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ("CREATE TABLE other (id INTEGER)", "has no table context_entries"),
        ("CREATE TABLE context_entries (id BLOB, thread_id, source, text_content, metadata); CREATE TABLE tags (id)", "is declared BLOB"),
        ("CREATE TABLE context_entries (id INTEGER, thread_id, source, metadata)", "has no column text_content"),
        ("CREATE TABLE context_entries (id INTEGER, thread_id, source, text_content, metadata)", "has no table tags"),
    ],
)  # fmt: skip
def test_what_is_no_store_is_refused_by_name(run: Run, tmp_path: Path, table: str, sentence: str) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.executescript(table)
    for named in ("a.db", "sqlite:///a.db"):
        result = run("check", named)
        assert result.exit_code == 2
        assert f"error: {named}: " in result.stderr and sentence in result.stderr


@pytest.mark.parametrize(
    ("uri", "sentence"),
    [
        ("sqlite:///gone.db", "there is no such file"),
        ("sqlite://gone.db", "write sqlite:///PATH"),
        ("postgresql://me:geheim@127.0.0.1:1/db", "no connection"),
        ("postgresql://me:geheim@host/db?nonsense=1", "this is no connection URI"),
        ("mcp+stdio:", "no command was named"),
        ("mcp+stdio:false --token geheim", "cannot be reached"),
        ("http://127.0.0.1:1/mcp?token=geheim", "cannot be reached"),
    ],
)
def test_what_cannot_be_opened_is_one_sentence_without_a_secret(run: Run, uri: str, sentence: str) -> None:
    result = run("check", uri)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert sentence in result.stderr
    assert "geheim" not in result.stderr


def test_a_file_that_only_looks_like_a_database(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(b"SQLite format 3\0" + os.urandom(5000))
    result = run("check", "a.db")
    assert result.exit_code == 2
    assert "error: a.db: " in result.stderr


def test_a_database_that_is_damaged_in_the_middle_is_incomplete(run: Run, tmp_path: Path) -> None:
    path = make_sqlite(tmp_path / "a.db", "2.x", [Row(own, text="x" * 500) for own in range(1, 2000)], wal=False)
    data = bytearray(path.read_bytes())
    with closing(sqlite3.connect(path)) as connection:
        (pages,) = connection.execute("SELECT count(*) FROM pragma_page_count() JOIN pragma_page_size()").fetchone()
        assert pages
    at = data.index(b"x" * 500, len(data) // 4) // 4096 * 4096
    data[at : at + 4096] = b"\xff" * 4096
    path.write_bytes(data)
    result = run("plan", "a.db", "-o", "a.plan")
    assert result.exit_code == 3, result.stderr
    assert json.loads((tmp_path / "a.plan").read_text().splitlines()[0])["complete"] is False
    assert run("export", "a.db", "-o", "a.jsonl").exit_code == 2
    assert not (tmp_path / "a.jsonl").exists()


def test_postgresql_rows_of_every_kind(run: Run, postgres: str) -> None:
    odd = {own: text for own, text in ODD.items() if own not in (7, 8)}
    uri = make_postgres(postgres, "odd", "2.x", [Row(own, text, ["B", "b"]) for own, text in odd.items()])
    with psycopg.connect(uri) as connection:
        connection.execute("UPDATE context_entries SET created_at = 'infinity' WHERE id = 1")
        connection.execute("UPDATE context_entries SET created_at = '0044-03-15 BC' WHERE id = 6")
        connection.execute("UPDATE context_entries SET text_content = NULL WHERE id = 9")
    found = findings(run, uri)
    assert {own for own in found if "CS005" in codes(found, own)} == {2, 3, 4}
    assert {own for own in found if "CS010" in codes(found, own)} >= {1, 6}
    assert "CS006" not in codes(found, 5)


def test_a_postgresql_database_of_something_else_is_refused(run: Run, postgres: str) -> None:
    result = run("check", postgres)
    assert result.exit_code == 2
    assert "has no table context_entries" in result.stderr
    uri = make_postgres(postgres, "texts", "2.x", [])
    with psycopg.connect(uri) as connection:
        connection.execute("DROP INDEX idx_metadata_gin; ALTER TABLE context_entries ALTER metadata TYPE text")
    result = run("check", uri)
    assert "context_entries.metadata is of the type text" in result.stderr
