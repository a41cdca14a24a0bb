"""What a report is drawn from: one model for every format. Frozen data, filled once by the command line, drawn by reporting.

Nothing in it grows with the corpus: numbers, capped lists, and the path of the table that has every finding.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from migrate.types import Finding, RuleCount, Summary

STATES = ("regressed", "new", "known")
"""Of a finding that is there, loudest first; a ``fixed`` one is there no more."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The exit code and its reason in words, as machine output repeats them."""

    code: int
    reason: str


@dataclass(frozen=True, slots=True)
class Changes:
    """What a sweep found against what was known. ``new``, ``known`` and ``regressed`` together are all findings."""

    reference: Literal["nothing", "sweep", "baseline"]
    """What known means: found by the last sweep, or accepted by the baseline; ``nothing`` is a first sweep."""
    since: str | None
    """When the last sweep was, as an ISO 8601 time in UTC."""
    new: int
    known: int
    fixed: int
    """Found by the last sweep and found no more."""
    regressed: int
    """Fixed once and there again."""
    counting: Mapping[str, int]
    """Severity to the findings that count for the exit code: all of them, with a baseline the new and the regressed."""

    @property
    def any(self) -> bool:
        """Whether the sweep differs from what was known."""
        return bool(self.new or self.fixed or self.regressed)


@dataclass(frozen=True, slots=True)
class Sweep:
    """One line of ``history.jsonl``."""

    sweep: int
    """Counts from 1, for each corpus."""
    at: str
    command: str
    version: str
    complete: bool
    full: bool
    """Whether every record was read and judged, and not only what changed."""
    records: int
    findings: int
    severities: Mapping[str, int]
    new: int
    known: int
    fixed: int
    regressed: int
    reference: str
    rules: Mapping[str, int]
    """Code to the number of its findings."""
    options: str
    """A digest of the rules, the options and the version: equal digests are comparable sweeps."""
    seconds: float
    exit_code: int


@dataclass(frozen=True, slots=True)
class RuleReport:
    """One rule in a report: its words, its numbers, a few of its findings."""

    count: RuleCount
    phrase: str
    """Its severity in words: ``up to error``."""
    title: str
    family: str
    what: str
    why: str
    fix: str
    safety: str
    new: int = 0
    regressed: int = 0
    fixed: int = 0
    trend: tuple[int, ...] = ()
    """Its findings in the last sweeps, oldest first, this one last."""
    examples: tuple[Finding, ...] = ()
    """The first few: regressed ones, then new ones, then in corpus order."""


@dataclass(frozen=True, slots=True)
class Tally:
    """One place (a thread, a project, an agent, a month) and its findings."""

    name: str
    findings: int
    errors: int


@dataclass(frozen=True, slots=True)
class Where:
    """Where the findings lie: the first few of each kind of place, and a table of rule family by source."""

    threads: tuple[Tally, ...] = ()
    projects: tuple[Tally, ...] = ()
    agents: tuple[Tally, ...] = ()
    eras: tuple[Tally, ...] = ()
    sources: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    heat: tuple[tuple[int, ...], ...] = ()
    """A row a family, a column a source."""


@dataclass(frozen=True, slots=True)
class Portrait:
    """What the corpus is made of, as it is and as safe repairs leave it: name to (before, after)."""

    kinds: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    links: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sample:
    """A few changed records of a plan, for one rule."""

    code: str
    records: tuple[str, ...]
    """Plan lines as they are written: a reviewer has to see numbers as they are spelled."""


@dataclass(frozen=True, slots=True)
class PlanPart:
    """The plan in a report: its header line, which fields it touches, and samples of its changes."""

    header: Mapping[str, Any]
    fields: Mapping[str, int] = field(default_factory=dict)
    """JSON pointer, array indexes aside, to the number of its changes; the most frequent ones."""
    samples: tuple[Sample, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """One apply or undo of the corpus."""

    run_id: str
    command: str
    """``apply`` or ``undo``."""
    plan_id: str
    applied: int
    already: int
    stale: int
    failed: int
    complete: bool


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a report says, whatever its format."""

    command: str
    """``check`` or ``plan``."""
    summary: Summary
    outcome: Outcome
    version: str
    made_at: str | None
    """An ISO 8601 time in UTC; None in a reproducible report."""
    options: Mapping[str, Any]
    """Those that change results, as a plan's header has them."""
    rules: tuple[RuleReport, ...]
    changes: Changes | None = None
    history: tuple[Sweep, ...] = ()
    """The last sweeps, oldest first, this one last."""
    where: Where = field(default_factory=Where)
    portrait: Portrait = field(default_factory=Portrait)
    plan: PlanPart | None = None
    runs: tuple[Run, ...] = ()
    next_commands: tuple[str, ...] = ()
    fixed: tuple[Finding, ...] = ()
    """A few findings of the last sweep that are no more, without their evidence."""
    table: Path | None = None
    """Every finding, in a ``findings.parquet``."""
