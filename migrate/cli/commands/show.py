"""``show``: review a saved plan. Always works, also on a stale one: only ``apply`` refuses."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from migrate.cli import options, output
from migrate.cli.commands.plan import into
from migrate.cli.errors import CommandError
from migrate.cli.invocation import Invocation
from migrate.cli.kinds import Codes
from migrate.reporting import exact, formats


@click.command()
@options.plan
@click.option("--diff", is_flag=True, help="Every change: what stands there, what will, why.")
@click.option("--record", "wanted", multiple=True, metavar="ID", help="Only this record's changes (repeatable).")
@click.option("--select", multiple=True, metavar="CODES", help="Only changes of these rules: codes or prefixes.")
@options.output(formats.SHOW)
@options.manners
def show(plan: Path, diff: bool, wanted: tuple[str, ...], select: tuple[str, ...], **flags: Any) -> int:
    """Review a saved plan.

    PLAN is a plan file or the folder it was written to. Without a flag the summary; --record and --select imply --diff.
    """
    call = Invocation.of(flags)
    output.refuse_bad_target(call.output, str(plan))
    from migrate.planning.plan_file import read_plan

    saved = read_plan(plan)
    codes = tuple(code for text in select for code in Codes().text(text))
    narrowed = bool(wanted or codes)
    call.render(
        formats.SHOW,
        formats.ShowResult(
            header=saved.header,
            records=narrow(_records(plan, saved.lines()), wanted, codes),
            plan=plan,
            diff=diff or narrowed,
            narrowed=narrowed,
            next_commands=() if narrowed else _next(plan, saved.header, diff),
        ),
    )
    return 0


def _records(plan: Path, lines: Iterable[bytes]) -> Iterator[Mapping[str, Any]]:
    """The plan lines with numbers as they are written; CommandError names a line that is none."""
    for number, line in enumerate(lines, 2):
        try:
            record = exact.loads(line)
            if not isinstance(record, dict) or not {"record", "changes", "codes"} <= record.keys():
                raise ValueError("it is no record's change")
        except (ValueError, RecursionError) as error:
            raise CommandError(f"{plan}:{number} cannot be shown ({type(error).__name__}: {error})") from error
        yield record


def narrow(
    records: Iterable[Mapping[str, Any]], wanted: tuple[str, ...], codes: tuple[str, ...]
) -> Iterator[Mapping[str, Any]]:
    """The plan lines of these ids, if any are given, with only the changes of these codes, if any are given."""
    ids = {spelling for text in wanted for spelling in _spellings(text)}
    for record in records:
        if ids and not ids & set(_spellings(exact.dumps(record["record"]))):
            continue
        if not codes:
            yield record
            continue
        changes = [change for change in record["changes"] if any(code.startswith(codes) for code in change["codes"])]
        if changes:
            yield {**record, "changes": changes}


def _spellings(text: str) -> tuple[str, str]:
    """An id as it may be typed: its JSON text, with or without quotes; a UUID in any case, with or without hyphens."""
    bare = text.removeprefix("#").strip('"')
    return bare, bare.replace("-", "").lower() or bare


def _next(plan: Path, header: Mapping[str, Any], diff: bool) -> tuple[str, ...]:
    """What to type after the review; an incomplete plan cannot be applied, an empty one need not."""
    if not header.get("complete", True) or not (header.get("counts") or {}).get("patches"):
        return ()
    name = shlex.quote(str(plan))
    uri, system = (str((header.get("corpus") or {}).get(member, "")) for member in ("uri", "system"))
    review = () if diff else (f"corpus-migrate show {name} --diff",)
    return (*review, f"corpus-migrate apply {name}{into(uri, system)}")
