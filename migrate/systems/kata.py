"""A kata export: loads its lines, builds the tables of its issues and projects, answers for what the rules found."""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import TracebackType

from migrate.corpora.files import FileCorpus
from migrate.corpora.kata import only_shard
from migrate.corpora.source import ShardSource
from migrate.engine import kata_lines, loading, tracks
from migrate.engine.database import Database
from migrate.engine.model import KATA
from migrate.engine.sources import Loaded
from migrate.engine.tracks import RuleSet
from migrate.planning.build import build
from migrate.planning.kata import KataWays
from migrate.planning.plan_file import Plan
from migrate.results import Portrait
from migrate.rules import kata_words, registry, timezones
from migrate.rules.registry import Registry
from migrate.systems.counting import changing, counts
from migrate.systems.findings import About, Findings
from migrate.types import Gap, Options, Progress, Summary

SYSTEM = "kata"
_CLASSES = ("open_issue", "closed_issue", "deleted_issue", "project", "archived_project", "recurrence", "held")
_ABOUT = About(
    kind="l.record_kind",
    project="coalesce(l.name, p.name)",
    join="LEFT JOIN main.project_names p ON p.number_json = l.project_json",
)


class KataExport:
    """What one run read and found. A context manager: the engine's database goes with it."""

    def __init__(self, corpus: FileCorpus, options: Options, progress: Progress | None = None) -> None:
        started = time.monotonic()
        self.corpus = corpus
        self.options = options
        self.progress = progress
        self.registry: Registry = registry.load(options.custom_rules, system=SYSTEM)
        self.selected = self.registry.chosen(options.select, options.ignore)
        self.rules: RuleSet = self.registry.rule_set(self.selected)
        promoted = self.registry.matching(options.safe_fixes)
        demoted = self.registry.matching(options.unsafe_only)
        self.database = Database(options.limits, KATA)
        try:
            tracks.prepare(self.database, kata_words.settings(options, (promoted, demoted)), self.rules)
            self.sources = [ShardSource(shard, self.database.folder) for shard in only_shard(corpus)]
            self.loaded: list[Loaded] = loading.load(self.database, self.sources, progress, kata_lines.judge)
            self.database.lock()
            self._describe()
            tracks.build(self.database, "safe", "safe", self.rules, progress)
            self.ways = KataWays(self.database)
            self.summary: Summary = self._summarize(started)
        except BaseException:
            self.database.close()
            raise

    def __enter__(self) -> KataExport:
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

    def findings(self) -> Findings:
        """Every finding, in the order of the export, then by code and path."""
        slugs = {rule.code: rule.slug for rule in self.registry.rules}
        return Findings(self.database, self.loaded, slugs, self.options.evidence, _ABOUT)

    def portrait(self) -> Portrait:
        """The kinds of lines, and the links by type: repairs change neither."""
        kinds = "SELECT kind, count(*) FROM safe.entries WHERE broken IS NULL GROUP BY kind ORDER BY 2 DESC, 1 LIMIT 24"
        links = "SELECT key, count(*) FROM safe.edges WHERE key IS NOT NULL GROUP BY key ORDER BY 2 DESC, 1 LIMIT 24"
        return Portrait(self._twice(kinds), self._twice(links))

    def _twice(self, query: str) -> Mapping[str, tuple[int, int]]:
        return {name: (number, number) for name, number in self.database.rows(query)}

    def _describe(self) -> None:
        """The zones there are, what unknown ones may mean, and the names of projects."""
        database = self.database
        database.run("CREATE TABLE main.timezones AS SELECT unnest(?::VARCHAR[]) AS name", [list(timezones.names())])
        unknown = database.rows(
            "SELECT DISTINCT string_of(f_timezone) FROM items WHERE starts_with(f_timezone, '\"')"
            " AND string_of(f_timezone) NOT IN (SELECT name FROM main.timezones)"
        )
        database.run("CREATE TABLE main.zone_candidates (name VARCHAR, candidates VARCHAR[])")
        pairs = [(name, found) for (name,) in unknown if (found := timezones.candidates(name))]
        if pairs:
            columns = [list(column) for column in zip(*pairs, strict=True)]
            database.run(
                "INSERT INTO main.zone_candidates SELECT unnest(?::VARCHAR[]), unnest(?::VARCHAR[][])", columns
            )
        database.run(
            "CREATE TABLE main.project_names AS SELECT number_json, any_value(name) AS name FROM items"
            " WHERE record_kind = 'project' AND broken IS NULL GROUP BY number_json"
        )

    def _summarize(self, started: float) -> Summary:
        rules, severities = counts(self.database, "safe.findings", self.registry)
        lines, broken = self.database.rows("SELECT count(*), count(*) FILTER (broken IS NOT NULL) FROM kept")[0]
        classes = dict.fromkeys(_CLASSES, 0)
        classes.update(self.database.rows("SELECT class, count(*) FROM safe.records GROUP BY class"))
        safe, unsafe = changing(self.database, "safe.findings")
        return Summary(
            uri=self.corpus.uri, system=SYSTEM, id_form="ulid", files=len(self.sources),
            bytes_read=sum(source.shard.size for source in self.sources), lines=lines, records=lines - broken, broken_lines=broken,
            held=classes["held"], gaps=self.gaps, classes=classes, rules=rules, severities=severities, safe_records=safe,
            unsafe_records=unsafe, seconds=time.monotonic() - started,
        )  # fmt: skip
