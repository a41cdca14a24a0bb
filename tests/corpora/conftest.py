"""A shard of given bytes, and what DuckDB reads from a prepared one."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest

from migrate.corpora.files import open_files
from migrate.corpora.interface import Prepared
from migrate.corpora.shard import Shard

MakeShard = Callable[..., Shard]


@pytest.fixture(scope="session")
def scratch() -> Iterator[Path]:
    """A folder that outlives the examples of a property test."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@pytest.fixture
def make_shard(scratch: Path) -> MakeShard:
    """Writes bytes to a file of its own and opens it."""

    def make(data: bytes, name: str = "entries.jsonl") -> Shard:
        path = Path(tempfile.mkdtemp(dir=scratch)) / name
        path.write_bytes(data)
        return open_files(str(path)).shards[0]

    return make


@pytest.fixture
def duckdb_rows() -> Callable[[Prepared], list[str | None]]:
    """The rows DuckDB gives for a prepared shard, NULL for a line it cannot read."""

    def rows(prepared: Prepared) -> list[str | None]:
        with duckdb.connect() as connection:
            found = connection.execute(
                "SELECT json FROM read_ndjson_objects(?, compression = ?, ignore_errors = true)",
                [prepared.pattern, prepared.duckdb_compression],
            ).fetchall()
        return [row[0] for row in found]

    return rows
