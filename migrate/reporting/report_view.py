"""What the page shows of a report, worded and capped, so that its template only lays out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from migrate.reporting import charts, exact, scopes
from migrate.reporting.conservation import sentences
from migrate.reporting.diff import Mark, record_lines
from migrate.reporting.summary import changes_sentence, finding_counts, moment, named, plan_sentence, would_change
from migrate.reporting.terminal import clean, shorten
from migrate.reporting.wording import (
    counted,
    evidence,
    loudest_first,
    numbers,
    patches,
    place,
    record_label,
    size,
    withheld,
)
from migrate.results import Report, RuleReport, Tally
from migrate.types import Finding, Severity

_RULES, _GAPS, _LINES = 400, 50, 40
_NAME, _PATH, _EVIDENCE, _VALUE = 80, 160, 300, 400
_SYMBOLS = {Severity.ERROR: "✖", Severity.WARNING: "▲", Severity.INFO: "●"}
_RANKS = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}
_KINDS = {Mark.OLD: "old", Mark.NEW: "new", Mark.PATH: "path", Mark.NOTE: "note", Mark.SAME: "same"}
_SIGNS = {Mark.OLD: "−", Mark.NEW: "+"}


def members(report: Report, examples: int, samples: int) -> Mapping[str, Any]:
    """Everything the template names. ``examples`` are findings a rule, ``samples`` characters of all samples together."""
    compared = report.changes is not None and report.changes.reference != "nothing"
    rules = loudest_first(report.rules)
    changes = report.changes
    return {
        "version": report.version,
        "title": f"{shorten(clean(report.summary.uri), _NAME)}: {finding_counts(report.summary)}",
        "kind": "plan" if report.plan else "check",
        "made_at": moment(report.made_at) if report.made_at else "",
        "uri": _cut(report.summary.uri, 300),
        "verdict": _verdict(report),
        "change": changes_sentence(changes) if changes is not None and compared else "",
        "read": list(_read(report)),
        "gaps": [{"file": _cut(gap.file, 200), "reason": _cut(gap.reason, 200)} for gap in report.summary.gaps[:_GAPS]],
        "cards": [_card(report, severity) for severity in Severity],
        "compared": compared,
        "rules": [_rule(rule, examples, compared=compared) for rule in rules[:_RULES]],
        "rules_left": max(0, len(rules) - _RULES),
        "where": _where(report),
        "scopes": {"header": scopes.HEADER, "rows": list(islice(scopes.rows(report.summary), _RULES)), "left": max(0, len(report.summary.scopes) - _RULES)},
        "heat": _heat(report),
        "classes": _stack((named(name), number) for name, number in report.summary.classes.items()),
        "portrait": _portrait(report),
        "plan": _plan(report, samples),
        "fixed": [{"code": finding.code, **_example(finding)} for finding in report.fixed],
        "fixed_left": f"{changes.fixed - len(report.fixed):,}" if changes and changes.fixed > len(report.fixed) else "",
        "history": [
            {
                "sweep": sweep.sweep,
                "when": moment(sweep.at),
                "command": sweep.command + ("" if sweep.full else ", what changed"),
                "numbers": (sweep.findings, sweep.regressed, sweep.new, sweep.fixed, sweep.known, sweep.exit_code),
            }
            for sweep in reversed(report.history)
        ],
        "runs": report.runs,
        "next": report.next_commands,
        "provenance": list(_provenance(report)),
    }  # fmt: skip


def _cut(text: str, width: int) -> str:
    return shorten(clean(text), width)


def _verdict(report: Report) -> Mapping[str, str]:
    summary = report.summary
    text = (
        plan_sentence(summary, report.plan.header)
        if report.plan
        else would_change(summary.safe_records, summary.unsafe_records)
    )
    head = (
        f"{finding_counts(summary)[:1].upper()}{finding_counts(summary)[1:]}. "
        if summary.findings
        else "Nothing found. "
    )
    if not summary.complete:
        return {
            "mood": "bad",
            "symbol": "✖",
            "text": f"Incomplete: {counted(len(summary.gaps), 'input')} not read to the end. {head}{text}",
        }
    errors = summary.severities.get("error", 0)
    mood, symbol = ("bad", "✖") if errors else ("fair", "▲") if summary.findings else ("good", "✔")
    return {"mood": mood, "symbol": symbol, "text": head + text}


def _read(report: Report) -> Iterator[tuple[str, str]]:
    summary = report.summary
    yield "Records", f"{summary.records:,} of {counted(summary.lines, 'line')}"
    yield "Source", f"{counted(summary.files, 'file') if summary.files else 'a store'}, {size(summary.bytes_read)}"
    yield "System", f"{summary.system}" + (f", {summary.id_form} ids" if summary.id_form else "")
    yield (
        "Held back",
        f"{counted(summary.broken_lines, 'broken line')}, {counted(summary.held, 'held record')}; copied byte for byte",
    )
    yield "Not read", counted(len(summary.gaps), "input") if summary.gaps else "nothing was left out"
    yield "Rules that ran", f"{len(report.options.get('codes', ())):,}"
    if summary.seconds:
        yield "Time", f"{summary.seconds:,.1f} s"


def _card(report: Report, severity: Severity) -> Mapping[str, Any]:
    name = severity.value
    trend = [sweep.severities.get(name, 0) for sweep in report.history]
    number = report.summary.severities.get(name, 0)
    difference = number - trend[-2] if len(trend) > 1 else 0
    label = {"error": "errors", "warning": "warnings", "info": "info"}[name]
    return {
        "name": name,
        "label": label,
        "symbol": _SYMBOLS[severity],
        "number": f"{number:,}",
        "delta": f"{difference:+,} since the last sweep" if difference else "",
        "line": charts.sparkline(trend),
        "told": _trend(label, trend),
    }


def _trend(what: str, trend: Sequence[int]) -> str:
    if len(trend) < 2:
        return f"{what}: one sweep so far"
    return f"{what} over {len(trend)} sweeps: from {trend[0]:,} to {trend[-1]:,}"


def _rule(rule: RuleReport, examples: int, *, compared: bool) -> Mapping[str, Any]:
    count = rule.count
    changes = (rule.regressed, rule.new, rule.fixed) if compared else ()
    total, *by_level = numbers(count)
    shown = rule.examples[:examples]
    return {
        "code": count.code,
        "slug": _cut(count.slug, _NAME),
        "severity": count.severity.value,
        "rank": _RANKS[count.severity],
        "symbol": _SYMBOLS[count.severity],
        "phrase": rule.phrase,
        "numbers": (total, *changes, *by_level),
        "line": charts.sparkline(rule.trend),
        "told": _trend(count.code, rule.trend),
        "title": _cut(rule.title or count.slug, 200),
        "examples": [_example(finding, told=compared) for finding in shown],
        "rest": f"{count.findings - len(shown):,}" if count.findings > len(shown) else "",
    }


def _example(finding: Finding, *, told: bool = False) -> Mapping[str, str]:
    where = " ".join(part for part in (place(finding), record_label(finding.record)) if part)
    return {
        "state": (finding.state or "") if told and finding.state != "known" else "",
        "at": shorten(where, _PATH),
        "path": _cut(finding.path, _PATH),
        "evidence": shorten(evidence(finding.evidence), _EVIDENCE),
    }


def _where(report: Report) -> list[Mapping[str, Any]]:
    where = report.where
    lists = (("Threads", "Thread", where.threads), ("Projects", "Project", where.projects),
             ("Agents", "Agent", where.agents), ("Months", "Month", where.eras))  # fmt: skip
    return [{"title": title, "column": column, "most": max(row.findings for row in rows), "rows": list(map(_tally, rows))}
            for title, column, rows in lists if rows]  # fmt: skip


def _tally(tally: Tally) -> Mapping[str, Any]:
    name = _cut(tally.name, _NAME)
    told = f"{name}: {counted(tally.findings, 'finding')}"
    return {"name": name, "findings": tally.findings, "errors": tally.errors, "told": told}


def _heat(report: Report) -> Mapping[str, Any] | None:
    where = report.where
    if not where.heat:
        return None
    most = max((number for row in where.heat for number in row), default=0)
    rows = [
        {
            "name": _cut(family, _NAME),
            "cells": [{"number": number, "share": charts.share(number, most)} for number in row],
        }
        for family, row in zip(where.families, where.heat, strict=True)
    ]
    return {"sources": [_cut(source, _NAME) for source in where.sources], "rows": rows}


def _stack(numbers: Iterable[tuple[str, int]]) -> Mapping[str, Any]:
    parts = charts.stack(numbers)
    return {"parts": parts, "told": ", ".join(f"{part.number:,} {part.name}" for part in parts)}


def _portrait(report: Report) -> list[Mapping[str, Any]]:
    lists = (("Kinds", "Kind", report.portrait.kinds), ("Links", "Key", report.portrait.links))
    return [
        {
            "title": title,
            "column": column,
            "most": max(before for before, _ in pairs.values()),
            "rows": [
                {
                    "name": _cut(name, _NAME),
                    "before": before,
                    "after": after,
                    "told": f"{_cut(name, _NAME)}: {before:,}, then {after:,}",
                }
                for name, (before, after) in pairs.items()
            ],
        }
        for title, column, pairs in lists
        if pairs
    ]


def _plan(report: Report, room: int) -> Mapping[str, Any] | None:
    plan = report.plan
    if plan is None:
        return None
    counts = plan.header.get("counts") or {}
    titles = {rule.count.code: rule.title for rule in report.rules}
    fields = [
        {"name": _cut(name, _PATH) or "(all metadata)", "number": number, "told": counted(number, "change")}
        for name, number in plan.fields.items()
    ]
    return {
        "sentence": f"{patches(plan.header)}. All other records are copied as the same bytes.",
        "withheld": withheld(plan.header),
        "levels": _stack((level, counts.get(level, 0)) for level in ("safe", "unsafe")),
        "books": sentences(plan.header.get("conservation") or {}) or ["nothing changes"],
        "fields": fields,
        "most": max(plan.fields.values(), default=1),
        "samples": _samples(plan.samples, titles, room),
    }


def _samples(samples: Iterable[Any], titles: Mapping[str, str], room: int) -> list[Mapping[str, Any]]:
    shown: list[Mapping[str, Any]] = []
    for sample in samples:
        records = []
        for text in sample.records:
            head, *lines = record_lines(exact.loads(text), 100)
            drawn = [{"kind": _KINDS[line.mark], "mark": _SIGNS.get(line.mark, ""), "text": shorten(line.text, _VALUE)}
                     for line in lines[:_LINES]]  # fmt: skip
            if len(lines) > _LINES:
                drawn.append({"kind": "note", "mark": "", "text": f"… {len(lines) - _LINES:,} more lines"})
            room -= sum(len(line["text"]) for line in drawn) + len(head.text)
            if room < 0:
                break
            records.append({"title": shorten(head.text, _VALUE), "lines": drawn})
        if records:
            shown.append({"code": sample.code, "title": _cut(titles.get(sample.code, ""), 200), "records": records})
    return shown


def _provenance(report: Report) -> Iterator[tuple[str, str]]:
    yield "Tool", f"corpus-migrate {report.version}"
    if report.plan:
        yield "Plan", str(report.plan.header.get("plan_id"))
        corpus = report.plan.header.get("corpus") or {}
        yield "Corpus", str(corpus.get("fingerprint", ""))
    if report.history:
        yield "Options", report.history[-1].options
        yield (
            "Sweep",
            f"{report.history[-1].sweep:,}, {'every record' if report.history[-1].full else 'what changed'} judged",
        )
    options = report.options
    set_ones = [name.replace("_", " ") for name, data in options.items() if name != "codes" and data]
    yield "Options set", ", ".join(set_ones) or "none"
    yield "Result", report.outcome.reason
