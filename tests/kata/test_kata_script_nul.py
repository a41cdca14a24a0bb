"""No argument of a command can hold U+0000: what would need one is left out of a script, and said."""

from __future__ import annotations

import json
from pathlib import Path

from migrate.applying.kata_script import write_script
from migrate.planning.plan_file import write
from migrate.systems import examine
from migrate.types import Limits, Options

SAMPLE = Path(__file__).parents[2] / "sample_data" / "kata" / "export.jsonl"


def test_a_command_that_a_shell_would_change_is_left_out(tmp_path: Path) -> None:
    lines = []
    for text in SAMPLE.read_text("utf-8").splitlines():
        try:
            line = json.loads(text)
        except ValueError:
            continue
        if line["kind"] == "project":
            line["data"]["name"] += "\0"
        lines.append(json.dumps(line))
    source = tmp_path / "export.jsonl"
    source.write_text("\n".join(lines) + "\n", "utf-8")
    with examine(str(source), Options(unsafe_fixes=True, limits=Limits(threads=1))) as examination:
        plan = write(examination.plan(), tmp_path / "plan.jsonl")
    written = write_script(plan, tmp_path / "repair.sh")
    text = written.path.read_bytes()
    assert (written.commands, written.issues, b"\0" in text) == (0, 0, False)
    assert written.requests == text.count(b"left out, because no argument of a command can hold U+0000") + text.count(
        b"for which kata has no command"
    )
    assert text.count(b"left out, because") > 5
