"""Paths that cannot be what they should, and streams that are closed: one sentence and the documented code, never a bug."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "sample_data" / "context_server" / "entries.jsonl"
LONG = "x" * 300 + ".jsonl"


def command(folder: Path, line: str) -> subprocess.CompletedProcess[bytes]:
    """The command by a shell, so that its streams can be closed."""
    tool = f"{sys.executable} -m migrate"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        ["/bin/sh", "-c", line.replace("TOOL", tool)], cwd=folder, env=environment, capture_output=True, check=False
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a corpus, its plan and a link to itself."""
    folder = tmp_path_factory.mktemp("place")
    shutil.copy2(SAMPLE, folder / "entries.jsonl")
    (folder / "loop.jsonl").symlink_to("loop.jsonl")
    assert command(folder, "TOOL plan entries.jsonl -q -o plan.jsonl").returncode == 0
    return folder


@pytest.mark.parametrize(
    ("line", "part"),
    [
        (f"TOOL check {LONG}", "cannot be used: File name too long"),
        (f"TOOL apply plan.jsonl -o {LONG}", "too long"),
        ("TOOL apply plan.jsonl -o loop.jsonl", "loop.jsonl"),
        ("TOOL apply plan.jsonl -o out.jsonl.gz", "name it without .gz"),
        ("TOOL apply plan.jsonl -o out.parquet", "name it .jsonl"),
    ],
)
def test_a_path_that_cannot_be_what_it_should_is_2_and_a_sentence(place: Path, line: str, part: str) -> None:
    before = sorted(path.name for path in place.iterdir() if path.name != "reports")
    found = command(place, line)
    assert (found.returncode, found.stdout) == (2, b"")
    assert part in found.stderr.decode()
    assert found.stderr.count(b"\n") == 1
    assert sorted(path.name for path in place.iterdir() if path.name != "reports") == before


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("TOOL check entries.jsonl >&-", 1),
        ("TOOL check entries.jsonl 2>&-", 1),
        ("TOOL apply plan.jsonl -o closed.jsonl >&-", 0),
    ],
)
def test_closed_streams_are_nobody_s_fault(place: Path, line: str, code: int) -> None:
    found = command(place, line)
    assert (found.returncode, found.stderr) == (code, b"")
