"""Every kind of database is read as its export is: the same lines, the same plan, whatever the backend and the layout."""

from __future__ import annotations

import gzip
import json
import runpy
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from databases import Row, make_postgres, make_sqlite, rows_of, storable
from running import Run

SAMPLES = Path(__file__).parents[2] / "sample_data" / "context_server"
LAYOUTS = {"2.x": "entries.jsonl", "3.x": "entries_uuid.jsonl"}


@pytest.fixture(params=["2.x sqlite", "3.x sqlite", "2.x postgresql", "3.x postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The sample corpus, as far as a store can hold it."""
    layout, backend = request.param.split()
    rows = rows_of(SAMPLES / LAYOUTS[layout], layout)
    assert len(rows) > 50
    if backend == "sqlite":
        return f"sqlite:///{make_sqlite(tmp_path / 'store.db', layout, rows)}"
    kept = [row for row in rows if storable(row)]
    return make_postgres(request.getfixturevalue("postgres"), f"sample_{layout[0]}", layout, kept)


def unzstd(data: bytes) -> bytes:
    return zstandard.ZstdDecompressor().decompressobj().decompress(data)


def plan_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def test_a_store_and_its_export_have_the_same_plan(run: Run, store: str, tmp_path: Path) -> None:
    assert run("export", store, "-o", "entries.jsonl").exit_code == 0
    assert run("plan", store, "-o", "store.plan", "--unsafe-fixes").exit_code == 0
    assert run("plan", "entries.jsonl", "-o", "export.plan", "--unsafe-fixes").exit_code == 0
    (one, *lines), (other, *same) = plan_lines(tmp_path / "store.plan"), plan_lines(tmp_path / "export.plan")
    assert len(lines) > 20
    assert lines == same
    assert json.loads(one)["plan_id"] == json.loads(other)["plan_id"]
    assert json.loads(one)["corpus"]["fingerprint"] == json.loads(other)["corpus"]["fingerprint"]


def test_an_export_has_every_entry_with_the_exact_text_of_its_metadata(run: Run, tmp_path: Path) -> None:
    metadata = '{ "a" : 1.50, "b":1E2,\t"c":"\\u00e9\\ud83d\\ude00", "d":null, "big":123456789012345678901234567890}'
    rows = [
        Row(3, metadata, ["b", "a", "b"], 'Line\nwith "quotes" and \u2028', images=[(b"12345", "image/png")]),
        Row(1, None, [], ""),
        Row(2, '{"a":\n 1}', ["é"], "x"),
    ]
    make_sqlite(tmp_path / "a.db", "2.x", rows)
    assert run("export", "a.db", "-o", "a.jsonl").exit_code == 0
    lines = (tmp_path / "a.jsonl").read_text(encoding="utf-8").split("\n")
    assert [json.loads(line)["id"] for line in lines[:-1]] == [1, 2, 3]
    assert (
        f'"metadata":{metadata},"tags":["b","a","b"],"images":[{{"id":1,"mime_type":"image/png","position":0,"size":5}}]'
        in lines[2]
    )
    assert '"metadata":null,"tags":[]' in lines[0]
    assert '"metadata":{"a":  1},"tags":["é"]' in lines[1]
    assert json.loads(lines[2])["text_content"] == 'Line\nwith "quotes" and \u2028'


@pytest.mark.parametrize(("suffix", "unpacked"), [(".jsonl.gz", gzip.decompress), (".jsonl.zst", unzstd)])
def test_an_export_can_be_compressed(run: Run, tmp_path: Path, suffix: str, unpacked: Callable[[bytes], bytes]) -> None:
    make_sqlite(tmp_path / "a.db", "2.x", [Row(number, text="x" * number) for number in range(1, 300)])
    assert run("export", "a.db", "-o", f"a{suffix}").exit_code == 0
    assert run("export", "a.db", "-o", "a.jsonl").exit_code == 0
    assert unpacked((tmp_path / f"a{suffix}").read_bytes()) == (tmp_path / "a.jsonl").read_bytes()


def test_data_is_never_written_over_data(run: Run, tmp_path: Path) -> None:
    make_sqlite(tmp_path / "a.db", "2.x", [Row(1)])
    (tmp_path / "a.jsonl").write_text("mine")
    result = run("export", "a.db", "-o", "a.jsonl")
    assert (result.exit_code, result.stderr) == (4, "error: -o a.jsonl exists already; name a new file\n")
    assert (tmp_path / "a.jsonl").read_text() == "mine"
    assert run("export", "a.db", "-o", "a.db").exit_code == 4


def test_an_empty_store_is_a_corpus_without_records(run: Run, tmp_path: Path) -> None:
    make_sqlite(tmp_path / "a.db", "3.x", [])
    assert run("plan", "a.db", "-o", "a.plan").exit_code == 0
    assert run("export", "a.db", "-o", "a.jsonl").exit_code == 0
    assert (tmp_path / "a.jsonl").read_bytes() == b""


def test_the_store_of_the_benchmarks_leaves_out_what_none_can_hold(tmp_path: Path) -> None:
    """The sample has texts with half of a surrogate pair in them, which UTF-8 cannot hold."""
    fill = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "generate_store.py"))["fill_sqlite"]
    corpus = tmp_path / "a.jsonl"
    rows = [{"id": own, "text_content": text, "metadata": None, "tags": []} for own, text in ((1, "x"), (2, "\ud800"))]
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert fill(tmp_path / "a.db", corpus) == 1
    assert fill(tmp_path / "b.db", SAMPLES / "entries.jsonl") > 300
