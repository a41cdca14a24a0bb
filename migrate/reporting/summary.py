"""The block every run ends in: what was read and what was not, what it is, what was found, what would change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from migrate.reporting.terminal import Screen, clean, display_width, take
from migrate.reporting.wording import counted, size
from migrate.results import Changes, Report
from migrate.types import Summary

_LABEL = 12
_CLASS_ORDER = ("v1", "legacy", "user_message", "newer", "held")
_SYSTEMS = {
    "context-server": "a context-server corpus",
    "kata": "a kata export",
    "repository-context": "repository contexts",
}


def block(screen: Screen, report: Report) -> None:
    """Writes the lines from *Corpus* to *Changes*."""
    summary = report.summary
    labelled(screen, "Corpus", [clean(summary.uri), _system(summary)])
    labelled(screen, "Read", [_read(summary)])
    if summary.broken_lines or summary.held:
        labelled(screen, "Held back", [_held_back(summary)])
    for gap in summary.gaps:
        labelled(screen, "NOT READ", [f"{clean(gap.file)}: {clean(gap.reason)}"], style="red")
    if summary.unsupported:
        told = f"{counted(summary.unsupported, 'context')} of a schema version that this version does not know"
        labelled(screen, "UNSUPPORTED", [told], style="red")
    classes = [f"{number:,} {named(name)}" for name, number in _ordered_classes(summary)]
    labelled(screen, "Classes", [", ".join(classes) or "no record"])
    labelled(screen, "Findings", [finding_counts(summary)])
    if report.changes is not None and report.changes.reference != "nothing":
        labelled(screen, "Changes", [changes_sentence(report.changes)])


def finding_counts(summary: Summary) -> str:
    """``41 errors, 120 warnings, 3 info from 23 rules``."""
    if not summary.findings:
        return "none"
    return f"{by_severity(summary)} from {counted(len(summary.rules), 'rule')}"


def by_severity(summary: Summary) -> str:
    """``41 errors, 120 warnings, 3 info``."""
    error, warning, info = (summary.severities.get(name, 0) for name in ("error", "warning", "info"))
    return f"{counted(error, 'error')}, {counted(warning, 'warning')}, {info:,} info"


def would_change(safe: int, unsafe: int) -> str:
    """The one sentence about what a plan can do."""
    verb = f"{counted(safe, 'record')} would change with safe fixes"
    return f"{verb} ({unsafe:,} more with --unsafe-fixes)."


def plan_sentence(summary: Summary, header: Mapping[str, Any]) -> str:
    """The same sentence about a plan that is made, which says how many of these patches its own check left out."""
    sentence = would_change(summary.safe_records, summary.unsafe_records)
    number = len(header.get("withheld") or ())
    return f"{sentence[:-1]}, but {number:,} of them left out by a fault of this tool." if number else sentence


def summary_line(report: Report) -> str:
    """All of a check in one line, for cron mails and logs."""
    summary = report.summary
    state = "" if summary.complete else f"INCOMPLETE ({counted(len(summary.gaps), 'input')} not read to the end): "
    changes = ""
    if report.changes is not None and report.changes.reference != "nothing":
        changes = f"{changes_sentence(report.changes)}; "
    return (
        f"{clean(summary.uri)}: {state}{changes}{counted(summary.findings, 'finding')} "
        f"({by_severity(summary)}) in {counted(summary.records, 'record')}; "
        f"{would_change(summary.safe_records, summary.unsafe_records)}"
    )


def is_news(report: Report) -> bool:
    """Whether a quiet run has something to say: a first sweep, a change, a result that is not whole."""
    changes = report.changes
    return changes is None or changes.any or changes.reference == "nothing" or report.outcome.code not in (0, 1)


def changes_sentence(changes: Changes) -> str:
    """``1 regressed, 3 new, 2 fixed since the sweep of 2026-11-29 02:00, 470 known``."""
    since = f" of {moment(changes.since)}" if changes.since else ""
    parts = [
        f"{changes.regressed:,} regressed" if changes.regressed else "",
        f"{changes.new:,} new",
        f"{changes.fixed:,} fixed",
    ]
    against = f"the baseline and the sweep{since}" if changes.reference == "baseline" else f"the sweep{since}"
    return f"{', '.join(part for part in parts if part)} since {against}, {changes.known:,} known"


def moment(time: str) -> str:
    """``2026-11-29 02:00`` of an ISO 8601 time, all of them in UTC."""
    return clean(time[:16].replace("T", " "))


def next_commands(screen: Screen, commands: Iterable[str]) -> None:
    """The commands to type next, never wrapped: they are there to be copied."""
    label = "Next"
    for command in commands:
        screen.line(f"{screen.style(label.ljust(_LABEL), 'bold')}{clean(command)}")
        label = ""


def labelled(screen: Screen, label: str, lines: Iterable[str], *, style: str = "bold") -> None:
    """A label and its lines, wrapped under each other to the width of the screen; a path is never broken."""
    head = screen.style(label.ljust(_LABEL), style)
    for line in lines:
        for part in filled(line, screen.width - _LABEL):
            screen.line(head + part)
            head = " " * _LABEL


def filled(text: str, width: int) -> Iterator[str]:
    """Clean prose in lines of at most ``width`` columns; a word that is longer stands whole on a line of its own."""
    line = ""
    for word in text.split(" "):
        if line and display_width(line) + 1 + display_width(word) > width:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield line


def wrapped(text: str, width: int) -> Iterator[str]:
    """Clean prose in lines of at most ``width`` columns, broken at blanks where there are any."""
    for line in folded(text, width):
        yield line.rstrip(" ")


def folded(text: str, width: int) -> Iterator[str]:
    """Clean text in lines of at most ``width`` columns that joined give the text again: no blank is lost."""
    while display_width(text) > width:
        line = take(text, width)
        line = line[: line.rfind(" ") + 1] or line or text[:1]
        yield line
        text = text[len(line) :]
    yield text


def _read(summary: Summary) -> str:
    lines = "" if summary.lines == summary.records else f" of {counted(summary.lines, 'line')}"
    source = f"{counted(summary.files, 'file')} ({size(summary.bytes_read)})"
    return f"{counted(summary.records, 'record')}{lines} in {source}, {summary.seconds:,.1f} s"


def system_words(summary: Summary) -> str:
    """``context-server, integer ids``, short."""
    return f"{summary.system}, {summary.id_form} ids" if summary.id_form else summary.system


def _system(summary: Summary) -> str:
    system = _SYSTEMS.get(summary.system, clean(summary.system))
    return system + (f" with {clean(summary.id_form)} ids" if summary.id_form else "")


def _held_back(summary: Summary) -> str:
    parts = [(summary.broken_lines, "broken line", "broken lines"), (summary.held, "held record", "held records")]
    what = " and ".join(counted(number, one, many) for number, one, many in parts if number)
    return f"{what}, reported and copied byte for byte"


def _ordered_classes(summary: Summary) -> list[tuple[str, int]]:
    known = [(name, summary.classes[name]) for name in _CLASS_ORDER if summary.classes.get(name)]
    return known + [(name, n) for name, n in sorted(summary.classes.items()) if name not in _CLASS_ORDER and n]


def named(name: str) -> str:
    """A class as people say it: ``user message``."""
    return clean(name).replace("_", " ")
