"""The flags that commands share, in groups, each a decorator. A flag that was not given is None or ()."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from migrate.cli.exit_codes import FAIL_ON
from migrate.cli.settings import SYSTEMS
from migrate.types import Evidence

F = TypeVar("F", bound=Callable[..., Any])
PATH = click.Path(path_type=Path)


def _group(*flags: Callable[[Any], Any]) -> Callable[[F], F]:
    """One decorator that adds flags in the order in which help shows them."""

    def decorate(command: F) -> F:
        for flag in reversed(flags):
            command = flag(command)
        return command

    return decorate


selection = _group(
    click.option(
        "--select", multiple=True, metavar="CODES", help="Only these rules: codes or prefixes, in comma lists."
    ),
    click.option("--ignore", multiple=True, metavar="CODES", help="Not these rules."),
    click.option(
        "--unsafe-fixes/--no-unsafe-fixes", default=None, help="Also inferences that a person should see first."
    ),
    click.option("--partial/--no-partial", default=None, help="The corpus is an extract: links may lead out of it."),
    click.option(
        "--init-absent/--no-init-absent", default=None, help="Create the context of repositories that have none."
    ),
    click.option("--id-map", metavar="FILE", help='Old ids to new: JSON {"old": "new"}, JSONL, CSV or Parquet.'),
    click.option("--evidence", type=click.Choice([item.value for item in Evidence]), help="Corpus text in findings."),
    click.option("--system", type=click.Choice(SYSTEMS), help="Read the corpus as this instead of detecting it."),
)

engine = _group(
    click.option("--memory-limit", metavar="SIZE", help='What the engine may use, such as "500MB"; it spills beyond.'),
    click.option("--threads", metavar="N", help="Threads of the engine."),
    click.option("--temp-dir", metavar="DIR", help="Where it spills to."),
)

config = _group(
    click.option("--config", type=PATH, envvar="CORPUS_MIGRATE_CONFIG", metavar="FILE", help="This config file."),
)

workspace = _group(
    click.option("--workspace", metavar="DIR", help="Where plans, runs and reports go.  [default: reports]"),
)

baseline_file = _group(
    click.option("--baseline", metavar="FILE", help="Known findings.  [default: baseline.jsonl in the workspace]"),
)

against = _group(
    baseline_file,
    click.option("--no-baseline", is_flag=True, help="Compare with the last sweep alone; every finding counts."),
)

reproducible = _group(
    click.option("--reproducible", is_flag=True, help="Leave out times and durations: the same input, the same bytes."),
)
yes = _group(click.option("--yes", is_flag=True, help="Ask nothing; -o never asks."))

yes = _group(click.option("--yes", is_flag=True, help="Ask nothing; -o never asks."))

baseline_file = _group(
    click.option("--baseline", metavar="FILE", help="Known findings.  [default: baseline.jsonl in the workspace]"),
)

against = _group(
    baseline_file,
    click.option("--no-baseline", is_flag=True, help="Compare with the last sweep alone; every finding counts."),
)

reproducible = _group(
    click.option(
        "--reproducible", is_flag=True, help="No times, nothing of earlier sweeps: the same input, the same bytes."
    ),
)

fail_on = _group(
    click.option("--fail-on", type=click.Choice(FAIL_ON), help="Exit 1 from this severity on.  [default: error]"),
)


def result_format(formats: Iterable[str]) -> Callable[[F], F]:
    """``--format`` with these names, the first of them the default."""
    names = list(formats)
    return _group(
        click.option(
            "--format", type=click.Choice(names), default=names[0], show_default=True, help="Of what is shown."
        )
    )


def output(formats: Iterable[str]) -> Callable[[F], F]:
    """``--format``, and ``-o``."""
    return _group(
        result_format(formats),
        click.option("-o", "--output", type=PATH, metavar="FILE", help="Write there instead of to stdout."),
    )


manners = _group(
    click.option("-q", "--quiet", is_flag=True, help="The summary line only."),
    click.option("-v", "--verbose", is_flag=True, help="Say more."),
    click.option(
        "--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True, help="Colours."
    ),
)


def existing_plan(context: click.Context, parameter: click.Parameter, value: Path) -> Path:
    """The file of a plan: as given, or in the folder a plan was written to."""
    path = value / "plan.jsonl" if value.is_dir() else value
    if not path.exists():
        raise click.UsageError(f"there is no plan {path}", context)
    return path


plan = _group(click.argument("plan", type=PATH, callback=existing_plan))
