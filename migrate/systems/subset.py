"""A part of a corpus as a source of its own: some items of a file, each still on its own line of that file; some entries of a store."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from migrate.corpora.files import FileCorpus
from migrate.corpora.interface import BOM, CorpusError, Places, spoiled
from migrate.corpora.shard import Shard
from migrate.corpora.source import ShardSource
from migrate.corpora.spool import Picking, StoreCorpus, StoreSource
from migrate.engine.database import Database
from migrate.engine.sources import too_long


@dataclass(frozen=True, slots=True)
class Part:
    """What a run reads of a corpus, and what is known of the corpus as a whole."""

    items: tuple[tuple[Any, ...], ...]
    """Of each file in order, the items, ascending; of a store the ids of entries."""
    id_form: str
    text_encoded: bool
    names: tuple[tuple[str, str, int], ...] = ()
    """Path, name and number of the names in the rest of the corpus."""

    def sources(self, corpus: FileCorpus | StoreCorpus, folder: Path) -> list[ShardSource]:
        """Sources that hold these items alone. Raises CorpusError for a store that gives all of its entries or none."""
        if isinstance(corpus, FileCorpus):
            return [SubsetSource(shard, folder, items) for shard, items in zip(corpus.shards, self.items, strict=True)]
        if not isinstance(corpus.store, Picking):
            raise CorpusError(f"{corpus.uri}: its entries cannot be read one by one")
        return [StoreSource(corpus.store, folder, corpus.store.lines_of(self.items[0]))]

    def impose(self, database: Database) -> None:
        """Let the part be judged by the whole corpus."""
        database.set("id_form", self.id_form)
        database.set("text_encoded", self.text_encoded)
        if self.names:
            database.run(
                "INSERT INTO main.elsewhere_names SELECT unnest(?::VARCHAR[]), unnest(?::VARCHAR[]), unnest(?::BIGINT[])",
                [list(column) for column in zip(*self.names, strict=True)],
            )


class SubsetSource(ShardSource):
    """Some items of a shard."""

    def __init__(self, shard: Shard, folder: Path, items: Sequence[int]) -> None:
        super().__init__(shard, folder)
        self.items = tuple(items)
        self._folder = folder
        whole = shard.places()
        chosen = np.asarray(self.items, dtype=np.int64)
        turn = {item: place for place, item in enumerate(self.items)}
        self._places = Places(
            offsets=whole.offsets[chosen],
            lengths=whole.lengths[chosen],
            numbers=whole.lines[chosen],
            size=whole.size,
            strays=frozenset(turn[item] for item in whole.strays if item in turn),
            ragged=frozenset(turn[item] for item in whole.ragged if item in turn),
        )

    @property
    def scan(self) -> tuple[str, str]:
        """A copy of these items alone."""
        return str(self.clean_lines(self._folder, too_long(self.places()))), "none"

    @property
    def plain_size(self) -> int | None:
        """None: its rows do not account for the bytes of the file."""
        return None

    def read(self, indexes: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        """Exact bytes of items."""
        turn = {self.items[index]: index for index in indexes}
        for item, raw in self.shard.read(sorted(turn)):
            yield turn[item], raw

    def clean_lines(self, folder: Path, left_out: frozenset[int] = frozenset()) -> Path:
        """A copy that the engine reads row by row; ``null`` where an item is no text or left out."""
        places = self.places()
        handle, name = tempfile.mkstemp(prefix="part-", suffix=".ndjson", dir=folder)
        with os.fdopen(handle, "wb") as file:
            for place, raw in self.read(range(places.count)):
                file.write(b"null" if place in left_out else _row(raw, ragged=place in places.ragged))
                file.write(b"\n")
        return Path(name)


def _row(raw: bytes, *, ragged: bool) -> bytes:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return b"null"
    return b"null" if not raw or raw.startswith(BOM) else spoiled(raw, ragged=ragged)
