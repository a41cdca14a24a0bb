"""Parquet: every value becomes the JSON an export would have, and no text changes."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
import zstandard

from migrate.corpora.files import open_files
from migrate.corpora.interface import CorpusError, Prepared
from migrate.corpora.rewrite import rewrite
from migrate.corpora.shard import Shard

DuckdbRows = Callable[[Prepared], list[str | None]]

METADATA = '{"status": "Done",  "n": 1E2, "u": "\\u00e9\\/é", "big": 123456789012345678901234567890}'


def parquet(folder: Path, select: str, name: str = "entries.parquet") -> Shard:
    folder.mkdir(exist_ok=True)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'Asia/Tokyo'")
        connection.execute(f"COPY ({select}) TO '{folder / name}' (FORMAT parquet)")
    return open_files(str(folder / name)).shards[0]


def lines(shard: Shard, temp: Path) -> list[str]:
    return shard.prepare(temp).ndjson.read_text().splitlines()


def test_rows_become_records_in_order(tmp_path: Path, duckdb_rows: DuckdbRows) -> None:
    shard = parquet(tmp_path / "in", "SELECT i AS id, 't' || i AS thread_id FROM range(1, 5001) r(i)")
    prepared = shard.prepare(tmp_path)
    assert (shard.form, prepared.compression, prepared.gaps) == ("parquet", None, ())
    rows = duckdb_rows(prepared)
    assert rows == [f'{{"id":{i},"thread_id":"t{i}"}}' for i in range(1, 5001)]
    assert shard.places().count == 5000
    assert [item.decode() for _, item in shard.read([0, 4999])] == [rows[0], rows[-1]]


def test_text_that_holds_json_stays_text_and_a_json_column_stays_as_spelled(tmp_path: Path) -> None:
    quoted = METADATA.replace("'", "''")
    shard = parquet(tmp_path / "in", f"SELECT '{quoted}' AS metadata, '{quoted}'::JSON AS spelled")
    (line,) = lines(shard, tmp_path)
    assert json.loads(line)["metadata"] == METADATA
    assert line.endswith(f'"spelled":{METADATA}}}')


@pytest.mark.parametrize(
    ("sql", "spelled"),
    [
        ("7::BIGINT", "7"),
        ("9007199254740993", "9007199254740993"),
        ("12.50::DECIMAL(9,2)", "12.50"),
        ("1.5::DOUBLE", "1.5"),
        ("'nan'::DOUBLE", "null"),
        ("'-inf'::FLOAT", "null"),
        ("true", "true"),
        ("NULL::VARCHAR", "null"),
        ("chr(10) || chr(0) || '\"é\\'", '"\\n\\u0000\\"é\\\\"'),
        ("'0198c2f0-0000-7000-8000-000000000000'::UUID", '"0198c2f0-0000-7000-8000-000000000000"'),
        ("TIMESTAMP '2026-03-21 10:00:00.25'", '"2026-03-21 10:00:00.25"'),
        ("TIMESTAMPTZ '2026-03-21 10:00:00+02'", '"2026-03-21T08:00:00Z"'),
        ("DATE '2026-03-21'", '"2026-03-21"'),
        ("'text'::BLOB", '"text"'),
        ("'\\xFF'::BLOB", '"/w=="'),
        ("['report', NULL]", '["report",null]'),
        ("[]::VARCHAR[]", "[]"),
        ("[[1], [2, 3]]", "[[1],[2,3]]"),
        ("{'a': 1, 'b': NULL, 'c': {'d': NULL}, 'e': [{'f': 'x', 'g': NULL}]}", '{"a":1,"c":{},"e":[{"f":"x"}]}'),
        ("{'it''s \"q\"': '2'}", '{"it\'s \\"q\\"":"2"}'),
        ("MAP {'k': [1.5], 'n': NULL}", '{"k":[1.5],"n":null}'),
        ("NULL::STRUCT(a INTEGER)", "null"),
    ],
)
def test_each_type_has_its_json(tmp_path: Path, sql: str, spelled: str) -> None:
    (line,) = lines(parquet(tmp_path / "in", f'SELECT {sql} AS "odd ""name"""'), tmp_path)
    assert line == '{"odd \\"name\\"":' + spelled + "}"
    json.loads(line)


@pytest.mark.parametrize(("packed", "pack"), [(".gz", gzip.compress), (".zst", zstandard.compress)])
def test_packed_parquet_is_read_and_written_as_lines(
    tmp_path: Path, packed: str, pack: Callable[[bytes], bytes]
) -> None:
    inner = parquet(tmp_path / "in", "SELECT i AS id FROM range(3) r(i)").path
    path = tmp_path / f"a.parquet{packed}"
    path.write_bytes(pack(inner.read_bytes()))
    (shard,) = open_files(str(path)).shards
    assert lines(shard, tmp_path / "temp") == ['{"id":0}', '{"id":1}', '{"id":2}']
    assert shard.written_name == "a.jsonl"
    result = rewrite(shard, tmp_path / "a.jsonl", [(1, b'{"id":7}')])
    assert (tmp_path / "a.jsonl").read_bytes() == b'{"id":0}\n{"id":7}\n{"id":2}\n'
    assert result.records == (3, 3)


def test_the_name_decides_nothing_where_the_content_is_known(tmp_path: Path) -> None:
    shard = parquet(tmp_path / "in", "SELECT 1 AS id", "entries.jsonl")
    assert shard.form == "parquet"
    assert lines(shard, tmp_path) == ['{"id":1}']


@pytest.mark.parametrize("damage", ["cut", "empty", "text", "cut gzip"])
def test_a_corrupt_file_is_a_gap(tmp_path: Path, damage: str) -> None:
    path = parquet(tmp_path / "in", "SELECT i AS id, repeat('x', 99) AS t FROM range(9999) r(i)").path
    data = {"cut": path.read_bytes()[:-50], "empty": b"", "text": b'{"id":1}\n'}.get(
        damage, gzip.compress(path.read_bytes())[:-20]
    )
    path.write_bytes(data)
    (shard,) = open_files(str(path)).shards
    prepared = shard.prepare(tmp_path / "temp")
    assert prepared.ndjson.read_bytes() == b""
    assert prepared.gaps == shard.gaps
    assert prepared.gaps[0].file == str(path)
    assert "ends early" in prepared.gaps[0].reason if damage == "cut gzip" else "Parquet" in prepared.gaps[0].reason
    assert "\n" not in prepared.gaps[0].reason
    assert shard.places().count == 0
    assert [entry.suffix for entry in (tmp_path / "temp").iterdir()] == [".ndjson"]
    with pytest.raises(CorpusError, match="cannot be written again"):
        rewrite(shard, tmp_path / "out.jsonl", [])


def test_before_it_is_prepared_nothing_is_known(tmp_path: Path) -> None:
    shard = parquet(tmp_path / "in", "SELECT 1 AS id")
    with pytest.raises(CorpusError, match="must be prepared"):
        shard.places()
