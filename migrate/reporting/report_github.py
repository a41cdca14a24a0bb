"""``--format github``: workflow commands that annotate a run, at most ten, and the step summary."""

from __future__ import annotations

import os
from pathlib import Path

from migrate.reporting.formats import Shown
from migrate.reporting.report_markdown import report_text
from migrate.reporting.summary import summary_line
from migrate.reporting.terminal import Screen, clean
from migrate.reporting.wording import counted, evidence, file_of, loudest_first, place, record_label, rule_news
from migrate.results import Report, RuleReport
from migrate.types import Severity

LIMIT = 10
"""Annotations of one step that GitHub shows."""
_SUMMARY_LIMIT = 1_000_000
"""Characters of a step summary, whose limit is 1 MiB of UTF-8."""
_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(shown: Shown, screen: Screen) -> None:
    """Writes an annotation a rule, loudest first, and one line; the Markdown report goes to ``$GITHUB_STEP_SUMMARY``."""
    report = shown.report
    for command in commands(report):
        screen.line(command)
    # A corpus may be named like a command.
    screen.line(f"corpus-migrate: {summary_line(report)}")
    if target := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(target).open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(report_text(report, _SUMMARY_LIMIT // 4))


def commands(report: Report) -> list[str]:
    """The commands. Lost input comes first; with something to compare with, rules without news come last."""
    lost = [_command("error", clean(gap.file), None, "Not read", clean(gap.reason)) for gap in report.summary.gaps]
    rules = loudest_first(report.rules)
    if report.changes is not None and report.changes.reference != "nothing":
        rules.sort(key=lambda rule: not (rule.new or rule.regressed))
    return [*lost, *(_annotation(rule, report) for rule in rules)][:LIMIT]


def _annotation(rule: RuleReport, report: Report) -> str:
    count = rule.count
    news = rule_news(rule, report.changes)
    lines = [
        f"{counted(count.findings, 'finding')}" + (f", {news}" if news else "") + f". {rule.title}".rstrip(". ") + "."
    ]
    for finding in rule.examples[:3]:
        parts = (place(finding), record_label(finding.record), clean(finding.path), evidence(finding.evidence))
        lines.append("  ".join(part for part in parts if part))
    first = rule.examples[0] if rule.examples else None
    text = "\n".join(map(clean, lines))
    file, line = (file_of(first), first.line) if first else (None, None)
    return _command(_COMMANDS[count.severity], file and clean(file), line, f"{count.code} {count.slug}", text)


def _command(name: str, file: str | None, line: int | None, title: str, text: str) -> str:
    named = (("file", file), ("line", line), ("title", clean(title)))
    properties = ",".join(f"{key}={_property(str(value))}" for key, value in named if value is not None)
    return f"::{name} {properties}::{_data(text)}"


def _data(text: str) -> str:
    """Text of a command: its line feeds are escaped, and so is what would be read as an escape."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
