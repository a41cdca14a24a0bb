"""``plan``: find, propose, and save what would be done."""

from __future__ import annotations

import contextlib
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from migrate.cli import options, output, sweeping, workspace
from migrate.cli.codes import check_codes
from migrate.cli.errors import CommandError, only_by_a_bug
from migrate.cli.exit_codes import ExitCode, of_plan
from migrate.cli.invocation import Invocation
from migrate.reporting import formats
from migrate.reporting.terminal import Screen
from migrate.results import Outcome

_PLAN_MARK = b'"corpus-migrate.plan/'
_PLAN_HEAD = 4096
REPORTS = ("report.json", "report.md", "report.html")
"""What is drawn beside a plan."""


@click.command()
@click.argument("corpus")
@options.selection
@options.against
@click.option(
    "--target", metavar="STORE", help="Plan for this store: what a PostgreSQL cannot keep is left alone (CS012)."
)
@click.option("--detailed-exitcode", is_flag=True, help="Exit 1 where the plan has changes.")
@options.result_format(formats.PLAN)
@click.option("-o", "--output", "plan_file", type=options.PATH, metavar="PLAN", help="Write the plan there.")
@options.engine
@options.config
@options.workspace
@options.manners
def plan(
    corpus: str, plan_file: Path | None, target: str | None, detailed_exitcode: bool, no_baseline: bool, **flags: Any
) -> int:
    """Propose repairs and save them as a plan.

    CORPUS itself is not touched. The plan goes to PLAN or to the workspace, a report and every finding into the
    workspace. Review it with `show`, carry it out with `apply`.
    """
    call = Invocation.of(flags, corpus)
    _refuse_bad_plan_file(plan_file, corpus)
    check_codes(call.settings)
    baseline = sweeping.baseline_of(call, corpus, ignored=no_baseline)
    from migrate.planning.plan_file import write
    from migrate.systems import examine

    run_options = replace(call.settings.options(), target=_kept_as(target))
    with contextlib.ExitStack() as stack:
        with call.progress() as progress, examine(corpus, run_options, progress=progress) as examination:
            with only_by_a_bug():
                made = examination.plan()
            header = made.header
            folder = workspace.plan_folder(call.workspace, header["corpus"]["uri"], header["plan_id"])
            fresh = stack.enter_context(workspace.replaced(folder))
            taken = sweeping.take(examination, fresh)
            part = sweeping.plan_part(made)
            if plan_file and (folder / "plan.jsonl").exists():
                shutil.copy2(folder / "plan.jsonl", fresh)
            with only_by_a_bug():
                write(made, plan_file or fresh / "plan.jsonl")
        path = plan_file or folder / "plan.jsonl"
        patches = header["counts"]["patches"]
        code, reason = of_plan(taken.summary, patches, detailed_exitcode)
        sweep = sweeping.Sweeping(call, "plan", taken, baseline, at=header.get("created_at"))
        sweep.conclude(Outcome(code, reason))
        report = sweep.report(_next(corpus, path, header) if taken.summary.complete else (), part)
        shown = formats.Shown(report, quiet=call.quiet, verbose=call.verbose, plan=path, folder=folder)
        _write_reports(shown, fresh)
    # The table has moved with its folder.
    call.render(formats.PLAN, replace(shown, report=replace(report, table=folder / taken.table.name)))
    return code


def _refuse_bad_plan_file(path: Path | None, corpus: str) -> None:
    """A plan replaces a plan, and nothing else that is there."""
    if path == output.STDOUT:
        raise CommandError("-o names the plan's file; a plan is not written to stdout")
    output.refuse_bad_target(path, corpus)
    if path and path.exists() and not _is_plan(path):
        raise CommandError(f"-o {path} exists and is no plan; name another file", ExitCode.REFUSED)


def _is_plan(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return path.is_file() and _PLAN_MARK in stream.read(_PLAN_HEAD)
    except OSError as error:
        raise CommandError(f"-o {path} cannot be read: {error.strerror}") from error


def _write_reports(shown: formats.Shown, folder: Path) -> None:
    for name in REPORTS:
        with output.opened(folder / name) as stream:
            formats.render(
                formats.REPORT, formats.SUFFIXES[Path(name).suffix], replace(shown, plan=None), Screen(stream)
            )


def _kept_as(target: str | None) -> str | None:
    """``postgresql`` where the store that is planned for keeps metadata as jsonb."""
    if target is None:
        return None
    from migrate.corpora.stores import is_postgresql, is_store

    if not is_store(target):
        raise CommandError(f"--target {target}: this is no store; give sqlite:///PATH, postgresql://…, or a server")
    return "postgresql" if is_postgresql(target) else None


def _next(corpus: str, path: Path, header: Mapping[str, Any]) -> tuple[str, ...]:
    """Review, then apply to a file beside the corpus; nothing where there is nothing to apply."""
    if not header["counts"]["patches"]:
        return ()
    plan_name = shlex.quote(str(path))
    return (
        f"corpus-migrate show {plan_name} --diff",
        f"corpus-migrate apply {plan_name}{into(header['corpus']['uri'], header['corpus']['system'], corpus)}",
    )


def into(uri: str, system: str, corpus: str | None = None) -> str:
    """``-o entries.repaired.jsonl`` for a corpus that is a file; a working tree is repaired in place.

    A store is its own target, and named again where its URI had a secret. ``corpus`` is the URI as it was typed.
    """
    from migrate.corpora.stores import is_store

    corpus = corpus or uri
    if system == "repository-context":
        return " --in-place"
    if is_store(corpus):
        return f" --to {shlex.quote(uri)}" if "***" in uri else ""
    name = Path(corpus).name
    stem, dot, suffixes = name.partition(".")
    if any(mark in corpus for mark in "*?[") or not dot:
        return " -o REPAIRED"
    return f" -o {shlex.quote(f'{stem}.repaired.{suffixes}')}"
