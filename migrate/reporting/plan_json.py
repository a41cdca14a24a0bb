"""``plan --format json``, and ``report.json`` beside a plan: one document."""

from __future__ import annotations

import json
from typing import Any

from migrate.reporting.check_json import summary_members
from migrate.reporting.formats import PlanResult
from migrate.reporting.terminal import Screen

FORMAT = "corpus-migrate.report/1"


def render(result: PlanResult, screen: Screen) -> None:
    """Writes the report with the plan's place, the exit code and its reason."""
    document = {
        **report_members(result),
        "plan": str(result.plan),
        "folder": str(result.folder),
        "exit_code": int(result.outcome.code),
        "exit_reason": result.outcome.reason,
    }
    screen.line(json.dumps(document, indent=1))


def report_members(result: PlanResult) -> dict[str, Any]:
    """What ``report.json`` holds: the plan's header under its own names, and the run's summary.

    No place of this machine is in it, so that two runs over the same corpus differ only in their times.
    """
    header = result.header
    return {
        "format": FORMAT,
        "plan_id": header.get("plan_id"),
        "created_at": header.get("created_at"),
        "tool": header.get("tool"),
        "options": header.get("options"),
        "plan_counts": header.get("counts"),
        "conservation": header.get("conservation"),
        **summary_members(result.summary),
    }
