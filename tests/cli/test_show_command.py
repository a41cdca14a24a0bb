"""``show``: the summary, the diffs, and what narrows them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


def test_the_summary(call: Any, plan_file: Path) -> None:
    result = call("show", str(plan_file))
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "Plan        3f2a9c51d0e4b687"
    assert "Changes     2 patches over 4 records: 1 safe, 1 unsafe" in lines
    rows = [line.split() for line in lines if line.startswith("CS")]
    assert rows == [["CS201", "2", "-", "1"], ["CS505", "-", "1", "-"], ["CS701", "1", "1", "-"]]


def test_rules_without_a_change_are_counted_together(engine: Any, call: Any, tmp_path: Path) -> None:
    engine.header["counts"]["findings"] |= {"CS101": 97, "CS607": 3, "CS999": 0}
    engine.write(engine.plan(), tmp_path / "p")
    text = call("show", "p").stdout
    assert "For 100 findings of 2 more rules this plan changes nothing.\n" in text
    assert "\nCS101" not in text


def test_the_diff_of_a_value(call: Any, plan_file: Path) -> None:
    lines = call("show", str(plan_file), "--diff").stdout.splitlines()
    assert lines[:6] == [
        "#27210  safe  CS701",
        "  /status",
        '    - "done"',
        '    + "superseded"',
        "    CS701 superseded_by: [27250]",
        "    only while #27250 /links/supersedes holds 27210",
    ]


def test_a_long_array_is_compared_element_by_element(call: Any, plan_file: Path) -> None:
    lines = call("show", str(plan_file), "--record", "27250").stdout.splitlines()
    assert lines[1:9] == [
        "  /links/related  safe",
        "      [",
        "        … 19 the same",
        "        119",
        "    -   100",
        "        120",
        "        … 19 the same",
        "      ]",
    ]
    assert '    - "Done\\u202e"' in lines
    assert lines[-1] == "1 record of the plan"


@pytest.mark.parametrize("width", [50, 60, 80, 100])
def test_nothing_is_wider_than_the_terminal(
    call: Any, plan_file: Path, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    text = call("show", str(plan_file), "--diff").stdout.partition("Next")[0]
    assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize(
    ("flags", "ids"),
    [
        ([], [27210, 27250]),
        (["--record", "27210"], [27210]),
        (["--record", "#27210"], [27210]),
        (["--record", '"27210"'], [27210]),
        (["--record", "27210", "--record", "27250"], [27210, 27250]),
        (["--record", "2721"], []),
        (["--select", "CS5"], [27250]),
        (["--select", "cs201,CS701"], [27210, 27250]),
        (["--select", "CS9"], []),
    ],
)
def test_what_is_shown(call: Any, plan_file: Path, flags: list[str], ids: list[int]) -> None:
    result = call("show", str(plan_file), "--format", "json", *flags)
    assert result.exit_code == 0
    assert [record["record"] for record in json.loads(result.stdout)["records"]] == ids


def test_select_leaves_the_changes_of_other_rules_out(call: Any, plan_file: Path) -> None:
    document = json.loads(call("show", str(plan_file), "--format", "json", "--select", "CS201").stdout)
    assert [change["path"] for change in document["records"][0]["changes"]] == ["/status"]


def test_a_uuid_in_any_spelling(engine: Any, call: Any, tmp_path: Path) -> None:
    engine.records = [{**engine.records[0], "record": "0198c0ffee0000000000000000000000"}]
    engine.write(engine.plan(), tmp_path / "p")
    for text in ("0198C0FFEE0000000000000000000000", "0198c0ff-ee00-0000-0000-000000000000"):
        assert "1 record of the plan" in call("show", "p", "--record", text).stdout


def test_an_id_that_is_not_in_the_plan(call: Any, plan_file: Path) -> None:
    assert call("show", str(plan_file), "--record", "1").stdout == "No record of the plan matches.\n"


def test_json_is_the_plan(engine: Any, call: Any, plan_file: Path) -> None:
    document = json.loads(call("show", str(plan_file), "--format", "json").stdout)
    assert document["format"] == "corpus-migrate.show/1"
    assert document["header"] == engine.header
    assert document["records"] == engine.records


def test_markdown(call: Any, plan_file: Path) -> None:
    text = call("show", str(plan_file), "--format", "markdown", "--diff").stdout
    assert "## \\#27210  safe  CS701" in text
    assert '```diff\n@@ /status\n- "done"\n+ "superseded"\n' in text


def test_a_file_that_is_no_plan(engine: Any, call: Any, one_sentence: Any, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text("{}\n")
    engine.error = engine.errors.plan("x.jsonl is no plan: its first line has no format")
    assert one_sentence(call("show", "x.jsonl"), 2) == "x.jsonl is no plan: its first line has no format"


def test_an_incomplete_plan_is_shown_with_a_warning(engine: Any, call: Any, tmp_path: Path) -> None:
    engine.header["complete"] = False
    engine.write(engine.plan(), tmp_path / "p")
    result = call("show", "p")
    assert result.exit_code == 0
    assert "INCOMPLETE" in result.stdout
    assert "corpus-migrate apply" not in result.stdout


def test_a_broken_config_does_not_keep_a_plan_from_being_shown(call: Any, plan_file: Path, tmp_path: Path) -> None:
    (tmp_path / "corpus-migrate.toml").write_text("nonsense")
    assert call("show", str(plan_file)).exit_code == 0


def test_colour_only_where_it_is_wanted(call: Any, plan_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in call("show", str(plan_file), "--diff").stdout
    assert '\x1b[31m- "done"\x1b[0m' in call("show", str(plan_file), "--diff", "--color", "always", color=True).stdout
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" in call("show", str(plan_file), "--diff", color=True).stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in call("show", str(plan_file), "--diff", color=True).stdout


def test_numbers_keep_their_spelling(call: Any, plan_file: Path) -> None:
    text = plan_file.read_text().replace('"from": "done"', '"from": [1e3, 1.50, 123456789012345678901234567890, 1e400]')
    plan_file.write_text(text.replace("\\u202e", "\\ud800"))
    assert "    - [1e3, 1.50, 123456789012345678901234567890, 1e400]" in call("show", "saved.jsonl", "--diff").stdout
    assert '"from": [1e3, 1.50, 123456789012345678901234567890, 1e400],' in (
        call("show", "saved.jsonl", "--format", "json").stdout
    )
    assert '"Done\\ud800"' in call("show", "saved.jsonl", "--diff").stdout


def test_a_broken_line_is_named(call: Any, plan_file: Path) -> None:
    plan_file.write_text(plan_file.read_text() + "{broken\n")
    result = call("show", "saved.jsonl")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: saved.jsonl:4 cannot be shown (JSONDecodeError: ")


def test_withheld_records_are_named(engine: Any, call: Any, tmp_path: Path) -> None:
    engine.header["withheld"] = [7, 8]
    engine.write(engine.plan(), tmp_path / "p")
    for result in (call("show", "p"), call("plan", "entries.jsonl")):
        assert "WITHHELD    2 records left out by a fault of this tool, please report it: #7," in result.stdout


def test_options_in_words(engine: Any, call: Any, tmp_path: Path) -> None:
    engine.header["options"] = {"codes": ["CS201", "CS701"], "unsafe_fixes": True, "partial": False, "id_map": None}
    engine.write(engine.plan(), tmp_path / "p")
    assert "Options     2 rules, unsafe fixes\n" in call("show", "p").stdout
