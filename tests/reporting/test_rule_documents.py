"""Rule pages, the table, and the set of generated documents."""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from migrate.cli.exit_codes import ExitCode
from migrate.cli.main import COMMANDS
from migrate.cli.reference import reference
from migrate.reporting import rule_pages
from migrate.reporting.documents import documents, stale_documents
from migrate.reporting.terminal import Screen


def rule(**changes: Any) -> SimpleNamespace:
    plain = {
        "code": "CS201",
        "slug": "status-spelling",
        "family": "fields",
        "title": "The status is spelled another way.",
        "severity": "warning",
        "levels": ("safe", "manual"),
        "since": "0.1.0",
        "what": "A status.\n\nTwo paragraphs.",
        "why": "Filters.",
        "before": '{"status": "Done"}',
        "after": '{"status": "done"}',
        "fix": "Folded.",
        "safety": "Safe.",
    }
    return SimpleNamespace(**{**plain, **changes})


def test_a_page() -> None:
    text = rule_pages.page(rule())
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert headings == [
        "# CS201 status-spelling",
        "## What it finds",
        "## Why it matters",
        "## Example",
        "## Fix",
        "## Fix safety",
    ]
    assert "Severity: warning · Fix: safe, manual · Family: fields · Since: 0.1.0" in text
    assert '```json\n{"status": "Done"}\n```\n\nbecomes\n\n```json\n{"status": "done"}\n```' in text
    assert text.endswith("Safe.\n")


def test_a_rule_that_repairs_nothing_has_no_after() -> None:
    for after in (None, ""):
        assert "becomes" not in rule_pages.page(rule(after=after))
    assert "## Example" not in rule_pages.page(rule(before="", after=None))


def test_an_example_may_be_data() -> None:
    assert '```json\n{"status": "Größe"}\n```' in rule_pages.page(rule(before={"status": "Größe"}, after=None))


@pytest.mark.parametrize("severity", ["by-level", "manual-error", "by-version"])
def test_a_severity_that_depends_is_said_in_words(severity: str) -> None:
    assert "Severity: error " in rule_pages.page(rule(severity=severity))
    assert rule_pages.severity_word(rule(severity=severity)) == "error"


def test_the_table() -> None:
    lines = rule_pages.table([rule(), rule(code="CS202", title="a | b")], link="docs/rules/").splitlines()
    assert lines[0] == "| code | rule | severity | fix | finds |"
    assert lines[2].startswith("| [CS201](docs/rules/CS201.md) | status-spelling | warning | safe, manual |")
    assert lines[3].endswith("| a \\| b |")


def test_markdown_of_one_rule_is_its_page() -> None:
    text = io.StringIO()
    rule_pages.render([rule()], Screen(text))
    assert text.getvalue() == rule_pages.page(rule())


def test_between_markers() -> None:
    begin, end = rule_pages.TABLE_BEGIN, rule_pages.TABLE_END
    assert rule_pages.between_markers(f"a\n{begin}\nold\n{end}\nb\n", "new\n") == f"a\n{begin}\nnew\n{end}\nb\n"
    for broken in ("", begin, end, f"{end}{begin}"):
        with pytest.raises(ValueError, match="rules:begin"):
            rule_pages.between_markers(broken, "x")


def test_the_documents(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(f"# x\n{rule_pages.TABLE_BEGIN}\n{rule_pages.TABLE_END}\n")
    made = documents(tmp_path, [rule(), rule(code="CS202")], "the reference\n")
    names = {str(path.relative_to(tmp_path)) for path in made}
    assert names == {"README.md", "docs/cli.md", "docs/rules/README.md", "docs/rules/CS201.md", "docs/rules/CS202.md"}
    assert "[CS201](docs/rules/CS201.md)" in made[tmp_path / "README.md"]
    assert "[CS201](CS201.md)" in made[tmp_path / "docs/rules/README.md"]
    assert made[tmp_path / "docs/rules/CS201.md"] == rule_pages.page(rule())


def test_pages_of_rules_that_are_no_more(tmp_path: Path) -> None:
    folder = tmp_path / "docs" / "rules"
    folder.mkdir(parents=True)
    for name in ("CS201.md", "CS999.md"):
        (folder / name).touch()
    assert stale_documents(tmp_path, documents(tmp_path, [rule()], "")) == [folder / "CS999.md"]


def test_the_reference_names_every_command_option_and_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    text = reference()
    monkeypatch.delenv("COLUMNS")
    assert text == reference()
    for command in COMMANDS:
        assert f"\n## corpus-migrate {command}\n" in text
    for option in ("--unsafe-fixes", "--fail-on", "--detailed-exitcode", "--record", "--memory-limit"):
        assert option in text
    for code in ExitCode:
        assert f"| {code.value} | {code.meaning} |" in text
    assert all(line == line.rstrip() for line in text.splitlines())
