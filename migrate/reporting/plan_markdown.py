"""``report.md`` beside a plan: the same block, short enough for a comment on a change."""

from __future__ import annotations

from migrate.reporting.conservation import sentences
from migrate.reporting.formats import PlanResult
from migrate.reporting.markdown import code, inline
from migrate.reporting.summary import finding_counts, named, plan_sentence
from migrate.reporting.tables import markdown_table
from migrate.reporting.wording import counted, severity_phrase, size, withheld, worst_first


def report(result: PlanResult) -> str:
    """The report as Markdown; nothing from the corpus in it but names and counts."""
    summary = result.summary
    lines = [
        f"# Plan {inline(str(result.header.get('plan_id')))}",
        "",
        f"**{inline(plan_sentence(summary, result.header))}**",
        "",
        f"- Corpus: {code(summary.uri)} ({inline(summary.system)}, {inline(summary.id_form)} ids)",
        f"- Read: {counted(summary.records, 'record')} in {counted(summary.files, 'file')}, {size(summary.bytes_read)};"
        f" {counted(summary.broken_lines, 'broken line')}, {counted(summary.held, 'held record')}",
    ]
    lines += [f"- **Not read**: {code(gap.file)}: {inline(gap.reason)}" for gap in summary.gaps]
    classes = ", ".join(f"{number:,} {inline(named(name))}" for name, number in summary.classes.items() if number)
    lines += [f"- Classes: {classes or 'none'}", f"- Findings: {finding_counts(summary)}"]
    lines += [f"- **Withheld**: {inline(sentence)}" for sentence in withheld(result.header)]
    books = sentences(result.header.get("conservation") or {}) or ["nothing changes"]
    lines += [f"- Books: {sentence}" for sentence in books]
    if summary.rules:
        rows = [
            (
                inline(rule.code),
                inline(rule.slug),
                severity_phrase(rule, result.by_finding),
                *(f"{number:,}" for number in (rule.findings, rule.safe, rule.unsafe, rule.manual, rule.info)),
            )
            for rule in worst_first(summary.rules)
        ]
        header = ("code", "rule", "severity", "count", "safe", "unsafe", "manual", "info")
        lines += ["", *markdown_table(header, rows, right=frozenset(range(3, 8)))]
    if not summary.complete:
        lines += ["", "The plan is incomplete: `apply` refuses it until everything can be read."]
    lines += ["", f"Every finding is in `findings.parquet`; made {inline(str(result.header.get('created_at')))}."]
    return "\n".join(lines) + "\n"
