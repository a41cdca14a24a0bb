"""``export --format json``: one document."""

from __future__ import annotations

import json

from migrate.reporting.store_results import ExportResult
from migrate.reporting.terminal import Screen

FORMAT = "corpus-migrate.export/1"


def render(result: ExportResult, screen: Screen) -> None:
    """Writes the number of entries, the place, the exit code and its reason."""
    document = {
        "format": FORMAT,
        "store": result.store,
        "out": str(result.out),
        "entries": result.entries,
        "bytes": result.size,
        "exit_code": int(result.outcome.code),
        "exit_reason": result.outcome.reason,
    }
    screen.line(json.dumps(document, indent=1))
