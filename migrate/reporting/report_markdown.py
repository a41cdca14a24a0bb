"""``--format markdown`` and ``report.md``: short enough for a comment on a change, whatever the corpus."""

from __future__ import annotations

from collections.abc import Iterator

from migrate.reporting import scopes
from migrate.reporting.conservation import sentences
from migrate.reporting.formats import Shown
from migrate.reporting.markdown import code, inline
from migrate.reporting.summary import (
    changes_sentence,
    finding_counts,
    named,
    plan_sentence,
    read_from,
    system_words,
    would_change,
)
from migrate.reporting.tables import markdown_table
from migrate.reporting.terminal import Screen, shorten
from migrate.reporting.wording import (
    counted,
    evidence,
    loudest_first,
    numbers,
    place,
    record_label,
    rule_news,
    withheld,
)
from migrate.results import Report, RuleReport
from migrate.types import Finding

LIMIT = 65_536
"""Characters of a comment that GitHub takes."""
_EXAMPLES = 3
_CONTEXTS = 200
_EVIDENCE = 160


def render(shown: Shown, screen: Screen) -> None:
    """Writes the report with as much of its detail as LIMIT leaves room for."""
    screen.stream.write(report_text(shown.report))


def report_text(report: Report, limit: int = LIMIT) -> str:
    """The whole text; first the examples go where it is too long, then the rules from the quietest on."""
    rules = loudest_first(report.rules)
    text = _text(report, rules, examples=True)
    if len(text) > limit:
        text = _text(report, rules, examples=False)
    while len(text) > limit and rules:
        rules = rules[: len(rules) * 3 // 4]
        text = _text(report, rules, examples=False)
    return text if len(text) <= limit else f"# {_title(report)}\n\n**{_verdict(report)}**\n"[:limit]


def _text(report: Report, rules: list[RuleReport], *, examples: bool) -> str:
    lines = [f"# {_title(report)}", "", f"**{_verdict(report)}**", "", *_facts(report)]
    if rules:
        lines += ["", *_table(report, rules)]
    if len(rules) < len(report.rules):
        lines += ["", f"{counted(len(report.rules) - len(rules), 'more rule')} left out here for their length."]
    lines += scopes.markdown(report.summary, _CONTEXTS if examples else _CONTEXTS // 4)
    if examples:
        lines += _examples(report, rules)
    if report.plan and not report.summary.complete:
        lines += ["", "The plan is incomplete: `apply` refuses it until everything can be read."]
    if report.next_commands:
        lines += ["", "Next:", "", *(f"- {code(command)}" for command in report.next_commands)]
    made = f"; made {inline(report.made_at)}" if report.made_at else ""
    lines += ["", f"corpus-migrate {inline(report.version)}{made}. Every finding is in `findings.parquet`." if report.plan
              else f"corpus-migrate {inline(report.version)}{made}."]  # fmt: skip
    return "\n".join(lines) + "\n"


def _title(report: Report) -> str:
    return (
        f"Plan {inline(str(report.plan.header.get('plan_id')))}"
        if report.plan
        else f"Check of {code(report.summary.uri)}"
    )


def _verdict(report: Report) -> str:
    if report.plan:
        return inline(plan_sentence(report.summary, report.plan.header))
    return inline(
        f"{finding_counts(report.summary)}. {would_change(report.summary.safe_records, report.summary.unsafe_records)}"
    )


def _facts(report: Report) -> Iterator[str]:
    summary = report.summary
    if report.changes and report.changes.reference != "nothing":
        yield f"- Changes: **{inline(changes_sentence(report.changes))}**"
    yield f"- Corpus: {code(summary.uri)} ({inline(system_words(summary))})"
    yield (
        f"- Read: {counted(summary.records, 'record')} {read_from(summary)};"
        f" {counted(summary.broken_lines, 'broken line')}, {counted(summary.held, 'held record')}"
    )
    for gap in summary.gaps:
        yield f"- **Not read**: {code(gap.file)}: {inline(gap.reason)}"
    classes = ", ".join(f"{number:,} {inline(named(name))}" for name, number in summary.classes.items() if number)
    yield f"- Classes: {classes or 'none'}"
    yield f"- Findings: {finding_counts(summary)}"
    if report.plan:
        for sentence in withheld(report.plan.header):
            yield f"- **Withheld**: {inline(sentence)}"
        for sentence in sentences(report.plan.header.get("conservation") or {}) or ["nothing changes"]:
            yield f"- Books: {inline(sentence)}"


def _table(report: Report, rules: list[RuleReport]) -> list[str]:
    compared = report.changes is not None and report.changes.reference != "nothing"
    header = (
        "code",
        "rule",
        "severity",
        "count",
        *(("changes",) if compared else ()),
        "safe",
        "unsafe",
        "manual",
        "info",
    )
    rows = []
    for rule in rules:
        count, *levels = (f"{number:,}" for number in numbers(rule.count))
        news = (rule_news(rule, report.changes),) if compared else ()
        rows.append((inline(rule.count.code), inline(rule.count.slug), rule.phrase, count, *news, *levels))
    return markdown_table(header, rows, right=frozenset({3, *range(5 if compared else 4, len(header))}))


def _examples(report: Report, rules: list[RuleReport]) -> Iterator[str]:
    """What is new or regressed, one by one; nothing of a first sweep, where all is."""
    if report.changes is None or report.changes.reference == "nothing":
        return
    for rule in rules:
        loud = [finding for finding in rule.examples if finding.state in ("new", "regressed")][:_EXAMPLES]
        if loud:
            yield from ("", f"{inline(rule.count.code)} {inline(rule.title or rule.count.slug)}", "")
            yield from (_example(finding) for finding in loud)


def _example(finding: Finding) -> str:
    where = " ".join(part for part in (place(finding), record_label(finding.record)) if part)
    parts = [inline(str(finding.state)), code(where) if where else "", code(finding.path) if finding.path else ""]
    told = evidence(finding.evidence)
    return "- " + " ".join(part for part in (*parts, code(shorten(told, _EVIDENCE)) if told else "") if part)
