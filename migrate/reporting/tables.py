"""Plain text tables of clean cells: columns as wide as their widest cell, numbers to the right."""

from __future__ import annotations

from collections.abc import Sequence

from migrate.reporting.terminal import Screen, display_width, pad

_GAP = "  "


def table(screen: Screen, header: Sequence[str], rows: Sequence[Sequence[str]], *, right: frozenset[int]) -> None:
    """Writes a header and rows of as many cells; ``right`` holds the indexes of right-aligned columns."""
    widths = [max(display_width(cell) for cell in column) for column in zip(header, *rows, strict=True)]
    screen.line(screen.style(_row(header, widths, right), "bold"))
    for row in rows:
        screen.line(_row(row, widths, right))


def _row(cells: Sequence[str], widths: Sequence[int], right: frozenset[int]) -> str:
    aligned = [
        " " * (width - display_width(cell)) + cell if index in right else pad(cell, width)
        for index, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return _GAP.join(aligned).rstrip()


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, right: frozenset[int]) -> list[str]:
    """The same as Markdown lines; a pipe in a cell is escaped."""
    marks = ["---:" if index in right else "---" for index in range(len(header))]
    return [_pipes(header), _pipes(marks), *(_pipes(row) for row in rows)]


def _pipes(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
