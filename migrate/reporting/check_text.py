"""``check`` for people: findings by rule, worst first, three examples each; then the closing block."""

from __future__ import annotations

from collections import defaultdict

from migrate.reporting.formats import CheckResult
from migrate.reporting.summary import block, next_commands, summary_line, would_change
from migrate.reporting.terminal import Screen, clean, display_width, shorten
from migrate.reporting.wording import (
    SEVERITY_COLOURS,
    counted,
    evidence,
    levels,
    place,
    record_label,
    severity_phrase,
    short_place,
    worst_first,
)
from migrate.types import Finding, RuleCount

_EVIDENCE_WIDTH = 200
_INDENT = 4
_HANGING = 6


def render(result: CheckResult, screen: Screen) -> None:
    """Writes the report: a line a finding when verbose, the summary line alone when quiet."""
    if result.quiet:
        screen.line(summary_line(result.summary))
        return
    if result.verbose:
        for finding in result.findings:
            screen.line(finding_line(finding, screen))
    else:
        _by_rule(result, screen)
    if result.summary.findings:
        screen.line()
    _closing(result, screen)


def finding_line(finding: Finding, screen: Screen) -> str:
    """One finding on one line: place, severity, code, level, slug, record, path, evidence."""
    parts = (
        screen.style(place(finding) + ":", "bold") if place(finding) else "",
        screen.style(finding.severity.value, SEVERITY_COLOURS[finding.severity]),
        f"{clean(finding.code)} [{finding.level.value}] {clean(finding.slug)}",
        record_label(finding.record),
        clean(finding.path),
        screen.style(shorten(evidence(finding.evidence), _EVIDENCE_WIDTH), "dim"),
    )
    return " ".join(part for part in parts if part)


def _by_rule(result: CheckResult, screen: Screen) -> None:
    examples: dict[str, list[Finding]] = defaultdict(list)
    for finding in result.examples:
        examples[finding.code].append(finding)
    for index, rule in enumerate(worst_first(result.summary.rules)):
        if index:
            screen.line()
        _rule(rule, severity_phrase(rule, result.by_finding), screen)
        for finding in examples[rule.code]:
            _example(finding, short_place(finding, result.summary), screen)
        if rule.findings > len(examples[rule.code]):
            screen.line(screen.style(f"    … {rule.findings - len(examples[rule.code]):,} more", "dim"))


def _rule(rule: RuleCount, phrase: str, screen: Screen) -> None:
    severity = screen.style(phrase, SEVERITY_COLOURS[rule.severity], "bold")
    head = f"{screen.style(clean(rule.code), 'bold')} {clean(rule.slug)}  {severity}  "
    screen.line(head + f"{counted(rule.findings, 'finding')}: {levels(rule)}")


def _example(finding: Finding, spot: str, screen: Screen) -> None:
    """``:12 #27210 /status  "Done"``; evidence that does not fit beside the place stands under it."""
    where = " ".join(part for part in (spot, record_label(finding.record), clean(finding.path)) if part)
    what = evidence(finding.evidence)
    line = f"{where}  {what}".rstrip()
    if display_width(line) <= screen.width - _INDENT:
        screen.line(" " * _INDENT + line)
        return
    screen.line(" " * _INDENT + shorten(where, screen.width - _INDENT))
    if what:
        screen.line(" " * _HANGING + shorten(what, screen.width - _HANGING))


def _closing(result: CheckResult, screen: Screen) -> None:
    block(screen, result.summary)
    screen.line()
    screen.line(would_change(result.summary.safe_records, result.summary.unsafe_records))
    if result.next_command:
        next_commands(screen, [result.next_command])
