"""``apply --script`` for people: what was written, and how to run it."""

from __future__ import annotations

import shlex

from migrate.reporting.formats import ScriptOutcome
from migrate.reporting.summary import labelled, next_commands
from migrate.reporting.terminal import Screen, clean
from migrate.reporting.wording import counted


def render(result: ScriptOutcome, screen: Screen) -> None:
    """Writes the counts and the command that runs it."""
    labelled(screen, "Script", [f"{counted(result.commands, 'command')} for {counted(result.issues, 'issue')}"])
    if result.requests:
        labelled(
            screen,
            "",
            [
                f"{counted(result.requests, 'patch', 'patches')} of projects stand there as comments: kata has no command for them"
            ],
        )
    labelled(screen, "File", [clean(str(result.path))])
    next_commands(screen, [f"sh {shlex.quote(str(result.path))}"])
