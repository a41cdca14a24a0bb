"""``apply``: do exactly what a plan says and nothing else."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from migrate.cli import options
from migrate.cli.errors import CommandError
from migrate.cli.invocation import Invocation
from migrate.cli.running import carried_out, confirmed
from migrate.reporting.formats import RUN


@click.command()
@options.plan
@click.option("-o", "--output", "out", type=options.PATH, metavar="FILE", help="The repaired copy.")
@click.option("--in-place", is_flag=True, help="Replace the corpus; the old file is kept as NAME.before-RUN.")
@options.yes
@options.result_format(RUN)
@options.engine
@options.config
@options.workspace
@options.manners
def apply(plan: Path, out: Path | None, in_place: bool, yes: bool, **flags: Any) -> int:
    """Do exactly what a plan says.

    PLAN is a plan file or its folder. The corpus with its repairs is written to FILE and the source is not touched, or,
    with --in-place, the source is replaced when its repaired copy is proven.
    Every record is compared with what the plan expects before it is changed. A run that was interrupted is finished by the same
    command, a finished one is taken back by `undo`. Exits 4 when refused, with nothing written, 5 when some records could not be changed.
    """
    call = Invocation.of(flags)
    from migrate.planning.plan_file import read_plan

    if (out is None) == (not in_place):
        raise CommandError(
            "apply needs one target: -o FILE, the file that the repaired corpus is written to, or --in-place"
        )
    if out is not None and read_plan(plan).header["corpus"].get("system") == "repository-context":
        raise CommandError(f"-o {out}: repository contexts are completed where they are; say --in-place")
    if out is not None and not out.parent.is_dir():
        raise CommandError(f"-o {out} cannot be written: there is no folder {out.parent}")
    from migrate.applying.apply import Copy, Destination, InPlace, apply_plan
    from migrate.applying.context_target import InTrees

    destination: Destination
    if out is not None:
        destination, again = Copy(out), f"apply {shlex.quote(str(plan))} -o {shlex.quote(str(out))}"
    else:
        header = read_plan(plan).header
        confirmed(f"Change {header['counts']['patches']:,} records of {header['corpus']['uri']} in place?", yes)
        of_trees = header["corpus"].get("system") == "repository-context"
        destination, again = InTrees() if of_trees else InPlace(), f"apply {shlex.quote(str(plan))} --in-place"
    return carried_out(call, "apply", plan, again, lambda settings: apply_plan(plan, destination, settings))
