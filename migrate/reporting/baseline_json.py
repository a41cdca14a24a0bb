"""``baseline --format json``: one document."""

from __future__ import annotations

import json

from migrate.reporting.formats import BaselineResult
from migrate.reporting.terminal import Screen

FORMAT = "corpus-migrate.baseline/1"


def render(result: BaselineResult, screen: Screen) -> None:
    """Writes how many entries there are, by rule, and how many came and went."""
    document = {
        "format": FORMAT,
        "file": str(result.path),
        "entries": sum(result.rules.values()),
        "rules": dict(result.rules),
        "added": result.added,
        "removed": result.removed,
    }
    screen.line(json.dumps(document, indent=1))
