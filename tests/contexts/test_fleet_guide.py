"""The sample fleet has every fault and a clean tree, and the guide's session over it is what the commands say."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner, Result

from migrate.case_trees import git
from migrate.cli.main import cli
from migrate.rules.registry import load

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "repository-contexts.md").read_text("utf-8")
CODES = set(load(system="repository-context").codes)


@pytest.fixture(scope="session")
def sample() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_fleet", ROOT / "sample_data" / "build_fleet.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> Result:
        return CliRunner().invoke(cli, list(words), prog_name="corpus-migrate", env={"COLUMNS": "80"})

    return run


def test_the_fleet_has_every_fault_and_a_clean_tree(
    sample: ModuleType, call: Callable[..., Result], tmp_path: Path
) -> None:
    assert sample.main([str(tmp_path / "fleet")]) == 0
    lines = list(map(json.loads, call("check", "fleet", "--format", "jsonl").stdout.splitlines()))
    assert {line["code"] for line in lines} == CODES
    assert {line["repository"] for line in lines} == set(sample.fleet()) - {"harbor-api"}
    clean = call("check", "fleet/harbor-api", "--format", "jsonl", "--fail-on", "info")
    assert (clean.exit_code, clean.stdout) == (0, "")
    document = json.loads(call("check", "fleet", "--format", "json").stdout)
    assert {scope["context_class"] for scope in document["scopes"]} == set(document["classes"])
    assert document["classes"] == {
        "absent": 1, "invalid-manifest": 1, "partial": 2, "unrelated": 1, "unsupported-schema": 1, "valid": 4,
    }  # fmt: skip


def matches(shown: str, line: str) -> bool:
    """Whether a line of the page, ``…`` for anything, is a line of the output."""
    return re.fullmatch(".*".join(map(re.escape, shown.split("…"))), line) is not None


def test_the_session_of_the_guide_is_real(sample: ModuleType, call: Callable[..., Result], tmp_path: Path) -> None:
    sample.make(tmp_path / "fleet")
    blocks = re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 4
    codes = []
    for part in "".join(blocks).split("$ ")[1:]:
        command, *shown = part.splitlines()
        words = shlex.split(command)
        if words[0] == "rm":
            Path(words[1]).unlink()
            continue
        assert words[0] == "corpus-migrate"
        result = call(*words[1:])
        codes.append(result.exit_code)
        lines = result.stdout.splitlines()
        whole = "…" not in shown
        assert [line for line in shown if line != "…" and not any(matches(line, own) for own in lines)] == []
        assert not whole or len(shown) == len(lines)
    assert codes == [3, 3, 0, 0, 0, 0, 1, 1]
    changed = git(tmp_path / "fleet" / "harbor-tools", "status", "--porcelain", "--untracked-files=all")
    assert len(changed.splitlines()) == 7


def test_the_commands_of_the_nightly_job_work(sample: ModuleType, call: Callable[..., Result], tmp_path: Path) -> None:
    sample.make(tmp_path / "fleet", ["harbor-api", "harbor-legacy"])
    call(
        "baseline", "write", "fleet", "--workspace", "sweeps", "--baseline", "accepted.jsonl", "--ignore", "MANIFEST003"
    )
    (block,) = re.findall(r"^```yaml\n(- run:.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    commands = re.findall(r"^- run: corpus-migrate (.*)$", block, re.MULTILINE)
    assert len(commands) == 2
    for command in commands:
        assert call(*shlex.split(command)).exit_code == 0
    log = json.loads((tmp_path / "contexts.sarif").read_text("utf-8"))
    places = [
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in log["runs"][0]["results"]
    ]
    assert places == ["harbor-legacy/.context/manifest.json", "harbor-legacy/.context/state/current.md"]


RULE, CASES = re.findall(r"^```yaml\n(code: HB101\n.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_a_rule_of_ones_own_sees_the_tables_and_reports(call: Callable[..., Result], tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "long-document.yml").write_text(RULE)
    (rules / "long-document.cases.yml").write_text(CASES)
    (tmp_path / "corpus-migrate.toml").write_text('custom-rules = ["rules"]\n')
    result = call("rules", "test", "rules")
    assert (result.exit_code, result.stdout) == (0, "1 case passed, 0 failed\n")
    (rules / "long-document.yml").write_text(RULE.replace("'manual' AS level", "'safe' AS level"))
    assert call("rules", "test", "rules").exit_code == 0, "what repairs nothing is manual"
    broken = RULE.replace("documents", "no_table")
    (rules / "long-document.yml").write_text(broken)
    result = call("rules", "test", "rules")
    assert result.exit_code == 2 and "the rule HB101 fails" in result.stderr
    for old, new in (
        ("query:", "rows: []\nquery:"),
        ("query:", "severity: by-level\nquery:"),
        ("HB101", "CTX101"),
        ("repository-context", "wiki"),
    ):
        (rules / "long-document.yml").write_text(RULE.replace(old, new, 1))
        assert call("rules", "list").exit_code == 2


def test_codes_of_all_systems_are_known_everywhere(
    call: Callable[..., Result], sample: ModuleType, tmp_path: Path
) -> None:
    sample.make(tmp_path / "fleet", ["harbor-legacy"])
    result = call("check", "fleet", "--ignore", "CS7", "--select", "STATE", "--select", "CS1", "--format", "jsonl")
    assert [json.loads(line)["code"] for line in result.stdout.splitlines()] == ["STATE001"]
    assert call("check", "fleet", "--select", "CTX9").exit_code == 2
    listed = call("rules").stdout
    assert all(code in listed for code in (*CODES, "CS701"))
    assert "A .context that is something else" in call("rules", "CTX003").stdout
