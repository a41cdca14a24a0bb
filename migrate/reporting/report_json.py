"""``report.json``, and ``--format json`` of ``plan`` and ``report``: the whole model as one document, read back for every other format."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from migrate.reporting.check_json import rule_members, summary_members
from migrate.reporting.check_jsonl import finding_members
from migrate.reporting.formats import Shown
from migrate.reporting.terminal import Screen
from migrate.results import Changes, Outcome, PlanPart, Portrait, Report, RuleReport, Run, Sample, Sweep, Tally, Where
from migrate.types import Finding, Gap, Level, RuleCount, ScopeState, Severity, Summary

FORMAT = "corpus-migrate.report/1"
_WORDS = ("phrase", "title", "family", "what", "why", "fix", "safety")


def render(shown: Shown, screen: Screen) -> None:
    """Writes the document; from a plan just made also where it lies."""
    document = members(shown.report)
    if shown.plan is not None:
        document |= {"plan": str(shown.plan), "folder": str(shown.folder)}
    screen.line(json.dumps(document, indent=1))


def members(report: Report) -> dict[str, Any]:
    """The report as JSON data. No place of this machine is in it but the corpus as it was typed."""
    header = report.plan.header if report.plan else {}
    summary = summary_members(report.summary)
    summary["rules"] = [
        {
            **rule_members(rule.count),
            **{name: getattr(rule, name) for name in _WORDS},
            "new": rule.new,
            "regressed": rule.regressed,
            "fixed": rule.fixed,
            "trend": list(rule.trend),
            "examples": [_finding_members(finding) for finding in rule.examples],
        }
        for rule in report.rules
    ]
    return {
        "format": FORMAT,
        "command": report.command,
        "plan_id": header.get("plan_id"),
        "created_at": report.made_at,
        "tool": {"name": "corpus-migrate", "version": report.version},
        "options": report.options,
        "plan_counts": header.get("counts"),
        "conservation": header.get("conservation"),
        "exit_code": report.outcome.code,
        "exit_reason": report.outcome.reason,
        "changes": None if report.changes is None else asdict(report.changes),
        **summary,
        "fixed": [_finding_members(finding) for finding in report.fixed],
        "history": [asdict(sweep) for sweep in report.history],
        "where": asdict(report.where),
        "portrait": asdict(report.portrait),
        "proposal": None if report.plan is None else _plan_members(report.plan),
        "runs": [asdict(run) for run in report.runs],
        "next_commands": list(report.next_commands),
    }


def _finding_members(finding: Finding) -> dict[str, Any]:
    record = None if finding.record is None else json.loads(finding.record, parse_float=str)
    return {**finding_members(finding), "record": record}


def _plan_members(plan: PlanPart) -> dict[str, Any]:
    return {
        "header": plan.header,
        "fields": plan.fields,
        "samples": [{"code": sample.code, "records": list(sample.records)} for sample in plan.samples],
    }


def load(document: Mapping[str, Any], table: Path | None) -> Report:
    """The report of a document that ``members`` made; KeyError, TypeError or ValueError for one it did not make."""
    if document["format"] != FORMAT:
        raise ValueError(f"it is of the format {document['format']}, and this version reads {FORMAT}")
    changes, plan, portrait = document["changes"], document["proposal"], document["portrait"]
    return Report(
        command=document["command"],
        summary=_summary(document),
        outcome=Outcome(document["exit_code"], document["exit_reason"]),
        version=document["tool"]["version"],
        made_at=document["created_at"],
        options=document["options"],
        rules=tuple(map(_rule, document["rules"])),
        changes=None if changes is None else Changes(**changes),
        history=tuple(Sweep(**sweep) for sweep in document["history"]),
        where=_where(document["where"]),
        portrait=Portrait(
            *({name: (was, now) for name, (was, now) in portrait[part].items()} for part in ("kinds", "links"))
        ),
        plan=None if plan is None else _plan(plan),
        runs=tuple(Run(**run) for run in document["runs"]),
        next_commands=tuple(document["next_commands"]),
        fixed=tuple(map(_finding, document["fixed"])),
        table=table,
    )


def _summary(document: Mapping[str, Any]) -> Summary:
    corpus, read, counts = document["corpus"], document["read"], document["counts"]
    return Summary(
        uri=corpus["uri"],
        system=corpus["system"],
        id_form=corpus["id_form"],
        files=read["files"],
        bytes_read=read["bytes"],
        lines=read["lines"],
        records=read["records"],
        broken_lines=read["broken_lines"],
        held=read["held"],
        gaps=tuple(Gap(gap["file"], gap["reason"]) for gap in document["gaps"]),
        classes=document["classes"],
        rules=tuple(map(_count, document["rules"])),
        severities=document["severities"],
        safe_records=counts["safe_records"],
        unsafe_records=counts["unsafe_records"],
        seconds=document["seconds"],
        scopes=tuple(ScopeState(**scope) for scope in document.get("scopes", ())),
        unsupported=sum(rule["findings"] for rule in document["rules"] if rule["code"] == "MANIFEST003"),
    )


def _count(rule: Mapping[str, Any]) -> RuleCount:
    numbers = (rule[name] for name in ("findings", "safe", "unsafe", "manual", "info"))
    count = RuleCount(rule["code"], rule["slug"], Severity(rule["severity"]), *numbers)
    return replace(count, urgent=rule.get("urgent", False))


def _rule(rule: Mapping[str, Any]) -> RuleReport:
    words: dict[str, str] = {name: rule[name] for name in _WORDS}
    return RuleReport(
        _count(rule),
        **words,
        new=rule["new"],
        regressed=rule["regressed"],
        fixed=rule["fixed"],
        trend=tuple(rule["trend"]),
        examples=tuple(map(_finding, rule["examples"])),
    )


def _finding(data: Mapping[str, Any]) -> Finding:
    record = None if data["record"] is None else json.dumps(data["record"], ensure_ascii=False)
    return Finding(
        code=data["code"],
        slug=data["slug"],
        level=Level(data["level"]),
        severity=Severity(data["severity"]),
        record=record,
        path=data["path"],
        evidence=data["evidence"],
        file=data["file"],
        line=data["line"],
        fingerprint=data["fingerprint"],
        record_class=data["class"],
        kind=data["kind"],
        thread=data["thread"],
        project=data["project"],
        state=data["state"],
        scope=data.get("scope"),
        repository=data.get("repository"),
    )


def _where(data: Mapping[str, Any]) -> Where:
    def tallies(name: str) -> tuple[Tally, ...]:
        return tuple(Tally(**tally) for tally in data[name])

    return Where(
        threads=tallies("threads"),
        projects=tallies("projects"),
        agents=tallies("agents"),
        eras=tallies("eras"),
        sources=tuple(data["sources"]),
        families=tuple(data["families"]),
        heat=tuple(tuple(row) for row in data["heat"]),
    )


def _plan(data: Mapping[str, Any]) -> PlanPart:
    samples = tuple(Sample(sample["code"], tuple(sample["records"])) for sample in data["samples"])
    return PlanPart(data["header"], data["fields"], samples)
