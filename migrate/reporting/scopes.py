"""Repository contexts one by one: where each is, what it is, what was found in it, and how old its state is."""

from __future__ import annotations

from collections.abc import Iterator

from migrate.reporting.markdown import inline
from migrate.reporting.tables import markdown_table, table
from migrate.reporting.terminal import Screen, clean, display_width
from migrate.reporting.wording import counted
from migrate.types import ScopeState, Summary

HEADER = ("context", "class", "errors", "warnings", "documents", "state")
RIGHT = frozenset({2, 3, 4, 5})
_LINES = 20
"""Contexts that a screen shows, unless all are asked for."""
_SHOWN = (0, 1, 2, 3, 5)
"""Columns that fit a screen."""
_ROOM = 20


def name(scope: ScopeState) -> str:
    """``team/api`` for a repository's root, ``team/api/packages/web`` for a scope in it, ``.`` for the only root there is."""
    parts = (scope.repository, None if scope.repository and scope.scope == "." else scope.scope)
    return clean("/".join(part for part in parts if part))


def rows(summary: Summary) -> Iterator[tuple[str, ...]]:
    """A row of clean cells a context, in corpus order."""
    for scope in summary.scopes:
        errors, warnings = (f"{scope.severities[which]:,}" for which in ("error", "warning"))
        yield name(scope), clean(scope.context_class), errors, warnings, f"{scope.documents:,}", age(scope)


def age(scope: ScopeState) -> str:
    """``12 days``: since the last commit that touched the state file; a dash where none did."""
    return "-" if scope.state_days is None else counted(max(scope.state_days, 0), "day")


def write(screen: Screen, summary: Summary, *, everything: bool) -> None:
    """Writes the table, nothing for other corpora; of many contexts those with most errors, unless ``everything`` is asked for."""
    found = list(rows(summary))
    if not found:
        return
    shown = found
    if not everything and len(found) > _LINES:
        order = sorted(
            range(len(found)), key=lambda i: (-summary.scopes[i].severities["error"], -summary.scopes[i].findings, i)
        )
        shown = [found[place] for place in sorted(order[:_LINES])]
    narrow = [[row[place] for place in _SHOWN] for row in (HEADER, *shown)]
    room = screen.width - sum(max(map(display_width, column)) + 2 for column in list(zip(*narrow, strict=True))[1:])
    header, *lines = ([_ending(first, room), *rest] for first, *rest in narrow)
    table(screen, header, lines, right=frozenset({2, 3, 4}))
    if len(shown) < len(found):
        rest = counted(len(found) - len(shown), "more context")
        screen.line(screen.style(f"… {rest} with no more errors than these; -v shows all", "dim"))
    screen.line()


def _ending(text: str, room: int) -> str:
    """A path cut from its left, whose end tells more."""
    room = max(room, _ROOM)
    return text if display_width(text) <= room else "…" + text[-(room - 1) :]


def markdown(summary: Summary, limit: int) -> list[str]:
    """The table as Markdown lines, at most ``limit`` contexts of it; nothing for other corpora."""
    found = [tuple(map(inline, row)) for row in rows(summary)]
    if not found:
        return []
    more = (
        ["", f"{counted(len(found) - limit, 'more context')} left out here for their length."]
        if len(found) > limit
        else []
    )
    return ["", *markdown_table(HEADER, found[:limit], right=RIGHT), *more]
