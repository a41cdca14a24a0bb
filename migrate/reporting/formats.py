"""Which module renders what in which format, and what every view is handed.

A new format is one module with a ``render`` function and one line here. Views are imported when they are used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from migrate.reporting.terminal import Screen
from migrate.results import Outcome, Report, Sweep
from migrate.types import Finding

_REPORT = {
    "markdown": "migrate.reporting.report_markdown",
    "html": "migrate.reporting.report_html",
    "sarif": "migrate.reporting.report_sarif",
    "junit": "migrate.reporting.report_junit",
    "github": "migrate.reporting.report_github",
}
CHECK = {
    "text": "migrate.reporting.check_text",
    "json": "migrate.reporting.check_json",
    "jsonl": "migrate.reporting.check_jsonl",
    **_REPORT,
}
PLAN = {
    "text": "migrate.reporting.plan_text",
    "json": "migrate.reporting.report_json",
    **_REPORT,
}
REPORT = {
    "html": "migrate.reporting.report_html",
    "json": "migrate.reporting.report_json",
    "jsonl": "migrate.reporting.check_jsonl",
    "text": "migrate.reporting.check_text",
    **_REPORT,
}
READ_BY_TOOLS = frozenset({"sarif"})
"""Formats whose readers take a code other than 0 for a check that did not work."""
SUFFIXES = {
    ".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown", ".json": "json", ".jsonl": "jsonl",
    ".sarif": "sarif", ".xml": "junit", ".txt": "text",
}  # fmt: skip
"""The format a file's name asks for."""
HISTORY = {
    "text": "migrate.reporting.history_text",
    "json": "migrate.reporting.history_json",
}
BASELINE = {
    "text": "migrate.reporting.baseline_text",
    "json": "migrate.reporting.baseline_json",
}
SHOW = {
    "text": "migrate.reporting.show_text",
    "json": "migrate.reporting.show_json",
    "markdown": "migrate.reporting.show_markdown",
}
RUN = {
    "text": "migrate.reporting.run_text",
    "json": "migrate.reporting.run_json",
}
SCRIPT = {
    "text": "migrate.reporting.script_text",
    "json": "migrate.reporting.script_json",
}
RULES = {
    "text": "migrate.reporting.rules_text",
    "json": "migrate.reporting.rules_json",
    "markdown": "migrate.reporting.rule_pages",
}
CONFIG = {
    "text": "migrate.reporting.config_text",
    "json": "migrate.reporting.config_json",
}


def render(formats: Mapping[str, str], name: str, result: Any, screen: Screen) -> None:
    """Writes a result to the screen in the named format of one of the tables above."""
    view: Callable[[Any, Screen], None] = import_module(formats[name]).render
    view(result, screen)


EXAMPLES = 3
"""Findings of each rule that a check shows on a terminal."""
REPORT_EXAMPLES = 5
"""Likewise in a report."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A report, and how it shall be shown."""

    report: Report
    quiet: bool = False
    verbose: bool = False
    plan: Path | None = None
    """The plan file that was just written."""
    folder: Path | None = None
    """The folder in the workspace that its reports went to."""

    def findings(self) -> Iterator[Finding]:
        """Every finding, in corpus order; without a state where nothing is compared."""
        from migrate.reporting.findings_table import read

        for finding in read(self.report.table) if self.report.table else ():
            yield finding if self.report.changes is not None else replace(finding, state=None)


@dataclass(frozen=True, slots=True)
class ShowResult:
    """A saved plan under review. ``records`` are plan lines already narrowed to what was asked for."""

    header: Mapping[str, Any]
    records: Iterable[Mapping[str, Any]]
    plan: Path
    diff: bool = False
    narrowed: bool = False
    """Whether --record or --select left something out."""
    next_commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScriptOutcome:
    """A plan that was written as a script of commands."""

    plan: Path
    path: Path
    commands: int
    issues: int
    requests: int
    """Patches that no command can make, which stand in it as comments."""
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """What an apply or an undo did, in records."""

    command: str
    """``apply`` or ``undo``."""
    orders: Path
    """The plan, or the journal of the run that was undone."""
    target: str
    journal: Path | None
    """None where nothing was to do."""
    run_id: str
    applied: int
    already: int
    stale: int
    failed: int
    records: int
    untouched_bytes: int
    kept: tuple[str, ...]
    """The names that the replaced files have now."""
    resumed: bool
    problems: tuple[str, ...]
    outcome: Outcome
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class ConfigValue:
    """One setting: its value as JSON data, and where it came from."""

    key: str
    value: Any
    origin: str
    """``flag``, ``environment``, ``file`` or ``default``."""
    place: str
    """The flag, the variable or the file; empty for a default."""


@dataclass(frozen=True, slots=True)
class ConfigResult:
    """All settings in force, and the files that were looked for."""

    file: Path | None
    searched: tuple[Path, ...]
    values: tuple[ConfigValue, ...]


@dataclass(frozen=True, slots=True)
class HistoryResult:
    """The sweeps of a corpus that were asked for, oldest first."""

    uri: str
    sweeps: tuple[Sweep, ...]


@dataclass(frozen=True, slots=True)
class BaselineResult:
    """A baseline by rule, and what came and went where it was written; None where it was only read."""

    path: Path
    rules: Mapping[str, int]
    added: int | None = None
    removed: int | None = None
    quiet: bool = False
