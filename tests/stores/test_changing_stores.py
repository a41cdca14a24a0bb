"""Apply and undo on every kind of database: only the planned members change, and they come back as they were."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from databases import Row, make_postgres, make_sqlite, rows_of, storable
from running import Run

SAMPLES = Path(__file__).parents[2] / "sample_data" / "context_server"
SAMPLE = {"2.x": "entries.jsonl", "3.x": "entries_uuid.jsonl"}
TABLES = {"context_entries": "id", "tags": "context_entry_id, id", "image_attachments": "id"}


class Database:
    """A store of the tests, and a look behind the tool's back."""

    def __init__(self, uri: str, layout: str) -> None:
        self.uri = uri
        self.layout = layout

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        if self.uri.startswith("sqlite"):
            with closing(sqlite3.connect(self.uri.removeprefix("sqlite:///"))) as connection:
                return connection.execute(query).fetchall()
        with psycopg.connect(self.uri) as connection:
            return connection.execute(query).fetchall()

    def run(self, query: str) -> None:
        if self.uri.startswith("sqlite"):
            with closing(sqlite3.connect(self.uri.removeprefix("sqlite:///"))) as connection, connection:
                connection.execute(query)
        else:
            with psycopg.connect(self.uri) as connection:
                connection.execute(query)

    def entries(self) -> dict[Any, tuple[Any, ...]]:
        """Everything of every entry by its id, without metadata, tags and what a change moves; then those apart."""
        version = ", version" if self.layout == "3.x" else ""
        fixed = "thread_id, source, content_type, text_content, summary, content_hash, created_at"
        cast = "::text" if self.uri.startswith("postgres") else ""
        found = {}
        tags: dict[Any, list[str]] = {}
        for own, tag in self.rows("SELECT context_entry_id, tag FROM tags ORDER BY context_entry_id, id"):
            tags.setdefault(own, []).append(tag)
        for own, metadata, updated, *rest in self.rows(
            f"SELECT id, metadata{cast}, updated_at{version}, {fixed} FROM context_entries ORDER BY id"
        ):
            moved = (updated, rest.pop(0)) if version else (updated, None)
            found[str(own).replace("-", "")] = (metadata, tags.get(own, []), moved, rest)
        return found


