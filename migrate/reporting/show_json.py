"""``show --format json``: the plan, or what was asked for of it, as one document."""

from __future__ import annotations

import json

from migrate.reporting.exact import dumps
from migrate.reporting.formats import ShowResult
from migrate.reporting.terminal import Screen

FORMAT = "corpus-migrate.show/1"


def render(result: ShowResult, screen: Screen) -> None:
    """Writes the header and the records as the plan file has them, a record a line."""
    screen.line(f'{{"format": {json.dumps(FORMAT)},')
    screen.line(f' "plan": {json.dumps(str(result.plan))},')
    screen.line(f' "header": {json.dumps(result.header)},')
    screen.stream.write(' "records": [')
    separator = "\n  "
    for record in result.records:
        screen.stream.write(separator + dumps(record))
        separator = ",\n  "
    screen.line("]}")
