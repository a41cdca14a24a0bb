"""``export`` for people: what was written, and where."""

from __future__ import annotations

from migrate.reporting.store_results import ExportResult
from migrate.reporting.summary import labelled
from migrate.reporting.terminal import Screen, clean
from migrate.reporting.wording import counted, size


def render(result: ExportResult, screen: Screen) -> None:
    """Writes the number of entries and the place; quiet, one line."""
    what = f"{counted(result.entries, 'entry', 'entries')} ({size(result.size)})"
    if result.quiet:
        screen.line(f"{clean(result.store)}: {what} in {clean(str(result.out))}")
        return
    labelled(screen, "Store", [clean(result.store)])
    labelled(screen, "Exported", [what])
    labelled(screen, "File", [clean(str(result.out))])
