"""What a shell notices before any command runs: speed, streams, signals."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from migrate import __version__

ROOT = Path(__file__).parents[2]
HEAVY = ("duckdb", "polars", "yaml", "orjson", "msgspec", "numpy", "tqdm", "jinja2", "rustworkx", "zstandard")


def python(*arguments: str, **keywords: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(  # type: ignore[call-overload,no-any-return]
        [sys.executable, *arguments], capture_output=True, text=True, env=environment, timeout=60, **keywords
    )


def test_version() -> None:
    result = python("-m", "migrate", "--version")
    assert (result.returncode, result.stdout, result.stderr) == (0, f"corpus-migrate {__version__}\n", "")


def test_start_up_is_instant() -> None:
    """The best of five, in processor time: the limit is for the program, not for a machine that has other work."""
    times = []
    for _ in range(5):
        began = resource.getrusage(resource.RUSAGE_CHILDREN)
        python("-m", "migrate", "--version")
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime)
    assert min(times) < 0.15


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["check", "--help"], ["check"], ["config", "show"]])
def test_nothing_heavy_is_imported_before_it_is_used(arguments: list[str], tmp_path: Path) -> None:
    code = (
        "import sys\nfrom migrate.cli.main import cli\n"
        f"cli.main({arguments!r}, standalone_mode=False)\n"
        f"sys.stderr.write('HEAVY ' + ' '.join(name for name in {HEAVY!r} if name in sys.modules))\n"
    )
    assert python("-c", code, cwd=tmp_path).stderr.splitlines()[-1].rstrip() == "HEAVY"


def test_no_command_shows_help_on_stderr_and_is_bad_use() -> None:
    result = python("-m", "migrate")
    assert (result.returncode, result.stdout) == (2, "")
    assert "check" in result.stderr
    assert "Traceback" not in result.stderr


def test_help_lists_the_commands_in_the_order_of_their_use() -> None:
    text = python("-m", "migrate", "--help").stdout
    places = [text.index(f"\n  {name} ") for name in ("check", "plan", "show", "apply", "rules", "config")]
    assert places == sorted(places)


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    """Far more output than a pipe holds, and a reader that takes one line of it."""
    code = (
        "import sys\nfrom pathlib import Path\nfrom migrate.cli import output\nfrom migrate.cli.main import cli\n"
        "from migrate.cli.commands import completion\nimport click\n"
        "@cli.command('flood')\ndef flood():\n"
        "    with output.opened(None) as stream:\n"
        "        for _ in range(100_000): stream.write('x' * 99 + '\\n')\n"
        "    return 1\n"
        "cli.get_command = lambda context, name: flood\ncli.main(['flood'])\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == b"x" * 99 + b"\n"
    process.stdout.close()
    assert process.wait(30) == 1
    assert process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("masked", [False, True])
def test_a_signal_is_130_even_where_a_library_hides_it(number: signal.Signals, masked: bool) -> None:
    """DuckDB turns the interruption into a RuntimeError; that is no bug of ours."""
    hidden = "\n    except KeyboardInterrupt: raise RuntimeError('Query interrupted')"
    code = (
        "import sys, time\nfrom migrate.cli.main import cli\n"
        "@cli.command('wait')\ndef wait():\n    try:\n        print('ready', flush=True); time.sleep(30)"
        + (hidden if masked else "\n    finally: pass")
        + "\ncli.get_command = lambda context, name: wait\ncli.main(['wait'])\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(number)
    out, error = process.communicate(timeout=30)
    assert process.returncode == 130
    assert out == ""
    assert error.splitlines()[-1].startswith("error: interrupted")
    assert len(error.split("\n")) == 2
