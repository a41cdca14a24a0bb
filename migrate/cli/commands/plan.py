"""``plan``: find, propose, and save what would be done."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import Any

import click

from migrate.cli import options, output, workspace
from migrate.cli.codes import by_finding, check_codes
from migrate.cli.errors import CommandError, only_by_a_bug
from migrate.cli.exit_codes import ExitCode, of_plan
from migrate.cli.invocation import Invocation
from migrate.reporting import formats

_PLAN_MARK = b'"corpus-migrate.plan/'
_PLAN_HEAD = 4096


@click.command()
@click.argument("corpus")
@options.selection
@click.option("--detailed-exitcode", is_flag=True, help="Exit 1 where the plan has changes.")
@options.result_format(formats.PLAN)
@click.option("-o", "--output", "plan_file", type=options.PATH, metavar="PLAN", help="Write the plan there.")
@options.engine
@options.config
@options.workspace
@options.manners
def plan(corpus: str, plan_file: Path | None, detailed_exitcode: bool, **flags: Any) -> int:
    """Propose repairs and save them as a plan.

    CORPUS itself is not touched. The plan goes to PLAN or to the workspace, a report and every finding into the
    workspace. Review it with `show`, carry it out with `apply`.
    """
    call = Invocation.of(flags, corpus)
    _refuse_bad_plan_file(plan_file, corpus)
    check_codes(call.settings)
    from migrate.planning.plan_file import write
    from migrate.reporting import findings_table
    from migrate.systems import examine

    run_options = call.settings.options()
    with call.progress() as progress, examine(corpus, run_options, progress=progress) as examination:
        with only_by_a_bug():
            made = examination.plan()
        summary, header = examination.summary, made.header
        patches = header["counts"]["patches"]
        folder = workspace.plan_folder(call.workspace, header["corpus"]["uri"], header["plan_id"])
        path = plan_file or folder / "plan.jsonl"
        code, reason = of_plan(summary, patches, detailed_exitcode)
        result = formats.PlanResult(
            summary=summary,
            header=header,
            plan=path,
            folder=folder,
            outcome=formats.Outcome(code, reason),
            next_commands=_next(corpus, path, patches) if summary.complete else (),
            quiet=call.quiet,
            by_finding=by_finding(examination.rules),
        )
        with workspace.replaced(folder) as fresh:
            findings_table.write(examination.findings(), fresh / "findings.parquet")
            _write_reports(result, fresh)
            if plan_file and (folder / "plan.jsonl").exists():
                shutil.copy2(folder / "plan.jsonl", fresh)
            with only_by_a_bug():
                write(made, plan_file or fresh / "plan.jsonl")
    call.render(formats.PLAN, result)
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


def _write_reports(result: formats.PlanResult, folder: Path) -> None:
    import json

    from migrate.reporting import plan_json, plan_markdown

    (folder / "report.json").write_text(json.dumps(plan_json.report_members(result), indent=1) + "\n", "utf-8")
    (folder / "report.md").write_text(plan_markdown.report(result), "utf-8", "backslashreplace")


def _next(corpus: str, path: Path, patches: int) -> tuple[str, ...]:
    """Review, then apply to a file beside the corpus; nothing where there is nothing to apply."""
    if not patches:
        return ()
    plan_name = shlex.quote(str(path))
    return (f"corpus-migrate show {plan_name} --diff", f"corpus-migrate apply {plan_name}{target(corpus)}")


def target(corpus: str) -> str:
    """``-o entries.repaired.jsonl`` for a corpus that is a file; a database is its own target."""
    if "://" in corpus or corpus.startswith("mcp+"):
        return ""
    name = Path(corpus).name
    stem, dot, suffixes = name.partition(".")
    if any(mark in corpus for mark in "*?[") or not dot:
        return " -o REPAIRED"
    return f" -o {shlex.quote(f'{stem}.repaired.{suffixes}')}"
