"""``plan`` for people: the one block it ends in."""

from __future__ import annotations

from collections.abc import Container

from migrate.reporting.conservation import sentences
from migrate.reporting.formats import PlanResult
from migrate.reporting.summary import block, filled, labelled, next_commands, plan_sentence
from migrate.reporting.tables import table
from migrate.reporting.terminal import Screen, clean, shorten
from migrate.reporting.wording import counted, severity_phrase, withheld, worst_first
from migrate.types import Summary

_NUMBERS = frozenset({3, 4, 5, 6, 7})


def render(result: PlanResult, screen: Screen) -> None:
    """Writes the block; quiet, only what would change and where the plan lies."""
    summary = result.summary
    sentence = plan_sentence(summary, result.header)
    if result.quiet:
        state = "" if summary.complete else "INCOMPLETE: "
        screen.line(f"{state}{sentence} Plan: {clean(str(result.plan))}")
        return
    if summary.rules:
        rule_table(screen, summary, result.by_finding)
        screen.line()
    block(screen, summary)
    labelled(screen, "Books", sentences(result.header.get("conservation") or {}) or ["nothing changes"])
    labelled(screen, "Plan", [_patches(result), clean(str(result.plan))])
    if result.folder != result.plan.parent:
        labelled(screen, "Report", [clean(str(result.folder))])
    for fault in withheld(result.header):
        labelled(screen, "WITHHELD", [fault], style="red")
    if not summary.complete:
        labelled(screen, "INCOMPLETE", ["apply refuses this plan until everything can be read"], style="red")
    screen.line()
    for line in filled(sentence, screen.width):
        screen.line(line)
    next_commands(screen, result.next_commands)


def _patches(result: PlanResult) -> str:
    counts = result.header.get("counts") or {}
    levels = f"{counts.get('safe', 0):,} safe, {counts.get('unsafe', 0):,} unsafe"
    return f"{counted(counts.get('patches', 0), 'patch', 'patches')}: {levels}"


def rule_table(screen: Screen, summary: Summary, by_finding: Container[str]) -> None:
    """Findings by rule, worst first."""
    rows = [
        (
            clean(rule.code),
            shorten(clean(rule.slug), screen.width - 57),
            severity_phrase(rule, by_finding),
            *(f"{number:,}" for number in (rule.findings, rule.safe, rule.unsafe, rule.manual, rule.info)),
        )
        for rule in worst_first(summary.rules)
    ]
    header = ("code", "rule", "severity", "count", "safe", "unsafe", "manual", "info")
    table(screen, header, rows, right=_NUMBERS)
