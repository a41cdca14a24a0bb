"""A corpus of the context server: loads its records, builds a track of the tables, answers for what the rules found."""

from __future__ import annotations

import time

from migrate.corpora.files import FileCorpus
from migrate.corpora.spool import StoreCorpus
from migrate.engine import jsonb, loading, tracks
from migrate.engine.database import Database
from migrate.planning.ways import ContextServerWays
from migrate.results import Portrait
from migrate.rules import idmap, vocabulary
from migrate.systems.findings import Findings
from migrate.systems.portrait import portrait
from migrate.systems.records import RecordExamination
from migrate.systems.subset import Part
from migrate.types import Options, Progress

CLASSES = ("user_message", "v1", "legacy", "newer", "held")


class ContextServer(RecordExamination):
    """What one run read and found."""

    def __init__(
        self,
        corpus: FileCorpus | StoreCorpus,
        options: Options,
        progress: Progress | None = None,
        part: Part | None = None,
    ) -> None:
        started = time.monotonic()
        super().__init__("context-server", options, progress)
        self.corpus = corpus
        id_map = idmap.read(options.id_map) if options.id_map is not None else {}
        settings = vocabulary.settings(options, self.moved, id_map)
        self.database = Database(options.limits)
        try:
            tracks.prepare(self.database, settings, self.rules)
            self.sources = (
                corpus.sources(self.database.folder, progress, options.limits.threads)
                if part is None
                else part.sources(corpus, self.database.folder)
            )
            self.loaded = loading.load(self.database, self.sources, progress)
            if options.target == "postgresql" and not corpus.jsonb and "CS012" in self.rules.selected:
                jsonb.find_unstorable(self.database, self.loaded)
            self.database.lock()
            tracks.describe(self.database, self.loaded)
            if part is not None:
                part.impose(self.database)
            tracks.build(self.database, "safe", "safe", self.rules, progress)
            self.ways = ContextServerWays(self.database)
            self.summary = self.summarized(
                CLASSES,
                uri=corpus.uri,
                system="context-server",
                id_form=self.database.value("SELECT getvariable('id_form')"),
                files=sum(source.numbered for source in self.sources),
                seconds=time.monotonic() - started,
            )
        except BaseException:
            self.database.close()
            raise

    def findings(self) -> Findings:
        """Every finding, in corpus order, then by code and path."""
        return Findings(self.database, self.loaded, self.slugs(), self.options.evidence)

    def portrait(self) -> Portrait:
        """What the corpus is made of."""
        return portrait(self.database)
