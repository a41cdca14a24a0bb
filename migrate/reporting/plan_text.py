"""``plan`` for people: the one block it ends in."""

from __future__ import annotations

from migrate.reporting import scopes
from migrate.reporting.conservation import sentences
from migrate.reporting.formats import Shown
from migrate.reporting.summary import block, filled, labelled, next_commands, plan_sentence
from migrate.reporting.tables import table
from migrate.reporting.terminal import Screen, clean, shorten
from migrate.reporting.wording import loudest_first, numbers, patches, withheld
from migrate.results import Report

_NUMBERS = frozenset({3, 4, 5, 6, 7})


def render(shown: Shown, screen: Screen) -> None:
    """Writes the block; quiet, only what would change and where the plan lies."""
    report = shown.report
    summary, header = report.summary, report.plan.header if report.plan else {}
    sentence = plan_sentence(summary, header)
    if shown.quiet:
        state = "" if summary.complete else "INCOMPLETE: "
        screen.line(f"{state}{sentence} Plan: {clean(str(shown.plan))}")
        return
    if report.rules:
        rule_table(screen, report)
        screen.line()
    scopes.write(screen, summary, everything=shown.verbose)
    block(screen, report)
    labelled(screen, "Books", sentences(header.get("conservation") or {}) or ["nothing changes"])
    labelled(screen, "Plan", [patches(header), clean(str(shown.plan))])
    if shown.plan is not None and shown.folder != shown.plan.parent:
        labelled(screen, "Report", [clean(str(shown.folder))])
    for fault in withheld(header):
        labelled(screen, "WITHHELD", [fault], style="red")
    if not summary.complete:
        labelled(screen, "INCOMPLETE", ["apply refuses this plan until everything can be read"], style="red")
    screen.line()
    for line in filled(sentence, screen.width):
        screen.line(line)
    next_commands(screen, report.next_commands)


def rule_table(screen: Screen, report: Report) -> None:
    """Findings by rule, loudest first."""
    rows = [
        (
            clean(rule.count.code),
            shorten(clean(rule.count.slug), screen.width - 57),
            rule.phrase,
            *(f"{number:,}" for number in numbers(rule.count)),
        )
        for rule in loudest_first(report.rules)
    ]
    header = ("code", "rule", "severity", "count", "safe", "unsafe", "manual", "info")
    table(screen, header, rows, right=_NUMBERS)
