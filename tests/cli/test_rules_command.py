"""``rules``: the table, one rule, and the case runner."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize("what", [[], ["list"]])
def test_the_table(call: Any, what: list[str]) -> None:
    result = call("rules", *what)
    assert result.exit_code == 0
    rows = [line.split() for line in result.stdout.splitlines()]
    assert [row[0] for row in rows] == ["code", "CS101", "CS201", "CS202", "CS701"]
    assert rows[3] == ["CS202", "status-of-another-kind", "error", "manual"]


@pytest.mark.parametrize("what", [["CS701"], ["cs701"], ["superseded-but-not-marked"], ["explain", "CS701"]])
def test_one_rule(call: Any, what: list[str]) -> None:
    text = call("rules", *what).stdout
    assert text.startswith("CS701 superseded-but-not-marked\nseverity: warning\nfix: safe, unsafe\n")
    headings = ["What it finds", "Why it matters", "Before", "After", "Fix", "Fix safety"]
    assert [line for line in text.splitlines() if line in headings] == headings


def test_a_prefix_is_all_that_begin_so(call: Any) -> None:
    assert [line[:5] for line in call("rules", "CS2").stdout.splitlines()] == ["code ", "CS201", "CS202"]


def test_an_unknown_rule_names_the_nearest(call: Any, one_sentence: Any) -> None:
    assert one_sentence(call("rules", "CS702"), 2) == (
        "no rule is or begins with CS702; the nearest are CS701, CS202, CS201"
    )
    assert "status-spelling" in one_sentence(call("rules", "status-speling"), 2)
    assert "corpus-migrate rules lists them" in one_sentence(call("rules", "?"), 2)


def test_json(call: Any) -> None:
    document = json.loads(call("rules", "--format", "json").stdout)
    assert document["format"] == "corpus-migrate.rules/1"
    assert [rule["code"] for rule in document["rules"]] == ["CS101", "CS201", "CS202", "CS701"]
    assert document["rules"][3]["levels"] == ["safe", "unsafe"]


def test_markdown_is_the_page(call: Any) -> None:
    text = call("rules", "CS202", "--format", "markdown").stdout
    assert text.startswith("# CS202 status-of-another-kind\n")
    assert "\nbecomes\n" not in text


def test_cases_that_pass(engine: Any, call: Any, tmp_path: Path) -> None:
    result = call("rules", "test", str(tmp_path))
    assert (result.exit_code, result.stdout) == (0, "3 cases passed, 0 failed\n")


def test_cases_that_fail(engine: Any, call: Any, tmp_path: Path) -> None:
    engine.cases = (1, ("XX001 a case: expected safe, got manual",))
    result = call("rules", "test", str(tmp_path))
    assert result.exit_code == 1
    assert result.stdout == "FAILED XX001 a case: expected safe, got manual\n1 case passed, 1 failed\n"
