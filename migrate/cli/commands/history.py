"""``history``: the sweeps of a corpus."""

from __future__ import annotations

from typing import Any

import click

from migrate.cli import options, output, sweeping
from migrate.cli.exit_codes import ExitCode
from migrate.cli.invocation import Invocation
from migrate.reporting import formats


@click.command()
@click.argument("corpus")
@click.option(
    "-n", "--last", "number", type=click.IntRange(min=1), default=30, show_default=True, help="So many of them."
)
@options.output(formats.HISTORY)
@options.config
@options.workspace
@options.manners
def history(corpus: str, number: int, **flags: Any) -> int:
    """Show the earlier sweeps of CORPUS: what each found, and what was new, fixed, regressed and known.

    CORPUS is written as it was for `check` or `plan`, and is not read.
    """
    call = Invocation.of(flags, corpus)
    output.refuse_bad_target(call.output)
    from migrate.sweeps import history as sweeps

    uri = sweeping.uri_of(corpus)
    call.render(formats.HISTORY, formats.HistoryResult(uri, sweeps.read(sweeping.corpus_folder(call, uri), number)))
    return ExitCode.OK
