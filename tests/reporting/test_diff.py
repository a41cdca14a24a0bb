"""A plan line as a diff: values, collections, absent sides, size."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from migrate.reporting.diff import Line, Mark, element_lines, record_lines


def record(**changes: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "record": 7,
        "part": None,
        "unit": None,
        "level": "safe",
        "codes": ["CS201"],
        "requires": [],
    }
    change = {"path": "/status", "level": "safe", "codes": ["CS201"], "evidence": {}, **changes}
    return {**plain, "changes": [change]}


def marked(lines: Any, *marks: Mark) -> list[str]:
    return [line.text for line in lines if line.mark in marks]


def shown(width: int = 60, **changes: Any) -> list[tuple[str, str]]:
    return [
        (line.mark.value, line.text)
        for line in record_lines(record(**changes), width)
        if line.mark in (Mark.OLD, Mark.NEW, Mark.SAME)
    ]


def test_a_value() -> None:
    assert shown(**{"from": "Done", "to": "done"}) == [("-", '"Done"'), ("+", '"done"')]


def test_null_is_a_value_and_absence_is_none() -> None:
    assert shown(**{"from": None, "to": 1}) == [("-", "null"), ("+", "1")]
    assert shown(to=1) == [("+", "1")]
    assert shown(**{"from": 1}) == [("-", "1")]
    assert shown(**{"from": [], "to": {}}) == [("-", "[]"), ("+", "{}")]


def test_an_empty_path_is_all_metadata() -> None:
    assert marked(record_lines(record(path="", to={}), 60), Mark.PATH) == ["(all metadata)"]


def test_types_are_told_apart() -> None:
    assert shown(**{"from": "7", "to": 7}) == [("-", '"7"'), ("+", "7")]


def test_a_short_array_stays_on_its_line() -> None:
    assert shown(**{"from": [1, 1], "to": [1]}) == [("-", "[1, 1]"), ("+", "[1]")]


def test_a_long_array_element_by_element() -> None:
    assert shown(20, **{"from": ["a" * 12, "b" * 12], "to": ["a" * 12, "c" * 12]}) == [
        (" ", "["),
        (" ", '  "aaaaaaaaaaaa"'),
        ("-", '  "bbbbbbbbbbbb"'),
        ("+", '  "cccccccccccc"'),
        (" ", "]"),
    ]


def test_a_long_array_that_is_new() -> None:
    assert shown(10, to=["a" * 12, "b" * 12]) == [
        ("+", "["),
        ("+", '  "aaaaaaaaaaaa"'),
        ("+", '  "bbbbbbbbbbbb"'),
        ("+", "]"),
    ]


def test_an_object_member_by_member() -> None:
    assert shown(20, **{"from": {"long_name": 1, "other_name": 2}, "to": {"long_name": 1}}) == [
        (" ", "{"),
        (" ", '  "long_name": 1'),
        ("-", '  "other_name": 2'),
        (" ", "}"),
    ]


def test_the_order_of_two_large_arrays_is_not_aligned_quadratically() -> None:
    old = list(range(50_000))
    lines = shown(20, **{"from": old, "to": [*old[:10], *old[11:]]})
    assert ("-", "  10") in lines
    assert len(lines) < 20


def test_a_giant_value_is_cut_and_counted() -> None:
    ((_, text),) = shown(to="x" * 10_000)
    assert text.endswith("… (6,002 more characters; --format json has them)")


def test_notes() -> None:
    line = record(to=1, evidence={"CS201": {"found": "a\u202eb"}}, codes=["CS201", "CS204"])
    line.update(unit=3, part="role", requires=[{"record": 9, "path": "/links/supersedes", "holds": 7}])
    lines = list(record_lines(line, 60))
    assert lines[0] == Line(Mark.RECORD, "#7  safe  CS201  part role")
    assert marked(lines, Mark.NOTE) == [
        'CS201 "a\\u202eb"; CS204',
        "only while #9 /links/supersedes holds 7",
        "together with the others of unit #3, or not at all",
    ]


def test_what_was_found_goes_without_saying_where_it_is_the_old_value() -> None:
    line = record(**{"from": ["A"], "to": ["a"]}, evidence={"CS201": {"found": ["A"], "by": 3}})
    assert marked(record_lines(line, 60), Mark.NOTE) == ["CS201 by: 3"]
    line["changes"][0]["evidence"] = {"CS201": {"found": ["A"]}}
    assert marked(record_lines(line, 60), Mark.NOTE) == []
    line["codes"] = ["CS201", "CS204"]
    assert marked(record_lines(line, 60), Mark.NOTE) == ["CS201"]


def test_evidence_that_stands_above_is_not_repeated() -> None:
    def note(data: dict[str, Any], **change: Any) -> list[str]:
        return marked(record_lines(record(**change, evidence={"CS201": data}), 60), Mark.NOTE)

    moved = {"from": {"context_ids": [7], "n": 2}}
    assert note({"found": [7]}, **moved) == []
    assert note({"found": [7, 8]}, **moved) == ["CS201 [7, 8]"]
    assert note({"means": "done", "steps": 2}, **{"from": 2, "to": "done"}) == ["CS201 steps: 2"]
    assert note({"found": "a" * 199 + "…"}, **{"from": "a" * 400}) == []


def test_levels_stand_at_the_paths_of_an_unsafe_record_only() -> None:
    line = record(to=1)
    assert marked(record_lines(line, 60), Mark.PATH) == ["/status"]
    line["level"] = "unsafe"
    assert marked(record_lines(line, 60), Mark.PATH) == ["/status  safe"]


@given(st.lists(st.sampled_from("abc")).map(tuple), st.lists(st.sampled_from("abc")).map(tuple))
def test_a_diff_removes_and_adds_exactly_the_difference(old: tuple[str, ...], new: tuple[str, ...]) -> None:
    lines = list(element_lines(old, new))
    same = len(old) - len(marked(lines, Mark.OLD))
    assert same == len(new) - len(marked(lines, Mark.NEW))
    assert (old == new) == (not marked(lines, Mark.OLD, Mark.NEW))
