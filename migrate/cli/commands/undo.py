"""``undo``: put back what a run changed."""

from __future__ import annotations

import shlex
from typing import Any

import click

from migrate.cli import options
from migrate.cli.invocation import Invocation
from migrate.cli.running import carried_out, confirmed
from migrate.naming import without_secrets
from migrate.reporting.formats import RUN


@click.command()
@click.argument("run")
@click.option(
    "--at", metavar="PATH", help="Where the run's file is now, if it was moved; a store's URI, where it had a secret."
)
@options.yes
@options.result_format(RUN)
@options.engine
@options.config
@options.workspace
@options.manners
def undo(run: str, at: str | None, yes: bool, **flags: Any) -> int:
    """Put back what a run changed.

    RUN is the id of a run in the workspace, or its folder. Each member that the run touched gets its exact old text, if it still has
    the one that the run wrote; what else has changed since stays. A record (or a set of records that change together) where
    somebody has changed the member itself is left alone and listed. A file is kept as NAME.before-RUN; a store is changed in short transactions.
    Exits 4 when refused, with nothing written, 5 when some records were left alone.
    """
    call = Invocation.of(flags)
    from migrate.applying.undo import find_run, undo_run

    past = find_run(call.workspace, run)
    confirmed(f"Take back what the run {past.run_id} changed in {without_secrets(at or past.header['target'])}?", yes)
    again = f"undo {shlex.quote(run)}" + (f" --at {shlex.quote(without_secrets(at))}" if at else "")
    return carried_out(call, "undo", past.path, again, lambda settings: undo_run(past, at, settings))
