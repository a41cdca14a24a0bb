"""A large SQLite store is read by two processes: the lines are those that one would give, of one state, whatever happens meanwhile."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Generator
from contextlib import closing
from json.encoder import encode_basestring
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest
from databases import Row, make_sqlite
from running import Run

from migrate.corpora import sqlite_halves, sqlite_store
from migrate.corpora.entry_line import entry_line, image_json, metadata_json, tags_json
from migrate.corpora.interface import CorpusError
from migrate.corpora.spool import CutShort
from migrate.corpora.sqlite_lines import VALID, any_text
from migrate.corpora.sqlite_store import SqliteStore

NUMBER = 300
IDS: dict[str, Callable[[int], int | str]] = {"2.x": int, "3.x": lambda number: f"0198{number:028x}"}
ODD = {
    "a text that is not UTF-8": "UPDATE context_entries SET text_content = CAST(x'61ff62' AS TEXT) WHERE id = ?",
    "a thread of bytes": "UPDATE context_entries SET thread_id = x'00ff' WHERE id = ?",
    "a time that is a real number": "UPDATE context_entries SET created_at = 1.5e300 WHERE id = ?",
    "a text with NUL": "UPDATE context_entries SET text_content = 'a' || char(0) || 'b' WHERE id = ?",
    "metadata over lines": "UPDATE context_entries SET metadata = '{\"a\":' || char(13, 10) || '1}' WHERE id = ?",
    "metadata that is not UTF-8": "UPDATE context_entries SET metadata = CAST(x'7b2261223a22ff227d' AS TEXT) WHERE id = ?",
    "metadata that is a number": "UPDATE context_entries SET metadata = 3 WHERE id = ?",
    "no metadata": "UPDATE context_entries SET metadata = NULL WHERE id = ?",
    "a tag that is not UTF-8": "UPDATE tags SET tag = CAST(x'ff' AS TEXT) WHERE tag <> 'b' AND context_entry_id = ?",
    "a tag of bytes": "UPDATE tags SET tag = x'00ff' WHERE tag <> 'b' AND context_entry_id = ?",
    "an image of a type that is not UTF-8": "UPDATE image_attachments SET mime_type = CAST(x'ff' AS TEXT) WHERE context_entry_id = ?",
}


def odd_store(folder: Path, layout: str) -> SqliteStore:
    """Plain entries, and between them each kind of odd one, alone and in a row of two, in both halves."""
    own = IDS[layout]
    rows = [
        Row(own(number), '{"a": 1}', [f"tag {number}", "b"], f"Entry {number} é", images=[(b"12", "image/png")] if number % 5 == 0 else [])
        for number in range(1, NUMBER + 1)
    ]  # fmt: skip
    path = make_sqlite(folder / "a.db", layout, rows)
    with closing(sqlite3.connect(path)) as connection, connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE name LIKE 'idx_metadata_%'").fetchall():
            connection.execute(f"DROP INDEX {name}")
        for place, statement in enumerate(ODD.values()):
            for number in (10 + place * 10, 11 + place * 10, 160 + place * 10):
                connection.execute(statement, [own(number)])
    return SqliteStore("a.db", path)


@pytest.fixture(autouse=True)
def two(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every store is large, and there are two processors. What is returned has an item for each process that was begun."""
    begun: list[str] = []

    class Counted(sqlite_halves.Aside):
        def __init__(self, *arguments: Any) -> None:
            begun.append("another process")
            super().__init__(*arguments)

    monkeypatch.setattr(sqlite_halves, "WORTH_IT", 2)
    monkeypatch.setattr(sqlite_halves, "Aside", Counted)
    monkeypatch.setattr(sqlite_store, "available", lambda threads: threads or 2)
    return begun


def pieces(store: SqliteStore, folder: Path, threads: int) -> tuple[bytes, str | None]:
    """All that a store gives, and what cut it short. Nothing is left behind."""
    folder.mkdir(exist_ok=True)
    given: list[bytes] = []
    reason = None
    try:
        given.extend(store.lines(folder, threads))
    except CutShort as error:
        reason = str(error)
    assert list(folder.iterdir()) == []
    assert active_children() == []
    return b"".join(given), reason


def with_care(store: SqliteStore) -> bytes:
    """The lines as they are made one by one, each value by its type."""
    lines = []
    with closing(store.connect()) as connection:
        connection.text_factory = any_text
        query = f"SELECT {', '.join(store.columns)}, {VALID} FROM context_entries ORDER BY id"
        for row in connection.execute(query).fetchall():
            tags = connection.execute("SELECT tag FROM tags WHERE context_entry_id = ? ORDER BY id", [row[0]])
            told = connection.execute(
                "SELECT id, mime_type, position, length(image_data) FROM image_attachments WHERE context_entry_id = ?"
                " ORDER BY position, id",
                [row[0]],
            )
            tags_text, images = tags_json(tag for (tag,) in tags), ",".join(image_json(*image) for image in told)
            metadata = metadata_json(row[store.columns.index("metadata")], valid=bool(row[-1]))
            lines.append(entry_line(store.columns, row, metadata, tags_text, f"[{images}]" if images else None))
    return b"".join(lines)


