"""``apply``: its codes and what it says was done."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def test_complete(engine: Any, call: Any, plan_file: Path) -> None:
    result = call("apply", str(plan_file), "-o", "out.jsonl")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "Applied     2 records changed"
    assert "Verified    4 lines, and 1.9 kB outside the changed ones are the same" in lines
    assert "File        out.jsonl" in lines
    assert engine.calls == [f"apply {plan_file} out.jsonl"]


def test_already_applied(engine: Any, call: Any, plan_file: Path) -> None:
    engine.applied = {"applied": 0, "already": 2, "records": 0, "untouched_bytes": 0}
    result = call("apply", str(plan_file), "-o", "out.jsonl")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "Applied     0 records changed, 2 already as planned",
        "File        nothing was written, the corpus is as planned",
    ]


def test_stale_or_failed_records_are_5(engine: Any, call: Any, plan_file: Path) -> None:
    engine.applied = {"applied": 1, "stale": 1, "complete": False, "problems": ("#27250: edited \x1b[2Jsince",)}
    result = call("apply", str(plan_file), "-o", "out.jsonl")
    assert result.exit_code == 5
    assert result.stdout.startswith("PARTIAL     1 record changed, 1 stale (edited since the plan)\n")
    assert "Problem     #27250: edited since\n" in result.stdout


def test_refused_is_4_and_one_sentence(engine: Any, call: Any, one_sentence: Any, plan_file: Path) -> None:
    engine.error = engine.errors.refused("out.jsonl exists; name another file")
    assert one_sentence(call("apply", str(plan_file), "-o", "out.jsonl"), 4) == "out.jsonl exists; name another file"


def test_without_a_target_the_sentence_names_the_flag(
    engine: Any, call: Any, one_sentence: Any, plan_file: Path
) -> None:
    assert "-o FILE" in one_sentence(call("apply", str(plan_file)), 2)
    assert engine.calls == []


def test_a_missing_folder(engine: Any, call: Any, one_sentence: Any, plan_file: Path) -> None:
    assert "there is no folder gone" in one_sentence(call("apply", str(plan_file), "-o", "gone/out.jsonl"), 2)
    assert engine.calls == []


def test_json(engine: Any, call: Any, plan_file: Path) -> None:
    engine.applied = {"failed": 1, "complete": False}
    result = call("apply", str(plan_file), "-o", "out.jsonl", "--format", "json", "--yes")
    document = json.loads(result.stdout)
    assert document["format"] == "corpus-migrate.apply/1"
    assert (document["exit_code"], document["failed"], document["out"]) == (5, 1, "out.jsonl")
    assert document["exit_reason"] == "1 record stale or failed; the journal says which"


def test_quiet_is_one_line(call: Any, plan_file: Path) -> None:
    assert call("apply", str(plan_file), "-o", "out.jsonl", "-q").stdout == "2 records changed: out.jsonl\n"
