"""The generated pages are what is generated now, and leave out no rule, command, option, setting or exit code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from migrate.cli.exit_codes import ExitCode
from migrate.cli.main import PROGRAM, cli
from migrate.cli.settings import ENVIRONMENT_PREFIX, SETTINGS
from migrate.reporting.documents import expected_documents, stale_documents, write_documents
from migrate.rules.registry import Rule, load

ROOT = Path(__file__).parents[2]
RULES = load().rules
CLI = (ROOT / "docs" / "cli.md").read_text("utf-8")


def commands(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from commands(child, f"{path} {name}")


COMMANDS = dict(commands(cli, PROGRAM))


def section(path: str) -> str:
    """What the reference says of one command."""
    return CLI.partition(f"\n## {path}\n")[2].partition("\n## ")[0]


def test_every_page_is_what_is_generated() -> None:
    expected = expected_documents(ROOT)
    wrong = [
        str(path.relative_to(ROOT))
        for path, text in expected.items()
        if not path.exists() or path.read_text("utf-8") != text
    ]
    assert wrong == [], "run `python -m migrate.reporting.documents`"
    assert stale_documents(ROOT, expected) == []


def test_writing_mends_what_is_wrong_and_nothing_else(tmp_path: Path) -> None:
    first = write_documents(tmp_path)
    assert len(first) == len(RULES) + 2
    assert write_documents(tmp_path) == []
    (tmp_path / "docs/rules/CS701.md").write_text("mine")
    (tmp_path / "docs/rules/CS999.md").write_text("of a rule that is no more")
    touched = {path.name for path in write_documents(tmp_path)}
    assert touched == {"CS701.md", "CS999.md"}
    assert not (tmp_path / "docs/rules/CS999.md").exists()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_has_every_text(rule: Rule) -> None:
    texts = (rule.title, rule.since, rule.what, rule.why, rule.before, rule.fix, rule.safety)
    assert all(texts)
    assert not rule.title.endswith(".")
    assert rule.after or not {"safe", "unsafe"} & set(rule.levels), "what does it look like afterwards?"
    page = (ROOT / "docs" / "rules" / f"{rule.code}.md").read_text("utf-8")
    assert all(text in page for text in (rule.slug, rule.title, rule.what, rule.why, rule.fix, rule.safety))
    for level in ("safe", "unsafe"):
        assert (level in rule.levels) == bool(re.search(rf"\b{level.capitalize()}\b", rule.fix)), rule.fix


@pytest.mark.parametrize("path", COMMANDS)
def test_a_command_and_its_options_are_documented(path: str) -> None:
    text = section(path)
    command = COMMANDS[path]
    assert text, f"{path} is missing from docs/cli.md"
    assert command.help
    assert command.help.splitlines()[0] in text
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert all(f"{flag}" in text for flag in (*parameter.opts, *parameter.secondary_opts))
            assert parameter.help, f"{path} {parameter.opts[-1]} does not say what it is"


def test_every_setting_is_documented() -> None:
    page = (ROOT / "docs" / "configuration.md").read_text("utf-8")
    for setting in SETTINGS:
        assert f"| `{setting.key}` |" in CLI
        assert f"| `{setting.key}` |" in page
    assert ENVIRONMENT_PREFIX in page


def test_every_exit_code_is_documented() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    for code in ExitCode:
        assert f"| {code.value} | " in CLI
        assert f"| {code.value} | " in readme
