"""A shard: its form, what DuckDB is given, its gaps and the bytes of its items."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from migrate.corpora.files import open_files
from migrate.corpora.interface import BOM, CorpusError, Prepared
from migrate.corpora.shard import Shard

MakeShard = Callable[..., Shard]
DuckdbRows = Callable[[Prepared], list[str | None]]

FORMS = Path(__file__).parents[1] / "data" / "input_forms"
LINES = b'{"id":1}\n\n{"id":2,"t":"\xc3\xa9"}\r\n  {"id":3} \n{"id":4}'
ITEMS = [b'{"id":1}', b'{"id":2,"t":"\xc3\xa9"}', b'  {"id":3} ', b'{"id":4}']
PACK: dict[str, Callable[[bytes], bytes]] = {
    "": lambda data: data,
    ".gz": gzip.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}


def given_form(name: str) -> Shard:
    return open_files(str(FORMS / name)).shards[0]


def items(shard: Shard) -> list[bytes]:
    return [item for _, item in shard.read(range(shard.places().count))]


@pytest.mark.parametrize(
    ("data", "form"),
    [
        (b"", "lines"),
        (BOM, "lines"),
        (b"\n \n", "lines"),
        (b'{"id":1}\n', "lines"),
        (b'{"id":1}\n{"id":2}', "lines"),
        (b"[1,2]\n[3]\n", "lines"),
        (b'{"id":1\n{"id":2}\n', "lines"),
        (b'{\n "id": 1\n}\n', "lines"),
        (b'[\n {"id":1},\n {"id":2\n', "lines"),
        (b'[{"id":1}]', "array"),
        (BOM + b' \n[\n {"id":1}\n]\n\n', "array"),
        (b"[]", "array"),
        (b'{"results":[{"id":1}],"count":1}', "results"),
        (BOM + b'{\n "count": 1,\n "results": [\n  {"id": 1}\n ]\n}', "results"),
        (b'{"results":[]}\n{"results":[]}\n', "lines"),
        (b'{"id":1,"results":[]}', "lines"),
        (b"PAR1 and no more", "parquet"),
    ],
)
@pytest.mark.parametrize("packed", list(PACK))
def test_the_form_is_that_of_the_content(data: bytes, form: str, packed: str, make_shard: MakeShard) -> None:
    for name in ("a.json", "a.jsonl", "a.ndjson"):
        shard = make_shard(PACK[packed](data), name + packed)
        assert shard.form == form
        assert shard.compression == (packed.lstrip(".") or None)


def test_compression_is_that_of_the_content_too(make_shard: MakeShard, duckdb_rows: DuckdbRows, tmp_path: Path) -> None:
    misnamed = make_shard(gzip.compress(LINES, mtime=0), "a.jsonl")
    assert misnamed.compression == "gz"
    assert len(duckdb_rows(misnamed.prepare(tmp_path))) == 4
    plain = make_shard(LINES, "a.jsonl.zst")
    assert plain.compression is None
    assert len(duckdb_rows(plain.prepare(tmp_path))) == 4


@pytest.mark.parametrize("packed", list(PACK))
def test_lines_are_prepared_by_doing_nothing(
    packed: str, make_shard: MakeShard, duckdb_rows: DuckdbRows, tmp_path: Path
) -> None:
    shard = make_shard(PACK[packed](BOM + LINES), "a.jsonl" + packed)
    prepared = shard.prepare(tmp_path)
    assert (prepared.ndjson, prepared.gaps) == (shard.path, ())
    assert list(tmp_path.iterdir()) == []
    assert duckdb_rows(prepared) == [item.strip().decode() for item in ITEMS]
    assert shard.places().lines.tolist() == [1, 3, 4, 5]


@pytest.mark.parametrize("packed", list(PACK))
def test_items_are_read_in_order_each_once(packed: str, make_shard: MakeShard) -> None:
    shard = make_shard(PACK[packed](LINES), "a.jsonl" + packed)
    assert list(shard.read([3, 0, 2, 0])) == [(0, ITEMS[0]), (2, ITEMS[2]), (3, ITEMS[3])]
    assert list(shard.read([])) == []
    for wrong in ([4], [-1], [0, 9]):
        with pytest.raises(CorpusError, match="it has 4 records"):
            list(shard.read(wrong))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    lengths=st.lists(st.sampled_from([1, 2, 50, 40_000, 3_000_000]), min_size=1, max_size=8),
    packed=st.sampled_from(list(PACK)),
    chance=st.randoms(use_true_random=False),
)
def test_any_items_of_any_length_are_read(
    lengths: list[int], packed: str, chance: random.Random, make_shard: MakeShard
) -> None:
    lines = [b"%d" % (number % 10) * length for number, length in enumerate(lengths)]
    shard = make_shard(PACK[packed](b"\n".join(lines)), "a.jsonl" + packed)
    wanted = sorted(chance.sample(range(len(lines)), chance.randint(0, len(lines))))
    assert list(shard.read(wanted)) == [(index, lines[index]) for index in wanted]


ARRAY = b'[ {"a": 1,\n  "b":"\\n"}, {"a":2,}\n, "x\ny",, \xef\xbb\xbf{"a":3},\r\n{"a"\n:\xff}, [1]\n]'


@pytest.mark.parametrize("packed", list(PACK))
@pytest.mark.parametrize("answer", [False, True])
def test_elements_are_prepared_a_line_each(
    packed: str, answer: bool, make_shard: MakeShard, duckdb_rows: DuckdbRows, tmp_path: Path
) -> None:
    data = b'{"count":7,\n"results":' + ARRAY + b"}" if answer else BOM + ARRAY
    shard = make_shard(PACK[packed](data), "a.json" + packed)
    prepared = shard.prepare(tmp_path)
    assert shard.form == ("results" if answer else "array")
    assert prepared.compression is None
    assert duckdb_rows(prepared) == ['{"a": 1,   "b":"\\n"}', '{"a":2,}', None, None, None, None, "[1]"]
    assert shard.places().lines.tolist() == [line + answer for line in (1, 2, 3, 4, 4, 5, 6)]
    found = items(shard)
    assert found[0] == b'{"a": 1,\n  "b":"\\n"}'
    for item, line in zip(found, prepared.ndjson.read_bytes().splitlines(), strict=True):
        assert len(line) == max(len(item), 1), "an offset inside the element stays valid"


@pytest.mark.parametrize("name", ["pretty_array.json", "two_members.jsonl.gz", "two_frames.jsonl.zst"])
def test_given_forms_with_two_records(name: str, duckdb_rows: DuckdbRows, tmp_path: Path) -> None:
    shard = given_form(name)
    prepared = shard.prepare(tmp_path)
    assert prepared.gaps == shard.gaps == ()
    assert [json.loads(row or "")["id"] for row in duckdb_rows(prepared)] == [1, 2]
    assert [json.loads(item)["id"] for item in items(shard)] == [1, 2]


def test_given_cut_stream_is_read_as_far_as_it_goes(duckdb_rows: DuckdbRows, tmp_path: Path) -> None:
    shard = given_form("cut.jsonl.gz")
    prepared = shard.prepare(tmp_path)
    assert prepared.gaps == shard.gaps
    assert [gap.file for gap in prepared.gaps] == [str(FORMS / "cut.jsonl.gz")]
    assert prepared.gaps[0].reason.startswith("the gzip stream ends early; ")
    assert prepared.compression is None
    assert len(duckdb_rows(prepared)) == shard.places().count == len(items(shard)) > 0


def test_given_glued_objects_are_one_item(duckdb_rows: DuckdbRows, tmp_path: Path) -> None:
    shard = given_form("glued_objects.jsonl")
    rows = duckdb_rows(shard.prepare(tmp_path))
    assert [row is None for row in rows] == [item.count(b'"id"') > 1 for item in items(shard)]


def test_given_utf16_is_refused(duckdb_rows: DuckdbRows, tmp_path: Path) -> None:
    shard = given_form("utf16.jsonl")
    prepared = shard.prepare(tmp_path)
    assert prepared.gaps[0].reason == "it is not UTF-8 but UTF-16, byte order mark FF FE; save it as UTF-8"
    assert duckdb_rows(prepared) == []
    assert items(shard) == []


def test_given_latin1_is_one_broken_item(duckdb_rows: DuckdbRows, tmp_path: Path) -> None:
    shard = given_form("latin1.jsonl")
    assert duckdb_rows(shard.prepare(tmp_path)) == [None]
    assert shard.gaps == ()
    assert shard.clean_lines(tmp_path).read_bytes() == b"null\n"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("packed", list(PACK))
def test_other_encodings_are_refused(encoding: str, packed: str, make_shard: MakeShard, tmp_path: Path) -> None:
    shard = make_shard(PACK[packed]('{"id":1}\n'.encode(encoding)), "a.jsonl" + packed)
    prepared = shard.prepare(tmp_path)
    assert encoding[:6].upper() in prepared.gaps[0].reason
    assert prepared.ndjson.read_bytes() == b""
    assert shard.places().count == 0


@pytest.mark.parametrize("packed", [".gz", ".zst"])
def test_a_cut_stream_drops_its_unfinished_line(packed: str, make_shard: MakeShard, tmp_path: Path) -> None:
    lines = [
        b'{"id":%d,"t":"%s"}\n' % (number, random.Random(number).randbytes(60).hex().encode()) for number in range(9999)
    ]
    data = PACK[packed](b"".join(lines))
    shard = make_shard(data[: len(data) // 2], "a.jsonl" + packed)
    prepared = shard.prepare(tmp_path)
    count = shard.places().count
    assert 1000 < count < 9999
    assert prepared.ndjson.read_bytes() == b"".join(lines[:count])
    assert f"ends early; {count} whole lines were read before that, and " in prepared.gaps[0].reason
    assert list(shard.read([count - 1])) == [(count - 1, lines[count - 1][:-1])]


def test_a_cut_array_keeps_its_finished_elements(
    make_shard: MakeShard, duckdb_rows: DuckdbRows, tmp_path: Path
) -> None:
    data = gzip.compress(b'[{"id":1},\n{"id":2},\n{"id":3},\n{"id":4}]', mtime=0)
    shard = make_shard(data[:-14], "a.json.gz")
    prepared = shard.prepare(tmp_path)
    assert shard.form == "array"
    assert duckdb_rows(prepared)[0] == '{"id":1}'
    assert len(duckdb_rows(prepared)) == shard.places().count < 4
    assert "the gzip stream ends early; " in prepared.gaps[0].reason


def test_padding_that_duckdb_refuses_is_taken_away(
    make_shard: MakeShard, duckdb_rows: DuckdbRows, tmp_path: Path
) -> None:
    shard = make_shard(gzip.compress(LINES, mtime=0) + bytes(512), "a.jsonl.gz")
    prepared = shard.prepare(tmp_path)
    assert prepared.gaps == ()
    assert len(duckdb_rows(prepared)) == 4


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.json.zst", "a.parquet.gz"])
def test_an_empty_file_is_no_compressed_one(name: str, make_shard: MakeShard, tmp_path: Path) -> None:
    prepared = make_shard(b"", name).prepare(tmp_path)
    assert [gap.reason for gap in prepared.gaps] == ["it is empty, which no compressed file is"]
    assert prepared.ndjson.read_bytes() == b""


def test_a_file_that_is_gone_is_a_gap(make_shard: MakeShard, tmp_path: Path) -> None:
    shard = make_shard(LINES)
    shard.path.unlink()
    prepared = shard.prepare(tmp_path)
    assert [gap.reason for gap in prepared.gaps] == ["it could not be read: No such file or directory"]
    assert prepared.ndjson.read_bytes() == b""
    assert items(shard) == []


def test_a_pipe_in_a_folder_is_a_gap(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.jsonl")
    assert open_files(str(tmp_path)).shards[0].gaps[0].reason == "it is no regular file"


def test_a_file_that_changes_meanwhile_is_an_error(make_shard: MakeShard, tmp_path: Path) -> None:
    shard = make_shard(LINES)
    shard.places()
    shard.path.write_bytes(LINES + b'\n{"id":5}\n')
    with pytest.raises(CorpusError, match="was changed while it was read"):
        list(shard.read([0]))
    late = make_shard(LINES)
    late.path.write_bytes(LINES + b"\n")
    with pytest.raises(CorpusError, match="was changed while it was read"):
        late.prepare(tmp_path)


@pytest.mark.parametrize("name", ["a[1]*?.jsonl", "year=2026.jsonl", "it's.jsonl", "a{b,c}.jsonl", "new\nline.jsonl"])
def test_duckdb_takes_names_as_they_are(
    name: str, make_shard: MakeShard, duckdb_rows: DuckdbRows, tmp_path: Path
) -> None:
    assert len(duckdb_rows(make_shard(LINES, name).prepare(tmp_path))) == 4


@pytest.mark.parametrize("packed", list(PACK))
def test_clean_lines_hold_item_i_on_line_i(packed: str, make_shard: MakeShard, tmp_path: Path) -> None:
    data = BOM + BOM + b'{}\r\n\n{"a":\r"\xc3\xa9"}\n{"a":"\xe9"}\n\xed\xa0\x80\n x \n{"b":1}'
    shard = make_shard(PACK[packed](data), "a.jsonl" + packed)
    lines = [b"null", b'{"a":\r"\xc3\xa9"}', b"null", b"null", b" x ", b'{"b":1}']
    assert shard.clean_lines(tmp_path).read_bytes() == b"\n".join(lines) + b"\n"
    lines[1] = lines[4] = b"null"
    assert shard.clean_lines(tmp_path, {1, 4}).read_bytes() == b"\n".join(lines) + b"\n"


def test_clean_lines_of_an_array(make_shard: MakeShard, tmp_path: Path) -> None:
    shard = make_shard(ARRAY, "a.json")
    assert shard.clean_lines(tmp_path).read_bytes().split(b"\n") == [
        b'{"a": 1,   "b":"\\n"}', b'{"a":2,}', b'"x\x01y"', b"null", b"null", b"null", b"[1]", b"",
    ]  # fmt: skip


def test_a_full_temp_folder_is_an_error(make_shard: MakeShard, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(CorpusError, match="no temporary file could be written"):
        make_shard(ARRAY, "a.json").prepare(tmp_path / "file")


MEASURE = """
import resource, sys
from pathlib import Path
from migrate.corpora.files import open_files
from migrate.corpora.rewrite import rewrite
shard = open_files(sys.argv[1]).shards[0]
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert shard.places().count == 3 and shard.places().longest > 50_000_000
shard.prepare(Path(sys.argv[2]))
assert [index for index, _ in shard.read([0, 2])] == [0, 2]
rewrite(shard, Path(sys.argv[2]) / "out.json", [(0, b'{"id":9}'), (2, b'{"id":8}')])
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.parametrize("form", ["lines", "array"])
def test_a_record_of_50_mb_costs_little_memory(form: str, make_shard: MakeShard, tmp_path: Path) -> None:
    records = [b'{"id":1}', b'{"id":2,"text":"' + b"word " * 10_000_000 + b'"}', b'{"id":3}']
    data = b"\n".join(records) if form == "lines" else b"[" + b",\n".join(records) + b"]"
    shard = make_shard(data, "big.json")
    run = [sys.executable, "-c", MEASURE, str(shard.path), str(tmp_path)]
    result = subprocess.run(run, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    assert int(result.stdout) < (40 if form == "lines" else 200), "MiB above the start"
    assert (tmp_path / "out.json").stat().st_size == len(data)
