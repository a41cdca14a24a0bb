"""``config show``: every setting, its value, and where that came from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from migrate.cli import options, output
from migrate.cli.codes import check_codes
from migrate.cli.exit_codes import ExitCode
from migrate.cli.invocation import Invocation
from migrate.reporting import formats


@click.group()
def config() -> None:
    """Show which settings are in force."""


@config.command()
@click.argument("corpus", required=False)
@options.selection
@options.fail_on
@options.output(formats.CONFIG)
@options.engine
@options.config
@options.workspace
@options.manners
def show(corpus: str | None, **flags: Any) -> int:
    """Every setting with its value and where it came from: flag, environment, file or default.

    With CORPUS as `check` and `plan` would see it, because a config file may lie beside a corpus.
    """
    call = Invocation.of(flags, corpus)
    output.refuse_bad_target(call.output, corpus)
    check_codes(call.settings)
    values = tuple(
        formats.ConfigValue(setting.key, _data(value.value), value.origin, value.place)
        for setting, value in call.settings
    )
    call.render(formats.CONFIG, formats.ConfigResult(call.settings.file, call.settings.searched, values))
    return ExitCode.OK


def _data(value: Any) -> Any:
    """A setting's value as JSON data."""
    if isinstance(value, Path):
        return str(value)
    return [_data(item) for item in value] if isinstance(value, tuple) else value
