"""``history --format json``: one document."""

from __future__ import annotations

import json
from dataclasses import asdict

from migrate.reporting.formats import HistoryResult
from migrate.reporting.terminal import Screen

FORMAT = "corpus-migrate.history/1"


def render(result: HistoryResult, screen: Screen) -> None:
    """Writes the sweeps, oldest first, a line each."""
    screen.line(f'{{"format": {json.dumps(FORMAT)},')
    screen.line(f' "corpus": {json.dumps(result.uri)},')
    lines = ",\n  ".join(json.dumps(asdict(sweep)) for sweep in result.sweeps)
    screen.line(f' "sweeps": [\n  {lines}]}}' if lines else ' "sweeps": []}')
