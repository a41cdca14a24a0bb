"""Strictness, spans, doubles and numbers of ``migrate.engine.json_text``, against Python's own json and Decimal."""

from __future__ import annotations

import json
import pickle
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from migrate.engine.errors import EngineError
from migrate.engine.json_text import (
    JsonError,
    blank,
    check,
    doubled,
    elements,
    integer,
    members,
    number,
    quote,
    skip,
    unquote,
    walk,
)

blanks = st.sampled_from(["", "", "", " ", "\n  ", "\t", "\r\n"])
pieces = ["a", "b", "0", " ", "é", "\\u00e9", "\\/", "\\n", '\\"', "\\\\", "😀", "\\ud83d\\ude00", "\\uD800", "\u2028"]
strings = st.lists(st.sampled_from(pieces), max_size=4).map(lambda parts: '"' + "".join(parts) + '"')
numbers = st.from_regex(r"\A-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,4})?([eE][+-]?[0-9]{1,2})?\Z")
scalars = st.one_of(strings, numbers, st.sampled_from(["null", "true", "false", "{}", "[ ]"]))


def _container(opener: str, closer: str, parts: list[str], around: str) -> str:
    return opener + around + f"{around},".join(parts) + around + closer


def _inside(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    member = st.builds(lambda name, one, two, value: f"{name}{one}:{two}{value}", strings, blanks, blanks, values)
    return st.builds(_container, st.just("["), st.just("]"), st.lists(values, max_size=4), blanks) | st.builds(
        _container, st.just("{"), st.just("}"), st.lists(member, max_size=4), blanks
    )


texts = st.recursive(scalars, _inside, max_leaves=12)
objects = st.lists(st.tuples(strings, blanks, texts), max_size=5)
mutations = st.tuples(
    st.integers(0, 200),
    st.sampled_from(["", "cut", "double"]),
    st.sampled_from([*"{}[]\",:-+.eE0 1\\/\x01'#N", "tru", "\xa0"]),
)


def _python_accepts(text: str) -> bool:
    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        json.loads(text, parse_constant=refuse)
    except ValueError:
        return False
    return True


def _accepts(text: str) -> bool:
    try:
        check(text)
    except JsonError:
        return False
    return True


@given(texts, blanks)
def test_valid_texts_pass_and_both_scanners_agree(text: str, around: str) -> None:
    check(around + text + around)
    assert skip(text, 0) == len(text)
    assert list(walk(text, 0))[-1][2] == len(text)


@given(texts, mutations)
def test_mutated_texts_are_judged_as_python_judges_them(text: str, mutation: tuple[int, str, str]) -> None:
    place, how, new = mutation
    place %= len(text) + 1
    text = (
        text[:place] + new + (text[place:] if how == "" else text[place + 1 :] if how == "cut" else new + text[place:])
    )
    assert _accepts(text) == _python_accepts(text)


@given(st.text(alphabet='{}[]",:-.eE01\\u tfn \n', max_size=12))
def test_noise_is_judged_as_python_judges_it(text: str) -> None:
    assert _accepts(text) == _python_accepts(text)


def _object_text(parts: list[tuple[str, str, str]]) -> str:
    return "{" + ",".join(f"{space}{name}:{space}{value}{space}" for name, space, value in parts) + "}"


@given(objects, st.booleans())
def test_members_are_those_python_reads(parts: list[tuple[str, str, str]], deep: bool) -> None:
    if deep:  # the way without the C scanner
        parts = [*parts, ('"deep"', "", "[" * 3000 + "]" * 3000)]
    text = "x" + _object_text(parts)
    found = members(text, 1)
    assert [(member.key, text[member.start : member.end]) for member in found] == [
        (json.loads(name), value) for name, _space, value in parts
    ]
    assert [text[member.key_start :].startswith(name) for member, (name, _, _) in zip(found, parts, strict=True)] == [
        True
    ] * len(parts)


@given(st.lists(texts, max_size=5), blanks)
def test_elements_are_what_was_joined(parts: list[str], around: str) -> None:
    text = _container("[", "]", parts, around)
    assert [text[start:end] for start, end in elements(text, 0)] == parts


@pytest.mark.parametrize(
    ("text", "reason", "position"),
    [
        ('{"a":1,}', "a comma before }", 7),
        ("[1,]", "a comma before ]", 3),
        ("{'a':1}", "single quotes", 1),
        ("[1, // one\n2]", "a comment", 4),
        ("{a:1}", "a member name without double quotes", 1),
        ('{"a" 1}', "a member name without a colon", 5),
        ('{"a":}', "} where a value should be", 5),
        ("[NaN]", "NaN is no JSON value", 1),
        ("[-Infinity]", "-Infinity is no JSON value", 1),
        ("[01]", "a number with a leading zero", 2),
        ("[1.]", "a number that is cut short", 2),
        ("[.5]", "a number that starts with .", 1),
        ("[+1]", "a number that starts with +", 1),
        ("[-]", "a minus without a number", 1),
        ('["a\tb"]', "a raw control character in a string", 3),
        ('["\\x"]', "a bad escape in a string", 2),
        ('["\\u12g4"]', "a bad escape in a string", 3),
        ('["a]', "a string that does not end", 1),
        ('{"a":1', "the text ends inside an object", 6),
        ("[1", "the text ends inside an array", 2),
        ("", "the text ends where a value should be", 0),
        ("  ", "the text ends where a value should be", 2),
        ("[1 2]", "'2' where a comma or ] should be", 3),
        ('{"a":1}{"b":2}', "something after the value", 7),
        ("\ufeff{}", "a byte order mark", 0),
        ("[1,\xa02]", "a blank that JSON does not know", 3),
        ("truefalse", "something after the value", 4),
    ],
)
def test_reasons(text: str, reason: str, position: int) -> None:
    with pytest.raises(JsonError) as caught:
        check(text)
    assert (caught.value.reason, caught.value.position) == (reason, position)
    assert isinstance(caught.value, EngineError) and isinstance(caught.value, ValueError)
    assert caught.value.sentence == f"{reason} at character {position}"
    assert str(pickle.loads(pickle.dumps(caught.value))) == caught.value.sentence


@pytest.mark.parametrize(
    "text", ['{"a":1,}', '{"a":[1,]}', '{"a":01}', '{"a":1', "{", '{"a"', '{"a":', '{"a":1 "b":2}', "{,}"]
)
def test_members_refuses_what_check_refuses(text: str) -> None:
    with pytest.raises(JsonError) as ours:
        members(text, 0)
    with pytest.raises(JsonError) as theirs:
        check(text)
    assert (ours.value.reason, ours.value.position) == (theirs.value.reason, theirs.value.position)


@pytest.mark.parametrize("depth", [900, 3000, 100_000])
def test_depth_has_no_limit(depth: int) -> None:
    text = '{"a":[' * (depth // 2) + "1" + "]}" * (depth // 2)
    check(text)
    assert skip(text, 0) == len(text)
    assert members(text, 0)[0].end == len(text) - 1
    assert doubled(text) is None
    with pytest.raises(JsonError, match="the text ends inside"):
        check(text[:-1])


def test_integers_and_exponents_have_no_limit() -> None:
    text = "[" + "1" * 10_000 + ",-" + "1" * 5_000 + ",1e" + "9" * 5_000 + "]"
    check(text)
    assert len(elements(text, 0)) == 3
    assert doubled(text) is None


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ('{"a":1,"a":2}', "/a"),
        ('{"a":1,"\\u0061":2}', "/a"),
        ('{"a":1,"A":2}', None),
        ('{"é":1,"e\u0301":2}', None),
        ('{"a":{"b":1},"c":{"b":1}}', None),
        ('[{"b":1},{"b":1}]', None),
        ('{"x":[0,[1],{"b~/":1,"c":[{}],"b~/":2}]}', "/x/2/b~0~1"),
        ('{"a":{"x":1,"x":2},"a":3}', "/a/x"),
        ('{"a":"{\\"b\\":1,\\"b\\":2}"}', None),
        ('{"":1,"":2}', "/"),
        ('{"\\ud800":1,"\\uD800":1}', "/\ud800"),
        ("7", None),
        ('{"a":1,"a":2,"d":' + "[" * 2000 + "]" * 2000 + "}", "/a"),
        ("[" * 2000 + '{"a":1,"a":2}' + "]" * 2000, "/0" * 2000 + "/a"),
    ],
)
def test_doubled(text: str, pointer: str | None) -> None:
    assert doubled(text) == pointer


