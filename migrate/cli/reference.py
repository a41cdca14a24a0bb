"""``docs/cli.md``: every command's own help, and the exit codes, from where they are defined."""

from __future__ import annotations

from collections.abc import Iterator

import click

from migrate.cli.exit_codes import ExitCode
from migrate.cli.main import PROGRAM, cli
from migrate.cli.settings import ENVIRONMENT_PREFIX, SETTINGS

_WIDTH = 100


def reference() -> str:
    """The page as Markdown."""
    parts = ["# Command line", "This page is generated from the commands themselves."]
    parts += [f"## {path}\n\n```text\n{text}\n```" for path, text in helps(cli, PROGRAM, None)]
    parts += ["## Exit codes", _exit_codes(), "## Settings", _settings()]
    return "\n\n".join(parts) + "\n"


def helps(command: click.Command, name: str, parent: click.Context | None) -> Iterator[tuple[str, str]]:
    """A command's path and its help, then those of its subcommands."""
    width = {"terminal_width": _WIDTH, "max_content_width": _WIDTH, "help_option_names": ["-h", "--help"]}
    context = click.Context(command, parent, name, **width)  # type: ignore[arg-type]  # a mapping has one value type
    lines = command.get_help(context).splitlines()
    yield context.command_path, "\n".join(line.rstrip() for line in lines)
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            if found:
                yield from helps(found, child, context)


def _exit_codes() -> str:
    rows = [f"| {code.value} | {code.meaning} |" for code in ExitCode]
    return "\n".join(("| code | meaning |", "|---:|---|", *rows))


def _settings() -> str:
    text = (
        "Keys of `corpus-migrate.toml` (beside the corpus or in the working directory) or of `[tool.corpus-migrate]` "
        f"in `pyproject.toml`. Each is also an environment variable: `{ENVIRONMENT_PREFIX}` and the key in capitals, "
        "underscores for hyphens. A flag goes before the environment, the environment before the file. "
        "What each of them does is in [configuration.md](configuration.md)."
    )
    rows = [f"| `{setting.key}` | {_default(setting.default)} |" for setting in SETTINGS]
    return "\n".join((text, "", "| key | default |", "|---|---|", *rows))


def _default(value: object) -> str:
    if value in (None, (), {}):
        return "none"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"
