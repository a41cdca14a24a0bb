"""The findings of a sweep, wherever they lie: in a table of their own, or in the database that an incremental sweep keeps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import duckdb

from migrate.engine.database import Database, first_line
from migrate.sweeps.baseline import pattern, quoted
from migrate.sweeps.errors import SweepError
from migrate.types import Limits


@dataclass(frozen=True, slots=True)
class Found:
    """Where they are. Their number is no matter: they are only read by queries."""

    path: Path
    """A ``findings.parquet``, or a database that is attached as ``kept``."""
    query: str | None = None
    """Of such a database: the query for them, with ``fp``, the fingerprint as a number."""
    told: str = ""
    """Likewise, with the columns of the table in their order, then ``fp`` and those of ``order``."""
    order: tuple[str, ...] = ("file_row_number",)
    opened: Database | None = None
    """Where that is attached already."""

    def database(self, limits: Limits) -> Database:
        """The database to read them with, to be closed."""
        return self.opened or Database(limits)

    def attach(self, database: Database) -> str:
        """A query for them, with ``fp``."""
        if self.query is None:
            source = f"read_parquet('{pattern(self.path)}', file_row_number = true)"
            return f"SELECT *, ('0x' || fingerprint)::UBIGINT AS fp FROM {source}"
        if self.opened is not None:
            return self.query
        try:
            database.attach(self.path, "kept", read_only=True)
        except duckdb.Error as error:
            raise SweepError(f"the state {self.path} cannot be read: {first_line(error)}") from error
        return self.query

    def tell(self, database: Database, usual: str, table: Path) -> None:
        """Write ``found``, which is this, to a table, with the states of ``loud``, and ``usual`` where that has none."""
        fresh = table.with_name(f".{table.name}.stated")
        beside = ("fp", *(name for name in self.order if name.startswith(("file_", "item"))))
        database.run(
            f"""
            COPY (SELECT f.* EXCLUDE ({", ".join(beside)}), coalesce(l.state, '{usual}') AS state
                  FROM ({self.told or "FROM found"}) f LEFT JOIN (SELECT DISTINCT fp, state FROM loud) l ON l.fp = f.fp
                  ORDER BY {", ".join(f"f.{name}" for name in self.order)})
            TO '{quoted(fresh)}' (FORMAT parquet, COMPRESSION zstd)
            """
        )
        fresh.replace(table)
