"""``check``: find and report, propose nothing."""

from __future__ import annotations

import shlex
from typing import Any

import click

from migrate.cli import options, output
from migrate.cli.codes import by_finding, check_codes
from migrate.cli.exit_codes import of_check
from migrate.cli.invocation import Invocation
from migrate.reporting import formats
from migrate.types import Summary


@click.command()
@click.argument("corpus")
@options.selection
@options.fail_on
@options.output(formats.CHECK)
@options.engine
@options.config
@options.workspace
@options.manners
def check(corpus: str, **flags: Any) -> int:
    """Find and report; change nothing.

    CORPUS is an export (.jsonl, .json, .ndjson, .parquet, also .gz or .zst), or a folder
    or glob of them. Exits 1 for findings at or above --fail-on, 3 where input was lost.
    """
    call = Invocation.of(flags, corpus)
    output.refuse_bad_target(call.output, corpus)
    check_codes(call.settings)
    from migrate.systems import examine

    with call.progress() as progress, examine(corpus, call.settings.options(), progress=progress) as examination:
        summary = examination.summary
        code, reason = of_check(summary, call.settings["fail-on"])
        progress.close()
        call.render(
            formats.CHECK,
            formats.CheckResult(
                summary=summary,
                findings=examination.findings(),
                examples=examination.examples(formats.EXAMPLES),
                outcome=formats.Outcome(code, reason),
                next_command=_next(corpus, summary),
                quiet=call.quiet,
                verbose=call.verbose,
                by_finding=by_finding(examination.rules),
            ),
        )
    if call.format != "text" or call.output not in (None, output.STDOUT):
        for gap in summary.gaps:
            call.note(f"{gap.file} was not read to the end: {gap.reason}", "warning")
    return code


def _next(corpus: str, summary: Summary) -> str | None:
    """The command that would repair something; none where no command can."""
    if not summary.safe_records and not summary.unsafe_records:
        return None
    flag = "" if summary.safe_records else " --unsafe-fixes"
    return f"corpus-migrate plan {shlex.quote(corpus)}{flag}"
