"""Repository contexts: reads working trees one scope at a time into tables, and answers for what the rules found."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from types import TracebackType

from migrate.corpora.repository.trees import RepositoryCorpus
from migrate.engine import context_rules
from migrate.engine.database import Database
from migrate.engine.tracks import RuleSet
from migrate.planning.context_files import build
from migrate.planning.plan_file import Plan
from migrate.results import Portrait
from migrate.rules import registry
from migrate.systems.context_loading import Loader
from migrate.systems.counting import changing, counts
from migrate.systems.evidence import evidence
from migrate.types import Finding, Gap, Level, Options, Progress, ScopeState, Severity, Summary

SYSTEM = "repository-context"
_BATCH = 10_000
_ORDER = "ordinal, wave, position, line, code, file, mark, occurrence"
"""That of the ecosystem's tools: manifest, structure, references, state."""


class RepositoryContexts:
    """What one run read and found. A context manager: the engine's database goes with it."""

    def __init__(
        self, corpus: RepositoryCorpus, options: Options, progress: Progress | None = None, *, now: float | None = None
    ) -> None:
        """``now`` is the time of the run, in seconds since 1970; that of the clock if it is not given."""
        started = time.monotonic()
        self.corpus = corpus
        self.options = options
        self.progress = progress
        self.registry = registry.load(options.custom_rules, system=SYSTEM)
        self.selected = self.registry.chosen(options.select, options.ignore)
        self.rules: RuleSet = self.registry.rule_set(self.selected)
        self.database = Database(options.limits)
        try:
            for name, value in (
                ("selected", list(self.selected)),
                ("promoted", sorted(self.registry.matching(options.safe_fixes))),
                ("demoted", sorted(self.registry.matching(options.unsafe_only))),
                ("init_absent", options.init_absent),
            ):
                self.database.set(name, value)
            loader = Loader(self.database, corpus)
            loader.load(time.time() if now is None else now, progress)
            self.gaps: tuple[Gap, ...] = tuple(loader.gaps)
            self.database.lock()
            context_rules.judge(self.database, self.rules.sets, progress)
            self.summary: Summary = self._summarize(loader, started)
        except BaseException:
            self.database.close()
            raise

    def __enter__(self) -> RepositoryContexts:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.database.close()

    def plan(self) -> Plan:
        """What the options allow to create, a line a scope."""
        return build(self, self.options)

    def portrait(self) -> Portrait:
        """Empty: what contexts are made of stands in the summary's scopes."""
        return Portrait()

    def findings(self) -> Iterator[Finding]:
        """Every finding, scope by scope, in the order in which the ecosystem's tools report them."""
        cursor = self.database.stream(
            f"""
            SELECT code, level, severity, file, line, evidence, mark, occurrence, repository, scope, class
            FROM findings JOIN scopes USING (ordinal) ORDER BY {_ORDER}
            """
        )
        slugs = {rule.code: rule.slug for rule in self.registry.rules}
        while batch := cursor.fetchmany(_BATCH):
            for code, level, severity, file, line, facts, mark, occurrence, repository, scope, context_class in batch:
                identity = "\0".join((code, repository or "", scope, file or "", mark or "", str(occurrence)))
                yield Finding(
                    code, slugs[code], Level(level), Severity(severity), None, "", evidence(facts, self.options.evidence), file, line,
                    hashlib.sha256(identity.encode()).hexdigest()[:16], context_class, None, None, None,
                    scope=scope, repository=repository,
                )  # fmt: skip

    def _summarize(self, loader: Loader, started: float) -> Summary:
        rules, severities = counts(self.database, "findings", self.registry)
        classes = dict(self.database.rows("SELECT class, count(*) FROM scopes GROUP BY class ORDER BY class"))
        safe, unsafe = changing(self.database, "findings")
        scopes = tuple(self._scopes())
        return Summary(
            uri=self.corpus.uri, system=SYSTEM, id_form="", files=loader.files, bytes_read=loader.bytes_read, lines=len(scopes),
            records=len(scopes), broken_lines=0, held=0, gaps=self.gaps, classes=classes, rules=rules, severities=severities,
            safe_records=safe, unsafe_records=unsafe, seconds=time.monotonic() - started, scopes=scopes,
            unsupported=sum(rule.findings for rule in rules if rule.code == "MANIFEST003"),
        )  # fmt: skip

    def _scopes(self) -> Iterator[ScopeState]:
        rows = self.database.rows(
            """
            SELECT repository, scope, class, coalesce(f.n, 0), coalesce(f.errors, 0), coalesce(f.warnings, 0), coalesce(f.infos, 0),
                   coalesce(d.n, 0), coalesce(r.n, 0), state_days
            FROM scopes s
            LEFT JOIN (SELECT ordinal, count(*) AS n, count(*) FILTER (severity = 'error') AS errors,
                              count(*) FILTER (severity = 'warning') AS warnings, count(*) FILTER (severity = 'info') AS infos
                       FROM findings GROUP BY ordinal) f USING (ordinal)
            LEFT JOIN (SELECT ordinal, count(*) AS n FROM documents GROUP BY ordinal) d USING (ordinal)
            LEFT JOIN (SELECT ordinal, count(*) AS n FROM reference_rows GROUP BY ordinal) r USING (ordinal)
            ORDER BY s.ordinal
            """
        )
        for repository, scope, context_class, findings, errors, warnings, infos, documents, references, days in rows:
            severities = {"error": errors, "warning": warnings, "info": infos}
            yield ScopeState(repository, scope, context_class, findings, severities, documents, references, days)
