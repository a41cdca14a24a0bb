"""``map``: by rank where the ranks prove themselves, else by content; nothing unproven is written."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from databases import Row, make_postgres, make_sqlite
from running import Run


def corpus(number: int, seed: int = 7) -> list[Row]:
    """Old entries whose ids are not in the order of their times, some of them alike but for the id."""
    random = Random(seed)
    rows = []
    for own in range(1, number + 1):
        minute = random.randrange(60)
        text = random.choice(["ok", f"Entry {own}", f"Entry {own} é"])
        rows.append(
            Row(
                own,
                f'{{"links":{{"parent":[{random.randrange(1, number + 1)}]}}}}',
                text=text,
                created=f"2026-03-01 10:{minute:02}:00",
            )
        )
    return rows


def migrated(rows: Sequence[Row], seed: int = 1) -> tuple[list[Row], dict[str, str]]:
    """What a migration makes of them: in order of time and id, under ids whose last digits are random; and the true map."""
    random = Random(seed)
    order = sorted(rows, key=lambda row: (row.created, row.id))
    true = {str(row.id): f"0198{random.getrandbits(112):028x}" for row in order}
    return [replace(row, id=true[str(row.id)]) for row in order], true


def map_of(path: Path) -> dict[str, str]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        return dict(json.loads(text))
    if path.suffix == ".csv":
        return dict(line.split(",") for line in text.splitlines()[1:])
    return {str(entry["old"]): entry["new"] for entry in map(json.loads, text.splitlines())}


@pytest.mark.parametrize("name", ["m.json", "m.jsonl", "m.csv"])
def test_ranks_tell_even_entries_that_are_alike(run: Run, tmp_path: Path, name: str) -> None:
    rows = corpus(200)
    new, true = migrated(rows)
    make_sqlite(tmp_path / "old.db", "2.x", rows)
    make_sqlite(tmp_path / "new.db", "3.x", new)
    result = run("map", "old.db", "new.db", "-o", name)
    assert result.exit_code == 0, result.stderr
    assert map_of(tmp_path / name) == true
    assert run("map", "old.db", "new.db", "-o", name).exit_code == 4


def test_the_map_repairs_what_the_migration_left(run: Run, tmp_path: Path) -> None:
    rows = corpus(40)
    new, true = migrated(rows)
    make_sqlite(tmp_path / "old.db", "2.x", rows)
    make_sqlite(tmp_path / "new.db", "3.x", new)
    assert run("map", "old.db", "new.db", "-o", "m.json").exit_code == 0
    assert run("plan", "new.db", "--id-map", "m.json", "-o", "p").exit_code == 0
    changed = [json.loads(line) for line in (tmp_path / "p").read_text().splitlines()[1:]]
    parents = {line["record"]: line["patch"]["metadata"]["links"]["parent"] for line in changed}
    wanted = {true[str(row.id)]: json.loads(row.metadata or "")["links"]["parent"] for row in rows}
    assert parents == {record: [true[str(old)]] for record, (old,) in wanted.items()}


def test_entries_added_or_deleted_since_leave_the_ranks_as_they_are(run: Run, tmp_path: Path) -> None:
    rows = corpus(100)
    new, true = migrated(rows)
    gone = new[10].id
    make_sqlite(tmp_path / "old.db", "2.x", rows)
    make_sqlite(tmp_path / "new.db", "3.x", [*new, Row("ff" * 16, text="later", created="2026-05-01 00:00:00")])
    with closing(sqlite3.connect(tmp_path / "new.db")) as connection, connection:
        connection.execute("DELETE FROM context_entries WHERE id = ?", [gone])
        connection.execute("UPDATE context_entries SET text_content = 'edited' WHERE id = ?", [new[20].id])
    result = run("map", "old.db", "new.db", "-o", "m.json", "--format", "json")
    assert result.exit_code == 5
    told = json.loads(result.stdout)
    back = {new_id: int(old_id) for old_id, new_id in true.items()}
    assert (told["by"], told["mapped"], told["added"]) == ("rank", 98, 1)
    assert told["missing"] == [back[str(gone)]]
    assert told["edited"] == [back[str(new[20].id)]]
    assert map_of(tmp_path / "m.json") == {old: made for old, made in true.items() if made not in (gone, new[20].id)}


def test_where_ranks_have_moved_only_what_is_unlike_any_other_is_mapped(run: Run, tmp_path: Path) -> None:
    rows = corpus(150)
    new, true = migrated(rows)
    make_sqlite(tmp_path / "old.db", "2.x", rows[5:])
    make_sqlite(tmp_path / "new.db", "3.x", new)
    result = run("map", "old.db", "new.db", "-o", "m.json", "--format", "json")
    told = json.loads(result.stdout)
    found = map_of(tmp_path / "m.json")
    assert told["by"] == "content"
    assert found and all(true[old] == made for old, made in found.items())
    assert len(found) + len(told["tied"]) == 145
    assert result.exit_code == 5 and told["tied"]


def test_a_postgresql_target_is_mapped_by_content(run: Run, tmp_path: Path, postgres: str) -> None:
    rows = corpus(80)
    new, true = migrated(rows)
    make_sqlite(tmp_path / "old.db", "2.x", rows)
    uri = make_postgres(postgres, "mapped", "3.x", new)
    result = run("map", "old.db", uri, "-o", "m.jsonl", "--format", "json")
    told, found = json.loads(result.stdout), map_of(tmp_path / "m.jsonl")
    assert told["by"] == "content" and found
    assert all(true[old] == made for old, made in found.items())
    assert len(found) + len(told["tied"]) == 80
    old_uri = make_postgres(postgres, "mapped_old", "2.x", rows)
    assert run("map", old_uri, uri, "-o", "n.jsonl").exit_code == result.exit_code
    assert map_of(tmp_path / "n.jsonl") == found


def test_what_a_map_cannot_be_made_of(run: Run, tmp_path: Path) -> None:
    make_sqlite(tmp_path / "old.db", "2.x", corpus(5))
    make_sqlite(tmp_path / "new.db", "3.x", [Row("ab" * 16, text="of something else")])
    for arguments, sentence in (
        (("new.db", "old.db", "-o", "m.json"), "has the layout 3.x"),
        (("old.db", "new.db", "-o", "m.txt"), "name the map"),
        (("old.db", "new.db", "-o", "m.json"), "none of the 5 entries"),
    ):
        result = run("map", *arguments)
        assert result.exit_code == 2
        assert sentence in result.stderr
    assert not (tmp_path / "m.json").exists()
