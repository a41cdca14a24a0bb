"""``apply --format json``: one document."""

from __future__ import annotations

import json

from migrate.reporting.formats import ApplyOutcome
from migrate.reporting.terminal import Screen

FORMAT = "corpus-migrate.apply/1"


def render(result: ApplyOutcome, screen: Screen) -> None:
    """Writes the counts, the places, the exit code and its reason."""
    document = {
        "format": FORMAT,
        "plan": str(result.plan),
        "out": str(result.out),
        "run_id": result.run_id,
        "journal": str(result.journal),
        "complete": result.complete,
        "applied": result.applied,
        "already_applied": result.already,
        "stale": result.stale,
        "failed": result.failed,
        "records": result.records,
        "untouched_bytes": result.untouched_bytes,
        "problems": list(result.problems),
        "exit_code": int(result.outcome.code),
        "exit_reason": result.outcome.reason,
    }
    screen.line(json.dumps(document, indent=1))
