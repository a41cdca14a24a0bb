"""``apply``: do exactly what a plan says and nothing else."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from migrate.cli import options
from migrate.cli.errors import CommandError
from migrate.cli.exit_codes import ExitCode
from migrate.cli.invocation import Invocation
from migrate.cli.running import carried_out, confirmed
from migrate.naming import without_secrets
from migrate.reporting.formats import RUN, SCRIPT, ScriptOutcome
from migrate.results import Outcome

if TYPE_CHECKING:
    from migrate.applying.apply import Destination

    _Chosen = tuple[Destination, str, str]


@click.command()
@options.plan
@click.option("-o", "--output", "out", type=options.PATH, metavar="FILE", help="The repaired copy.")
@click.option("--in-place", is_flag=True, help="Replace the corpus; the old file is kept as NAME.before-RUN.")
@click.option(
    "--to",
    "store",
    metavar="STORE",
    help="Change this store; a plan of a store changes that one without it. For a kata plan a running daemon: http://HOST:PORT.",
)
@click.option("--actor", metavar="NAME", help="With --to a kata daemon: who it is told makes the changes.")
@click.option("--script", type=options.PATH, metavar="FILE", help="Write a shell script of kata commands instead.")
@click.option("--keep-updated-at", is_flag=True, help="Leave the time of the last change as it is (SQLite).")
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
    keep_updated_at: bool,
    yes: bool,
    **flags: Any,
) -> int:
    """Do exactly what a plan says.

    PLAN is a plan file or its folder. The corpus with its repairs is written to FILE and the source is not touched, or,
    with --in-place, the source is replaced when its repaired copy is proven. A plan of a store changes that store, or STORE, in short
    transactions, also while its server runs. A plan for a kata export also goes --to the daemon, a patch a request, or into a --script.
    Every record is compared with what the plan expects before it is changed. A run that was interrupted is finished by the same
    command, a finished one is taken back by `undo`. Exits 4 when refused, with nothing written, 5 when some records could not be changed.
    """
    call = Invocation.of(flags)
    from migrate.planning.plan_file import read_plan

    if [out is not None, in_place, store is not None, script is not None].count(True) > 1:
        raise _no_target()
    if out is not None and read_plan(plan).header["corpus"].get("system") == "repository-context":
        raise CommandError(f"-o {out}: repository contexts are completed where they are; say --in-place")
    for option, file in (("-o", out), ("--script", script)):
        if file is not None and not file.parent.is_dir():
            raise CommandError(f"{option} {file} cannot be written: there is no folder {file.parent}")
    if (actor is not None and store is None) or (actor is not None and not actor.strip()):
        raise CommandError("--to and --actor NAME go together: the daemon notes who makes a change")
    if keep_updated_at and (out is not None or in_place or script is not None):
        raise CommandError("--keep-updated-at is for a store")
    if script is not None:
        return _script(call, plan, script)
    from migrate.applying.apply import Copy, apply_plan

    destination: Destination
    again = f"apply {shlex.quote(str(plan))}"
    if out is not None:
        destination, again = Copy(out), f"{again} -o {shlex.quote(str(out))}"
    else:
        header = read_plan(plan).header
        if in_place:
            destination, more, question = _in_place(header)
        elif header["corpus"].get("system") == "kata":
            destination, more, question = _daemon(header, store, actor)
        else:
            destination, more, question = _store(call, header, store, keep_updated_at=keep_updated_at)
        again += more
        confirmed(question, yes)
    return carried_out(call, "apply", plan, again, lambda settings: apply_plan(plan, destination, settings))


def _no_target() -> CommandError:
    return CommandError(
        "apply needs one target: -o FILE, the file that the repaired corpus is written to, --in-place, --to STORE or --script FILE"
    )


def _in_place(header: Mapping[str, Any]) -> _Chosen:
    """The corpus itself, what names it on the command line, and the question."""
    from migrate.applying.apply import InPlace
    from migrate.applying.context_target import InTrees

    question = f"Change {header['counts']['patches']:,} records of {header['corpus']['uri']} in place?"
    of_trees = header["corpus"].get("system") == "repository-context"
    return InTrees() if of_trees else InPlace(), " --in-place", question


def _daemon(header: Mapping[str, Any], store: str | None, actor: str | None) -> _Chosen:
    """A running kata daemon."""
    if store is None:
        raise _no_target()
    if actor is None:
        raise CommandError("--to and --actor NAME go together: the daemon notes who makes a change")
    from migrate.applying.apply import Daemon

    question = f"Send {header['counts']['patches']:,} patches to {store} as {actor}?"
    return Daemon(store, actor), f" --to {shlex.quote(store)} --actor {shlex.quote(actor)}", question


def _store(call: Invocation, header: Mapping[str, Any], store: str | None, *, keep_updated_at: bool) -> _Chosen:
    """The store that is named, or that of the plan."""
    from migrate.corpora.stores import is_store

    source = header["corpus"]["uri"]
    if store is None and not is_store(source):
        raise _no_target()
    if store is not None and header["corpus"].get("system") == "repository-context":
        raise CommandError(
            "--to is no place for repository contexts, which are completed where they are; say --in-place"
        )
    if store is not None and not is_store(store):
        raise CommandError(
            f"--to {without_secrets(store)}: this is no store; give sqlite:///PATH, postgresql://…, or a server"
        )
    from migrate.applying.store_places import InStore

    destination = InStore(store, keep_updated_at)
    if window := destination.window(source):
        call.note(window, "warning")
    more = "" if store is None else f" --to {shlex.quote(without_secrets(store))}"
    return destination, more, f"Change {header['counts']['patches']:,} records of {destination.named(source)[0]}?"


def _script(call: Invocation, plan: Path, path: Path) -> int:
    from migrate.applying.kata_script import write_script

    written = write_script(plan, path)
    facts = (written.commands, written.issues, written.requests)
    call.render(SCRIPT, ScriptOutcome(plan, written.path, *facts, Outcome(ExitCode.OK, "the script is written")))
    return ExitCode.OK
