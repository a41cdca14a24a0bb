"""``apply`` for people: what was done, and what was not."""

from __future__ import annotations

from migrate.reporting.formats import ApplyOutcome
from migrate.reporting.summary import labelled
from migrate.reporting.terminal import Screen, clean
from migrate.reporting.wording import counted, size

_PROBLEMS = 20


def render(result: ApplyOutcome, screen: Screen) -> None:
    """Writes the counts, what was verified and where everything lies; quiet, one line."""
    line = _counts(result)
    nothing = not result.applied + result.stale + result.failed
    where = "nothing was written, the corpus is as planned" if nothing else clean(str(result.out))
    if result.quiet:
        screen.line(f"{line}: {where}")
        return
    labelled(screen, "Applied" if result.complete else "PARTIAL", [line], style="bold" if result.complete else "red")
    for problem in result.problems[:_PROBLEMS]:
        labelled(screen, "Problem", [clean(problem)], style="yellow")
    if len(result.problems) > _PROBLEMS:
        labelled(screen, "", [f"… {len(result.problems) - _PROBLEMS:,} more in the journal"])
    if not nothing:
        item = "item" if ".json" in result.out.suffixes else "line"
        same = f"{size(result.untouched_bytes)} outside the changed ones are the same"
        labelled(screen, "Verified", [f"{counted(result.records, item)}, and {same}"])
    labelled(screen, "File", [where])
    if nothing:
        return
    labelled(screen, "Run", [clean(result.run_id), clean(str(result.journal))])


def _counts(result: ApplyOutcome) -> str:
    parts = [
        counted(result.applied, "record") + " changed",
        f"{result.already:,} already as planned" if result.already else "",
        f"{result.stale:,} stale (edited since the plan)" if result.stale else "",
        f"{result.failed:,} failed" if result.failed else "",
    ]
    return ", ".join(part for part in parts if part)
