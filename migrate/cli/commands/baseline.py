"""``baseline``: the findings that are accepted, so that only new and regressed ones count."""

from __future__ import annotations

from typing import Any

import click

from migrate.cli import options, output, sweeping
from migrate.cli.codes import check_codes
from migrate.cli.errors import CommandError
from migrate.cli.exit_codes import ExitCode
from migrate.cli.invocation import Invocation
from migrate.reporting import formats


@click.group()
def baseline() -> None:
    """Accept what is known, so that checks fail for new and regressed findings alone."""


def _reading(command: Any) -> Any:
    for group in reversed(
        (options.selection, options.baseline_file, options.output(formats.BASELINE), options.engine, options.config)
    ):
        command = group(command)
    return command


@baseline.command()
@click.argument("corpus")
@_reading
@options.workspace
@options.manners
def write(corpus: str, **flags: Any) -> int:
    """Check CORPUS and accept every finding there is now.

    With --select only those rules' entries are written anew. The file has one finding a line, sorted: keep it in Git.
    """
    return _rewrite(corpus, flags, only_remove=False)


@baseline.command()
@click.argument("corpus")
@_reading
@options.workspace
@options.manners
def prune(corpus: str, **flags: Any) -> int:
    """Check CORPUS and take out of the baseline what is found no more; nothing is added."""
    return _rewrite(corpus, flags, only_remove=True)


@baseline.command()
@click.argument("corpus")
@options.baseline_file
@options.output(formats.BASELINE)
@options.config
@options.workspace
@options.manners
def show(corpus: str, **flags: Any) -> int:
    """Show the baseline of CORPUS by rule; CORPUS itself is not read."""
    call = Invocation.of(flags, corpus)
    output.refuse_bad_target(call.output)
    path = sweeping.baseline_of(call, sweeping.uri_of(corpus))
    assert path is not None
    from migrate.engine.database import Database
    from migrate.sweeps import baseline as baselines

    with Database(call.settings.limits) as database:
        if not baselines.load(database, path):
            raise CommandError(f"there is no baseline {path}; corpus-migrate baseline write {corpus} makes it")
        rules = dict(baselines.counts(database))
    call.render(formats.BASELINE, formats.BaselineResult(path, rules, quiet=call.quiet))
    return ExitCode.OK


def _rewrite(corpus: str, flags: dict[str, Any], *, only_remove: bool) -> int:
    call = Invocation.of(flags, corpus)
    output.refuse_bad_target(call.output, corpus)
    check_codes(call.settings)
    from migrate.engine.database import Database
    from migrate.sweeps import baseline as baselines
    from migrate.sweeps import states
    from migrate.systems import examine

    with sweeping.scratch(call) as folder:
        with call.progress() as progress, examine(corpus, call.settings.options(), progress=progress) as examination:
            taken = sweeping.take(examination, folder)
        uri = taken.summary.uri
        path = sweeping.baseline_of(call, uri, required=only_remove)
        assert path is not None
        if only_remove and not path.exists():
            raise CommandError(f"there is no baseline {path}; corpus-migrate baseline write {corpus} makes it")
        if not taken.summary.complete:
            gap = taken.summary.gaps[0]
            raise CommandError(
                f"{gap.file} was not read to the end, so the baseline stays as it is: {gap.reason}", ExitCode.INCOMPLETE
            )
        with Database(call.settings.limits) as database:
            written = baselines.rewrite(database, path, taken.table, taken.codes, only_remove=only_remove)
            if not only_remove:
                states.accept(database, sweeping.corpus_folder(call, uri))
            baselines.load(database, path)
            rules = dict(baselines.counts(database))
    result = formats.BaselineResult(path, rules, written.added, written.removed, quiet=call.quiet)
    call.render(formats.BASELINE, result)
    return ExitCode.OK
