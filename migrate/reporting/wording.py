"""How numbers, places, ids and evidence are worded for people. Everything returned is clean text."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from typing import Any

from migrate.reporting.exact import dumps
from migrate.reporting.terminal import clean, escape, value
from migrate.results import Changes, RuleReport
from migrate.types import Finding, RuleCount, Severity, Summary

_HEX_ID = re.compile(r'"([0-9a-f]{32}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})"')
_SEVERITY_ORDER = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}
_WITHHELD = 5
FOUND = ("found", "value", "from")
"""Names of evidence that is what was found itself."""
SEVERITY_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}


def counted(number: int, one: str, many: str | None = None) -> str:
    """``1 record``, ``2,000 records``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def size(number: int) -> str:
    """Bytes in decimal units: ``999 bytes``, ``12.4 MB``."""
    if number < 1000:
        return counted(number, "byte")
    amount = float(number)
    for unit in ("kB", "MB", "GB"):
        amount /= 1000
        if amount < 999.95:
            return f"{amount:.1f} {unit}"
    return f"{amount / 1000:.1f} TB"


def record_label(record: str | None) -> str:
    """An id given as JSON text: ``#27210``, ``#0198…``; strings of no id form keep their quotes.

    Nothing for a line that is no record, ``(no id)`` for a record that has none.
    """
    if record is None:
        return ""
    if record == "null":
        return "(no id)"
    match = _HEX_ID.fullmatch(record)
    return "#" + (match[1] if match else escape(record))


def id_label(record: Any) -> str:
    """An id given as JSON data, as it stands in a plan line."""
    return record_label(dumps(record, ensure_ascii=False))


def file_of(finding: Finding) -> str | None:
    """The file as it is found from where the corpus is: that of a repository context with its scope and repository before it."""
    if finding.scope is None or finding.file is None:
        return finding.file
    return "/".join(part for part in (finding.repository, finding.scope, finding.file) if part and part != ".")


def place(finding: Finding) -> str:
    """``entries.jsonl:12``, as much of it as there is."""
    file = file_of(finding)
    if file is None:
        return "" if finding.line is None else f"line {finding.line}"
    return clean(file) if finding.line is None else f"{clean(file)}:{finding.line}"


def short_place(finding: Finding, summary: Summary) -> str:
    """The place as it can be told among the files of the corpus: ``:12`` in a single one, else without shared folders."""
    if finding.file is None or finding.scope is not None:
        return place(finding)
    if summary.files == 1 and finding.line is not None:
        return f":{finding.line}"
    folder = summary.uri.rstrip("/") + "/"
    inside = finding.file.removeprefix(folder) if summary.files > 1 else finding.file.rpartition("/")[2]
    if inside == finding.file and summary.files > 1:
        inside = finding.file.removeprefix(_fixed_folder(summary.uri))
    return place(replace(finding, file=inside))


def _fixed_folder(pattern: str) -> str:
    """``data/`` of ``data/*.jsonl``: the folders before the first wildcard."""
    return re.split(r"[*?\[]", pattern, maxsplit=1)[0].rpartition("/")[0] + "/"


def evidence(data: Mapping[str, Any]) -> str:
    """Evidence on one line: what was found first, alone where it is all; others by name, nulls left out."""
    found = [value(data[name]) for name in FOUND if name in data]
    rest = [f"{clean(name)}: {value(item)}" for name, item in data.items() if name not in FOUND and item is not None]
    return "  ".join((*found, *rest))


def worst_first(rules: Iterable[RuleCount]) -> list[RuleCount]:
    """Urgent rules, then by severity, then by how often they spoke, then by code."""
    return sorted(rules, key=lambda rule: (not rule.urgent, _SEVERITY_ORDER[rule.severity], -rule.findings, rule.code))


def loudest_first(rules: Iterable[RuleReport]) -> list[RuleReport]:
    """Rules of a report: urgent ones, then those with regressed findings, then as ``worst_first``."""
    found = list(rules)
    order = {rule.code: place for place, rule in enumerate(worst_first(rule.count for rule in found))}
    return sorted(found, key=lambda rule: (not rule.count.urgent, -rule.regressed, order[rule.count.code]))


def rule_news(rule: RuleReport, changes: Changes | None) -> str:
    """``1 regressed, 3 new`` of a rule, empty where nothing is or where there is nothing to compare with."""
    if changes is None or changes.reference == "nothing":
        return ""
    named = ((rule.regressed, "regressed"), (rule.new, "new"), (rule.fixed, "fixed"))
    return ", ".join(f"{number:,} {name}" for number, name in named if number)


def severity_phrase(rule: RuleCount, by_finding: Container[str]) -> str:
    """``error``, or ``up to error`` where others of its findings may be less: a count knows only the worst.

    ``by_finding`` has the codes whose rules decide between error and warning for each finding.
    """
    open_ended = rule.severity is Severity.ERROR and rule.code in by_finding and rule.findings > 1
    mixed = open_ended or rule.info not in (0, rule.findings)
    return f"up to {rule.severity.value}" if mixed else rule.severity.value


def levels(rule: RuleCount) -> str:
    """``1,200 safe, 4 manual``: the levels that occur."""
    named = (("safe", rule.safe), ("unsafe", rule.unsafe), ("manual", rule.manual), ("info", rule.info))
    return ", ".join(f"{number:,} {name}" for name, number in named if number)


def numbers(rule: RuleCount) -> tuple[int, int, int, int, int]:
    """All findings of a rule, then those of each level from safe to info."""
    return rule.findings, rule.safe, rule.unsafe, rule.manual, rule.info


def patches(header: Mapping[str, Any]) -> str:
    """``84 patches: 80 safe, 4 unsafe`` of a plan's header."""
    counts = header.get("counts") or {}
    named = f"{counts.get('safe', 0):,} safe, {counts.get('unsafe', 0):,} unsafe"
    return f"{counted(counts.get('patches', 0), 'patch', 'patches')}: {named}"


def withheld(header: Mapping[str, Any]) -> list[str]:
    """What a plan's header says of patches that its own check found at fault: a sentence, or nothing."""
    ids = header.get("withheld") or []
    if not ids:
        return []
    shown = ", ".join(id_label(record) for record in ids[:_WITHHELD])
    more = f" and {len(ids) - _WITHHELD:,} more" if len(ids) > _WITHHELD else ""
    return [f"{counted(len(ids), 'record')} left out by a fault of this tool, please report it: {shown}{more}"]
