"""``map`` for people: how many ids were mapped, and which were not, and why."""

from __future__ import annotations

from collections.abc import Sequence

from migrate.reporting.store_results import MapResult
from migrate.reporting.summary import labelled
from migrate.reporting.terminal import Screen, clean
from migrate.reporting.wording import counted

_SHOWN = 20
_WAYS = {
    "rank": "by their rank in the order of the migration; thread, source, time and text of each pair are the same",
    "content": "by thread, source, text and time of creation",
}


def render(result: MapResult, screen: Screen) -> None:
    """Writes the counts, the ids that are left out by their reason, and the place; quiet, one line."""
    what = f"{result.mapped:,} of {counted(result.entries, 'id')}"
    if result.quiet:
        screen.line(f"{clean(result.old)}: {what} mapped in {clean(str(result.out))}")
        return
    labelled(screen, "Old", [clean(result.old)])
    labelled(screen, "New", [clean(result.new)])
    labelled(screen, "Mapped", [what, _WAYS[result.by]])
    for name, ids, why in (
        ("Edited", result.edited, "have another text in the new store, so that nothing proves them"),
        ("Tied", result.tied, "have several entries of the new store that are the same as they"),
        ("Missing", result.missing, "have no entry in the new store"),
    ):
        if ids:
            labelled(screen, name, [f"{counted(len(ids), 'entry', 'entries')} {why}", _some(ids)], style="yellow")
    if result.added:
        labelled(screen, "New only", [f"{counted(result.added, 'entry', 'entries')} without an old id"])
    labelled(screen, "File", [clean(str(result.out))])


def _some(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _SHOWN:,} more" if len(ids) > _SHOWN else ""
    return ", ".join(ids[:_SHOWN]) + more
