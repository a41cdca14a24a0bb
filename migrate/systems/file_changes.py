"""What changed in exported files: each is read to its end, and every line hashed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from migrate.corpora.files import FileCorpus
from migrate.corpora.source import ShardSource
from migrate.engine.database import Database
from migrate.systems.changes import prepare, scan


@dataclass(slots=True)
class Files:
    """Exported files: each is read to its end."""

    corpus: FileCorpus

    @property
    def names(self) -> list[str]:
        """Their paths."""
        return [str(shard.path) for shard in self.corpus.shards]

    def begin(self, folder: Path) -> None:
        """Nothing to do."""

    def note(self, database: Database, folder: Path) -> bool:
        """Nothing to note: the index has a mark of every line."""
        return True

    def look(self, database: Database) -> bool:
        """Every line of every file; not where a file was not read to its end."""
        prepare(database)
        sources = [ShardSource(shard, database.folder) for shard in self.corpus.shards]
        if any(source.prepared.gaps for source in sources):
            return False
        if not all(scan(database, number, source) for number, source in enumerate(sources)):
            return False
        database.run("CREATE TABLE looked AS SELECT DISTINCT key FROM kept.items WHERE key IS NOT NULL")
        return True

    def confirm(self, database: Database) -> bool:
        """Every line was looked at."""
        return True

    def close(self) -> None:
        """Nothing to do."""

    def keep(self, database: Database) -> None:
        """Where lines have moved, the records that were not read again lie elsewhere."""
        database.run(
            """
            UPDATE kept.items SET file_no = s.file_no, item = s.item, line = s.line FROM seen s
            WHERE s.key = items.key AND s.key NOT IN (FROM anew) AND (s.item <> items.item OR s.file_no <> items.file_no OR s.line <> items.line)
            """
        )

    def items(self, rows: Iterable[tuple[int, int, str | None]]) -> tuple[tuple[Any, ...], ...]:
        """The items of each file."""
        items: list[list[int]] = [[] for _ in self.corpus.shards]
        for number, item, _ in rows:
            items[number].append(item)
        return tuple(map(tuple, items))
