"""The recipes of docs/recipes.md, run as they stand there."""

from __future__ import annotations

import configparser
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "recipes.md").read_text("utf-8")
RECIPES = dict(re.findall(r"<!-- recipe: (\S+) -->\n```\w+\n(.*?)```", PAGE, re.DOTALL))
SAMPLE = ROOT / "sample_data" / "context_server" / "clean.jsonl"
FAULT = '{"id": 999999, "thread_id": "t", "source": "agent", "metadata": {"schema_version": 1, "kind": "report", "status": "done", "links": {"related": [888888]}}, "tags": ["report"], "text_content": "x"}\n'


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with an export, and ``corpus-migrate`` on the PATH."""
    (tmp_path / "exports").mkdir()
    for name in ("entries.jsonl", "exports/entries.jsonl"):
        shutil.copy(SAMPLE, tmp_path / name)
    command = tmp_path / "bin" / "corpus-migrate"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m migrate "$@"\n')
    command.chmod(0o755)
    return tmp_path


def shell(command: str, place: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith(("CORPUS_MIGRATE_", "GIT_"))}
    path = f"{place / 'bin'}{os.pathsep}{own['PATH']}"
    return subprocess.run(
        ["/bin/sh", "-c", command], cwd=place, capture_output=True, text=True,
        env={**own, "PATH": path, "PYTHONPATH": str(ROOT), "HOME": str(place), **environment},
    )  # fmt: skip


def test_every_recipe_is_run_here() -> None:
    assert set(RECIPES) == {"cron", "systemd-service", "systemd-timer", "github-actions", "pre-commit"}


def test_cron_is_silent_until_something_changes(place: Path) -> None:
    *when, command = RECIPES["cron"].strip().split(" ", 5)
    assert len(when) == 5
    assert "%" not in command, "cron reads it as a line feed"
    command = command.replace("/srv/corpus", str(place))
    assert shell(command, place).stdout.count("\n") == 1
    assert shell(command, place).stdout == ""
    with (place / "entries.jsonl").open("a") as file:
        file.write(FAULT)
    said = shell(command, place).stdout.splitlines()
    assert " new, 0 fixed since the sweep of " in said[0]
    assert said[1:] == ["corpus-migrate: exit code 1"]


def test_the_systemd_units(place: Path) -> None:
    service, timer = (configparser.ConfigParser(interpolation=None) for _ in range(2))
    for parser, name in ((service, "systemd-service"), (timer, "systemd-timer")):
        parser.optionxform = str  # type: ignore[assignment,method-assign]
        parser.read_string(RECIPES[name])
    assert timer["Timer"]["OnCalendar"] == "*-*-* 02:15:00"
    result = shell(service["Service"]["ExecStart"], place)
    assert (result.returncode, result.stderr) == (0, "")
    if analyze := shutil.which("systemd-analyze"):
        for name, text in (("sweep.service", RECIPES["systemd-service"]), ("sweep.timer", RECIPES["systemd-timer"])):
            (place / name).write_text(text.replace("/srv/corpus", str(place)))
        verified = subprocess.run(
            [analyze, "verify", str(place / "sweep.timer"), str(place / "sweep.service")],
            capture_output=True,
            text=True,
        )
        assert verified.returncode == 0, verified.stderr


def test_the_steps_of_the_workflow(place: Path) -> None:
    workflow = yaml.safe_load(RECIPES["github-actions"])
    steps = {step["name"]: step["run"] for step in workflow["jobs"]["sweep"]["steps"] if "run" in step}
    assert steps.pop("Install") == "pip install corpus-migrate"
    assert (
        shell("corpus-migrate baseline write exports/entries.jsonl --baseline exports/baseline.jsonl", place).returncode
        == 0
    )
    with (place / "exports" / "entries.jsonl").open("a") as file:
        file.write(FAULT)
    assert shell(steps["SARIF"], place).returncode == 0
    assert (place / "corpus.sarif").stat().st_size > 1000
    result = shell(steps["Sweep"], place, GITHUB_STEP_SUMMARY=str(place / "summary.md"))
    assert result.returncode == 1
    assert result.stdout.startswith("::")
    assert "| code | rule |" in (place / "summary.md").read_text()


def test_the_hook(place: Path) -> None:
    config = yaml.safe_load(RECIPES["pre-commit"])
    ((hook,),) = (repository["hooks"] for repository in config["repos"])
    (place / ".pre-commit-config.yaml").write_text(RECIPES["pre-commit"])
    assert (
        shell("corpus-migrate baseline write exports/entries.jsonl --baseline exports/baseline.jsonl", place).returncode
        == 0
    )
    assert shell("git init -q && git add exports .pre-commit-config.yaml", place).returncode == 0
    real = shutil.which("pre-commit", path=os.path.dirname(sys.executable)) or shutil.which("pre-commit")  # noqa: PTH120
    command = f"{shlex.quote(real)} run corpus-migrate" if real else hook["entry"]
    assert shell(command, place).returncode == 0
    with (place / "exports" / "entries.jsonl").open("a") as file:
        file.write(FAULT)
    assert shell("git add exports", place).returncode == 0
    failed = shell(command, place)
    assert failed.returncode == 1
    assert "CS607" in failed.stdout
