"""``rules``: list the rules, explain one, or run the cases of a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from migrate.cli import options, output
from migrate.cli.codes import chosen, load_rules
from migrate.cli.errors import CommandError
from migrate.cli.exit_codes import ExitCode
from migrate.cli.invocation import Invocation
from migrate.reporting import formats
from migrate.reporting.terminal import clean
from migrate.reporting.wording import counted


@click.command()
@click.argument("what", nargs=-1, metavar="[CODE | list | explain CODE | test DIR]")
@options.output(formats.RULES)
@options.engine
@options.config
@options.manners
def rules(what: tuple[str, ...], **flags: Any) -> int:
    """List the rules, or explain one.

    \b
    rules            all of them
    rules CS7        those whose code begins so
    rules CS701      this one, also by its name
    rules test DIR   runs the rule cases in DIR with your own rules, exit 1 if one fails
    """
    call = Invocation.of(flags)
    output.refuse_bad_target(call.output)
    match what:
        case () | ("list",):
            call.render(formats.RULES, load_rules(call.settings))
        case ("test", folder):
            return _test(call, Path(folder))
        case ("explain", wanted) | (wanted,) if wanted not in ("explain", "test"):
            call.render(formats.RULES, chosen(wanted, load_rules(call.settings)))
        case _:
            raise CommandError("rules takes nothing, one CODE, or test DIR; see corpus-migrate rules --help")
    return ExitCode.OK


def _test(call: Invocation, folder: Path) -> int:
    if not folder.is_dir():
        raise CommandError(f"rules test: {folder} is no folder")
    from migrate.rule_cases import run_cases

    report = run_cases(folder, call.settings.options())
    with call.screen(call.output) as screen:
        for failure in report.failures:
            screen.line(f"{screen.style('FAILED', 'red')} {clean(failure)}")
        screen.line(f"{counted(report.passed, 'case')} passed, {len(report.failures):,} failed")
    return ExitCode.FINDINGS if report.failures else ExitCode.OK
