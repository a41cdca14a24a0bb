"""Arrays and answers: where their elements are, however they are spelled and cut into chunks."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from migrate.corpora.document import DocumentScanner
from migrate.corpora.interface import Places

BLANK = st.text(" \t\r\n", max_size=3).map(str.encode)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('ab"\\[]{},:\n é', max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('a"\\]},', max_size=3), inner, max_size=3),
    max_leaves=8,
)
ELEMENTS = st.builds(
    lambda value, indent, ascii_only: json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode(),
    VALUES,
    st.sampled_from([None, 1]),
    st.booleans(),
)
Piece = tuple[bytes, bytes, bytes]
Span = tuple[int, int, int]


def scan(data: bytes, size: int, *, cut: bool = False) -> tuple[str, Places] | None:
    scanner = DocumentScanner()
    for at in range(0, len(data), size):
        if not scanner.feed(data[at : at + size]):
            return None
    places = scanner.finish(cut=cut)
    return None if places is None else (scanner.form, places)


def spans(places: Places) -> list[Span]:
    return list(zip(places.offsets.tolist(), places.lengths.tolist(), places.lines.tolist(), strict=True))


def array_of(pieces: list[Piece], before: bytes = b"") -> tuple[bytes, list[Span]]:
    """An array with white space around its elements, and where they are in it."""
    data, found = before + b"[", []
    for number, (left, element, right) in enumerate(pieces):
        data += b"," * (number > 0) + left
        found.append((len(data), len(element), data.count(b"\n") + 1))
        data += element + right
    return data + b"]", found


pieces = st.lists(st.tuples(BLANK, ELEMENTS, BLANK), max_size=5)


@settings(max_examples=300)
@given(pieces=pieces, before=BLANK, after=BLANK, size=st.integers(1, 40))
def test_an_array_is_its_elements(pieces: list[Piece], before: bytes, after: bytes, size: int) -> None:
    data, found = array_of(pieces, before)
    form, places = scan(data + after, size) or pytest.fail("no array")
    assert form == "array"
    assert spans(places) == found
    assert places.size == len(data + after)
    assert places.ragged == frozenset()


MEMBERS = st.lists(
    st.tuples(st.text('abr"\\]},é', max_size=4).filter(lambda key: key != "results"), VALUES), max_size=3
).map(lambda members: [json.dumps(key) + ": " + json.dumps(value) for key, value in members])


@settings(max_examples=300)
@given(pieces=pieces, left=MEMBERS, right=MEMBERS, blank=BLANK, size=st.integers(1, 40))
def test_an_answer_is_its_results(
    pieces: list[Piece], left: list[str], right: list[str], blank: bytes, size: int
) -> None:
    before = b"{" + blank + "".join(member + "," for member in left).encode() + blank + b'"results"' + blank + b":"
    data, found = array_of(pieces, before + blank)
    data += "".join("," + member for member in right).encode() + blank + b"}" + blank
    form, places = scan(data, size) or pytest.fail("no answer")
    assert form == "results"
    assert spans(places) == found


@pytest.mark.parametrize(
    ("data", "items"),
    [
        (b"[]", []),
        (b" [ \n ] \n", []),
        (b'[{"a":1},{"a":2,}]', [b'{"a":1}', b'{"a":2,}']),
        (b'[{"a":1} {"a":2}, {}]', [b'{"a":1} {"a":2}', b"{}"]),
        (b'[{"a":1},]', [b'{"a":1}', b""]),
        (b"[,\n1]", [b"", b"1"]),
        (b'[1, "a,b" , nul, x "," y]', [b"1", b'"a,b"', b"nul", b'x "," y']),
        (b'[{"a":[1}]]', [b'{"a":[1}]']),
        (b'{"results":[{"a":1}],"count":1e999}', [b'{"a":1}']),
        (b'{"count": 2, "nested": {"results": [3]}, "results": []}', []),
    ],
)
@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_an_element_is_what_stands_between_commas(data: bytes, items: list[bytes], size: int) -> None:
    _, places = scan(data, size) or pytest.fail("no document")
    assert [data[at : at + length] for at, length, _ in spans(places)] == items


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"  \n",
        b"1\n",
        b'{"a":1}\n{"a":2}\n',
        b"[1,2]\n[3]\n",
        b"[1,2] x",
        b'[{"a":1},\n{"a":2}',
        b'[{"a":1}}',
        b'{"id":1,\n{"id":2}\n',
        b'{"id":1,"m":{}\n{"id":2}\n',
        b'{"text":"abc\n{"id":2,"text":"x"}\n',
        b'{"results":[]}\n{"results":[]}\n',
        b'{\n "id": 1,\n "results": []\n}\n',
        b'{"context_id": 1, "results": []}',
        b'{"results": null}',
        b'{"results": {"a": 1}}',
        b'{"results": [], "results": []}',
        b'{"a": 1 "results": []}',
        b'{"results": [1]]',
        b'{"other": ["results"]}',
        b'{"a": "\\", "results": [1]}',
    ],
)
@pytest.mark.parametrize("size", [1, 3, 100])
def test_all_else_is_no_document(data: bytes, size: int) -> None:
    assert scan(data, size) is None


@given(pieces=pieces, size=st.integers(1, 40), cut=st.integers(0, 200))
def test_of_a_cut_array_the_finished_elements_count(pieces: list[Piece], size: int, cut: int) -> None:
    data, found = array_of(pieces)
    data = data[: min(cut, len(data) - 1)]
    commas = sum(1 for at, length, _ in found[:-1] if b"," in data[at + length :])
    result = scan(data, size, cut=True)
    if commas == 0:
        assert result is None
    else:
        assert result is not None
        assert spans(result[1])[:commas] == found[: len(spans(result[1]))][:commas]
        assert len(spans(result[1])) == commas


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_raw_line_feeds_in_strings_and_strays_are_noted(size: int) -> None:
    data = b'[{"a":"x\ny"},\n{"a":\n2},"\x0c",{"a":"\n",\n"b":"\n"}\n]'
    _, places = scan(data, size) or pytest.fail("no array")
    assert places.ragged == {0, 3}
    assert places.strays == {2}
    assert places.lines.tolist() == [1, 3, 4, 4]


def test_depth_is_only_counted() -> None:
    deep = b"[" * 200_000 + b"]" * 200_000
    _, places = scan(b'[{"a":1},' + deep + b"]", 4096) or pytest.fail("no array")
    assert places.lengths.tolist() == [7, 400_000]
