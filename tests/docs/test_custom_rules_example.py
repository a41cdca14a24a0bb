"""The custom rules of the documents are loaded, tested, planned and applied by the command line itself."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from migrate.cli.main import cli

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "custom-rules"
PAGE = (ROOT / "docs" / "custom-rules.md").read_text("utf-8")

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command line in a copy of the example."""
    shutil.copytree(EXAMPLE, tmp_path / "example")
    monkeypatch.chdir(tmp_path / "example")

    def call(*arguments: str) -> Result:
        return CliRunner().invoke(cli, list(arguments), prog_name="corpus-migrate", env={"COLUMNS": "80"})

    return call


def test_its_cases_hold(run: Run) -> None:
    result = run("rules", "test", "rules")
    assert (result.exit_code, result.stdout) == (0, "4 cases passed, 0 failed\n")


def test_a_case_that_does_not_hold_is_1_and_says_why(run: Run) -> None:
    cases = Path("rules/renamed-agent.cases.yml")
    cases.write_text(cases.read_text("utf-8").replace("      - [2, safe, /agent_name]\n", ""), "utf-8")
    result = run("rules", "test", "rules")
    assert result.exit_code == 1
    assert "HB001-the-old-name: has the finding 2 safe /agent_name, which the case does not name" in result.stdout


def test_they_are_found_beside_the_corpus_and_reported(run: Run) -> None:
    result = run("check", "entries.jsonl", "--format", "jsonl")
    found = [(line["record"], line["code"], line["level"]) for line in map(json.loads, result.stdout.splitlines())]
    assert found == [(11, "HB002", "unsafe"), (12, "HB001", "safe")]


def test_their_changes_are_planned_and_applied(run: Run) -> None:
    assert run("plan", "entries.jsonl", "--unsafe-fixes", "-o", "plan.jsonl").exit_code == 0
    assert run("apply", "plan.jsonl", "-o", "repaired.jsonl").exit_code == 0
    before, after = (
        [json.loads(line) for line in Path(name).read_text("utf-8").splitlines()]
        for name in ("entries.jsonl", "repaired.jsonl")
    )
    assert [record["metadata"].get("status") for record in after] == ["done", "done", None]
    assert [record["metadata"]["agent_name"] for record in after] == ["planner", "developer", "reviewer"]
    assert after[2] == before[2]
    again = run("plan", "repaired.jsonl", "--unsafe-fixes", "--detailed-exitcode")
    assert again.exit_code == 0, again.stdout


def test_the_change_rests_on_the_report(run: Run) -> None:
    """Without the report's link, the plan's status is not changed."""
    run("plan", "entries.jsonl", "--unsafe-fixes", "--select", "HB002", "-o", "plan.jsonl")
    corpus = Path("entries.jsonl")
    corpus.write_text(corpus.read_text("utf-8").replace('"derived_from": [11]', '"derived_from": []'), "utf-8")
    result = run("apply", "plan.jsonl", "-o", "repaired.jsonl")
    assert result.exit_code == 5
    assert "/links/derived_from" in result.stdout


def test_they_explain_themselves(run: Run) -> None:
    for code in ("HB001", "HB002"):
        result = run("rules", code)
        assert result.exit_code == 0
        assert all(heading in result.stdout for heading in ("What it finds", "Why it matters", "Fix safety"))


@pytest.mark.parametrize(
    "name",
    ["rules/renamed-agent.yml", "rules/renamed-agent.cases.yml", "rules/plan-left-pending.yml", "corpus-migrate.toml"],
)
def test_the_page_shows_the_files(name: str) -> None:
    assert f"```{'toml' if name.endswith('.toml') else 'yaml'}\n{(EXAMPLE / name).read_text('utf-8')}```" in PAGE


def test_the_session_of_the_page_is_real(run: Run) -> None:
    (block,) = re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    _, *parts = block.split("$ ")
    assert parts[0] == "cd docs/examples/custom-rules\n"
    for part in parts[1:]:
        command, *lines = part.splitlines()
        output = run(*command.split()[1:]).stdout.splitlines()
        assert [line for line in lines if line != "…" and line not in output] == []


def test_the_page_names_every_member_of_a_rule() -> None:
    members = {
        "code",
        "slug",
        "title",
        "severity",
        "levels",
        "since",
        "what",
        "why",
        "fix",
        "safety",
        "example",
        "wave",
        "rows",
        "query",
    }
    assert [name for name in sorted(members) if not re.search(rf"^\|[^|]*`{name}`", PAGE, re.MULTILINE)] == []
