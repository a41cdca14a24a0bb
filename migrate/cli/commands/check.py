"""``check``: find and report, propose nothing."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from migrate.cli import options, output, sweeping
from migrate.cli.codes import check_codes
from migrate.cli.exit_codes import of_check
from migrate.cli.invocation import Invocation
from migrate.naming import without_secrets
from migrate.reporting import formats
from migrate.results import Outcome
from migrate.types import Summary


@click.command()
@click.argument("corpus")
@options.selection
@options.fail_on
@options.against
@click.option(
    "--since-last", is_flag=True, help="Judge again only what changed since the last time, and what it touches."
)
@options.output(formats.CHECK)
@options.reproducible
@options.engine
@options.config
@options.workspace
@options.manners
def check(corpus: str, no_baseline: bool, since_last: bool, reproducible: bool, **flags: Any) -> int:
    """Find and report; change nothing.

    CORPUS is an export (.jsonl, .json, .ndjson, .parquet, also .gz or .zst), a folder
    or glob of them, a store (sqlite:///PATH or a database file, postgresql://…, mcp+stdio:COMMAND, http(s)://…/mcp), or a Git working tree or a
    folder of many. Exits 1 for findings at or above --fail-on, 3 where input was lost. Each check is
    a line in the workspace's history; with a baseline only new and regressed findings count.
    """
    call = Invocation.of(flags, corpus)
    output.refuse_bad_target(call.output, corpus)
    check_codes(call.settings)
    baseline = sweeping.baseline_of(call, corpus, ignored=no_baseline)
    with sweeping.scratch(call) as folder:
        taken = _since_last(call, corpus, folder) if since_last else _whole(call, corpus, folder)
        summary = taken.summary
        told = not (call.quiet and call.format == "text")
        sweep = sweeping.Sweeping(call, "check", taken, baseline, told=told)
        code, reason = of_check(summary, call.settings["fail-on"], sweep.changes)
        sweep.conclude(Outcome(code, reason))
        shown = formats.Shown(
            sweep.report(_next(without_secrets(corpus), summary)), quiet=call.quiet, verbose=call.verbose
        )
        call.render(formats.CHECK, shown, reproducible=reproducible)
    if call.format != "text" or call.output not in (None, output.STDOUT):
        for gap in summary.gaps:
            call.note(f"{gap.file} was not read to the end: {gap.reason}", "warning")
    return 0 if call.format in formats.READ_BY_TOOLS and code == 1 else code


def _whole(call: Invocation, corpus: str, folder: Path) -> sweeping.Taken:
    from migrate.systems import examine

    with call.progress() as progress, examine(corpus, call.settings.options(), progress=progress) as examination:
        return sweeping.take(examination, folder)


def _since_last(call: Invocation, corpus: str, folder: Path) -> sweeping.Taken:
    from migrate.systems import examine_since

    kept = sweeping.corpus_folder(call, sweeping.uri_of(corpus)) / "state"
    mark, wanted = sweeping.state_mark(call), call.settings.options()
    with call.progress() as progress:
        examination = examine_since(corpus, wanted, kept, mark, folder, progress=progress)
        if examination is None:
            return _whole(call, corpus, folder)
        examination.keep()
        return sweeping.kept(examination, folder)


def _next(corpus: str, summary: Summary) -> tuple[str, ...]:
    """The command that would repair something; none where no command can."""
    if not summary.safe_records and not summary.unsafe_records:
        return ()
    flag = "" if summary.safe_records else " --unsafe-fixes"
    return (f"corpus-migrate plan {shlex.quote(corpus)}{flag}",)
