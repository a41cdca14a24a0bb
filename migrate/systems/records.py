"""What an examination of records has in common, whichever system the records are of."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from migrate.corpora.source import ShardSource
from migrate.engine.database import Database
from migrate.engine.sources import Loaded
from migrate.engine.tracks import RuleSet
from migrate.planning.build import build
from migrate.planning.plan_file import Plan
from migrate.planning.ways import Ways
from migrate.rules import registry
from migrate.rules.registry import Registry
from migrate.systems.counting import changing, counts
from migrate.types import Gap, Options, Progress, Summary


class RecordExamination:
    """One run over records in the engine's tables. A context manager: the engine's database goes with it."""

    database: Database
    sources: Sequence[ShardSource]
    loaded: list[Loaded]
    ways: Ways
    summary: Summary

    def __init__(self, system: str, options: Options, progress: Progress | None) -> None:
        self.options = options
        self.progress = progress
        self.registry: Registry = registry.load(options.custom_rules, system=system)
        self.selected = self.registry.chosen(options.select, options.ignore)
        self.rules: RuleSet = self.registry.rule_set(self.selected)
        self.moved = self.registry.matching(options.safe_fixes), self.registry.matching(options.unsafe_only)
        """The codes that were promoted, and those that were demoted."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.database.close()

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Input of unknown extent that was lost."""
        return tuple(gap for source in self.sources for gap in source.prepared.gaps)

    def plan(self) -> Plan:
        """What the options allow to repair, checked again by every rule."""
        return build(self, self.options)

    def slugs(self) -> dict[str, str]:
        """Code to name of every rule there is."""
        return {rule.code: rule.slug for rule in self.registry.rules}

    def summarized(self, classes: Sequence[str], **about: Any) -> Summary:
        """The summary; ``classes`` are those that are told even where no record is of them, ``about`` its other members."""
        rules, severities = counts(self.database, "safe.findings", self.registry)
        lines, broken = self.database.rows("SELECT count(*), count(*) FILTER (broken IS NOT NULL) FROM main.kept")[0]
        numbers = dict.fromkeys(classes, 0)
        numbers.update(self.database.rows("SELECT class, count(*) FROM safe.records GROUP BY class"))
        safe, unsafe = changing(self.database, "safe.findings")
        return Summary(
            bytes_read=sum(source.shard.size for source in self.sources), lines=lines, records=lines - broken, broken_lines=broken,
            held=numbers["held"], gaps=self.gaps, classes=numbers, rules=rules, severities=severities, safe_records=safe,
            unsafe_records=unsafe, **about,
        )  # fmt: skip
