"""Lines: where they are, and that DuckDB counts them the same, whatever stands in them."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from migrate.corpora.interface import BLANKS, BOM, Places, Prepared
from migrate.corpora.lines import LineScanner
from migrate.corpora.shard import Shard

MakeShard = Callable[..., Shard]
DuckdbRows = Callable[[Prepared], list[str | None]]

NASTY = [
    b"", b" ", b"\t \t", b"\r", b"\r\r", b"\x0b", b"\x0c \r", b"\x00", b"\x00\x00", b"\x1a", b"\x85", b"\xc2\xa0",
    b'{"a":1}', b'{"a":1}\r', b' {"a" : 1}\t\r', b'{"a":\r1}', b'{"a":1}\r{"a":2}', b'\x0c{"a":1}', b'{"a":1}\x0b',
    b'{"a":"\xe9"}', b"\xff", b'{"a":"\xed\xa0\x80"}', b'{"a":"\xc0\x80"}', b'{"a":"\\ud800"}', b'{"a":"\\u0000"}',
    b'{"a":', b'"', b'{"a":"', b"\\", b"[1", b"}", b"1 2", b'{"a":1}{"a":2}', b'{"a":1} {"a":2}', b'{"a":1},', b"null",
    b"[1,2]", b"1", b'{"a":NaN}', b'{"a":1,}', b"// x", b"\x1e{}", BOM, BOM + b'{"a":1}', b"\xe2\x80\xa8", b" " * 300,
    b'{"t":"' + b"x" * 300 + b'"}',
]  # fmt: skip


def expected(data: bytes) -> list[tuple[int, int, int]]:
    """Offset, length and line of every item, the slow way."""
    at = len(BOM) if data.startswith(BOM) else 0
    found = []
    lines = data[at:].split(b"\n")
    for number, line in enumerate(lines, 1):
        item = line[:-1] if line.endswith(b"\r") and number < len(lines) else line
        if line.strip(BLANKS):
            found.append((at, len(item), number))
        at += len(line) + 1
    return found


def scan(data: bytes, sizes: list[int]) -> Places:
    start = len(BOM) if data.startswith(BOM) else 0
    scanner, at, turn = LineScanner(start), start, 0
    while at < len(data):
        size = sizes[turn % len(sizes)]
        scanner.feed(data[at : at + size])
        at, turn = at + size, turn + 1
    places, rest = scanner.finish()
    assert rest == 0
    return places


def found(places: Places) -> list[tuple[int, int, int]]:
    return list(zip(places.offsets.tolist(), places.lengths.tolist(), places.lines.tolist(), strict=True))


texts = st.tuples(
    st.sampled_from([b"", BOM]), st.lists(st.sampled_from(NASTY) | st.binary(max_size=9), max_size=12)
).map(lambda pair: pair[0] + b"\n".join(pair[1]))


@settings(max_examples=400)
@given(data=texts, sizes=st.lists(st.integers(1, 20), min_size=1, max_size=3))
def test_places_do_not_depend_on_the_chunks(data: bytes, sizes: list[int]) -> None:
    places = scan(data, sizes)
    assert found(places) == expected(data)
    assert places.size == len(data)
    assert places.count == len(places.offsets)
    for index in range(places.count):
        item = data[places.offset(index) : places.offset(index) + places.length(index)]
        assert (index in places.strays) == (b"\x0b" in item or b"\x0c" in item)


@pytest.mark.parametrize("seed", range(4))
def test_duckdb_reads_a_row_an_item(seed: int, make_shard: MakeShard, duckdb_rows: DuckdbRows, tmp_path: Path) -> None:
    """Every row DuckDB can read is the item of the same index, and there are as many rows as items."""
    chance = random.Random(seed)
    lines = chance.choices([*NASTY, b'{"a":1}'], k=4000)
    data = chance.choice([b"", BOM]) + b"{}\n" + b"\n".join(lines)
    shard = make_shard(data)
    rows = duckdb_rows(shard.prepare(tmp_path))
    items = [item for _, item in shard.read(range(shard.places().count))]
    assert shard.form == "lines"
    assert len(rows) == len(items) == shard.places().count
    for row, item in zip(rows, items, strict=True):
        assert row is None or row.encode() == item.strip(BLANKS)


@pytest.mark.parametrize("nasty", NASTY)
def test_duckdb_counts_each_nasty_line_alike(
    nasty: bytes, make_shard: MakeShard, duckdb_rows: DuckdbRows, tmp_path: Path
) -> None:
    for data in (b"{}\n" + nasty + b"\n{}\n", b"{}\n" + nasty, nasty + b"\n{}\n", BOM + nasty + b"\n{}"):
        shard = make_shard(data)
        assert len(duckdb_rows(shard.prepare(tmp_path))) == shard.places().count == len(expected(data))


LENIENT = [b'{"a":NaN}', b'{"a":1,}', b'\x0c{"a":1}', b'{"a":1}\x0b', b"[1,2]", b"1", b"null"]
STRICT = [
    b'{"a":"\\ud800"}', b'{"a":"\x00"}', b'{"a":"\xe9"}', b'{"a":1}{"a":2}', b'{"a":1} {"a":2}', b'{"a":01}',
    b'{"a":1}\r{"a":2}', b'{"a":"\t"}', BOM + b"{}",
]  # fmt: skip


@pytest.mark.parametrize("line", LENIENT)
def test_duckdb_takes_what_is_no_object(
    line: bytes, make_shard: MakeShard, duckdb_rows: DuckdbRows, tmp_path: Path
) -> None:
    """What a strict reader must look at again, because DuckDB does not give NULL."""
    rows = duckdb_rows(make_shard(b"{}\n" + line + b"\n{}\n").prepare(tmp_path))
    assert rows[1] == line.strip(BLANKS).decode()


@pytest.mark.parametrize("line", STRICT)
def test_duckdb_gives_null_and_goes_on(
    line: bytes, make_shard: MakeShard, duckdb_rows: DuckdbRows, tmp_path: Path
) -> None:
    """One line that DuckDB cannot read, be it valid JSON or not, costs no other line."""
    assert duckdb_rows(make_shard(b"{}\n" + line + b'\n{"b":1}\n').prepare(tmp_path)) == ["{}", None, '{"b":1}']


def test_a_whole_file_without_blank_lines_keeps_no_line_numbers() -> None:
    places = scan(b'{"a":1}\n' * 3, [5])
    assert places.numbers is None
    assert [places.line(index) for index in range(3)] == [1, 2, 3]
    assert places.longest == 7


def test_nothing_has_no_places() -> None:
    places = scan(b"", [1])
    assert (places.count, places.longest, places.size) == (0, 0, 0)


@given(data=texts, size=st.integers(1, 20))
def test_of_a_cut_file_whole_lines_count(data: bytes, size: int) -> None:
    start = len(BOM) if data.startswith(BOM) else 0
    scanner = LineScanner(start)
    for at in range(start, len(data), size):
        scanner.feed(data[at : at + size])
    places, rest = scanner.finish(cut=True)
    whole = data[: data.rfind(b"\n") + 1] if b"\n" in data[start:] else data[:start]
    assert found(places) == expected(whole)
    assert rest == (len(data) - len(whole) if data[len(whole) :].strip(BLANKS) else 0)
