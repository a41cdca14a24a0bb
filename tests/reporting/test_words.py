"""Numbers, places, ids, evidence and lines as people read them."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from migrate.reporting import conservation
from migrate.reporting.markdown import code, fence, inline
from migrate.reporting.summary import folded, labelled, wrapped
from migrate.reporting.tables import markdown_table, table
from migrate.reporting.terminal import Screen, clean, display_width
from migrate.reporting.wording import counted, evidence, id_label, record_label, size, worst_first
from migrate.types import RuleCount, Severity


def test_counted() -> None:
    assert [counted(number, "record") for number in (0, 1, 2000)] == ["0 records", "1 record", "2,000 records"]
    assert counted(2, "patch", "patches") == "2 patches"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (999_949, "999.9 kB"),
        (999_950, "1.0 MB"),
        (1_341_000_000, "1.3 GB"),
        (5_000_000_000_000, "5.0 TB"),
    ],
)
def test_size(number: int, text: str) -> None:
    assert size(number) == text


@pytest.mark.parametrize(
    ("record", "label"),
    [
        (None, ""),
        ("7", "#7"),
        ('"0198c0ffee00000000000000000000aa"', "#0198c0ffee00000000000000000000aa"),
        ('"0198C0FF-EE00-0000-0000-0000000000AA"', "#0198C0FF-EE00-0000-0000-0000000000AA"),
        ('"7"', '#"7"'),
        ("1e400", "#1e400"),
        ("true", "#true"),
        ('"\u202e7"', '#"\\u202e7"'),
    ],
)
def test_record_label(record: str | None, label: str) -> None:
    assert record_label(record) == label


def test_no_id_is_said_in_words() -> None:
    assert record_label("null") == "(no id)"
    assert record_label('"null"') == '#"null"'


def test_an_id_from_a_plan_line() -> None:
    assert id_label(27210) == "#27210"
    assert id_label("0198c0ffee00000000000000000000aa") == "#0198c0ffee00000000000000000000aa"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({}, ""),
        ({"found": "Done"}, '"Done"'),
        ({"elements": [1, "7"], "found": [1]}, '[1]  elements: [1, "7"]'),
        ({"superseded_by": [27250]}, "superseded_by: [27250]"),
        ({"a\x1b[2J": "\u202e"}, 'a: "\\u202e"'),
    ],
)
def test_evidence(data: dict[str, Any], text: str) -> None:
    assert evidence(data) == text


def test_worst_first() -> None:
    def of(code: str, severity: Severity, findings: int) -> RuleCount:
        return RuleCount(code, code, severity, findings, 0, 0, 0, findings)

    rules = [
        of("A", Severity.INFO, 99),
        of("C", Severity.ERROR, 1),
        of("B", Severity.ERROR, 1),
        of("D", Severity.ERROR, 5),
        of("E", Severity.WARNING, 50),
    ]
    assert [rule.code for rule in worst_first(rules)] == ["D", "B", "C", "E", "A"]


@given(st.text().map(clean), st.integers(2, 30))
def test_folding_loses_nothing_and_fits(text: str, width: int) -> None:
    lines = list(folded(text, width))
    assert "".join(lines) == text
    assert all(display_width(line) <= width for line in lines)


def test_wrapping_breaks_at_blanks_where_there_are_any() -> None:
    assert list(wrapped("aaa bbb ccc", 7)) == ["aaa", "bbb ccc"]
    assert list(wrapped("aaaaaaaaaa", 4)) == ["aaaa", "aaaa", "aa"]
    assert list(wrapped("", 4)) == [""]


def test_labels() -> None:
    text = io.StringIO()
    labelled(Screen(text, 24), "Read", ["one two three four", "five"])
    assert text.getvalue().splitlines() == ["Read        one two", "            three four", "            five"]


def test_tables() -> None:
    text = io.StringIO()
    table(Screen(text), ("a", "number"), [("漢", "1"), ("xyz", "1,000")], right=frozenset({1}))
    assert text.getvalue().splitlines() == ["a    number", "漢        1", "xyz   1,000"]
    lines = markdown_table(("a", "n"), [("x|y", "1")], right=frozenset({1}))
    assert lines == ["| a | n |", "| --- | ---: |", "| x\\|y | 1 |"]


def test_the_books_in_both_shapes() -> None:
    whole = {"before": 9, "kept": 7, "rewritten": 1, "removed": 1, "removed_by": {"CS505": 1}, "after": 8, "added": 0}
    assert conservation.sentences(whole) == [
        "9 leaf members before = 7 kept + 0 moved + 1 rewritten + 1 removed (CS505 1) + 0 held",
        "8 leaf members after = 7 kept + 0 moved + 1 rewritten + 0 added",
    ]
    by_code = {"before": 3, "kept": 0, "removed": {"CS505": 2, "CS401": 1}}
    assert conservation.sentences(by_code) == [
        "3 leaf members before = 0 kept + 0 moved + 0 rewritten + 3 removed (CS401 1, CS505 2) + 0 held"
    ]
    assert conservation.sentences({}) == []
    assert conservation.sentences(dict.fromkeys(("before", "kept", "after", "added"), 0)) == []
    assert len(conservation.sentences({"before": 0, "after": 1, "added": 1})) == 2


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("plain", "plain"),
        ("<script>", "&lt;script\\>"),
        ("a & b", "a &amp; b"),
        ("[x](javascript:y)", "\\[x\\](javascript:y)"),
        ("**b** _i_ `c`", "\\*\\*b\\*\\* \\_i\\_ \\`c\\`"),
        ("a\nb\x1b[31m", "a\\\\nb"),
        ("\\<b>", "\\\\&lt;b\\>"),
    ],
)
def test_markdown_text_is_only_text(text: str, markdown: str) -> None:
    assert inline(text) == markdown


@pytest.mark.parametrize(
    ("text", "markdown"),
    [("a_b/c.jsonl", "`a_b/c.jsonl`"), ("a`b", "`` a`b ``"), ("<b>\x1b[31m\n", "`<b>\\n`")],
)
def test_a_code_span_cannot_be_left(text: str, markdown: str) -> None:
    assert code(text) == markdown


def test_a_fence_cannot_be_left() -> None:
    assert fence(["a ``` b", "````"]) == ["`````", "a ``` b", "````", "`````"]
    assert fence(["x"], "diff") == ["```diff", "x", "```"]
