"""``map``: the integer → UUID map of a server migration, from the two databases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from migrate.cli import options, output
from migrate.cli.exit_codes import ExitCode
from migrate.cli.invocation import Invocation
from migrate.reporting import formats
from migrate.reporting.store_results import MapResult
from migrate.reporting.wording import counted
from migrate.results import Outcome


@click.command()
@click.argument("old")
@click.argument("new")
@click.option(
    "-o",
    "--output",
    "out",
    type=options.PATH,
    required=True,
    metavar="MAP",
    help="The new file: .json, .jsonl or .csv.",
)
@options.result_format(formats.MAP)
@options.engine
@options.config
@options.manners
def map(old: str, new: str, out: Path, **flags: Any) -> int:  # noqa: A001 - the command's own name
    """Find out which entry of OLD became which of NEW.

    OLD is the database of a 2.x server, NEW that of the 3.x server it was migrated to; `--id-map` takes MAP. A pair is
    written only where thread, source, time of creation and text are the same. Exits 5 where an entry of OLD has no sure
    partner, 4 where MAP exists or nothing fits.
    """
    call = Invocation.of(flags, old)
    output.refuse_bad_target(out, old)
    output.refuse_existing(out)
    from migrate.corpora.id_map import matched
    from migrate.corpora.stores import open_store

    old_store, new_store = open_store(old), open_store(new)
    with call.progress() as progress:
        result = matched(old_store, new_store, out, call.settings.limits, progress)
    left = len(result.edited) + len(result.tied) + len(result.missing)
    code = ExitCode.PARTIAL if left else ExitCode.OK
    reason = f"{counted(left, 'entry', 'entries')} of the old store not in the map" if left else "every entry is mapped"
    call.render(
        formats.MAP,
        MapResult(
            old=old_store.uri,
            new=new_store.uri,
            out=out,
            by=result.by,
            mapped=result.mapped,
            entries=result.entries,
            edited=result.edited,
            tied=result.tied,
            missing=result.missing,
            added=result.added,
            outcome=Outcome(code, reason),
            quiet=call.quiet,
        ),
    )
    return code
