"""An examination that judges only what changed since the last one, and what that touches; its findings are those of a full run.

A folder keeps what the last one saw. Where it does not fit (other rules, options or version, another form of ids, input that was
lost, too much that changed), the corpus is examined whole.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

import duckdb

from migrate.corpora.files import open_files
from migrate.corpora.source import ShardSource
from migrate.engine.database import Database
from migrate.engine.tracks import RuleSet
from migrate.results import Portrait
from migrate.rules import registry
from migrate.systems import closure, merging
from migrate.systems.context_server import ContextServer
from migrate.systems.index import TABLES, write_index
from migrate.systems.subset import Part
from migrate.types import Options, Progress, Summary

STATE = "state.json"
FORMAT = "corpus-migrate.state/1"


class SinceLast:
    """What a run found, told from a table: the engine is gone when it is made. A context manager for that table."""

    def __init__(self, corpus: str, options: Options, kept: Path, mark: str, progress: Progress | None = None) -> None:
        """``kept`` is the folder of the last examination's state; ``mark`` differs where that must not be used."""
        started = time.monotonic()
        self.options = options
        self._kept, self._mark = kept, f"{mark} duckdb-{duckdb.__version__}"
        self._files = open_files(corpus)
        self._folder = Path(tempfile.mkdtemp(prefix="corpus-migrate-", dir=options.limits.temp_dir))
        self.portrait_of: Portrait | None = None
        self.full = True
        try:
            if not self._only_changes(progress, started):
                self._everything(progress)
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    summary: Summary
    rules: RuleSet

    def __enter__(self) -> SinceLast:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def findings(self) -> merging.Merged:
        """Every finding, as a table."""
        return merging.Merged(self._folder / "now" / "told.parquet", self.options.limits)

    def portrait(self) -> Portrait:
        """What the corpus is made of; empty where only a part of it was read."""
        return self.portrait_of or Portrait()

    def keep(self) -> None:
        """Let the next examination go by this one. Nothing of a run that lost input is kept."""
        if not self.summary.complete:
            return
        self._kept.mkdir(parents=True, exist_ok=True)
        (self._kept / STATE).unlink(missing_ok=True)
        for name in TABLES:
            fresh = self._kept / f".{name}.tmp"
            shutil.move(self._folder / "now" / f"{name}.parquet", fresh)
            fresh.replace(self._kept / f"{name}.parquet")
        facts = {
            "format": FORMAT,
            "mark": self._mark,
            "files": [str(shard.path) for shard in self._files.shards],
            **self._facts,
        }
        fresh = self._kept / f".{STATE}.tmp"
        fresh.write_text(json.dumps(facts), "utf-8")
        fresh.replace(self._kept / STATE)

    def _everything(self, progress: Progress | None) -> None:
        now = self._folder / "now"
        shutil.rmtree(now, ignore_errors=True)
        now.mkdir()
        with ContextServer(self._files, self.options, progress) as run:
            write_index(run, now)
            self.summary, self.rules, self.portrait_of = run.summary, run.rules, run.portrait()
            encoded = bool(run.database.value("SELECT getvariable('text_encoded')"))
        self._facts: dict[str, Any] = {
            "id_form": self.summary.id_form,
            "text_encoded": encoded,
            "watermarks": [None] * len(self._files.shards),
        }

    def _only_changes(self, progress: Progress | None, started: float) -> bool:
        """Whether it could be done from the state; what there is of it then lies in ``now``."""
        state = self._state()
        # The user's own queries may compare any two records, and promoted inferences reach further than one link.
        if state is None or self.options.id_map or self.options.safe_fixes or self._own_queries():
            return False
        self._facts = {name: state[name] for name in ("id_form", "text_encoded")}
        with Database(self.options.limits) as database:
            sources = [ShardSource(shard, database.folder) for shard in self._files.shards]
            if any(source.prepared.gaps for source in sources):
                return False
            watermarks = closure.scan(database, sources, state["watermarks"])
            if watermarks is None:
                return False
            self._facts["watermarks"] = watermarks
            closure.load(database, self._kept)
            changed = closure.changed_items(database, len(sources))
            closure.save(database, self._folder)
        probe = self._examine("probe", Part(changed, judged=False), progress)
        with Database(self.options.limits) as database:
            closure.load(database, self._kept)
            closure.restore(database, self._folder, probe)
            if closure.forms(database) != (state["id_form"], state["text_encoded"]):
                return False
            wanted = closure.touched_items(database, len(sources))
            if wanted is None:
                return False
            names = closure.names_elsewhere(database)
            closure.save(database, self._folder)
        part = self._examine("part", Part(wanted, state["id_form"], state["text_encoded"], names=names), progress)
        now = self._folder / "now"
        now.mkdir()
        with Database(self.options.limits) as database:
            closure.load(database, self._kept)
            closure.restore(database, self._folder, part)
            merging.merge(database, self._kept, part, now, [str(shard.path) for shard in self._files.shards])
            slugs = {rule.code: rule.slug for rule in registry.load(self.options.custom_rules).rules}
            self.summary = merging.summarize(database, now, self._files, state["id_form"], slugs, started)
        self.full = False
        return True

    def _own_queries(self) -> bool:
        return any(rule.custom and rule.query is not None for rule in registry.load(self.options.custom_rules).rules)

    def _examine(self, name: str, part: Part, progress: Progress | None) -> Path:
        folder = self._folder / name
        folder.mkdir()
        with ContextServer(self._files, self.options, progress, part) as run:
            write_index(run, folder)
            self.rules = run.rules
        return folder

    def _state(self) -> dict[str, Any] | None:
        try:
            facts = json.loads((self._kept / STATE).read_bytes())
        except (OSError, ValueError):
            return None
        fits = isinstance(facts, dict) and facts.get("format") == FORMAT and facts.get("mark") == self._mark
        same_files = fits and facts.get("files") == [str(shard.path) for shard in self._files.shards]
        there = all((self._kept / f"{name}.parquet").exists() for name in TABLES)
        return facts if same_files and there else None
