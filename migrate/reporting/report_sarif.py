"""``--format sarif``: SARIF 2.1.0 within what GitHub's code scanning takes."""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from migrate.reporting.formats import Shown
from migrate.reporting.markdown import inline
from migrate.reporting.terminal import Screen, clean
from migrate.reporting.wording import counted, evidence, file_of, record_label
from migrate.results import Report, RuleReport
from migrate.types import Finding, Severity

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LIMIT = 5_000
"""Results of a run that GitHub keeps."""
FINGERPRINT = "corpusMigrateFinding/v1"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_BASELINE = {"new": "new", "regressed": "new", "known": "unchanged"}
_MESSAGE = 1_000


def render(shown: Shown, screen: Screen) -> None:
    """Writes the log of one run."""
    screen.line(json.dumps(log(shown.report), indent=1))


def log(report: Report) -> dict[str, Any]:
    """The document. Of more findings than LIMIT the worst are in it, the same ones from sweep to sweep."""
    from migrate.reporting.findings_table import worst

    compared = report.changes is not None and report.changes.reference != "nothing"
    findings = [finding for rule in report.rules for finding in rule.examples]
    if report.table:
        findings = worst(report.table, LIMIT, loudest=compared)
    places = {rule.count.code: index for index, rule in enumerate(report.rules)}
    titles = {rule.count.code: rule.title for rule in report.rules}
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "corpus-migrate",
                "semanticVersion": report.version,
                "rules": [_rule(rule) for rule in report.rules],
            }
        },
        "automationDetails": {"id": f"corpus-migrate/{urllib.parse.quote(clean(report.summary.uri))}/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": report.outcome.code in (0, 1),
                "exitCode": int(report.outcome.code),
                "exitCodeDescription": report.outcome.reason,
                "toolExecutionNotifications": _notifications(report, len(findings)),
            }
        ],
        "results": [_result(finding, places, titles, compared=compared) for finding in findings],
        "properties": {"findings": report.summary.findings, "records": report.summary.records},
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: RuleReport) -> dict[str, Any]:
    count = rule.count
    sections = [
        ("What it finds", rule.what),
        ("Why it matters", rule.why),
        ("Fix", rule.fix),
        ("Fix safety", rule.safety),
    ]
    told = [(heading, text) for heading, text in sections if text]
    return {
        "id": count.code,
        "name": "".join(part.capitalize() for part in count.slug.split("-")),
        "shortDescription": {"text": rule.title or count.slug},
        "fullDescription": {"text": rule.what or rule.title or count.slug},
        "help": {
            "text": "\n\n".join(f"{heading}: {text}" for heading, text in told) or count.slug,
            "markdown": "\n\n".join(f"**{heading}**\n\n{text}" for heading, text in told) or count.slug,
        },
        "defaultConfiguration": {"level": _LEVELS[count.severity]},
        "properties": {"tags": ["agent-memory", *([rule.family] if rule.family else [])], "precision": "very-high"},
    }


def _notifications(report: Report, shown: int) -> list[dict[str, Any]]:
    told = [
        {"level": "error", "message": {"text": f"{clean(gap.file)} was not read: {clean(gap.reason)}"}}
        for gap in report.summary.gaps
    ]
    rest = report.summary.findings - shown
    if rest > 0:
        text = f"{counted(rest, 'more finding')} beside the {shown:,} here; --format jsonl has all of them"
        told.append({"level": "note", "message": {"text": text}})
    return told


def _result(
    finding: Finding, places: Mapping[str, int], titles: Mapping[str, str], *, compared: bool
) -> dict[str, Any]:
    title = titles.get(finding.code) or finding.slug
    what = evidence(finding.evidence)
    words = " ".join(part for part in (record_label(finding.record), clean(finding.path), what) if part)
    text = f"{title.rstrip('.')}: {words}" if words else title
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": places.get(finding.code, -1),
        "level": _LEVELS[finding.severity],
        # GitHub reads the text as Markdown with links.
        "message": {"text": inline(text[:_MESSAGE])},
        "locations": [_location(finding)],
        "partialFingerprints": {FINGERPRINT: finding.fingerprint},
        "properties": {"fix": finding.level.value},
    }
    if compared and finding.state in _BASELINE:
        result["baselineState"] = _BASELINE[finding.state]
        result["properties"]["state"] = finding.state
    return result


def _location(finding: Finding) -> dict[str, Any]:
    """The line in the source, and by name where a record lies: thread, id, pointer."""
    where = "/".join(clean(part) for part in (finding.thread, record_label(finding.record).removeprefix("#")) if part)
    location: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": {"uri": _uri(file_of(finding) or "corpus")},
            "region": {"startLine": finding.line or 1},
        }
    }
    if where:
        location["logicalLocations"] = [{"fullyQualifiedName": f"{where}{clean(finding.path)}", "kind": "member"}]
    return location


def _uri(file: str) -> str:
    """A relative path as a URI reference, an absolute one with its scheme."""
    if "://" in file:
        return urllib.parse.quote(file, safe=":/?#[]@!$&'()*+,;=%")
    path = PurePath(file)
    quoted = urllib.parse.quote(path.as_posix(), errors="surrogatepass")
    return f"file://{quoted}" if path.is_absolute() else quoted
