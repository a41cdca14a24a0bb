"""``findings.parquet``: every finding of a run, a row each, in corpus order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from migrate.reporting.check_jsonl import MEMBERS, finding_members
from migrate.types import Finding

if TYPE_CHECKING:
    import polars

ROWS_A_PART = 100_000
"""Rows held in memory at once; a corpus may have more findings than fit."""


def write(findings: Iterable[Finding], path: Path) -> int:
    """Writes the findings to a new file and returns their number.

    The columns are the members of a finding in ``--format jsonl``; ``record`` and ``evidence`` hold JSON text,
    ``line`` is an integer, everything else a string. Parts are written beside ``path`` and joined as a stream.
    """
    import polars

    schema = {name: polars.Int64 if name == "line" else polars.String for name in MEMBERS}
    parts: list[Path] = []
    total = 0
    for rows in _batches(findings):
        part = path.with_name(f"{path.name}.part-{len(parts)}")
        _frame(rows, schema).write_parquet(part)
        parts.append(part)
        total += len(rows)
    if len(parts) > 1:
        polars.scan_parquet(parts).sink_parquet(path)
        for part in parts:
            part.unlink()
    else:
        parts[0].rename(path)
    return total


def _batches(findings: Iterable[Finding]) -> Iterator[list[tuple[Any, ...]]]:
    """At least one batch, so that a run without findings has a table without rows."""
    rows = map(_row, findings)
    yield list(islice(rows, ROWS_A_PART))
    while batch := list(islice(rows, ROWS_A_PART)):
        yield batch


def _row(finding: Finding) -> tuple[Any, ...]:
    return tuple(
        json.dumps(data) if name == "evidence" else _storable(data) for name, data in finding_members(finding).items()
    )


def _storable(data: Any) -> Any:
    """A string that UTF-8 can hold: a lone surrogate becomes its escape."""
    if isinstance(data, str) and not data.isascii():
        return data.encode("utf-8", "backslashreplace").decode("utf-8")
    return data


def _frame(rows: list[tuple[Any, ...]], schema: dict[str, Any]) -> polars.DataFrame:
    import polars

    return polars.DataFrame(rows, schema=schema, orient="row")
