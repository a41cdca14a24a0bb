"""``plan``: what is written, where, and what is said."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import polars
import pytest

from migrate.cli.commands.plan import into
from migrate.cli.workspace import corpus_name

FOLDER = f"entries.jsonl-{hashlib.sha256(b'entries.jsonl').hexdigest()[:8]}/plans/3f2a9c51d0e4b687"
FILES = ["findings.parquet", "plan.jsonl", "report.html", "report.json", "report.md"]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_workspace_gets_the_plan_and_its_reports(engine: Any, call: Any, tmp_path: Path) -> None:
    result = call("plan", "entries.jsonl")
    assert (result.exit_code, result.stderr) == (0, "")
    folder = tmp_path / "reports" / FOLDER
    assert names(folder) == FILES
    assert names(folder.parent) == [folder.name]
    assert json.loads((folder / "plan.jsonl").read_text().splitlines()[0]) == engine.header
    report = json.loads((folder / "report.json").read_text())
    assert report["format"] == "corpus-migrate.report/1"
    assert report["conservation"] == engine.header["conservation"]
    assert report["corpus"]["uri"] == "entries.jsonl"
    assert str(tmp_path) not in (folder / "report.json").read_text()
    frame = polars.read_parquet(folder / "findings.parquet")
    assert frame["code"].to_list() == ["CS201", "CS201", "CS703"]


def test_the_block(call: Any) -> None:
    lines = call("plan", "entries.jsonl").stdout.splitlines()
    assert lines[0].split() == ["code", "rule", "severity", "count", "safe", "unsafe", "manual", "info"]
    assert lines[1].split() == ["CS703", "supersedes-an-issue", "error", "1", "0", "0", "1", "0"]
    assert "Held back   1 broken line and 1 held record, reported and copied byte for byte" in lines
    assert "Classes     2 v1, 1 legacy, 1 user message" in lines
    assert "Plan        2 patches: 1 safe, 1 unsafe" in lines
    plan = f"reports/{FOLDER}/plan.jsonl"
    assert f"            {plan}" in lines
    assert lines[-3] == "2 records would change with safe fixes (1 more with --unsafe-fixes)."
    assert lines[-2:] == [
        f"Next        corpus-migrate show {plan} --diff",
        f"            corpus-migrate apply {plan} -o entries.repaired.jsonl",
    ]
    assert max(len(line) for line in lines[:-3]) <= 80


def test_the_next_commands_work_as_they_are_printed(call: Any) -> None:
    lines = call("plan", "entries.jsonl").stdout.splitlines()
    for line in lines[-2:]:
        command = line.removeprefix("Next").split()
        assert call(*command[1:]).exit_code == 0


def test_minus_o_takes_the_plan_and_the_rest_goes_to_the_workspace(call: Any, tmp_path: Path) -> None:
    result = call("plan", "entries.jsonl", "-o", "my plan.jsonl", "--workspace", "kept")
    assert (tmp_path / "my plan.jsonl").exists()
    assert names(tmp_path / "kept" / FOLDER) == [name for name in FILES if name != "plan.jsonl"]
    assert "corpus-migrate show 'my plan.jsonl' --diff" in result.stdout
    assert f"Report      kept/{FOLDER}" in result.stdout


def test_minus_o_does_not_take_away_the_plan_in_the_workspace(call: Any, tmp_path: Path) -> None:
    call("plan", "entries.jsonl")
    call("plan", "entries.jsonl", "-o", "plan.jsonl")
    assert names(tmp_path / "reports" / FOLDER) == FILES


def test_the_same_plan_again_replaces_its_folder(call: Any, tmp_path: Path) -> None:
    call("plan", "entries.jsonl")
    folder = tmp_path / "reports" / FOLDER
    (folder / "stray").touch()
    call("plan", "entries.jsonl")
    assert names(folder) == FILES
    assert names(folder.parent) == [folder.name]


def test_an_error_on_the_way_keeps_the_old_folder(engine: Any, call: Any, tmp_path: Path) -> None:
    call("plan", "entries.jsonl")
    folder = tmp_path / "reports" / FOLDER
    before = (folder / "plan.jsonl").read_bytes()
    engine.write_error = ZeroDivisionError()
    assert call("plan", "entries.jsonl").exit_code == 70
    assert (folder / "plan.jsonl").read_bytes() == before
    assert names(folder.parent) == [folder.name]


def test_an_existing_plan_is_replaced_and_nothing_else(
    engine: Any, call: Any, one_sentence: Any, tmp_path: Path
) -> None:
    assert call("plan", "entries.jsonl", "-o", "plan.jsonl").exit_code == 0
    assert call("plan", "entries.jsonl", "-o", "plan.jsonl").exit_code == 0
    (tmp_path / "notes.txt").write_text("mine")
    engine.calls.clear()
    sentence = one_sentence(call("plan", "entries.jsonl", "-o", "notes.txt"), 4)
    assert sentence == "-o notes.txt exists and is no plan; name another file"
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert engine.calls == []


def test_stdout_is_no_place_for_a_plan(call: Any, one_sentence: Any) -> None:
    assert "not written to stdout" in one_sentence(call("plan", "c", "-o", "-"), 2)


@pytest.mark.parametrize(("flags", "code"), [((), 0), (("--detailed-exitcode",), 1)])
def test_detailed_exit_code(call: Any, flags: tuple[str, ...], code: int) -> None:
    assert call("plan", "entries.jsonl", *flags).exit_code == code


def test_an_empty_plan_is_0_and_asks_for_nothing(engine: Any, call: Any) -> None:
    engine.header["counts"]["patches"] = 0
    engine.summary, engine.findings, engine.records = engine.clean, (), []
    result = call("plan", "entries.jsonl", "--detailed-exitcode")
    assert result.exit_code == 0
    assert "Next" not in result.stdout
    assert "0 records would change with safe fixes (0 more with --unsafe-fixes)." in result.stdout


def test_an_incomplete_plan_is_3_written_and_not_offered_to_apply(engine: Any, call: Any, tmp_path: Path) -> None:
    engine.header["complete"] = False
    engine.summary = engine.make_summary(gaps=(engine.gap,))
    result = call("plan", "entries.jsonl", "--detailed-exitcode")
    assert result.exit_code == 3
    assert "NOT READ    shard-2.jsonl.gz" in result.stdout
    assert "INCOMPLETE  apply refuses this plan" in result.stdout
    assert "corpus-migrate apply" not in result.stdout
    assert "refuses it" in (tmp_path / "reports" / FOLDER / "report.md").read_text()


def test_withheld_patches_are_part_of_the_sentence(engine: Any, call: Any, tmp_path: Path) -> None:
    engine.header["withheld"] = [7, 8]
    engine.header["counts"]["patches"] = 0
    sentence = "2 records would change with safe fixes (1 more with --unsafe-fixes), but 2 of them left out by a fault of this tool."
    assert sentence in " ".join(call("plan", "entries.jsonl").stdout.split())
    assert sentence in (tmp_path / "reports" / FOLDER / "report.md").read_text()
    assert call("plan", "entries.jsonl", "-q").stdout.startswith(f"{sentence} Plan: ")


def test_the_report_for_a_comment(engine: Any, call: Any, tmp_path: Path) -> None:
    engine.summary = engine.make_summary(uri="my_data/a_b.jsonl")
    engine.header["conservation"] = {"before": 0, "after": 0, "kept": 0}
    call("plan", "entries.jsonl")
    text = (tmp_path / "reports" / FOLDER / "report.md").read_text()
    assert "- Corpus: `my_data/a_b.jsonl` (context-server, integer ids)" in text
    assert "- Books: nothing changes\n" in text
    assert "- Classes: 2 v1, 1 legacy, 1 user message\n" in text
    assert "\\_" not in text


def test_json(call: Any) -> None:
    result = call("plan", "entries.jsonl", "--format", "json", "--detailed-exitcode")
    document = json.loads(result.stdout)
    assert document["plan"] == f"reports/{FOLDER}/plan.jsonl"
    assert document["plan_counts"]["patches"] == 2
    assert (document["exit_code"], document["exit_reason"]) == (1, "the plan has 2 patches (--detailed-exitcode)")


def test_quiet_is_one_line(call: Any) -> None:
    result = call("plan", "entries.jsonl", "-q")
    assert result.stdout == (
        f"2 records would change with safe fixes (1 more with --unsafe-fixes). Plan: reports/{FOLDER}/plan.jsonl\n"
    )


def test_a_workspace_that_cannot_be_is_a_sentence(call: Any, one_sentence: Any, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert one_sentence(call("plan", "c", "--workspace", "file"), 2) == "--workspace names file, which is no folder"
    sentence = one_sentence(call("plan", "c", "--workspace", "file/below"), 2)
    assert sentence.startswith("the workspace cannot be written: ")


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("entries.jsonl", "entries.jsonl"),
        ("/data/entries.jsonl", "entries.jsonl"),
        ("data/shards/", "shards"),
        ("data/*.jsonl", "_.jsonl"),
        ("postgresql://host/memory?sslmode=require", "memory"),
        (".", "corpus"),
        ("../..", "corpus"),
        ("a\nb\x1b[2J/\u202e", "_"),
        ("x" * 500, "x" * 64),
    ],
)
def test_the_folder_of_a_corpus_is_a_safe_name(uri: str, name: str) -> None:
    assert corpus_name(uri) == f"{name}-{hashlib.sha256(uri.encode()).hexdigest()[:8]}"


@pytest.mark.parametrize(
    ("corpus", "flag"),
    [
        ("data/entries.jsonl.gz", " -o entries.repaired.jsonl.gz"),
        ("shards", " -o REPAIRED"),
        ("shards/*.jsonl", " -o REPAIRED"),
        ("sqlite:///memory.db", ""),
        ("my entries.json", " -o 'my entries.repaired.json'"),
    ],
)
def test_the_suggested_target(corpus: str, flag: str) -> None:
    assert into(corpus, "context-server") == flag


def test_the_plan_folder_can_be_shown_itself(call: Any, tmp_path: Path) -> None:
    call("plan", "entries.jsonl")
    assert call("show", f"reports/{FOLDER}").exit_code == 0
    shutil.rmtree(tmp_path / "reports")
