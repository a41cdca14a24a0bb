"""A corpus of the context server: loads its records, builds a track of the tables, answers for what the rules found."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from types import TracebackType

from migrate.corpora.files import FileCorpus
from migrate.corpora.source import ShardSource
from migrate.corpora.spool import StoreCorpus
from migrate.engine import jsonb, loading, tracks
from migrate.engine.database import Database
from migrate.engine.sources import Loaded
from migrate.engine.tracks import RuleSet
from migrate.planning.build import build
from migrate.planning.plan_file import Plan
from migrate.planning.ways import ContextServerWays
from migrate.results import Portrait
from migrate.rules import idmap, registry, vocabulary
from migrate.rules.registry import Registry
from migrate.systems.counting import changing, counts
from migrate.systems.findings import Findings
from migrate.systems.portrait import portrait
from migrate.systems.subset import Part
from migrate.types import Gap, Options, Progress, Summary


class ContextServer:
    """What one run read and found. A context manager: the engine's database goes with it."""

    def __init__(
        self,
        corpus: FileCorpus | StoreCorpus,
        options: Options,
        progress: Progress | None = None,
        part: Part | None = None,
    ) -> None:
        started = time.monotonic()
        self.corpus = corpus
        self.options = options
        self.progress = progress
        self.registry: Registry = registry.load(options.custom_rules, system="context-server")
        self.selected = self.registry.chosen(options.select, options.ignore)
        self.rules: RuleSet = self.registry.rule_set(self.selected)
        if part is not None and not part.judged:
            self.rules = replace(self.rules, rows=(), sets=())
        promoted = self.registry.matching(options.safe_fixes)
        demoted = self.registry.matching(options.unsafe_only)
        id_map = idmap.read(options.id_map) if options.id_map is not None else {}
        settings = vocabulary.settings(options, (promoted, demoted), id_map)
        self.database = Database(options.limits)
        try:
            tracks.prepare(self.database, settings, self.rules)
            self.sources: Sequence[ShardSource] = (
                part.sources(corpus.shards, self.database.folder)
                if part is not None and isinstance(corpus, FileCorpus)
                else corpus.sources(self.database.folder, progress)
            )
            self.loaded: list[Loaded] = loading.load(self.database, self.sources, progress)
            if options.target == "postgresql" and not corpus.jsonb and "CS012" in self.rules.selected:
                jsonb.find_unstorable(self.database, self.loaded)
            self.database.lock()
            tracks.describe(self.database, self.loaded)
            if part is not None:
                part.impose(self.database)
            tracks.build(self.database, "safe", "safe", self.rules, progress)
            self.ways = ContextServerWays(self.database)
            self.summary: Summary = self._summarize(started)
        except BaseException:
            self.database.close()
            raise

    def __enter__(self) -> ContextServer:
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
        """Every finding, in corpus order, then by code and path."""
        slugs = {rule.code: rule.slug for rule in self.registry.rules}
        return Findings(self.database, self.loaded, slugs, self.options.evidence)

    def portrait(self) -> Portrait:
        """What the corpus is made of."""
        return portrait(self.database)

    def _summarize(self, started: float) -> Summary:
        rules, severities = counts(self.database, "safe.findings", self.registry)
        lines, broken = self.database.rows("SELECT count(*), count(*) FILTER (broken IS NOT NULL) FROM kept")[0]
        classes = dict.fromkeys(("user_message", "v1", "legacy", "newer", "held"), 0)
        classes.update(self.database.rows("SELECT class, count(*) FROM safe.records GROUP BY class"))
        safe_records, unsafe_records = changing(self.database, "safe.findings")
        return Summary(
            uri=self.corpus.uri, system="context-server", id_form=self.database.value("SELECT getvariable('id_form')"), files=sum(source.numbered for source in self.sources),
            bytes_read=sum(source.shard.size for source in self.sources), lines=lines, records=lines - broken, broken_lines=broken,
            held=classes["held"], gaps=self.gaps, classes=classes, rules=rules, severities=severities, safe_records=safe_records,
            unsafe_records=unsafe_records, seconds=time.monotonic() - started,
        )  # fmt: skip