@given(texts)
def test_doubled_agrees_with_python(text: str) -> None:
    twice = []

    def look(pairs: list[tuple[str, Any]]) -> None:
        twice.append(len(dict(pairs)) < len(pairs))

    json.loads(text, object_pairs_hook=look)
    assert (doubled(text) is not None) == any(twice)


@pytest.mark.parametrize("text", ['{"a":1,"a":2', '{"a":1,}', "{} {}", "[NaN]"])
def test_doubled_refuses_broken_texts(text: str) -> None:
    with pytest.raises(JsonError):
        doubled(text)


@pytest.mark.parametrize(
    ("spellings", "canonical"),
    [
        (["0", "-0", "-0.0", "0e9", "0.000e-7", "0e99999999999999999999"], "0"),
        (["1", "1.0", "10e-1", "0.1e1", "1E0", "1e-0"], "1"),
        (["100", "1E2", "100.0", "1e+2", "10000e-2"], "100"),
        (["1.5", "15e-1", "0.15E1", "1.500"], "15e-1"),
        (["1e400", "10e399", "0.1e401"], "1e400"),
        (["18446744073709551615", "18446744073709551615.0"], "18446744073709551615"),
        (["18446744073709551616"], "18446744073709551616e0"),
        (["-9223372036854775808"], "-9223372036854775808"),
        (["-9223372036854775809"], "-9223372036854775809e0"),
        (["9007199254740993", "9007199254740993.0"], "9007199254740993"),
        (["123456789012345678901234567890"], "12345678901234567890123456789e1"),
        (["4475.3299999999999"], "44753299999999999e-13"),
        (["1e" + "9" * 5000, "0.1e1" + "0" * 5000], "1e" + "9" * 5000),
        (["1e-" + "9" * 5000], "1e-" + "9" * 5000),
    ],
)
def test_number(spellings: list[str], canonical: str) -> None:
    expected = {number(spelling) for spelling in spellings}
    assert expected == {canonical}
    assert number(canonical) == canonical


