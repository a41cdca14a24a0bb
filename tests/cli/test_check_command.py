"""``check`` from the command line to its output, with stand-ins behind it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from migrate.naming import corpus_name

MEMBERS = [
    "code",
    "slug",
    "level",
    "severity",
    "record",
    "path",
    "evidence",
    "file",
    "line",
    "fingerprint",
    "class",
    "kind",
    "thread",
    "project",
    "state",
]


def test_text_is_grouped_by_rule_worst_first_and_ends_in_the_next_command(engine: Any, call: Any) -> None:
    result = call("check", "my entries.jsonl")
    assert result.exit_code == 1
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0] == "CS703 supersedes-an-issue  error  1 finding: 1 manual"
    assert lines[3:6] == [
        "CS201 status-spelling  warning  2 findings: 2 safe",
        '    :12 #27210 /status  "Done"',
        '    :14 #0198c0ffee00000000000000000000aa /status  "Done"',
    ]
    assert "Findings    1 error, 2 warnings, 0 info from 2 rules" in lines
    assert "2 records would change with safe fixes (1 more with --unsafe-fixes)." in lines
    assert lines[-1] == "Next        corpus-migrate plan 'my entries.jsonl'"
    assert engine.calls == ["examine my entries.jsonl", "closed"]


def test_a_clean_corpus_is_0_and_has_no_next_command(engine: Any, call: Any) -> None:
    engine.summary, engine.findings = engine.clean, ()
    result = call("check", "entries.jsonl")
    assert result.exit_code == 0
    assert "Findings    none" in result.stdout
    assert "Next" not in result.stdout


def test_only_unsafe_fixes_are_left(engine: Any, call: Any) -> None:
    engine.summary = engine.make_summary(safe_records=0)
    assert "corpus-migrate plan entries.jsonl --unsafe-fixes" in call("check", "entries.jsonl").stdout


def test_three_examples_and_how_many_more(engine: Any, call: Any) -> None:
    engine.findings = tuple(engine.finding(code="CS703", line=line) for line in range(1, 6))
    rule = engine.summary.rules[1]
    engine.summary = engine.make_summary(rules=(type(rule)("CS703", "x", rule.severity, 5, 0, 0, 5, 0),))
    lines = call("check", "entries.jsonl").stdout.splitlines()
    assert [line.split()[0] for line in lines[1:4]] == [":1", ":2", ":3"]
    assert lines[4] == "    … 2 more"


def test_evidence_that_does_not_fit_stands_under_its_place(engine: Any, call: Any) -> None:
    engine.findings = (engine.finding(evidence={"found": "x" * 60}), engine.finding(evidence={"found": "y" * 200}))
    lines = call("check", "entries.jsonl").stdout.splitlines()
    at = lines.index("    :12 #27210 /status")
    assert lines[at + 1] == f'      "{"x" * 60}"'
    assert lines[at + 3] == f'      "{"y" * 72}…'


def test_several_files_are_named(engine: Any, call: Any) -> None:
    engine.summary = engine.make_summary(files=2, uri="shards")
    engine.findings = (engine.finding(file="shards/b.jsonl"),)
    assert '    b.jsonl:12 #27210 /status  "Done"' in call("check", "shards").stdout.splitlines()


def test_a_severity_that_a_rule_decides_for_each_finding(engine: Any, call: Any) -> None:
    kind = type(engine.summary.rules[0])
    worst = engine.summary.rules[1].severity
    engine.summary = engine.make_summary(
        rules=(kind("CS201", "x", worst, 5, 4, 0, 1, 0), kind("CS703", "y", worst, 5, 0, 0, 5, 0))
    )
    lines = call("check", "entries.jsonl").stdout.splitlines()
    assert "CS201 x  up to error  5 findings: 4 safe, 1 manual" in lines
    assert "CS703 y  error  5 findings: 5 manual" in lines


def test_quiet_is_one_line(call: Any) -> None:
    result = call("check", "entries.jsonl", "-q")
    assert result.stdout == (
        "entries.jsonl: 3 findings (1 error, 2 warnings, 0 info) in 4 records; "
        "2 records would change with safe fixes (1 more with --unsafe-fixes).\n"
    )
    assert result.exit_code == 1


def test_verbose_is_a_line_a_finding(call: Any) -> None:
    lines = call("check", "entries.jsonl", "-v").stdout.splitlines()
    assert lines[:2] == [
        'entries.jsonl:12: warning CS201 [safe] status-spelling #27210 /status "Done"',
        'entries.jsonl:14: warning CS201 [safe] status-spelling #0198c0ffee00000000000000000000aa /status "Done"',
    ]


def test_jsonl_has_the_members_of_the_contract_in_their_order(engine: Any, call: Any) -> None:
    result = call("check", "entries.jsonl", "--format", "jsonl")
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [list(item) for item in found] == [MEMBERS] * 3
    assert [item["record"] for item in found] == [27210, "0198c0ffee00000000000000000000aa", 27210]
    assert result.exit_code == 1


def test_json_is_one_document_with_the_code_and_its_reason(call: Any) -> None:
    result = call("check", "entries.jsonl", "--format", "json")
    document = json.loads(result.stdout)
    assert document["format"] == "corpus-migrate.check/1"
    assert document["exit_code"] == result.exit_code == 1
    assert document["exit_reason"] == "1 finding at or above --fail-on error"
    assert [list(item) for item in document["findings"]] == [MEMBERS] * 3
    assert [rule["code"] for rule in document["rules"]] == ["CS201", "CS703"]
    assert document["counts"] == {"findings": 3, "safe_records": 2, "unsafe_records": 1}


def test_machine_output_never_carries_what_a_terminal_obeys(engine: Any, call: Any) -> None:
    hostile = "\x1b[31m\u202e\u0085\udc80\x7f"
    engine.findings = (engine.finding(evidence={"found": hostile}, record=json.dumps(hostile, ensure_ascii=False)),)
    for name in ("jsonl", "json"):
        text = call("check", "entries.jsonl", "--format", name).stdout
        assert text.isascii()
        assert text.replace("\n", "").isprintable()
    assert json.loads(text)["findings"][0]["evidence"]["found"] == hostile
    assert json.loads(text)["findings"][0]["record"] == hostile


@pytest.mark.parametrize(
    "record", ["9007199254740993", "123456789012345678901234567890", "1e400", "1.50", "null", None]
)
def test_an_id_keeps_its_spelling(engine: Any, call: Any, record: str | None) -> None:
    engine.findings = (engine.finding(record=record),)
    text = call("check", "entries.jsonl", "--format", "jsonl").stdout
    assert f'"record": {record or "null"}, "path"' in text


def test_hostile_text_never_reaches_the_terminal(engine: Any, call: Any) -> None:
    hostile = "a\x1b[2Jb\u202ec\x07d\u2066e\x9bf\ng"
    engine.findings = (
        engine.finding(evidence={hostile: hostile}, record=json.dumps(hostile), path=f"/{hostile}", file=hostile),
    )
    engine.summary = engine.make_summary(uri=hostile, id_form=hostile, classes={hostile: 1})
    for flags in (("-q",), (), ("-v",)):
        text = call("check", "entries.jsonl", *flags).stdout
        assert all(line.isprintable() for line in text.split("\n"))
        assert "[2J" not in text.replace("\\u001b[2J", "")


def test_lost_input_is_3_and_said_wherever_the_result_goes(engine: Any, call: Any, tmp_path: Path) -> None:
    engine.summary = engine.make_summary(gaps=(engine.gap,))
    said = "shard-2.jsonl.gz was not read to the end: the stream is cut after 10 lines"
    text, lines = call("check", "c"), call("check", "c", "--format", "jsonl")
    assert (text.exit_code, lines.exit_code) == (3, 3)
    assert "NOT READ    shard-2.jsonl.gz: the stream is cut after 10 lines" in text.stdout
    assert lines.stderr == f"warning: {said}\n"
    document = json.loads(call("check", "c", "--format", "json").stdout)
    assert document["gaps"] == [{"file": engine.gap.file, "reason": engine.gap.reason}]
    assert (document["exit_code"], document["complete"]) == (3, False)


@pytest.mark.parametrize(("fail_on", "code"), [("error", 1), ("warning", 1), ("info", 1), ("never", 0)])
def test_fail_on(call: Any, fail_on: str, code: int) -> None:
    assert call("check", "c", "--fail-on", fail_on).exit_code == code


def test_flags_reach_the_engine(engine: Any, call: Any, tmp_path: Path) -> None:
    (tmp_path / "map.json").write_text("{}")
    call(
        *("check", "c", "--select", "cs2,CS701", "--select", "CS1", "--ignore", "CS202", "--unsafe-fixes"),
        *("--partial", "--id-map", "map.json", "--evidence", "none", "--system", "kata"),
        *("--memory-limit", "300MB", "--threads", "2", "--temp-dir", "spill"),
    )
    options = engine.options
    assert options.select == ("CS2", "CS701", "CS1")
    assert options.ignore == ("CS202",)
    assert (options.unsafe_fixes, options.partial, options.system) == (True, True, "kata")
    assert options.id_map == Path("map.json")
    assert options.evidence == "none"
    assert (options.limits.memory, options.limits.threads, options.limits.temp_dir) == ("300MB", 2, Path("spill"))


def test_an_unknown_code_is_bad_use_and_names_the_nearest(engine: Any, call: Any, one_sentence: Any) -> None:
    sentence = one_sentence(call("check", "c", "--select", "CS2,CS702"), 2)
    assert sentence == "--select: no rule is or begins with CS702; the nearest are CS701, CS202, CS201"
    assert engine.calls == []


def test_a_check_writes_its_line_in_the_history_and_its_state(call: Any, tmp_path: Path) -> None:
    call("check", "entries.jsonl")
    written = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    folder = f"reports/{corpus_name('entries.jsonl')}"
    assert written == {f"{folder}/history.jsonl", f"{folder}/state/ledger.duckdb"}