@pytest.fixture(params=["2.x sqlite", "3.x sqlite", "2.x postgresql", "3.x postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """The sample corpus, as far as a store can hold it."""
    layout, backend = request.param.split()
    rows = rows_of(SAMPLES / SAMPLE[layout], layout)
    if backend == "sqlite":
        yield Database(f"sqlite:///{make_sqlite(tmp_path / 'store.db', layout, rows)}", layout)
        return
    kept = [row for row in rows if storable(row)]
    yield Database(make_postgres(request.getfixturevalue("postgres"), f"change_{layout[0]}", layout, kept), layout)


def planned(path: Path) -> dict[str, dict[str, Any]]:
    """The plan's lines by id."""
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines()[1:])
    return {str(line["record"]): line for line in lines}


def test_a_plan_is_carried_out_once_and_taken_back(run: Run, database: Database, tmp_path: Path) -> None:
    before = database.entries()
    assert run("plan", database.uri, "-o", "p", "--unsafe-fixes").exit_code == 0
    plan = planned(tmp_path / "p")
    assert len(plan) > 40
    told = json.loads(run("apply", "p", "--yes", "--format", "json").stdout)
    assert (told["applied"], told["stale"], told["failed"]) == (len(plan), 0, 0)
    after = database.entries()
    _only_the_planned_changed(database, plan, before, after)
    assert run("plan", database.uri, "-o", "again", "--unsafe-fixes").exit_code == 0
    assert not [line for line in planned(tmp_path / "again").values() if line["level"] == "safe"]
    result = run("apply", "p", "--yes", "--format", "json")
    assert result.exit_code == 0, result.stderr
    once_more = json.loads(result.stdout)
    assert (once_more["applied"], once_more["already_applied"]) == (0, len(plan))
    assert database.entries() == after
    assert run("undo", told["run_id"], "--yes").exit_code == 0
    back = database.entries()
    assert {own: row[:2] for own, row in back.items()} == {own: row[:2] for own, row in before.items()}
    if database.layout == "3.x":
        assert {back[own][2][1] - before[own][2][1] for own in plan} == {2}
    assert json.loads(run("undo", told["run_id"], "--yes", "--format", "json").stdout)["applied"] == 0
    assert database.entries() == back


def _only_the_planned_changed(
    database: Database, plan: dict[str, dict[str, Any]], before: dict[Any, Any], after: dict[Any, Any]
) -> None:
    assert before.keys() == after.keys()
    for own, (metadata, tags, moved, rest) in after.items():
        was = before[own]
        assert rest == was[3]
        if own not in plan:
            assert (metadata, tags, moved) == was[:3], own
            continue
        patch = plan[own]["patch"]
        if "tags" in patch:
            assert tags == patch["tags"]
        else:
            assert tags == was[1]
        if database.layout == "3.x":
            assert moved[1] == was[2][1] + 1
        only_tags = not set(patch) - {"tags"}
        assert (moved[0] == was[2][0]) == (only_tags and database.layout == "2.x"), own
        if database.uri.startswith("sqlite"):
            json.loads(metadata or "null")
    if database.uri.startswith("sqlite"):
        (found,) = database.rows("SELECT count(*) FROM context_entries_fts WHERE context_entries_fts MATCH 'pages'")
        assert found[0] > 0


def test_only_the_touched_members_are_spelled_anew(run: Run, tmp_path: Path) -> None:
    metadata = '{ "b" : 1.50,\n "status":"Done", "n":1E2, "e":"\\u00e9", "kind":"plan", "schema_version":1,  "x":null }'
    make_sqlite(tmp_path / "a.db", "2.x", [Row(1, metadata, ["plan"]), Row(2, metadata, ["Plan"])])
    store = Database(f"sqlite:///{tmp_path / 'a.db'}", "2.x")
    run("plan", "a.db", "-o", "p", "--select", "CS201,CS111")
    result = run("apply", "p", "--yes")
    assert result.exit_code == 0, result.stderr
    entries = store.entries()
    assert entries["1"][:2] == (metadata.replace('"Done"', '"done"'), ["plan"])
    assert entries["2"][:2] == (metadata.replace('"Done"', '"done"'), ["plan"])


def test_the_time_of_the_last_change_can_be_kept(run: Run, tmp_path: Path) -> None:
    rows = [
        Row(f"{number:032x}", '{"status":"Done","kind":"plan","schema_version":1}', ["plan"]) for number in range(5)
    ]
    store = Database(f"sqlite:///{make_sqlite(tmp_path / 'a.db', '3.x', rows)}", "3.x")
    run("plan", "a.db", "-o", "p")
    assert run("apply", "p", "--yes", "--keep-updated-at").exit_code == 0
    assert {row[2] for row in store.entries().values()} == {("2026-03-01 10:00:00", 1)}


def test_a_plan_of_an_export_fits_the_store_it_came_from(run: Run, database: Database, tmp_path: Path) -> None:
    assert run("export", database.uri, "-o", "entries.jsonl").exit_code == 0
    run("plan", "entries.jsonl", "-o", "p", "--target", database.uri)
    patches = len(planned(tmp_path / "p"))
    assert run("apply", "p", "--to", database.uri, "--yes").exit_code == 0
    run("plan", database.uri, "-o", "again")
    assert patches > 30 and not planned(tmp_path / "again")


def test_what_was_edited_since_is_left_alone_and_named(run: Run, database: Database, tmp_path: Path) -> None:
    run("plan", database.uri, "-o", "p")
    plan = planned(tmp_path / "p")
    alone = [own for own, line in plan.items() if line["unit"] is None]
    quoted = [own if database.layout == "2.x" else f"'{own}'" for own in alone]
    database.run(f"UPDATE context_entries SET metadata = '{{\"mine\": 1}}' WHERE id = {quoted[0]}")
    database.run(f"DELETE FROM context_entries WHERE id = {quoted[1]}")
    database.run(f"INSERT INTO tags (context_entry_id, tag) VALUES ({quoted[2]}, 'mine')")
    touched = 3
    if database.layout == "3.x":
        database.run(f"UPDATE context_entries SET version = version + 1 WHERE id = {quoted[3]}")
        touched = 4
    before = database.entries()
    result = run("apply", "p", "--yes", "--format", "json")
    told = json.loads(result.stdout)
    assert result.exit_code == 5
    assert told["stale"] >= touched and told["applied"] == len(plan) - told["stale"]
    after = database.entries()
    for own in (alone[0], alone[2], alone[3])[: touched - 1]:
        assert after[own] == before[own]
    assert alone[1] not in after
    problems = "\n".join(told["problems"])
    assert all(own in problems for own in alone[:touched])


def test_undo_leaves_newer_edits_alone(run: Run, database: Database, tmp_path: Path) -> None:
    before = database.entries()
    run("plan", database.uri, "-o", "p", "--select", "CS201")
    plan = planned(tmp_path / "p")
    told = json.loads(run("apply", "p", "--yes", "--format", "json").stdout)
    own, other = [own for own, line in plan.items() if line["changes"][0]["path"] == "/status"][:2]
    name, second = (own, other) if database.layout == "2.x" else (f"'{own}'", f"'{other}'")
    edit = (
        "json_set(metadata, '$.status', 'mine')"
        if database.uri.startswith("sqlite")
        else "jsonb_set(metadata, '{status}', '\"mine\"')"
    )
    add = (
        "json_set(metadata, '$.mine', 1)" if database.uri.startswith("sqlite") else "jsonb_set(metadata, '{mine}', '1')"
    )
    database.run(f"UPDATE context_entries SET metadata = {edit} WHERE id = {name}")
    database.run(f"UPDATE context_entries SET metadata = {add} WHERE id = {second}")
    result = run("undo", told["run_id"], "--yes", "--format", "json")
    assert result.exit_code == 5
    after = database.entries()
    assert json.loads(after[own][0])["status"] == "mine"
    assert json.loads(after[other][0]) == {**json.loads(before[other][0]), "mine": 1}
    for rest in plan.keys() - {own, other}:
        assert after[rest][:2] == before[rest][:2]


def test_a_plan_for_another_store_is_refused(run: Run, tmp_path: Path) -> None:
    one = [Row(1, '{"status":"Done","kind":"plan","schema_version":1}', ["plan"])]
    make_sqlite(tmp_path / "a.db", "2.x", one)
    make_sqlite(tmp_path / "b.db", "2.x", [Row(2)])
    make_sqlite(tmp_path / "c.db", "3.x", [Row("ab" * 16)])
    run("plan", "a.db", "-o", "p")
    for other, sentence in (("b.db", "none of the 1 planned"), ("c.db", "its ids are uuid")):
        result = run("apply", "p", "--to", other, "--yes")
        assert result.exit_code == 4
        assert sentence in result.stderr
    for flags, code in ((["--in-place", "--yes"], 4), (["-o", "x.jsonl"], 4), (["--to", "nothing"], 2), ([], 4)):
        assert run("apply", "p", *flags).exit_code == code, flags
    assert run("apply", "p", "--yes").exit_code == 0


def test_a_unit_that_the_database_refuses_is_taken_back_whole(run: Run, tmp_path: Path, postgres: str) -> None:
    """A plan for files holds what jsonb refuses; nobody said that it is for a PostgreSQL."""
    rows = [
        Row(number, f'{{"status":"Done","kind":"plan","schema_version":1,"tags":["t{number}"]}}', ["plan"])
        for number in range(1, 9)
    ]
    uri = make_postgres(postgres, "refusing", "2.x", rows)
    with psycopg.connect(uri) as connection:
        connection.execute("ALTER TABLE tags ADD CHECK (tag <> 't3')")
    store = Database(uri, "2.x")
    run("plan", uri, "-o", "p", "--unsafe-fixes")
    result = run("apply", "p", "--yes", "--format", "json")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["applied"], told["failed"]) == (5, 7, 1)
    assert "3: failed: the database refuses it" in told["problems"][0]
    assert json.loads(store.entries()["3"][0]) == json.loads(rows[2].metadata or "")


def test_no_secret_is_shown_or_written(run: Run, tmp_path: Path, postgres: str) -> None:
    uri = make_postgres(
        postgres, "secret", "2.x", [Row(1, '{"status":"Done","kind":"plan","schema_version":1}', ["plan"])]
    )
    with_password = uri.replace("postgres:@", "postgres:geheim@")
    assert "geheim" in with_password
    shown = []
    for arguments in (
        ["check", with_password],
        ["export", with_password, "-o", "a.jsonl"],
        ["plan", with_password, "-o", "p"],
        ["show", "p"],
        ["apply", "p", "--yes", "-v"],
        ["apply", "p", "--to", with_password, "--yes"],
        ["apply", "p", "--to", with_password],
    ):
        result = run(*arguments)
        shown.append(result.stdout + result.stderr)
    (run_folder,) = tmp_path.glob("reports/*/runs/2*")
    result = run("undo", run_folder.name, "--yes", "--at", with_password, "--format", "json")
    assert result.exit_code == 0, result.stderr
    shown.append(result.stdout)
    assert "postgres:***@" in "".join(shown)
    assert "geheim" not in "".join(shown)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 5
    assert not [path for path in files if b"geheim" in path.read_bytes()]