@pytest.mark.parametrize("layout", IDS)
def test_two_parts_are_the_bytes_of_one(tmp_path: Path, layout: str, two: list[str]) -> None:
    store = odd_store(tmp_path, layout)
    one = pieces(store, tmp_path / "folder", 1)
    assert not two
    assert one == (with_care(store), None)
    assert pieces(store, tmp_path / "folder", 2) == one
    assert len(two) == 1


def test_every_character_is_escaped_as_ever(tmp_path: Path) -> None:
    text = "".join(chr(code) for code in (*range(0xD800), *range(0xE000, 0x11000), 0x1F600, 0x10FFFF))
    store = SqliteStore("a.db", make_sqlite(tmp_path / "a.db", "2.x", [Row(1, tags=["\x7f\x1f\u2028"], text=text)]))
    lines = b"".join(store.lines(tmp_path))
    assert f'"text_content":{encode_basestring(text)},'.encode() in lines
    assert '"tags":["\x7f\\u001f\u2028"]'.encode() in lines
    assert lines == with_care(store)


def committing(monkeypatch: pytest.MonkeyPatch, path: Path, times: int) -> None:
    """Somebody commits a change of every entry after the beginning here and before the one of the other process."""
    begin, left = sqlite_halves.begin, [times]

    def begun(connection: sqlite3.Connection) -> None:
        begin(connection)
        if left[0]:
            left[0] -= 1
            with closing(sqlite3.connect(path)) as other, other:
                other.execute("UPDATE context_entries SET thread_id = ?", [f"commit {times - left[0]}"])

    monkeypatch.setattr(sqlite_halves, "begin", begun)


@pytest.mark.parametrize(("times", "seen"), [(0, "work"), (1, "commit 1"), (4, "commit 4"), (9, "commit 5")])
def test_both_see_one_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int, seen: str, two: list[str]
) -> None:
    """With a commit each time there is one reader in the end, of the state of its own beginning."""
    store = SqliteStore("a.db", make_sqlite(tmp_path / "a.db", "2.x", [Row(own) for own in range(1, NUMBER + 1)]))
    committing(monkeypatch, store.path, times)
    given, reason = pieces(store, tmp_path / "folder", 2)
    assert (given.count(b"\n"), reason, len(two)) == (NUMBER, None, 1)
    assert given.count(f'"thread_id":"{seen}"'.encode()) == NUMBER


@pytest.mark.parametrize("share", [0.25, 0.75])
def test_what_is_damaged_is_read_up_to_the_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: float, two: list[str]
) -> None:
    path = make_sqlite(tmp_path / "a.db", "2.x", [Row(own, text="x" * 500) for own in range(1, 2000)], wal=False)
    store, data = SqliteStore("a.db", path), bytearray(path.read_bytes())
    at = data.index(b"x" * 500, int(len(data) * share)) // 4096 * 4096
    data[at : at + 4096] = b"\xff" * 4096
    with closing(store.connect()) as connection:
        middle = sqlite_halves._middle(connection)
    monkeypatch.setattr(sqlite_halves, "_middle", lambda connection: middle)
    path.write_bytes(data)
    one = pieces(store, tmp_path / "folder", 1)
    assert one[1] is not None and 0 < one[0].count(b"\n") < 1999
    with closing(store.connect()) as connection:
        given: list[bytes] = []
        with pytest.raises(sqlite3.DatabaseError):
            given.extend(sqlite_halves.in_two(store, connection, tmp_path / "folder"))
    assert (b"".join(given), len(two)) == (one[0], 1)


def dies(store: Any, name: str) -> Generator[None, Any, None]:
    """In place of the second reader: a process that somebody ends."""
    yield None
    yield None
    os._exit(1)


def test_a_process_that_is_ended_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_halves, "write_behind", dies)
    store = odd_store(tmp_path, "2.x")
    with pytest.raises(CorpusError, match=r"^a\.db: it cannot be read: a process of this run was ended from outside$"):
        pieces(store, tmp_path / "folder", 2)
    assert list((tmp_path / "folder").iterdir()) == []


def test_who_stops_early_leaves_nothing_behind(tmp_path: Path, two: list[str]) -> None:
    store = odd_store(tmp_path, "2.x")
    (tmp_path / "folder").mkdir()
    lines = store.lines(tmp_path / "folder")
    assert next(lines)
    assert active_children() and two
    lines.close()
    assert (active_children(), list((tmp_path / "folder").iterdir())) == ([], [])


def test_an_export_is_that_of_one_process(run: Run, tmp_path: Path, two: list[str]) -> None:
    store = odd_store(tmp_path, "3.x")
    assert run("export", "a.db", "-o", "a.jsonl").exit_code == 0
    assert run("plan", "a.db", "-o", "store.plan", "--threads", "2").exit_code in (0, 3)
    assert len(two) == 2
    assert (tmp_path / "a.jsonl").read_bytes() == with_care(store)
    assert run("plan", "a.jsonl", "-o", "export.plan").exit_code in (0, 3)
    one, other = (tmp_path / f"{name}.plan" for name in ("store", "export"))
    assert one.read_text().splitlines()[1:] == other.read_text().splitlines()[1:]
