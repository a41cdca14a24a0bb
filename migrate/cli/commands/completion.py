"""``completion``: the script that teaches a shell the command."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from migrate.cli.exit_codes import ExitCode
from migrate.cli.output import opened

_PROGRAM = "corpus-migrate"
_VARIABLE = "_CORPUS_MIGRATE_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> int:
    """Print the completion script for SHELL.

    \b
    bash   eval "$(corpus-migrate completion bash)"     in ~/.bashrc
    zsh    eval "$(corpus-migrate completion zsh)"      in ~/.zshrc
    fish   corpus-migrate completion fish > ~/.config/fish/completions/corpus-migrate.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None, shell
    with opened(None) as stream:
        stream.write(kind(context.find_root().command, {}, _PROGRAM, _VARIABLE).source() + "\n")
    return ExitCode.OK
