"""The findings of a sweep, wherever they lie: in a table of their own, or in the database that an incremental sweep keeps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import duckdb

from migrate.engine.database import Database, first_line
from migrate.sweeps.baseline import pattern, quoted
from migrate.sweeps.errors import SweepError


@dataclass(frozen=True, slots=True)
class Found:
    """Where they are. Their number is no matter: they are only read by queries."""

    path: Path
    """A ``findings.parquet``, or a database that has them as ``findings``: with file, item and key, and ``fp`` for the fingerprint."""
    kept: bool = False
    """Whether it is such a database."""

    def attach(self, database: Database) -> str:
        """A query for them, with ``fp``, the fingerprint as a number."""
        if not self.kept:
            source = f"read_parquet('{pattern(self.path)}', file_row_number = true)"
            return f"SELECT *, ('0x' || fingerprint)::UBIGINT AS fp FROM {source}"
        try:
            database.attach(self.path, "kept", read_only=True)
        except duckdb.Error as error:
            raise SweepError(f"the state {self.path} cannot be read: {first_line(error)}") from error
        return "SELECT *, format('{:016x}', fp) AS fingerprint FROM kept.findings"

    def tell(self, database: Database, usual: str, table: Path) -> None:
        """Write ``found``, which is this, to a table, with the states of ``loud``, and ``usual`` where that has none."""
        order = ("file_no", "item", "code", "path") if self.kept else ("file_row_number",)
        beside = ("fp", "file_no", "item", "key") if self.kept else ("fp", "file_row_number")
        fresh = table.with_name(f".{table.name}.stated")
        database.run(
            f"""
            COPY (SELECT f.* EXCLUDE ({", ".join(beside)}), coalesce(l.state, '{usual}') AS state
                  FROM found f LEFT JOIN (SELECT DISTINCT fp, state FROM loud) l ON l.fp = f.fp ORDER BY {", ".join(f"f.{name}" for name in order)})
            TO '{quoted(fresh)}' (FORMAT parquet, COMPRESSION zstd)
            """
        )
        fresh.replace(table)
