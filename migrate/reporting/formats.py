"""Which module renders what in which format, and what every view is handed.

A new format is one module with a ``render`` function and one line here. Views are imported when they are used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from migrate.reporting.terminal import Screen
from migrate.types import Finding, Summary

CHECK = {
    "text": "migrate.reporting.check_text",
    "json": "migrate.reporting.check_json",
    "jsonl": "migrate.reporting.check_jsonl",
}
PLAN = {
    "text": "migrate.reporting.plan_text",
    "json": "migrate.reporting.plan_json",
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


@dataclass(frozen=True, slots=True)
class Outcome:
    """The exit code and its reason in words, as machine output repeats them."""

    code: int
    reason: str


EXAMPLES = 3
"""Findings of each rule that a check shows to people."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A finished check. ``findings`` and ``examples`` stream in corpus order and can be read once."""

    summary: Summary
    findings: Iterable[Finding]
    examples: Iterable[Finding]
    """The first EXAMPLES findings of each rule, for the view that shows no more."""
    outcome: Outcome
    next_command: str | None = None
    """What to type next, quoted for a shell; None where there is nothing to do."""
    quiet: bool = False
    verbose: bool = False
    by_finding: frozenset[str] = frozenset()
    """Codes whose rules decide the severity for each finding."""


@dataclass(frozen=True, slots=True)
class PlanResult:
    """A written plan: its header line, what the run found, and where it lies."""

    summary: Summary
    header: Mapping[str, Any]
    plan: Path
    folder: Path
    outcome: Outcome
    next_commands: tuple[str, ...] = ()
    quiet: bool = False
    by_finding: frozenset[str] = frozenset()
    """As in a CheckResult."""


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
