"""``apply`` and ``undo``: their codes, their question, and what they say was done."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


def test_complete(engine: Any, call: Any, plan_file: Path) -> None:
    result = call("apply", str(plan_file), "-o", "out.jsonl")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "Applied     2 records changed"
    assert "Verified    4 lines, and 1.9 kB outside the changed ones are the same" in lines
    assert "File        out.jsonl" in lines
    assert engine.calls[-1] == f"apply {plan_file} out.jsonl"


def test_already_applied(engine: Any, call: Any, plan_file: Path) -> None:
    engine.applied = {"applied": 0, "already": 2, "records": 0, "untouched_bytes": 0, "journal": None}
    result = call("apply", str(plan_file), "-o", "out.jsonl")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "Applied     0 records changed, 2 already as planned",
        "File        nothing was written, the corpus is as planned",
    ]


def test_stale_or_failed_records_are_5(engine: Any, call: Any, plan_file: Path) -> None:
    engine.applied = {"applied": 1, "stale": 1, "problems": ("#27250: edited \x1b[2Jsince",)}
    result = call("apply", str(plan_file), "-o", "out.jsonl")
    assert result.exit_code == 5
    assert result.stdout.startswith("PARTIAL     1 record changed, 1 stale (edited since the plan)\n")
    assert "Problem     #27250: edited since\n" in result.stdout


def test_refused_is_4_and_one_sentence(engine: Any, call: Any, one_sentence: Any, plan_file: Path) -> None:
    engine.error = engine.errors.refused("out.jsonl exists; name another file")
    assert one_sentence(call("apply", str(plan_file), "-o", "out.jsonl"), 4) == "out.jsonl exists; name another file"


@pytest.mark.parametrize("targets", [(), ("-o", "out.jsonl", "--in-place")])
def test_it_takes_one_target(targets: Any, engine: Any, call: Any, one_sentence: Any, plan_file: Path) -> None:
    sentence = one_sentence(call("apply", str(plan_file), *targets), 2)
    assert "-o FILE" in sentence and "--in-place" in sentence
    assert engine.calls == []


def test_a_missing_folder(engine: Any, call: Any, one_sentence: Any, plan_file: Path) -> None:
    assert "there is no folder gone" in one_sentence(call("apply", str(plan_file), "-o", "gone/out.jsonl"), 2)
    assert not any(name.startswith("apply") for name in engine.calls)


def test_json(engine: Any, call: Any, plan_file: Path) -> None:
    engine.applied = {"failed": 1}
    result = call("apply", str(plan_file), "-o", "out.jsonl", "--format", "json", "--yes")
    document = json.loads(result.stdout)
    assert document["format"] == "corpus-migrate.apply/1"
    assert (document["exit_code"], document["failed"], document["out"]) == (5, 1, "out.jsonl")
    assert (document["complete"], document["plan"], document["kept"]) == (False, str(plan_file), [])
    assert document["exit_reason"] == "1 record left alone or failed; the journal says which"


def test_quiet_is_one_line(call: Any, plan_file: Path) -> None:
    assert call("apply", str(plan_file), "-o", "out.jsonl", "-q").stdout == "2 records changed: out.jsonl\n"


def test_in_place_asks_nobody_without_a_terminal(engine: Any, call: Any, one_sentence: Any, plan_file: Path) -> None:
    sentence = one_sentence(call("apply", str(plan_file), "--in-place"), 4)
    assert (
        sentence == "Change 2 records of entries.jsonl in place? Nobody can be asked without a terminal: --yes answers"
    )
    assert not any(name.startswith("apply") for name in engine.calls)


def test_in_place_with_yes(engine: Any, call: Any, plan_file: Path) -> None:
    engine.applied = {"kept": ("entries.jsonl.before-run-1",), "resumed": True}
    result = call("apply", str(plan_file), "--in-place", "--yes")
    assert result.exit_code == 0
    assert engine.calls[-1] == f"apply {plan_file} in place"
    assert "Kept        entries.jsonl.before-run-1\n" in result.stdout
    assert "Run         run-1 (an unfinished run was gone on with)\n" in result.stdout


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 4), ("\n", 4)])
def test_the_question_on_a_terminal(
    answer: str, code: int, engine: Any, call: Any, plan_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("migrate.cli.running.is_terminal", lambda stream: True)
    result = call("apply", str(plan_file), "--in-place", input=answer)
    assert result.exit_code == code
    assert result.stderr.startswith("Change 2 records of entries.jsonl in place? [y/N]: ")
    assert any(name.startswith("apply") for name in engine.calls) == (code == 0)


def test_undo(engine: Any, call: Any) -> None:
    result = call("undo", "run-1", "--yes", "--at", "moved.jsonl")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("Undone      2 records changed\n")
    assert engine.calls == ["undo run-1 moved.jsonl"]


def test_undo_with_conflicts_is_5(engine: Any, call: Any) -> None:
    engine.applied = {"applied": 1, "stale": 1, "problems": ("7: stale: its status was changed since the run",)}
    result = call("undo", "run-1", "--yes", "--format", "json")
    document = json.loads(result.stdout)
    assert (document["format"], document["exit_code"], document["stale"]) == ("corpus-migrate.undo/1", 5, 1)


def test_undo_twice(engine: Any, call: Any) -> None:
    engine.applied = {"applied": 0, "already": 2, "records": 0, "journal": None}
    assert call("undo", "run-1", "--yes", "-q").stdout == (
        "0 records changed, 2 already as before the run: nothing was written, the run is undone already\n"
    )
