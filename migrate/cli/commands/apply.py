"""``apply``: do exactly what a plan says and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from migrate.cli import options
from migrate.cli.errors import CommandError
from migrate.cli.exit_codes import ExitCode
from migrate.cli.invocation import Invocation
from migrate.reporting import formats
from migrate.reporting.wording import counted
from migrate.results import Outcome


@click.command()
@options.plan
@click.option("-o", "--output", "out", type=options.PATH, metavar="FILE", help="The repaired copy.")
@click.option("--yes", is_flag=True, help="Ask nothing; -o never asks.")
@options.result_format(formats.APPLY)
@options.engine
@options.config
@options.workspace
@options.manners
def apply(plan: Path, out: Path | None, yes: bool, **flags: Any) -> int:
    """Do exactly what a plan says.

    PLAN is a plan file or its folder; the corpus with its repairs is written to FILE, the source is not touched.
    Every record is compared with what the plan expects before it is changed. Exits 4 when refused, with nothing written, 5 when some records could not be changed.
    """
    call = Invocation.of(flags)
    if out is None:
        raise CommandError("apply needs a target: -o FILE, the file that the repaired corpus is written to")
    if not out.parent.is_dir():
        raise CommandError(f"-o {out} cannot be written: there is no folder {out.parent}")
    from migrate.applying.apply import apply_to_file

    result = apply_to_file(plan, out, workspace=call.workspace, limits=call.settings.limits)
    left = result.stale + result.failed
    code, reason = ExitCode.OK, "every planned record is as planned"
    if left or not result.complete:
        code, reason = ExitCode.PARTIAL, f"{counted(left, 'record')} stale or failed; the journal says which"
    call.render(
        formats.APPLY,
        formats.ApplyOutcome(
            plan=plan,
            out=result.out,
            journal=result.journal,
            run_id=result.run_id,
            applied=result.applied,
            already=result.already,
            stale=result.stale,
            failed=result.failed,
            records=result.records,
            untouched_bytes=result.untouched_bytes,
            complete=code is ExitCode.OK,
            problems=result.problems,
            outcome=Outcome(code, reason),
            quiet=call.quiet,
        ),
    )
    return code
