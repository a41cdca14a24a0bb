"""``check --format json``: one document, its findings streamed a line each."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from migrate.reporting.check_jsonl import finding_json
from migrate.reporting.formats import Shown
from migrate.reporting.terminal import Screen
from migrate.types import RuleCount, Summary

FORMAT = "corpus-migrate.check/1"


def render(shown: Shown, screen: Screen) -> None:
    """Writes the document: the summary, the rules, every finding, the exit code and its reason."""
    report = shown.report
    changes = None if report.changes is None else asdict(report.changes)
    head = {"format": FORMAT, **summary_members(report.summary), "changes": changes}
    del head["rules"]
    for name, data in head.items():
        screen.line(f"{'{' if name == 'format' else ' '}{json.dumps(name)}: {json.dumps(data)},")
    _array(screen, "rules", (json.dumps(rule_members(rule)) for rule in report.summary.rules))
    _array(screen, "findings", map(finding_json, shown.findings()))
    screen.line(f' "exit_code": {int(report.outcome.code)},')
    screen.line(f' "exit_reason": {json.dumps(report.outcome.reason)}' + "}")


def _array(screen: Screen, name: str, items: Any) -> None:
    screen.stream.write(f' "{name}": [')
    separator = "\n  "
    for item in items:
        screen.stream.write(separator + item)
        separator = ",\n  "
    screen.line("],")


def summary_members(summary: Summary) -> dict[str, Any]:
    """A summary as JSON data, the rules last."""
    return {
        "complete": summary.complete,
        "corpus": {"system": summary.system, "uri": summary.uri, "id_form": summary.id_form},
        "read": {
            "files": summary.files,
            "bytes": summary.bytes_read,
            "lines": summary.lines,
            "records": summary.records,
            "broken_lines": summary.broken_lines,
            "held": summary.held,
        },
        "gaps": [{"file": gap.file, "reason": gap.reason} for gap in summary.gaps],
        "classes": dict(summary.classes),
        "severities": dict(summary.severities),
        "counts": {
            "findings": summary.findings,
            "safe_records": summary.safe_records,
            "unsafe_records": summary.unsafe_records,
        },
        **({"scopes": [asdict(scope) for scope in summary.scopes]} if summary.scopes else {}),
        "seconds": round(summary.seconds, 3),
        "rules": list(map(rule_members, summary.rules)),
    }


def rule_members(rule: RuleCount) -> dict[str, Any]:
    """How often a rule spoke, as JSON data."""
    return {
        "code": rule.code,
        "slug": rule.slug,
        "severity": rule.severity.value,
        "findings": rule.findings,
        "safe": rule.safe,
        "unsafe": rule.unsafe,
        "manual": rule.manual,
        "info": rule.info,
        **({"urgent": True} if rule.urgent else {}),
    }
