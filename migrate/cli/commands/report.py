"""``report``: what a plan or a run has to show, drawn in any format, later."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from migrate.cli import options, output
from migrate.cli.errors import CommandError
from migrate.cli.exit_codes import ExitCode
from migrate.cli.invocation import Invocation
from migrate.cli.runs import runs_of
from migrate.naming import corpus_name
from migrate.reporting import formats
from migrate.results import Report


@click.command()
@click.argument("plan_or_run", type=options.PATH, metavar="PLAN_OR_RUN")
@click.option("-o", "--output", type=options.PATH, metavar="FILE", help="Write there; the suffix decides the format.")
@click.option("--format", type=click.Choice(list(formats.REPORT)), help="Of what is written, whatever the suffix.")
@options.reproducible
@options.workspace
@options.manners
def report(plan_or_run: Path, reproducible: bool, **flags: Any) -> int:
    """Draw the report of a plan or a run again, in any format.

    PLAN_OR_RUN is a plan file, its folder, or the folder of a run in the workspace. The suffix of FILE decides:
    .html, .md, .json, .jsonl, .sarif, .xml (JUnit) or .txt; without one it is HTML.
    """
    flags["format"] = flags["format"] or _format(flags["output"])
    call = Invocation.of({**flags, "config": None}, None)
    output.refuse_bad_target(call.output, str(plan_or_run))
    shown = formats.Shown(_load(plan_or_run, call.workspace), quiet=call.quiet, verbose=call.verbose)
    call.render(formats.REPORT, shown, reproducible=reproducible)
    return ExitCode.OK


def _format(path: Path | None) -> str:
    if path is None or path == output.STDOUT:
        return "html"
    suffix = path.suffix.lower()
    if suffix not in formats.SUFFIXES:
        known = ", ".join(formats.SUFFIXES)
        raise CommandError(f"-o {path}: the suffix names no format; known ones are {known}, or say --format")
    return formats.SUFFIXES[suffix]


def _load(path: Path, workspace: Path) -> Report:
    from migrate.reporting import report_json

    folder = _folder(path, workspace)
    try:
        document = json.loads((folder / "report.json").read_bytes())
        table = folder / "findings.parquet"
        loaded = report_json.load(document, table if table.exists() else None)
    except FileNotFoundError as error:
        raise CommandError(
            f"{folder} holds no report: {Path(error.filename).name} is not there; plan the corpus again"
        ) from error
    except OSError as error:
        raise CommandError(f"{error.filename} cannot be read: {error.strerror}") from error
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise CommandError(
            f"{folder / 'report.json'} cannot be drawn by this version, plan the corpus again: {error}"
        ) from error
    # Applies since then belong to the report as well.
    return replace(loaded, runs=runs_of(folder.parents[1]))


def _folder(path: Path, workspace: Path) -> Path:
    """The folder of the plan that is meant: the one a run carried out, or the workspace's for a plan file elsewhere."""
    if (path / "result.json").is_file() or (path / "journal.jsonl").is_file():
        head = _first_line(path / "journal.jsonl")
        return path.parents[1] / "plans" / str(head.get("plan_id", ""))
    if path.is_dir():
        return path
    if not path.exists():
        raise CommandError(f"there is no plan or run {path}")
    if (path.parent / "report.json").is_file() and path.name == "plan.jsonl":
        return path.parent
    head = _first_line(path)
    corpus = head.get("corpus")
    if not str(head.get("format", "")).startswith("corpus-migrate.plan/") or not isinstance(corpus, dict):
        raise CommandError(f"{path} is no plan, and no folder of a plan or a run")
    return workspace / corpus_name(str(corpus.get("uri", ""))) / "plans" / str(head.get("plan_id", ""))


def _first_line(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            data = json.loads(file.readline())
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{path} is no plan, and no folder of a plan or a run") from error
    return data if isinstance(data, dict) else {}
