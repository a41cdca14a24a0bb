"""Whatever JSON a store holds: its text is exported as it is, changed at the touched member alone, and put back exactly."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from databases import Row, make_sqlite
from hypothesis import given, settings
from hypothesis import strategies as st

from migrate.cli.main import cli

LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=8),
    st.sampled_from(["\ud800", "\x7f\u2028", "é😀", "\\u0041", "'\"%s?"]),
)  # fmt: skip
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A metadata object with one fault, spelled in one of several ways, an odd number among its members."""
    members = draw(st.dictionaries(st.text(alphabet="abcxyz é\n", min_size=1, max_size=5), VALUES, max_size=4))
    whole = {**members, "status": "Done", "kind": "plan", "schema_version": 1}
    text = json.dumps(whole, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 1])))
    text = text.encode("utf-8", "backslashreplace").decode()
    number = draw(st.sampled_from(["1.50", "1E400", "-0", "123456789012345678901234567890", "0.1e-7"]))
    return text[:-1].rstrip() + draw(st.sampled_from([",", " ,\t", ",\n "])) + f'"odd": {number}}}'


def call(folder: Path, *arguments: str) -> str:
    with contextlib.chdir(folder):
        result = CliRunner().invoke(cli, list(arguments))
    assert result.exit_code == 0, result.stderr
    return result.stdout


def stored(path: Path) -> dict[int, str]:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return dict(connection.execute("SELECT id, metadata FROM context_entries"))


@settings(max_examples=8, deadline=None)
@given(metadata=st.lists(texts(), min_size=1, max_size=12))
def test_texts_go_out_and_come_back_as_they_are(metadata: list[str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_sqlite(folder / "a.db", "2.x", [Row(number, text, ["plan"]) for number, text in enumerate(metadata, 1)])
        before = stored(folder / "a.db")
        call(folder, "export", "a.db", "-o", "a.jsonl")
        for line, text in zip((folder / "a.jsonl").read_text(encoding="utf-8").split("\n"), metadata, strict=False):
            assert f'"metadata":{text}'.replace("\n", " ") in line
        call(folder, "plan", "a.db", "-o", "p", "--select", "CS201")
        told = json.loads(call(folder, "apply", "p", "--yes", "--format", "json"))
        changed = stored(folder / "a.db")
        assert told["applied"] == len(metadata)
        for number, text in before.items():
            assert changed[number] == text.replace('"status": "Done"', '"status": "done"')
        call(folder, "undo", told["run_id"], "--yes")
        assert stored(folder / "a.db") == before


@pytest.mark.parametrize("encoded", ["all", "some"])
def test_metadata_that_is_a_text_in_a_store(tmp_path: Path, encoded: str) -> None:
    """Where all of it is, that is how the store keeps it; where some is, it is decoded."""
    inner = '{"status": "Done", "kind": "plan", "schema_version": 1}'
    rows = [Row(number, json.dumps(inner), ["plan"]) for number in (1, 2)]
    if encoded == "some":
        rows.append(Row(3, inner, ["plan"]))
    make_sqlite(tmp_path / "a.db", "2.x", rows)
    before = stored(tmp_path / "a.db")
    call(tmp_path, "plan", "a.db", "-o", "p", "--select", "CS004,CS201")
    told = json.loads(call(tmp_path, "apply", "p", "--yes", "--format", "json"))
    assert told["applied"] == len(rows)
    after = stored(tmp_path / "a.db")
    first = json.loads(after[1])
    assert isinstance(first, str) == (encoded == "all")
    assert (json.loads(first) if encoded == "all" else first)["status"] == "done"
    call(tmp_path, "undo", told["run_id"], "--yes")
    assert stored(tmp_path / "a.db") == before
