"""A sorted stream of rows, handed out group by group in step with another one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb

_BATCH = 10_000


def grouped(cursor: duckdb.DuckDBPyConnection) -> Callable[[int], list[tuple[Any, ...]]]:
    """A function from an ordinal to its rows, without the ordinal. The ordinals asked for must ascend."""
    waiting: list[tuple[Any, ...]] = []
    place = 0

    def rows(ordinal: int) -> list[tuple[Any, ...]]:
        nonlocal waiting, place
        found: list[tuple[Any, ...]] = []
        while True:
            if place == len(waiting):
                waiting, place = cursor.fetchmany(_BATCH), 0
                if not waiting:
                    return found
            row = waiting[place]
            if row[0] > ordinal:
                return found
            place += 1
            if row[0] == ordinal:
                found.append(row[1:])

    return rows
