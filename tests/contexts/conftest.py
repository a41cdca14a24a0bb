"""The command line as a user runs it, and working trees for it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from migrate.case_trees import build
from migrate.cli.main import cli

sys.path.insert(0, str(Path(__file__).parent))  # tests are no package: helpers are imported by their own names

from seen_trees import Run, Tree


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs the command line with a workspace beside the trees."""

    def call(*arguments: object) -> Result:
        words = [str(argument) for argument in arguments]
        if words[0] in ("check", "plan", "apply", "undo", "baseline", "history"):
            words += ["--workspace", str(tmp_path / "workspace")]
        return CliRunner().invoke(cli, words, prog_name="corpus-migrate", env={"COLUMNS": "80"})

    return call


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Builds a working tree: ``tree("fleet/one", standard=["."])``."""

    def make(name: str = "repository", **facts: Any) -> Path:
        return build(facts, tmp_path / name)

    return make
