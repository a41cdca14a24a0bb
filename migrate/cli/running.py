"""What ``apply`` and ``undo`` share: the question before, what an interruption says, and the result."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from migrate.cli.errors import CommandError, interruption
from migrate.cli.exit_codes import ExitCode
from migrate.cli.invocation import Invocation
from migrate.reporting import formats
from migrate.reporting.terminal import clean, is_terminal
from migrate.reporting.wording import counted
from migrate.results import Outcome

if TYPE_CHECKING:
    from migrate.applying.running import RunResult, Settings


def confirmed(question: str, yes: bool) -> None:
    """Raises CommandError with code 4 where nobody says yes."""
    if yes:
        return
    if not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
        raise CommandError(f"{question} Nobody can be asked without a terminal: --yes answers", ExitCode.REFUSED)
    if not click.confirm(clean(question), err=True):
        raise CommandError("nothing was changed", ExitCode.REFUSED)


def carried_out(call: Invocation, command: str, orders: Path, again: str, work: Callable[[Settings], RunResult]) -> int:
    """Does the work and shows what came of it; ``again`` is the command that finishes it."""
    from migrate.applying.running import Settings

    def said(sentence: str) -> None:
        interruption.set(f"interrupted: {sentence}; to finish, type: corpus-migrate {again}")

    said("no record is changed")
    try:
        with call.progress() as progress:
            result = work(Settings(call.workspace, call.settings.limits, said, progress))
    finally:
        if not sys.exc_info()[0]:
            interruption.set(None)
    left = result.stale + result.failed
    words = {"apply": "every planned record is as planned", "undo": "every record of the run is as it was before it"}
    code, reason = ExitCode.OK, words[command]
    if left:
        code, reason = ExitCode.PARTIAL, f"{counted(left, 'record')} left alone or failed; the journal says which"
    outcome = formats.RunOutcome(
        command=command,
        orders=orders,
        target=result.target,
        journal=result.journal,
        run_id=result.run_id,
        applied=result.applied,
        already=result.already,
        stale=result.stale,
        failed=result.failed,
        records=result.records,
        untouched_bytes=result.untouched_bytes,
        kept=result.kept,
        resumed=result.resumed,
        problems=result.problems,
        outcome=Outcome(code, reason),
        quiet=call.quiet,
    )
    call.render(formats.RUN, outcome)
    return code
