"""``show`` for people: the plan in one block, or its records as diffs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from migrate.reporting.conservation import sentences
from migrate.reporting.diff import Line, Mark, record_lines
from migrate.reporting.formats import ShowResult
from migrate.reporting.summary import folded, labelled, next_commands, wrapped
from migrate.reporting.tables import table
from migrate.reporting.terminal import Screen, clean, value
from migrate.reporting.wording import counted, withheld

_PATH_INDENT = 2
_INDENT = 4
_HANGING = 6
_LEVELS = ("safe", "unsafe")
_STYLES = {Mark.OLD: ("red",), Mark.NEW: ("green",), Mark.NOTE: ("dim",), Mark.PATH: ("cyan",), Mark.SAME: ()}


def render(result: ShowResult, screen: Screen) -> None:
    """Writes the summary; with ``diff`` the records asked for, and the summary only where all of them are."""
    changes: Counter[tuple[str, str]] = Counter()
    shown = 0
    for record in result.records:
        if result.diff:
            for line in record_lines(record, screen.width - _INDENT - _HANGING):
                draw(line, screen)
            screen.line()
        changes.update((code, change["level"]) for change in record["changes"] for code in change["codes"])
        shown += 1
    if result.narrowed:
        screen.line(counted(shown, "record") + " of the plan" if shown else "No record of the plan matches.")
    else:
        summary(result, changes, screen)


def draw(line: Line, screen: Screen) -> None:
    """One diff line; a value too long for the screen goes on under itself, further in than any element."""
    match line.mark:
        case Mark.RECORD:
            screen.line(screen.style(line.text, "bold"))
        case Mark.PATH | Mark.NOTE:
            indent = _PATH_INDENT if line.mark is Mark.PATH else _INDENT
            for part in wrapped(line.text, screen.width - indent):
                screen.line(" " * indent + screen.style(part, *_STYLES[line.mark]))
        case _:
            mark = f"{line.mark.value} "
            for part in folded(line.text, screen.width - _INDENT - _HANGING):
                screen.line(" " * _INDENT + screen.style(f"{mark}{part}", *_STYLES[line.mark]))
                mark = " " * _HANGING


def summary(result: ShowResult, changes: Mapping[tuple[str, str], int], screen: Screen) -> None:
    """The header of a plan in words, then by code its findings and ``changes`` (code and level to their number)."""
    header = result.header
    corpus, counts, tool = (header.get(name) or {} for name in ("corpus", "counts", "tool"))
    made = f"made {clean(str(header.get('created_at')))} by {clean(str(tool.get('name')))}"
    labelled(screen, "Plan", [clean(str(header.get("plan_id"))), f"{made} {clean(str(tool.get('version')))}"])
    form = f", {clean(str(corpus.get('id_form')))} ids" if corpus.get("id_form") else ""
    ids = f"{clean(str(corpus.get('system')))}{form}"
    labelled(screen, "Corpus", [f"{clean(str(corpus.get('uri')))} ({ids})"])
    if not header.get("complete", True):
        labelled(screen, "INCOMPLETE", ["some input could not be read for this plan: apply refuses it"], style="red")
    patches, records = counts.get("patches", 0), counts.get("records", corpus.get("records", 0))
    levels = f"{counts.get('safe', 0):,} safe, {counts.get('unsafe', 0):,} unsafe"
    labelled(screen, "Changes", [f"{counted(patches, 'patch', 'patches')} over {counted(records, 'record')}: {levels}"])
    labelled(screen, "Books", sentences(header.get("conservation") or {}) or ["nothing changes"])
    for sentence in withheld(header):
        labelled(screen, "WITHHELD", [sentence], style="red")
    options = [_option(name, data) for name, data in (header.get("options") or {}).items() if data]
    labelled(screen, "Options", [", ".join(options) or "defaults"])
    rows, others = _rows(header, changes)
    if rows:
        screen.line()
        for line in wrapped("Findings of each rule, and the paths that this plan changes for it:", screen.width):
            screen.line(line)
        table(screen, ("code", "findings", "paths, safe", "paths, unsafe"), rows, right=frozenset({1, 2, 3}))
    if others:
        found = f"{counted(sum(others), 'finding')} of {counted(len(others), 'more rule' if rows else 'rule')}"
        screen.line()
        for line in wrapped(f"For {found} this plan changes nothing.", screen.width):
            screen.line(line)
    if result.next_commands:
        screen.line()
        next_commands(screen, result.next_commands)


def _option(name: str, data: Any) -> str:
    """``unsafe fixes``, ``62 codes``, ``partial``, ``status map {…}``."""
    words = clean(name).replace("_", " ")
    if name == "codes":
        return counted(len(data), "rule")
    return words if data is True else f"{words} {value(data)}"


def _rows(header: Mapping[str, Any], changes: Mapping[tuple[str, str], int]) -> tuple[list[tuple[str, ...]], list[int]]:
    """A row for each code with changes, a dash for none; and the numbers of findings of the other codes."""
    findings = (header.get("counts") or {}).get("findings") or {}
    changed = sorted({code for code, _ in changes})
    rows = []
    for code in changed:
        numbers = (findings.get(code, 0), *(changes.get((code, level), 0) for level in _LEVELS))
        rows.append((clean(code), *(f"{number:,}" if number else "-" for number in numbers)))
    return rows, [number for code, number in findings.items() if number and code not in changed]
