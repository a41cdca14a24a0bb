"""``apply`` and ``undo --format json``: one document."""

from __future__ import annotations

import json

from migrate.reporting.formats import RunOutcome
from migrate.reporting.terminal import Screen


def render(result: RunOutcome, screen: Screen) -> None:
    """Writes the counts, the places, the exit code and its reason."""
    document = {
        "format": f"corpus-migrate.{result.command}/1",
        "plan" if result.command == "apply" else "run": str(result.orders),
        "out": result.target,
        "run_id": result.run_id,
        "journal": None if result.journal is None else str(result.journal),
        "resumed": result.resumed,
        "complete": not result.stale + result.failed,
        "applied": result.applied,
        "already_applied": result.already,
        "stale": result.stale,
        "failed": result.failed,
        "records": result.records,
        "untouched_bytes": result.untouched_bytes,
        "kept": list(result.kept),
        "problems": list(result.problems),
        "exit_code": int(result.outcome.code),
        "exit_reason": result.outcome.reason,
    }
    screen.line(json.dumps(document, indent=1))
