"""``baseline`` for people."""

from __future__ import annotations

from migrate.reporting.formats import BaselineResult
from migrate.reporting.tables import table
from migrate.reporting.terminal import Screen, clean
from migrate.reporting.wording import counted


def render(result: BaselineResult, screen: Screen) -> None:
    """Writes what came and went, or the entries by rule; quiet, nothing where nothing changed."""
    number = sum(result.rules.values())
    if result.added is None or result.removed is None:
        if result.rules and not result.quiet:
            table(
                screen,
                ("code", "accepted"),
                [(clean(code), f"{n:,}") for code, n in result.rules.items()],
                right=frozenset({1}),
            )
            screen.line()
        screen.line(f"{counted(number, 'accepted finding')} in {clean(str(result.path))}")
        return
    if result.quiet and not result.added and not result.removed:
        return
    screen.line(
        f"{result.added:,} added, {result.removed:,} removed: {counted(number, 'accepted finding')} in {clean(str(result.path))}"
    )
