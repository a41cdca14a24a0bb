"""What every system of corpora answers, whatever its records are."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Protocol, Self

from migrate.engine.tracks import RuleSet
from migrate.planning.plan_file import Plan
from migrate.types import Finding, Options, Summary


class Examination(Protocol):
    """What one run read and found. A context manager: what it keeps on the disk goes with it."""

    options: Options
    summary: Summary
    rules: RuleSet
    """The rules that ran."""

    def __enter__(self) -> Self:
        """The examination itself."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Let go of what it keeps."""

    def findings(self) -> Iterator[Finding]:
        """Every finding, in corpus order, then by code and path."""

    def examples(self, number: int) -> Iterator[Finding]:
        """The first findings of each rule, in the same order."""

    def plan(self) -> Plan:
        """What the options allow to repair. Raises PlanError."""
