"""``check --format jsonl``: a finding a line, its members always the same and in the same order."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from migrate.reporting.formats import Shown
from migrate.reporting.terminal import Screen
from migrate.types import Finding

_BEYOND = re.compile(r"[^ -~]")

MEMBERS = (
    "code",
    "slug",
    "level",
    "severity",
    "record",
    "path",
    "evidence",
    "file",
    "line",
    "fingerprint",
    "class",
    "kind",
    "thread",
    "project",
    "state",
)
"""The members of a finding in every machine format, in order."""


def render(shown: Shown, screen: Screen) -> None:
    """Streams the findings; nothing else, so that a line is always a finding."""
    for finding in shown.findings():
        screen.line(finding_json(finding))


def finding_json(finding: Finding) -> str:
    """A finding as one line of ASCII JSON. The id keeps its own spelling: ``1e400`` does not survive a parser."""
    text = json.dumps(finding_members(finding))
    if finding.record is None:
        return text
    return text.replace(f'"record": {json.dumps(finding.record)}', f'"record": {_ascii(finding.record)}', 1)


def finding_members(finding: Finding) -> Mapping[str, Any]:
    """The members of a finding by name, in the order of MEMBERS; the id still as JSON text."""
    return dict(
        zip(
            MEMBERS,
            (
                finding.code,
                finding.slug,
                finding.level.value,
                finding.severity.value,
                finding.record,
                finding.path,
                finding.evidence,
                finding.file,
                finding.line,
                finding.fingerprint,
                finding.record_class,
                finding.kind,
                finding.thread,
                finding.project,
                finding.state,
            ),
            strict=True,
        )
    )


def _ascii(record: str) -> str:
    """An id's JSON text in printable ASCII; other characters only stand in strings, where an escape means the same."""
    return _BEYOND.sub(lambda match: json.dumps(match[0])[1:-1], record)
