"""Canonical bytes and record hashes: the fast way, the slow way and an oracle say the same."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from migrate.engine.json_text import JsonError, number
from migrate.planning.canonical import canonical, compact, record_hash
from migrate.planning.spelling import bare, respell

pieces = [
    "a",
    "B",
    "0",
    " ",
    "é",
    "\\u00e9",
    "\\/",
    "\\n",
    "\\u001F",
    '\\"',
    "\\\\",
    "😀",
    "\\ud83d\\ude00",
    "\\uD800",
    "\x7f",
]
strings = st.lists(st.sampled_from(pieces), max_size=4).map(lambda parts: '"' + "".join(parts) + '"')
numbers = st.from_regex(r"\A-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,4})?([eE][+-]?[0-9]{1,2})?\Z")
scalars = st.one_of(strings, numbers, st.sampled_from(["null", "true", "false"]))
blanks = st.sampled_from(["", "", " ", "\n\t", "\r\n"])


def _spell(opener: str, parts: list[str], blank: str) -> str:
    return opener + blank + (blank + "," + blank).join(parts) + blank + ("}" if opener == "{" else "]")


def _inside(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    member = st.tuples(strings, blanks, values)
    unique = st.lists(member, max_size=4, unique_by=lambda one: json.loads(one[0]))
    named = unique.map(lambda found: [f"{name}{blank}:{blank}{value}" for name, blank, value in found])
    return st.builds(_spell, st.just("["), st.lists(values, max_size=4), blanks) | st.builds(
        _spell, st.just("{"), named, blanks
    )


texts = st.recursive(scalars, _inside, max_leaves=12)


class _Number(str):
    """A number token, so that the oracle can tell it from a string."""


def _read(text: str) -> Any:
    return json.loads(text, parse_int=_Number, parse_float=_Number)


def _oracle(value: Any, *, exact: bool = False) -> str:
    if isinstance(value, _Number):
        return str(value) if exact else number(value)
    if isinstance(value, str):
        token = json.dumps(value, ensure_ascii=False)
        return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", token)
    if isinstance(value, list):
        return "[" + ",".join(_oracle(element, exact=exact) for element in value) + "]"
    if isinstance(value, dict):
        found = value.items() if exact else sorted(value.items())
        return "{" + ",".join(f"{_oracle(name)}:{_oracle(one, exact=exact)}" for name, one in found) + "}"
    return json.dumps(value)


@given(texts)
def test_canonical_is_what_the_oracle_says(text: str) -> None:
    assert canonical(text) == _oracle(_read(text)).encode()


@given(texts)
def test_fast_and_slow_way_agree(text: str) -> None:
    assert canonical(text) == respell(text, spell=number, ordered=True).encode()
    assert compact(text) == respell(text)
    assert compact(text) == _oracle(_read(text), exact=True)


@given(texts)
def test_respelling_changes_nothing_more(text: str) -> None:
    assert canonical(compact(text)) == canonical(text)
    assert compact(compact(text)) == compact(text)
    assert canonical(canonical(text).decode()) == canonical(text)


@given(texts, st.randoms(use_true_random=False))
def test_order_and_spelling_do_not_matter(text: str, chance: random.Random) -> None:
    def shuffle(value: Any) -> Any:
        if isinstance(value, _Number):
            return value
        if isinstance(value, list):
            return [shuffle(one) for one in value]
        if isinstance(value, dict):
            found = list(value.items())
            chance.shuffle(found)
            return {name: shuffle(one) for name, one in found}
        return value

    assert canonical(_oracle(shuffle(_read(text)), exact=True)) == canonical(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"b":1,"a":[1.0,1E2,-0.0,1e400]}', b'{"a":[1,100,0,1e400],"b":1}'),
        ('{"\uffff":1,"\U00010000":2}', '{"\uffff":1,"\U00010000":2}'.encode()),
        ('"\\uD83D\\uDE00\\u0041\\/"', '"😀A/"'.encode()),
        ('"\\uDEAD"', b'"\\udead"'),
        ('"\\ud800"', canonical('"\\uD800"')),
        ('"\\\\ud800"', b'"\\\\ud800"'),
        ('"\\u0000\\u001F\\u0008\\u007f\\u2028"', '"\\u0000\\u001f\\b\x7f\u2028"'.encode()),
        ("123456789012345678901234567890", b"12345678901234567890123456789e1"),
        (" [ ] ", b"[]"),
    ],
)
def test_canonical_examples(text: str, expected: bytes) -> None:
    assert canonical(text) == expected


def test_a_doubled_member_equals_no_proper_object() -> None:
    doubled = canonical('{"a":1,"a":2}')
    assert doubled not in (canonical('{"a":1}'), canonical('{"a":2}'))
    assert compact('{ "a":1, "a":2 }') == '{"a":1,"a":2}'


@pytest.mark.parametrize("text", ["{", '{"a":1,}', "NaN", "[1] 2", "", "'a'"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(JsonError):
        canonical(text)
    with pytest.raises(JsonError):
        compact(text)
    with pytest.raises(JsonError):
        record_hash(text, None)


@pytest.mark.parametrize("depth", [300, 3000, 30_000])
def test_depth_has_no_limit(depth: int) -> None:
    text = '{"b":[],"a":' * depth + "1.0" + "}" * depth
    assert canonical(text) == b'{"a":' * depth + b"1" + b',"b":[]}' * depth
    assert compact(text.replace("[]", "[ ]")) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a":null,"b":{"c":null,"d":1},"e":[null,{"f":null}]}', '{"b":{"d":1},"e":[null,{"f":null}]}'),
        ('{"a":{"b":null}}', '{"a":{}}'),
        ('{"a":"null","null":1}', '{"a":"null","null":1}'),
        ("null", "null"),
        ("[ null ]", "[null]"),
    ],
)
def test_bare_drops_what_a_merge_would(text: str, expected: str) -> None:
    assert bare(text) == expected


class TestRecordHash:
    def test_has_the_promised_form(self) -> None:
        assert re.fullmatch("sha256:[0-9a-f]{64}", record_hash('{"a":1}', '["x"]'))

    @pytest.mark.parametrize("metadata", [None, "null", "{}", " { } ", '"{}"', '" { } "'])
    @pytest.mark.parametrize("tags", [None, "null", "[]", " [ ] "])
    def test_nothing_is_one_value(self, metadata: str | None, tags: str | None) -> None:
        assert record_hash(metadata, tags) == record_hash(None, None)

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ('{"a":1.0,"b":"\\u00e9"}', '{ "b" : "é", "a" : 1 }'),
            ('{"a":1}', '"{\\"a\\": 1.0}"'),
            ('{"a":{"x":1e2}}', '{"a":{"x":100}}'),
        ],
    )
    def test_spelling_does_not_count(self, one: str, other: str) -> None:
        assert record_hash(one, None) == record_hash(other, None)

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ('{"a":1}', '{"a":"1"}'),
            ('{"a":null}', "{}"),
            ('{"a":[1,2]}', '{"a":[2,1]}'),
            ('{"a":9007199254740993}', '{"a":9007199254740992}'),
            ('{"a":true}', '{"a":1}'),
            ('"text"', "{}"),
            ('"[]"', "{}"),
            ('"{\\"a\\":1"', '{"a":1}'),
            ('"\\"{}\\""', '"{}"'),
        ],
    )
    def test_values_count(self, one: str, other: str) -> None:
        assert record_hash(one, None) != record_hash(other, None)

    @given(
        st.lists(
            st.sampled_from(['"a"', '"\\u0061"', '"b"', '"a,b"', '"é"', "1", "1.0", '"\\ud800"', '"\\""']), max_size=6
        )
    )
    def test_tags_are_a_set(self, tags: list[str]) -> None:
        text = "[" + ", ".join(tags) + "]"
        again = "[" + ",".join(reversed(tags + tags)) + "]"
        assert record_hash(None, text) == record_hash(None, again)
        one_more = "[" + ",".join([*tags, '"more"']) + "]"
        assert record_hash(None, text) != record_hash(None, one_more)

    def test_tags_and_metadata_are_not_mixed_up(self) -> None:
        assert record_hash('["x"]', None) != record_hash(None, '["x"]')

    def test_tags_that_are_no_array_count_as_they_stand(self) -> None:
        assert record_hash(None, '"a"') != record_hash(None, '["a"]')
