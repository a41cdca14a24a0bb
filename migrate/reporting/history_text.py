"""``history`` for people: a line a sweep, and the trend of each severity."""

from __future__ import annotations

from collections.abc import Sequence

from migrate.reporting.formats import HistoryResult
from migrate.reporting.summary import labelled, moment
from migrate.reporting.tables import table
from migrate.reporting.terminal import Screen, clean

_BARS = "▁▂▃▄▅▆▇█"
_TREND = 40


def render(result: HistoryResult, screen: Screen) -> None:
    """Writes the table, the last sweep at its end; before it what the severities did."""
    if not result.sweeps:
        screen.line(f"No sweep of {clean(result.uri)} yet: check and plan record one each.")
        return
    header = ("sweep", "when (UTC)", "by", "findings", "regressed", "new", "fixed", "known", "errors", "code")
    rows = [
        (
            str(sweep.sweep),
            moment(sweep.at),
            clean(sweep.command) + ("" if sweep.full else "*") + ("" if sweep.complete else "!"),
            *(f"{number:,}" for number in (sweep.findings, sweep.regressed, sweep.new, sweep.fixed, sweep.known)),
            f"{sweep.severities.get('error', 0):,}",
            str(sweep.exit_code),
        )
        for sweep in result.sweeps
    ]
    table(screen, header, rows, right=frozenset({0, 3, 4, 5, 6, 7, 8, 9}))
    notes = [
        "* only what changed since the last sweep was read" if any(not sweep.full for sweep in result.sweeps) else "",
        "! some input was lost" if any(not sweep.complete for sweep in result.sweeps) else "",
    ]
    for note in filter(None, notes):
        screen.line(screen.style(note, "dim"))
    screen.line()
    for name, label in (("error", "Errors"), ("warning", "Warnings"), ("info", "Info")):
        numbers = [sweep.severities.get(name, 0) for sweep in result.sweeps][-_TREND:]
        labelled(screen, label, [f"{sparkline(numbers)} {numbers[0]:,} to {numbers[-1]:,}"])


def sparkline(numbers: Sequence[int]) -> str:
    """One character a number, from the lowest of them to the highest."""
    low, high = min(numbers), max(numbers)
    span = max(high - low, 1)
    return "".join(_BARS[(number - low) * (len(_BARS) - 1) // span] for number in numbers)
