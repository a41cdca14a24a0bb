"""An examination that judges only what changed since the last one, and what that touches; its findings are those of a full run.

A folder keeps the index that the last one made. Where it does not fit (other rules, options or version, another form of ids, input
that was lost, too much that changed), the corpus is examined whole.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from migrate.corpora.files import FileCorpus
from migrate.corpora.spool import StoreCorpus
from migrate.engine.database import Database
from migrate.engine.errors import EngineError
from migrate.engine.tracks import RuleSet
from migrate.results import Portrait
from migrate.rules import registry
from migrate.systems import changes, closure, merging
from migrate.systems.context_server import ContextServer
from migrate.systems.index import write_index
from migrate.systems.subset import Part
from migrate.types import Options, Progress, Summary

INDEX = "index.duckdb"
FORMAT = "corpus-migrate.index/2"


class SinceLast:
    """What a run found, in ``index``: a database that is read with the queries of ``merging``."""

    summary: Summary
    rules: RuleSet

    def __init__(
        self,
        corpus: FileCorpus | StoreCorpus,
        watched: changes.Watched,
        options: Options,
        kept: Path,
        mark: str,
        scratch: Path,
        progress: Progress | None = None,
    ) -> None:
        """``kept`` is the folder of the last examination's index; ``mark`` differs where that must not be used.

        ``scratch`` is a folder that is there for as long as the findings are read.
        """
        self._started = time.monotonic()
        self._corpus, self._watched, self._options, self._progress = corpus, watched, options, progress
        self._registry = registry.load(options.custom_rules)
        self._mark = f"{mark} duckdb-{duckdb.__version__}"
        self._scratch = scratch
        self._place = kept / INDEX
        self._read_bytes = 0
        self.index = self._place
        self.database: Database | None = None
        """Where it has been opened already, as ``kept``: to be read and closed by whoever reads the findings."""
        self.portrait = Portrait()
        """What the corpus is made of; empty where only a part of it was read."""
        try:
            self.full = not self._only_changes()
        finally:
            self._watched.close()
        if self.full:
            self._everything()

    def keep(self) -> None:
        """Let the next examination go by this one. Nothing of a run that lost input is kept."""
        if not self.full or not self.summary.complete:
            return
        fresh = self._place.with_name(f".{INDEX}.tmp")
        try:
            self._place.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(self.index, fresh)
            # The log of the old one must not be taken for one of the new.
            self._place.unlink(missing_ok=True)
            self._place.with_name(f"{INDEX}.wal").unlink(missing_ok=True)
            fresh.replace(self._place)
        except OSError as error:
            raise EngineError(f"the index {self._place} cannot be written: {error.strerror or error}") from error
        self.index = self._place

    def _everything(self) -> None:
        self._watched.begin(self._scratch)
        self.index = self._scratch / INDEX
        with ContextServer(self._corpus, self._options, self._progress) as run:
            write_index(run, self.index)
            self.summary, self.rules, self.portrait = run.summary, run.rules, run.portrait()
            encoded = bool(run.database.value("SELECT getvariable('text_encoded')"))
        with Database(self._options.limits) as database:
            database.attach(self.index, "kept")
            merging.begin(database, self._watched.names)
            facts = {
                "format": FORMAT,
                "mark": self._mark if self._watched.note(database, self._scratch) else None,
                "files": self._watched.names,
                "id_form": self.summary.id_form,
                "text_encoded": encoded,
            }
            database.run("CREATE TABLE kept.facts (facts VARCHAR)")
            database.run("INSERT INTO kept.facts VALUES (?)", [json.dumps(facts)])
            database.run("CHECKPOINT kept; DETACH kept")

    def _only_changes(self) -> bool:
        """Whether it could be done with the index, which then is that of the corpus as it is now."""
        # The user's own queries may compare any two records, and promoted inferences reach further than one link.
        if not self._place.exists() or self._options.id_map or self._options.safe_fixes or self._own_queries():
            return False
        database = Database(self._options.limits)
        done = False
        try:
            done = self._by_index(database)
        finally:
            if not done:
                database.close()
        if done:
            self.database = database
        return done

    def _by_index(self, database: Database) -> bool:
        facts = self._facts(database)
        if facts is None or not self._watched.look(database):
            return False
        changes.find_changes(database)
        if not closure.expected(database):
            return False
        with self._read(database, facts):
            if closure.forms(database) != (facts["id_form"], facts["text_encoded"]):
                return False
            enough = closure.same_touch(database)
            if not enough and not closure.touched(database):
                return False
            if enough or closure.as_expected(database):
                return self._merged(database, facts)
        with self._read(database, facts):
            return self._merged(database, facts)

    def _own_queries(self) -> bool:
        return any(rule.custom and rule.query is not None for rule in self._registry.rules)

    def _facts(self, database: Database) -> dict[str, Any] | None:
        """Attach the index as ``kept``; what it says of itself, None where it does not fit."""
        try:
            database.attach(self._place, "kept")
            facts = json.loads(str(database.connection.execute("SELECT facts FROM kept.facts").fetchall()[0][0]))
        except (duckdb.Error, ValueError, IndexError):
            return None
        fits = isinstance(facts, dict) and facts.get("format") == FORMAT and facts.get("mark") == self._mark
        return facts if fits and facts.get("files") == self._watched.names else None

    def _merged(self, database: Database, facts: dict[str, Any]) -> bool:
        """Put what was judged again into the index, unless something changed that was not looked at."""
        merging.merge(database, self._watched)
        if not self._watched.confirm(database):
            database.run("ROLLBACK")
            return False
        database.run("COMMIT")
        self.summary = merging.summarize(
            database, self._registry, self._corpus, facts["id_form"], self._read_bytes, self._started
        )
        return True

    @contextmanager
    def _read(self, database: Database, facts: dict[str, Any]) -> Iterator[None]:
        """Read and judge the records of ``wanted``; inside, their index is ``part``."""
        items = self._watched.items(closure.rows_of(database, "SELECT key FROM wanted"))
        part = Part(items, facts["id_form"], facts["text_encoded"], closure.names_elsewhere(database))
        path = self._scratch / "part.duckdb"
        path.unlink(missing_ok=True)
        with ContextServer(self._corpus, self._options, self._progress, part) as run:
            write_index(run, path)
            self.rules = run.rules
            self._read_bytes += run.summary.bytes_read
        database.attach(path, "part", read_only=True)
        closure.hold(database)
        try:
            yield
        finally:
            closure.release(database)
