"""The command line's root: commands are imported when they are called, so that ``--version`` is instant."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

import click

from migrate import __version__
from migrate.cli import errors

COMMANDS = (
    "check",
    "plan",
    "show",
    "apply",
    "undo",
    "export",
    "map",
    "report",
    "baseline",
    "history",
    "rules",
    "config",
    "completion",
)
"""Command names in the order of their use; each is a module of ``migrate.cli.commands``."""

PROGRAM = "corpus-migrate"


class Application(click.Group):
    """The root group: loads commands lazily and turns every error into one sentence and a documented code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of their use and not of the alphabet."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports a command; None for a name that is none."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"migrate.cli.commands.{cmd_name}"), cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Runs a command; interruptions and closed pipes are dealt with here, before click makes its own of them."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.Abort from None
        except BrokenPipeError:
            return errors.mute_stdout()

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Runs the command line and exits; returns the code instead where ``standalone_mode`` is False."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")

        def call() -> Any:
            return super(Application, self).main(args, prog_name or PROGRAM, complete_var, False, **extra)

        code = errors.run(call)
        if standalone_mode:
            sys.exit(code)
        return code


@click.group(cls=Application, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "-V", "--version", prog_name=PROGRAM, message="%(prog)s %(version)s")
def cli() -> None:
    """Audit, plan and repair the stored records of agent-memory corpora.

    Nothing is changed before a saved plan is applied: check, plan, show, apply.
    """


def main() -> NoReturn:
    """The console script."""
    # A stream that was closed by whoever started us is as good as one that nobody reads.
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 - for as long as the process lives
    cli.main(prog_name=PROGRAM)
    raise AssertionError("cli.main always exits")
