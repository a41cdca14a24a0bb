"""The completion scripts are click's own, for our command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script(call: Any, shell: str) -> None:
    result = call("completion", shell)
    assert result.exit_code == 0
    assert f"_CORPUS_MIGRATE_COMPLETE={shell}_complete" in result.stdout
    assert "corpus-migrate" in result.stdout


def test_an_unknown_shell(call: Any, one_sentence: Any) -> None:
    assert "'bash', 'zsh', 'fish'" in one_sentence(call("completion", "csh"), 2)


@pytest.mark.parametrize(
    ("words", "expected"),
    [("corpus-migrate pl", {"plan"}), ("corpus-migrate check --fail-on ", {"error", "warning", "info", "never"})],
)
def test_a_shell_gets_its_answers(words: str, expected: set[str]) -> None:
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "_CORPUS_MIGRATE_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    result = subprocess.run([sys.executable, "-m", "migrate"], capture_output=True, text=True, env=environment)
    assert {line.partition(",")[2] for line in result.stdout.splitlines()} == expected
    assert result.returncode == 0
