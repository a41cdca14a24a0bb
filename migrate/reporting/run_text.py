"""``apply`` and ``undo`` for people: what was done, and what was not."""

from __future__ import annotations

from pathlib import Path

from migrate.reporting.formats import RunOutcome
from migrate.reporting.summary import labelled
from migrate.reporting.terminal import Screen, clean
from migrate.reporting.wording import counted, size

_PROBLEMS = 20
_DONE = {"apply": "Applied", "undo": "Undone"}
_NOTHING = {
    "apply": "nothing was written, the corpus is as planned",
    "undo": "nothing was written, the run is undone already",
}
_ALREADY = {"apply": "already as planned", "undo": "already as before the run"}
_STALE = {"apply": "stale (edited since the plan)", "undo": "conflicting (edited since the run)"}


def render(result: RunOutcome, screen: Screen) -> None:
    """Writes the counts, what was verified and where everything lies; quiet, one line."""
    line = _counts(result)
    nothing = result.journal is None
    where = _NOTHING[result.command] if nothing else clean(result.target)
    if result.quiet:
        screen.line(f"{line}: {where}")
        return
    whole = not result.stale + result.failed
    labelled(screen, _DONE[result.command] if whole else "PARTIAL", [line], style="bold" if whole else "red")
    for problem in result.problems[:_PROBLEMS]:
        labelled(screen, "Problem", [clean(problem)], style="yellow")
    if len(result.problems) > _PROBLEMS:
        labelled(screen, "", [f"… {len(result.problems) - _PROBLEMS:,} more in the journal"])
    if result.records:
        item = "item" if ".json" in Path(result.target).suffixes else "line"
        same = f"{size(result.untouched_bytes)} outside the changed ones are the same"
        labelled(screen, "Verified", [f"{counted(result.records, item)}, and {same}"])
    labelled(screen, "File", [where])
    for kept in result.kept:
        labelled(screen, "Kept", [clean(kept)])
    if not nothing:
        resumed = [" (an unfinished run was gone on with)"] if result.resumed else [""]
        labelled(screen, "Run", [clean(result.run_id) + resumed[0], clean(str(result.journal))])


def _counts(result: RunOutcome) -> str:
    parts = [
        counted(result.applied, "record") + " changed",
        f"{result.already:,} {_ALREADY[result.command]}" if result.already else "",
        f"{result.stale:,} {_STALE[result.command]}" if result.stale else "",
        f"{result.failed:,} failed" if result.failed else "",
    ]
    return ", ".join(part for part in parts if part)
