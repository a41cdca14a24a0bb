"""Manifests: the given ones exactly, the places where Python's parser is no judge, and the line that an unsafe fix adds."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from migrate.case_trees import standard, write
from migrate.corpora.repository import layout
from migrate.corpora.repository.layout import MANIFEST_FILE
from migrate.corpora.repository.manifest import Manifest, parse, with_protocol

GIVEN = json.loads(
    (Path(__file__).parents[1] / "data" / "cases" / "repository_context" / "manifests.json").read_text("utf-8")
)


def test_the_given_manifests_are_read_exactly(tmp_path: Path) -> None:
    assert len(GIVEN) >= 1000
    write(tmp_path, standard(["."]))
    wrong = []
    for text, context_class, parsed, protocol, version, name in GIVEN:
        data = base64.b64decode(text)
        found = parse(data)
        number = None if version is None else float(version.replace("Infinity", "inf"))
        wanted = (protocol, number, name) if parsed else None
        (tmp_path / MANIFEST_FILE).write_bytes(data)
        told = str(layout.examine(tmp_path).context_class)
        if (found and (found.protocol, found.version, found.layout)) != wanted or told != context_class:
            wrong.append((data, found, told))
    assert wrong == []


def manifest(**members: str) -> bytes:
    text = {"protocol": '"repository-context"', "schemaVersion": "1", "layout": '"standard"', **members}
    return ("{" + ", ".join(f'"{name}": {value}' for name, value in text.items()) + "}").encode()


@pytest.mark.parametrize(
    "number", ["NaN", "Infinity", "-Infinity", "01", "+1", "1.", ".1", "0x1", "1_0", "１", "'1'", "undefined"]
)
def test_what_python_reads_and_json_does_not(number: str) -> None:
    assert parse(manifest(schemaVersion=number)) is None


@pytest.mark.parametrize(
    "data",
    [b"", b" \n", b"\xef\xbb\xbf{}", "{}".encode("utf-16"), "{}".encode("utf-16-le"), b"{}\0", b"\x0b{}", b"\xc2\xa0{}", b"{} {}",
     b'{"a": 1,}', b"{'a': 1}", b'{"a": 1} // x', b'{"a": "\x01"}', b'{"a": "\\x"}', b"[]", b"null", b'"x"', b"1"],
)  # fmt: skip
def test_bytes_that_are_no_object(data: bytes) -> None:
    assert parse(data) is None


@pytest.mark.parametrize(
    "number", ["1", "1.0", "1e0", "10e-1", "0.1e1", "1.0000000000000000000001", "0.99999999999999999999999"]
)
def test_numbers_are_doubles(number: str) -> None:
    found = parse(manifest(schemaVersion=number))
    assert found is not None and found.version == 1


@pytest.mark.parametrize("number", ["1e400", "1" * 5000, "-" + "9" * 20_000])
def test_a_number_beyond_every_double_is_none_of_ours_and_no_error(number: str) -> None:
    found = parse(manifest(schemaVersion=number))
    assert found is not None and found.version is not None and found.version != 1


@pytest.mark.parametrize("value", ["true", '"1"', "null", "[1]", "{}"])
def test_true_is_not_one_and_neither_is_a_string(value: str) -> None:
    found = parse(manifest(schemaVersion=value))
    assert found is not None and found.version is None


def test_nesting_has_no_limit() -> None:
    deep = "[" * 50_000 + "]" * 50_000
    assert parse(manifest(x=deep)) == Manifest("repository-context", 1.0, "standard", "1")
    assert parse(manifest(x=deep[:-1])) is None


def test_the_last_of_two_members_counts_whatever_its_spelling() -> None:
    found = parse(b'{"protocol": "a", "schemaVersion": 1, "\\u0070rotocol": "b", "schema\\u0056ersion": 2}')
    assert found == Manifest("b", 2.0, None, "2")


def test_invalid_utf_8_is_a_character_like_others() -> None:
    found = parse(b'{"protocol": "\xff", "layout": "\\ud800", "schemaVersion": 1}')
    assert found == Manifest("\ufffd", 1.0, "\ud800", "1")


blanks = st.text(alphabet=" \t\r\n", max_size=4)


@given(blanks, blanks, blanks, blanks, st.booleans())
def test_a_protocol_line_is_added_and_every_other_byte_stays(
    before: str, lead: str, colon: str, end: str, more: bool
) -> None:
    tail = f',{lead}"layout": "standard"' if more else ""
    text = f'{before}{{{lead}"schemaVersion":{colon}1{tail}{end}}}{before}'
    made = with_protocol(text.encode())
    assert made is not None
    old, new = made
    assert old == text
    start = new.index('"protocol"')
    assert any(new[:start] + new[stop:] == old for stop in range(start, len(new))), "one stretch is new"
    found = parse(new.encode())
    assert found is not None and (found.protocol, found.version) == ("repository-context", 1.0)


@pytest.mark.parametrize(
    "data", [b"{}", b"[1]", b'{"protocol": 1}', b'{"a": "\xff"}', b"{", b'{"a": "' + b"x" * 70_000 + b'"}']
)
def test_no_line_is_added_where_none_can_be(data: bytes) -> None:
    assert with_protocol(data) is None
