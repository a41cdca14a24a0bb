"""A report of the corpus alone: the same corpus and options give the same bytes, whenever and however often it is drawn."""

from __future__ import annotations

from dataclasses import replace

from migrate.reporting import findings_table
from migrate.reporting.formats import REPORT_EXAMPLES
from migrate.results import Report
from migrate.types import Finding


def reproducible(report: Report) -> Report:
    """The report without times, durations, places of this machine, and everything that rests on earlier sweeps and runs."""
    examples: dict[str, list[Finding]] = {rule.count.code: list(rule.examples) for rule in report.rules}
    if report.table is not None:
        examples = {}
        for finding in findings_table.examples(report.table, REPORT_EXAMPLES, loudest=False):
            examples.setdefault(finding.code, []).append(finding)
    rules = tuple(
        replace(
            rule,
            new=0,
            regressed=0,
            fixed=0,
            trend=(),
            examples=tuple(replace(finding, state=None) for finding in examples.get(rule.count.code, ())),
        )
        for rule in report.rules
    )
    plan = report.plan
    if plan is not None:
        plan = replace(plan, header={name: data for name, data in plan.header.items() if name != "created_at"})
    return replace(
        report,
        summary=replace(report.summary, seconds=0.0),
        made_at=None,
        rules=rules,
        changes=None,
        history=(),
        plan=plan,
        runs=(),
        fixed=(),
    )
