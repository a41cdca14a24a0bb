"""The command line in a folder of its own, and the helpers beside this file."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from migrate.cli.main import cli

sys.path.insert(0, str(Path(__file__).parent))  # tests are no package: helpers are imported by their own names

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs the command line in a folder; what escapes it, and a bug that it reports, fails the test."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> Result:
        result = CliRunner().invoke(cli, list(arguments), prog_name="corpus-migrate")
        assert result.exit_code != 70, result.stderr
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result

    return call