@given(numbers, numbers)
def test_numbers_are_spelled_alike_exactly_when_they_are_equal(one: str, other: str) -> None:
    assert (number(one) == number(other)) == (Decimal(one) == Decimal(other))
    assert Decimal(number(one)) == Decimal(one)


@given(numbers)
def test_integer_agrees_with_fractions(token: str) -> None:
    value = Fraction(token)
    assert integer(token) == (str(value.numerator) if value.denominator == 1 else None)


@pytest.mark.parametrize(
    ("token", "text"),
    [
        ("7.0", "7"),
        ("1e3", "1000"),
        ("9007199254740993.0", "9007199254740993"),
        ("-0.0", "0"),
        ("7.5", None),
        ("1e399", "1" + "0" * 399),
        ("1e400", None),
        ("1e" + "9" * 5000, None),
        ("1e-" + "9" * 5000, None),
        ("0e" + "9" * 5000, "0"),
        ("1" * 400, "1" * 400),
        ("1" * 401, None),
    ],
)
def test_integer(token: str, text: str | None) -> None:
    assert integer(token) == text


@pytest.mark.parametrize("token", ["", "01", "1.", "٣", "1_000", " 7", "NaN", "0x1", "7\n"])
def test_what_is_no_number_is_refused(token: str) -> None:
    with pytest.raises(JsonError):
        number(token)
    with pytest.raises(JsonError):
        integer(token)


@given(st.text(st.characters(exclude_categories=()), max_size=8), st.booleans())
def test_quote_is_undone_by_unquote(value: str, ascii_only: bool) -> None:
    token = quote(value, ascii=ascii_only)
    joined = json.loads(json.dumps(value))  # two halves of a pair that stand side by side become one character
    assert unquote(token) in (value, joined)
    assert token.isascii() or not ascii_only
    token.encode()


def test_unquote_wants_a_string() -> None:
    assert unquote(' "\\u00e9\\/"', 1) == "é/"
    with pytest.raises(JsonError):
        unquote("7")


def test_blank_knows_four_blanks() -> None:
    assert blank(" \t\n\rx", 0) == 4
    assert blank("\xa0", 0) == 0
    assert blank("  ", 0) == 2
    assert blank("\x0b", 0) == 0
