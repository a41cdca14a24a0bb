"""``apply``: do exactly what a plan says and nothing else."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from migrate.cli import options
from migrate.cli.errors import CommandError
from migrate.cli.exit_codes import ExitCode
from migrate.cli.invocation import Invocation
from migrate.cli.running import carried_out, confirmed
from migrate.reporting.formats import RUN, SCRIPT, ScriptOutcome
from migrate.results import Outcome


@click.command()
@options.plan
@click.option("-o", "--output", "out", type=options.PATH, metavar="FILE", help="The repaired copy.")
@click.option("--in-place", is_flag=True, help="Replace the corpus; the old file is kept as NAME.before-RUN.")
@click.option("--to", "store", metavar="STORE", help="Write to a running kata daemon: http://HOST:PORT.")
@click.option("--actor", metavar="NAME", help="With --to: who the daemon is told makes the changes.")
@click.option("--script", type=options.PATH, metavar="FILE", help="Write a shell script of kata commands instead.")
@options.yes
@options.result_format(RUN)
@options.engine
@options.config
@options.workspace
@options.manners
def apply(
    plan: Path,
    out: Path | None,
    in_place: bool,
    store: str | None,
    actor: str | None,
    script: Path | None,
    yes: bool,
    **flags: Any,
) -> int:
    """Do exactly what a plan says.

    PLAN is a plan file or its folder. The corpus with its repairs is written to FILE and the source is not touched, or,
    with --in-place, the source is replaced when its repaired copy is proven. A plan for a kata export also goes --to the daemon, a patch
    a request, or into a --script.
    Every record is compared with what the plan expects before it is changed. A run that was interrupted is finished by the same
    command, a finished one is taken back by `undo`. Exits 4 when refused, with nothing written, 5 when some records could not be changed.
    """
    call = Invocation.of(flags)
    from migrate.planning.plan_file import read_plan

    if [out is not None, in_place, store is not None, script is not None].count(True) != 1:
        raise CommandError(
            "apply needs one target: -o FILE, the file that the repaired corpus is written to, --in-place, --to STORE or --script FILE"
        )
    if out is not None and read_plan(plan).header["corpus"].get("system") == "repository-context":
        raise CommandError(f"-o {out}: repository contexts are completed where they are; say --in-place")
    for option, file in (("-o", out), ("--script", script)):
        if file is not None and not file.parent.is_dir():
            raise CommandError(f"{option} {file} cannot be written: there is no folder {file.parent}")
    if (store is None) != (actor is None) or (actor is not None and not actor.strip()):
        raise CommandError("--to and --actor NAME go together: the daemon notes who makes a change")
    if script is not None:
        return _script(call, plan, script)
    from migrate.applying.apply import Copy, Daemon, Destination, InPlace, apply_plan
    from migrate.applying.context_target import InTrees

    destination: Destination
    if out is not None:
        destination, again = Copy(out), f"apply {shlex.quote(str(plan))} -o {shlex.quote(str(out))}"
    elif store is not None and actor is not None:
        header = read_plan(plan).header
        if header["corpus"].get("system") != "kata":
            raise CommandError("--to writes to a kata daemon, and this plan is not for a kata export")
        confirmed(f"Send {header['counts']['patches']:,} patches to {store} as {actor}?", yes)
        destination = Daemon(store, actor)
        again = f"apply {shlex.quote(str(plan))} --to {shlex.quote(store)} --actor {shlex.quote(actor)}"
    else:
        header = read_plan(plan).header
        confirmed(f"Change {header['counts']['patches']:,} records of {header['corpus']['uri']} in place?", yes)
        of_trees = header["corpus"].get("system") == "repository-context"
        destination = InTrees() if of_trees else InPlace()
        again = f"apply {shlex.quote(str(plan))} --in-place"
    return carried_out(call, "apply", plan, again, lambda settings: apply_plan(plan, destination, settings))


def _script(call: Invocation, plan: Path, path: Path) -> int:
    from migrate.applying.kata_script import write_script

    written = write_script(plan, path)
    facts = (written.commands, written.issues, written.requests)
    call.render(SCRIPT, ScriptOutcome(plan, written.path, *facts, Outcome(ExitCode.OK, "the script is written")))
    return ExitCode.OK
