"""``show --format markdown``: for a comment on a change."""

from __future__ import annotations

import io

from migrate.reporting.diff import Mark, record_lines
from migrate.reporting.formats import ShowResult
from migrate.reporting.markdown import fence, inline
from migrate.reporting.show_text import render as render_text
from migrate.reporting.terminal import Screen

_WIDTH = 100


def render(result: ShowResult, screen: Screen) -> None:
    """Writes the summary as a block, and with ``diff`` every record as a ``diff`` block under its id."""
    screen.line(f"# Plan {inline(str(result.header.get('plan_id')))}")
    screen.line()
    if not result.diff:
        text = io.StringIO()
        render_text(result, Screen(text, _WIDTH))
        for line in fence(text.getvalue().splitlines(), "text"):
            screen.line(line)
        return
    for record in result.records:
        head, *rest = record_lines(record, _WIDTH)
        screen.line(f"## {inline(head.text)}")
        screen.line()
        for line in fence([f"{_prefix(item.mark)}{item.text}" for item in rest], "diff"):
            screen.line(line)
        screen.line()


def _prefix(mark: Mark) -> str:
    """What makes a line old, new or neither in a ``diff`` block; a path reads as its hunk header."""
    match mark:
        case Mark.OLD | Mark.NEW | Mark.SAME:
            return f"{mark.value} "
        case Mark.PATH:
            return "@@ "
    return "# "
