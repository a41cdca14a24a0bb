"""``check`` for people: findings by rule, worst first, three examples each; then the closing block."""

from __future__ import annotations

from migrate.reporting.formats import EXAMPLES, Shown
from migrate.reporting.summary import block, is_news, next_commands, summary_line, would_change
from migrate.reporting.terminal import Screen, clean, display_width, shorten
from migrate.reporting.wording import (
    SEVERITY_COLOURS,
    counted,
    evidence,
    levels,
    loudest_first,
    place,
    record_label,
    rule_news,
    short_place,
)
from migrate.results import Changes, Report, RuleReport
from migrate.types import Finding

_EVIDENCE_WIDTH = 200
_INDENT = 4
_HANGING = 6


def render(shown: Shown, screen: Screen) -> None:
    """Writes the report: a line a finding when verbose; quiet, one line, and none where nothing changed."""
    report = shown.report
    if shown.quiet:
        if is_news(report):
            screen.line(summary_line(report))
        return
    if shown.verbose:
        for finding in shown.findings():
            screen.line(finding_line(finding, screen))
    else:
        _by_rule(report, screen)
    if report.summary.findings:
        screen.line()
    _closing(report, screen)


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


def _by_rule(report: Report, screen: Screen) -> None:
    for index, rule in enumerate(loudest_first(report.rules)):
        if index:
            screen.line()
        _rule(rule, report.changes, screen)
        for finding in rule.examples[:EXAMPLES]:
            _example(finding, short_place(finding, report.summary), screen)
        if rule.count.findings > EXAMPLES:
            screen.line(screen.style(f"    … {rule.count.findings - EXAMPLES:,} more", "dim"))


def _rule(rule: RuleReport, changes: Changes | None, screen: Screen) -> None:
    count = rule.count
    severity = screen.style(rule.phrase, SEVERITY_COLOURS[count.severity], "bold")
    head = f"{screen.style(clean(count.code), 'bold')} {clean(count.slug)}  {severity}  "
    news = rule_news(rule, changes)
    tail = f"  {screen.style(news, 'bold')}" if news else ""
    screen.line(head + f"{counted(count.findings, 'finding')}: {levels(count)}{tail}")


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


def _closing(report: Report, screen: Screen) -> None:
    block(screen, report)
    screen.line()
    screen.line(would_change(report.summary.safe_records, report.summary.unsafe_records))
    next_commands(screen, report.next_commands)
