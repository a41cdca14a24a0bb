"""A fleet costs a steady amount of time a document, and no memory of its own: measured, and so a slow test."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from migrate.case_trees import git, standard, write

ROOT = Path(__file__).parents[2]
DOCUMENTS = 1_000
SECONDS = 0.3
"""Of processor time a repository: two hundred of them then fit into a minute on one core."""
GROWTH = 60_000
"""Kilobytes that the larger fleet may take more."""


def fleet(folder: Path, size: int) -> Path:
    text = "The store keeps every entry with its links until a plan says otherwise. " * 8
    for number in range(size):
        root = folder / f"repository-{number:03}"
        documents = {
            f".context/history/{i % 10}/note-{i}.md": f"# Note\n\n{text}\n[next](../{(i + 1) % 10}/note-{i + 1}.md) `history/{i % 10}/note-{i}.md`\n"
            * 3
            for i in range(DOCUMENTS)
        }
        write(root, {**standard(["."]), **documents})
        git(root, "init", "-q")
    return folder


def measured(folder: Path, workspace: Path) -> tuple[float, int, dict[str, object]]:
    """Processor seconds, peak kilobytes and the document of a check in a process of its own."""
    import resource

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "migrate", "check", str(folder), "--format", "json", "--workspace", str(workspace)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
    assert process.stdout is not None
    text = process.stdout.read()
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    process.stdout.close()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, usage.ru_maxrss, json.loads(text)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "wait4"), reason="measures by what only POSIX systems tell")
def test_time_grows_with_the_documents_and_memory_does_not(tmp_path: Path) -> None:
    small = measured(fleet(tmp_path / "small", 4), tmp_path / "workspace")
    large = measured(fleet(tmp_path / "large", 12), tmp_path / "workspace")
    read = large[2]["read"]
    assert isinstance(read, dict) and read["files"] == 12 * (DOCUMENTS + 7)
    assert (large[0] - small[0]) / 8 < SECONDS
    assert large[1] - small[1] < GROWTH
