"""Rows from Python into tables, in batches that stay small whatever their number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from migrate.engine.database import Database

_BATCH = 20_000


class Appender:
    """Adds rows to one table; :meth:`flush` when the last one is in."""

    def __init__(self, database: Database, table: str) -> None:
        self.database = database
        types = [row[1] for row in database.rows(f"DESCRIBE {table}")]
        values = ", ".join(f"unnest(?::{name}[])" for name in types)
        self.statement = f"INSERT INTO {table} SELECT {values}"
        self.rows: list[Sequence[Any]] = []

    def add(self, *row: Any) -> None:
        """Add a row: a value for each column of the table."""
        self.rows.append(row)
        if len(self.rows) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        """Write what is waiting."""
        if self.rows:
            self.database.run(self.statement, [list(column) for column in zip(*self.rows, strict=True)])
            self.rows.clear()
