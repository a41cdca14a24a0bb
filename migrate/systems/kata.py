"""A kata export: loads its lines, builds the tables of its issues and projects, answers for what the rules found."""

from __future__ import annotations

import time
from collections.abc import Mapping

from migrate.corpora.files import FileCorpus
from migrate.corpora.kata import only_shard
from migrate.corpora.source import ShardSource
from migrate.engine import kata_lines, loading, tracks
from migrate.engine.database import Database
from migrate.engine.model import KATA
from migrate.planning.kata import KataWays
from migrate.results import Portrait
from migrate.rules import kata_words, timezones
from migrate.systems.findings import About, Findings
from migrate.systems.records import RecordExamination
from migrate.types import Options, Progress

SYSTEM = "kata"
_CLASSES = ("open_issue", "closed_issue", "deleted_issue", "project", "archived_project", "recurrence", "held")
_ABOUT = About(
    kind="l.record_kind",
    project="coalesce(l.name, p.name)",
    join="LEFT JOIN main.project_names p ON p.number_json = l.project_json",
)


class KataExport(RecordExamination):
    """What one run read and found."""

    def __init__(self, corpus: FileCorpus, options: Options, progress: Progress | None = None) -> None:
        started = time.monotonic()
        super().__init__(SYSTEM, options, progress)
        self.corpus = corpus
        self.database = Database(options.limits, KATA)
        try:
            tracks.prepare(self.database, kata_words.settings(options, self.moved), self.rules)
            self.sources = [ShardSource(shard, self.database.folder) for shard in only_shard(corpus)]
            self.loaded = loading.load(self.database, self.sources, progress, kata_lines.judge)
            self.database.lock()
            self._describe()
            tracks.build(self.database, "safe", "safe", self.rules, progress)
            self.ways = KataWays(self.database)
            self.summary = self.summarized(
                _CLASSES,
                uri=corpus.uri,
                system=SYSTEM,
                id_form="ulid",
                files=len(self.sources),
                seconds=time.monotonic() - started,
            )
        except BaseException:
            self.database.close()
            raise

    def findings(self) -> Findings:
        """Every finding, in the order of the export, then by code and path."""
        return Findings(self.database, self.loaded, self.slugs(), self.options.evidence, _ABOUT)

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
