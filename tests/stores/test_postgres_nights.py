"""Night after night on PostgreSQL: what ``--since-last`` says is what a full check says, and only what changed is read."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import psycopg
import pytest
from databases import make_postgres, rows_of, storable
from running import Run

SAMPLES = Path(__file__).parents[2] / "sample_data" / "context_server"
FIELDS = (
    ("status", ("done", "Done", "superseded", "no idea")),
    ("project", ("harbor-api", "Harbor-API")),
    ("kind", ("report", "issue")),
)


def found(run: Run, uri: str, workspace: str, *flags: str) -> list[dict[str, Any]]:
    result = run("check", uri, "--format", "jsonl", "--fail-on", "never", "--workspace", workspace, *flags)
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def full(workspace: str) -> list[bool]:
    """Of every sweep, whether it judged everything."""
    (history,) = Path(workspace).glob("*/history.jsonl")
    return [json.loads(line)["full"] for line in history.read_text("utf-8").splitlines()]


def work(connection: psycopg.Connection[tuple[Any, ...]], chosen: random.Random, kind: str) -> None:
    """Some changes of a day, as the server makes them: tags without the time of a change."""
    ids = [own for (own,) in connection.execute("SELECT id FROM context_entries ORDER BY id").fetchall()]
    for own in chosen.sample(ids, 3):
        name, values = chosen.choice(FIELDS)
        connection.execute(
            "UPDATE context_entries SET metadata = jsonb_set(metadata, ARRAY[%s], %s::jsonb)"
            " WHERE id = %s AND jsonb_typeof(metadata) = 'object'",
            [name, json.dumps(chosen.choice(values)), own],
        )
    linked, target, tagged, gone, copied = chosen.sample(ids, 5)
    shown = target if kind == "2.x" else target.hex[: chosen.choice((12, 32))]
    connection.execute(
        "UPDATE context_entries SET metadata = jsonb_set(metadata, '{links}', %s::jsonb)"
        " WHERE id = %s AND jsonb_typeof(metadata) = 'object'",
        [json.dumps({chosen.choice(("supersedes", "parent", "related", "duplicate_of")): [shown]}), linked],
    )
    connection.execute("DELETE FROM tags WHERE context_entry_id = %s", [tagged])
    if chosen.random() < 0.5:
        connection.execute("INSERT INTO tags (context_entry_id, tag) VALUES (%s, 'Nightly ')", [tagged])
    connection.execute("DELETE FROM context_entries WHERE id = %s", [gone])
    columns = "thread_id, source, content_type, text_content, metadata, created_at, updated_at"
    new = "DEFAULT" if kind == "2.x" else "gen_random_uuid()"
    values = f"thread_id, source, content_type, text_content, metadata, created_at, now() FROM context_entries WHERE id = '{copied}'"
    if kind == "2.x":
        connection.execute(f"INSERT INTO context_entries ({columns}) SELECT {values}")  # type: ignore[arg-type]
    else:
        connection.execute(f"INSERT INTO context_entries (id, {columns}) SELECT {new}, {values}")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("layout", "sample"), [("2.x", "entries.jsonl"), ("3.x", "entries_uuid.jsonl")], ids=["2.x", "3.x"]
)
def test_nights_of_a_database(run: Run, postgres: str, layout: str, sample: str) -> None:
    rows = [row for row in rows_of(SAMPLES / sample, layout) if storable(row)]
    uri = make_postgres(postgres, f"nights_{layout[0]}", layout, rows)
    chosen = random.Random(4)
    for night in range(4):
        if night:
            with psycopg.connect(uri) as connection:
                work(connection, chosen, layout)
        assert found(run, uri, "part", "--since-last") == found(run, uri, "whole"), f"night {night}"
    assert full("part") == [True, False, False, False]


def test_a_database_that_was_written_without_its_times_is_judged_whole(run: Run, postgres: str) -> None:
    rows = [row for row in rows_of(SAMPLES / "entries.jsonl", "2.x") if storable(row)]
    uri = make_postgres(postgres, "nights_silent", "2.x", rows)
    found(run, uri, "part", "--since-last")
    with psycopg.connect(uri) as connection:
        connection.execute("ALTER TABLE context_entries DISABLE TRIGGER ALL")
        connection.execute(
            "UPDATE context_entries SET metadata = replace(metadata::text, '\"done\"', '\"Done\"')::jsonb"
        )
    told = found(run, uri, "part", "--since-last")
    assert sum(finding["evidence"].get("found") == "Done" for finding in told) > 20
    assert full("part") == [True, True]
