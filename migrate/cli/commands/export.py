"""``export``: a whole store as a file of lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from migrate.cli import options, output
from migrate.cli.errors import CommandError
from migrate.cli.exit_codes import ExitCode
from migrate.cli.invocation import Invocation
from migrate.reporting import formats
from migrate.reporting.store_results import ExportResult
from migrate.results import Outcome


@click.command()
@click.argument("store")
@click.option("-o", "--output", "out", type=options.PATH, required=True, metavar="FILE", help="The new file.")
@options.result_format(formats.EXPORT)
@options.config
@options.manners
def export(store: str, out: Path, **flags: Any) -> int:
    """Write every entry of a store to a file.

    STORE is sqlite:///PATH or a database file, postgresql://…, mcp+stdio:COMMAND or http(s)://…/mcp. FILE gets one JSON
    line an entry, exactly as it is stored, with its tags; images by reference. `.gz` and `.zst` are compressed. It is there
    only when it is complete, and a plan of it is the plan of the store. Exits 4 where FILE exists.
    """
    call = Invocation.of(flags, store)
    output.refuse_bad_target(out, store)
    output.refuse_existing(out)
    from migrate.corpora.export import export as write
    from migrate.corpora.sniff import is_export
    from migrate.corpora.stores import open_store

    if not is_export(out.name):
        raise CommandError(f"-o {out}: name it like an export, such as entries.jsonl or entries.jsonl.zst")
    opened = open_store(store)
    with call.progress() as progress:
        written = write(opened, out, progress)
    outcome = Outcome(ExitCode.OK, "every entry is in the file")
    call.render(
        formats.EXPORT,
        ExportResult(opened.uri, out, written.entries, written.size, outcome, quiet=call.quiet),
    )
    return ExitCode.OK
