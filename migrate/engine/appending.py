"""Rows from Python into tables, in batches that stay small whatever their number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from migrate.engine.database import Database

_BATCH = 20_000
_NUMBERS = {"BIGINT": np.int64, "DOUBLE": np.float64, "BOOLEAN": np.bool_}


class Appender:
    """Adds rows to one table; :meth:`flush` when the last one is in. Strings must be such as UTF-8 can hold."""

    def __init__(self, database: Database, table: str) -> None:
        self.database = database
        described = database.rows(f"DESCRIBE {table}")
        self.columns = [(str(row[0]), str(row[1])) for row in described]
        casts = ", ".join(f'"{name}"::{kind}' for name, kind in self.columns)
        self.statement = f"INSERT INTO {table} SELECT {casts} FROM appended"
        self.rows: list[Sequence[Any]] = []

    def add(self, *row: Any) -> None:
        """Add a row: a value for each column of the table."""
        self.rows.append(row)
        if len(self.rows) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        """Write what is waiting."""
        if not self.rows:
            return
        columns = zip(self.columns, zip(*self.rows, strict=True), strict=True)
        self.database.connection.register("appended", {name: _array(kind, values) for (name, kind), values in columns})
        try:
            self.database.run(self.statement)
        finally:
            self.database.connection.unregister("appended")
        self.rows.clear()


def _array(kind: str, values: Sequence[Any]) -> Any:
    """A column as the engine reads it quickest; missing values are masked."""
    dtype = _NUMBERS.get(kind)
    if dtype is None:
        return np.array(values, dtype=object)
    missing = [value is None for value in values]
    if not any(missing):
        return np.array(values, dtype=dtype)
    return np.ma.masked_array(np.array([value or 0 for value in values], dtype=dtype), missing)
