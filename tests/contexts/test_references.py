"""The reference reader: the given vectors, a slow reader of the same rules, and lines that were made to take long."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from migrate.corpora.repository.ecmascript import BLANKS, by_code_unit, trim
from migrate.corpora.repository.references import references

VECTORS = json.loads(
    (Path(__file__).parents[1] / "data" / "cases" / "repository_context" / "markdown_references.json").read_text(
        "utf-8"
    )
)


def read(text: str) -> list[list[object]]:
    return [list(reference) for reference in references(text)]


def test_the_given_texts_are_read_exactly() -> None:
    assert len(VECTORS) > 1000
    assert [(text, read(text)) for text, _ in VECTORS] == [(text, wanted) for text, wanted in VECTORS]


@pytest.mark.parametrize(
    ("line", "targets"),
    [
        ("[x](truth/domain(v2).md)", ["truth/domain(v2).md"]),
        ("[x](a(b(c)).md#part)", ["a(b(c)).md"]),
        ('[x](a.md "Title (v2)")', ["a.md"]),
        (r"[x](a\(v2\).md 'Title')", ["a(v2).md"]),
        ("[x](<truth/domain (v2).md> (Title))", ["truth/domain (v2).md"]),
        ("[x](a.md (Title))", ["a.md"]),
        ('[x](a(b.md) [y](<c.md [z](d.md "e)', []),
        ("[a](a.md) ![b](b.png) [c](c.md) [d](#top) [e](https://e.org/x.md)", ["a.md", "b.png", "c.md"]),
        ("[![a](img.png)](x.md)", ["img.png"]),
        (r"[a\]b](x.md) [[b]](y.md) [a [b] c](z.md)", []),
        ("`[in code](a.md)` - [ ](b.md) [^1](c.md) a[0](d.md)", ["a.md", "b.md", "c.md", "d.md"]),
        ("[x](gone.md:3) [y](sub/gone.md:3) [z](C:\\x) [w](1x:y)", ["sub/gone.md:3", "1x:y"]),
        (r"[x](a\#b.md)", ["a\\"]),
        ("[ref][1] <auto.md> [[wiki]] [1]: def.md", []),
    ],
)
def test_links_of_a_line(line: str, targets: list[str]) -> None:
    assert [reference.target for reference in references(line)] == targets


def test_lines_end_at_line_feeds_alone() -> None:
    text = "one\rtwo\vthree\ffour\x85five\u2028six\u2029[a](a.md)\r\n[b](b.md)\n\n[c](c.md)"
    assert [(line, target) for _, line, target in references(text)] == [(1, "a.md"), (2, "b.md"), (4, "c.md")]


def test_blanks_are_those_of_ecmascript() -> None:
    not_blank = "\x85\x1c\x1d\x1e\x1f\u180e\u200b"
    assert not set(not_blank) & set(BLANKS)
    assert trim(f"\ufeff\u3000{not_blank}\u00a0\t") == not_blank
    assert read("[a](\ufeffx.md\u00a0)") == [["link", 1, "x.md"]]
    assert read("[a](\x1cx.md\x85)") == [["link", 1, "\x1cx.md\x85"]]
    assert read("`\ufeffx.md\u2003`") == [["code", 1, "x.md"]]


def test_names_are_sorted_by_utf_16_code_units() -> None:
    names = ["\uff5e", "\U0001f600", "a", "B", "é", "\ud800"]
    assert sorted(names, key=by_code_unit) == ["B", "a", "é", "\ud800", "\U0001f600", "\uff5e"]
    assert sorted(names) != sorted(names, key=by_code_unit), "Python sorts by code points"


@pytest.mark.parametrize("fence", ["```", "~~~", " \ufeff```", "```x``` inline", "\t~~~~~"])
def test_a_fence_hides_until_the_next_of_any_kind(fence: str) -> None:
    assert read(f"{fence}\n[a](a.md)\n~~~\n[b](b.md)\n```\n[c](c.md)") == [["link", 4, "b.md"]]


def test_what_looks_like_a_fence_and_is_none() -> None:
    assert read("> ```\n[a](a.md)\n- ~~~\n\x85```\n[b](b.md)") == [["link", 2, "a.md"], ["link", 5, "b.md"]]


# The same rules once more, as plainly as they can be written: quadratic, and so no use outside of a test.
WHITE = "[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]"


def plainly(line: str) -> Iterator[str]:
    at = 0
    while found := re.compile(r"\[[^\]\n]*\]\(").search(line, at):
        at = found.end()
        place = destination(line, at)
        if place is not None:
            target, at = place
            target = re.sub(r"\\([\\()\[\]<>])", r"\1", target.split("#")[0])
            if target and target[0] not in "#/" and not re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", target):
                yield target


def destination(line: str, at: int) -> tuple[str, int] | None:
    at = past_white(line, at)
    start = at
    if line[at : at + 1] == "<":
        start = at = at + 1
        while line[at : at + 1] != ">":
            if line[at : at + 1] in ("", "<"):
                return None
            at += 2 if line[at] == "\\" else 1
        if at >= len(line):
            return None
        target, at = line[start:at], at + 1
    else:
        depth = 0
        while True:
            char = line[at : at + 1]
            if char == "" or (char == "\\" and at + 1 >= len(line)):
                return None
            if re.match(WHITE, char) or (char == ")" and depth == 0):
                break
            depth += {"(": 1, ")": -1}.get(char, 0)
            at += 2 if char == "\\" else 1
        if depth:
            return None
        target = line[start:at]
    after = past_white(line, at)
    if after > at and line[after : after + 1] not in ("", ")"):
        close = {'"': '"', "'": "'", "(": ")"}.get(line[after])
        if close is None:
            return None
        after += 1
        while line[after : after + 1] != close:
            if after >= len(line):
                return None
            after += 2 if line[after] == "\\" else 1
        after = past_white(line, after + 1)
    return (target, after + 1) if line[after : after + 1] == ")" else None


def past_white(line: str, at: int) -> int:
    found = re.compile(f"{WHITE}*").match(line, at)
    assert found is not None
    return found.end()


@given(st.text(alphabet="[]()<>\\\"' #ax./:\u00a0\x85", max_size=60))
def test_the_quick_reader_finds_what_the_plain_one_does(line: str) -> None:
    assert [reference.target for reference in references(line) if reference.kind == "link"] == list(plainly(line))


@pytest.mark.parametrize(
    "line",
    ["[a](x" * 100_000, "[a](x (" * 80_000, "[" * 500_000 + "](", "[a](<" * 100_000, "`" * 500_000 + ".md", "[a]( " * 100_000,
     "[a]((" * 100_000 + ")" * 200_000, "[a](<" + "\\a" * 200_000, "[a](x \"" * 80_000, "\\" * 500_000 + "[a](x)"],
    ids=lambda line: line[:12],
)  # fmt: skip
def test_a_hostile_line_takes_no_longer_than_its_length(line: str) -> None:
    started = time.process_time()
    assert sum(1 for _ in references(line)) <= 1
    assert time.process_time() - started < 5
