"""``map --format json``: one document with every id that is not in the map."""

from __future__ import annotations

import json

from migrate.reporting.store_results import MapResult
from migrate.reporting.terminal import Screen

FORMAT = "corpus-migrate.map/1"


def render(result: MapResult, screen: Screen) -> None:
    """Writes the counts, the ids left out, the place, the exit code and its reason."""
    document = {
        "format": FORMAT,
        "old": result.old,
        "new": result.new,
        "out": str(result.out),
        "by": result.by,
        "entries": result.entries,
        "mapped": result.mapped,
        "edited": list(map(int, result.edited)),
        "tied": list(map(int, result.tied)),
        "missing": list(map(int, result.missing)),
        "added": result.added,
        "exit_code": int(result.outcome.code),
        "exit_reason": result.outcome.reason,
    }
    screen.line(json.dumps(document, indent=1))
