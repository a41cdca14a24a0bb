"""``apply --script --format json``: one document."""

from __future__ import annotations

import json

from migrate.reporting.formats import ScriptOutcome
from migrate.reporting.terminal import Screen


def render(result: ScriptOutcome, screen: Screen) -> None:
    """Writes the counts, the place, the exit code and its reason."""
    document = {
        "format": "corpus-migrate.script/1",
        "plan": str(result.plan),
        "script": str(result.path),
        "commands": result.commands,
        "issues": result.issues,
        "requests": result.requests,
        "exit_code": int(result.outcome.code),
        "exit_reason": result.outcome.reason,
    }
    screen.line(json.dumps(document, indent=1))
