"""``config show --format json``: one document."""

from __future__ import annotations

import json

from migrate.reporting.formats import ConfigResult
from migrate.reporting.terminal import Screen

FORMAT = "corpus-migrate.config/1"


def render(result: ConfigResult, screen: Screen) -> None:
    """Writes every setting with its value and its origin."""
    document = {
        "format": FORMAT,
        "file": str(result.file) if result.file else None,
        "searched": [str(path) for path in result.searched],
        "settings": {
            item.key: {"value": item.value, "origin": item.origin, "place": item.place or None}
            for item in result.values
        },
    }
    screen.line(json.dumps(document, indent=1))
