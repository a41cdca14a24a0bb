"""The given repositories: class, findings in order, exit code, files to create and scopes are those of the ecosystem's own tool.

That tool aborts where something in a scope cannot be looked at (its code 4); here the rest is read, the scope is named, and the
code is 3. What it refuses (2) is refused.
"""

from __future__ import annotations

import datetime
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from migrate.case_trees import build
from migrate.cli.exit_codes import of_check
from migrate.corpora.interface import CorpusError
from migrate.corpora.repository.trees import open_trees
from migrate.systems.repository_context import RepositoryContexts
from migrate.types import Limits, Options, Summary

GIVEN = Path(__file__).parents[1] / "data" / "cases" / "repository_context"
CASES: dict[str, Any] = json.loads((GIVEN / "cases.json").read_text("utf-8"))
EXPECTED: dict[str, Any] = json.loads((GIVEN / "expected.json").read_text("utf-8"))
CODES = {2: 2, 4: 3}
"""The other tool's exit codes of a run that gave no result, and ours."""


@dataclass
class Seen:
    summary: Summary
    findings: dict[str, list[list[Any]]]
    creates: dict[str, list[str]]


def seen(root: Path, now: float | None) -> Seen:
    options = Options(system="repository-context", init_absent=True, limits=Limits(memory="200MB", threads=1))
    with RepositoryContexts(open_trees(str(root)), options, now=now) as examination:
        findings: dict[str, list[list[Any]]] = {scope.scope: [] for scope in examination.summary.scopes}
        for finding in examination.findings():
            assert finding.scope is not None
            findings[finding.scope].append([finding.code, str(finding.severity), finding.file, finding.line])
        creates: dict[str, list[str]] = {scope: [] for scope in findings}
        for line in map(json.loads, examination.plan().lines):
            creates[line["scope"]] = [file["path"] for file in line["patch"]["files"] if "create" in file]
        return Seen(examination.summary, findings, creates)


@pytest.mark.parametrize("name", CASES)
def test_a_repository_is_judged_as_the_tools_of_the_ecosystem_do(name: str, tmp_path: Path) -> None:
    case, expected = CASES[name], EXPECTED[name]
    root = build(case, tmp_path / name)
    now = datetime.datetime.fromisoformat(case["now"]).timestamp() if case["now"] else None
    wanted = expected["all"]
    try:
        found = seen(root, now)
    except CorpusError:
        assert wanted["scopes"] is None and CODES[wanted["exit"]] == 2
        return
    code, _ = of_check(found.summary, "error")
    if wanted["scopes"] is None:
        assert code == CODES[wanted["exit"]] == 3
        return
    assert list(found.findings.items()) == [(scope, findings) for scope, findings in wanted["scopes"]]
    classes = {scope.scope: scope.context_class for scope in found.summary.scopes}
    assert classes | {scope: facts["status"] for scope, facts in expected["classification"].items()} == classes
    if list(classes) == ["."]:
        strict, _ = of_check(found.summary, "warning")
        assert (code, strict) == (expected["exit"], expected["strict_exit"])
    assert {scope: files for scope, files in found.creates.items() if files} == {
        scope: files for scope, files in expected["create"].items() if files
    }


def test_every_given_repository_has_its_verdict() -> None:
    assert list(CASES) == list(EXPECTED)
    assert len(CASES) > 200
