"""What every system of corpora answers, whatever its records are."""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType
from typing import Protocol, Self

from migrate.engine.tracks import RuleSet
from migrate.planning.plan_file import Plan
from migrate.results import Portrait
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

    def findings(self) -> Iterable[Finding]:
        """Every finding, in corpus order, then by code and path.

        What is returned may also have ``write_parquet(path)``, which writes them to a table without telling them one by one.
        """

    def portrait(self) -> Portrait:
        """What the corpus is made of, before and after safe repairs."""

    def plan(self) -> Plan:
        """What the options allow to repair. Raises PlanError."""
