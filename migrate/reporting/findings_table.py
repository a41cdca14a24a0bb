"""``findings.parquet``: every finding of a run, a row each, in corpus order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from migrate.reporting.check_jsonl import MEMBERS, finding_members
from migrate.types import Finding, Level, Severity

ROWS_A_PART = 100_000
"""Rows held in memory at once; a corpus may have more findings than fit."""
COLUMNS = (*(name for name in MEMBERS if name != "state"), "agent", "source", "era", "repository", "scope")
"""The members of a finding, and where it was made: by which agent, from which source, in which month, in which context. A sweep adds ``state``."""
_FIRST = ("code", "slug", "level", "severity", "record", "path", "evidence", "file", "line", "fingerprint")
_RANK = {"regressed": 0, "new": 1}
_SEVERITY_RANK = {"error": 0, "warning": 1, "info": 2}


@runtime_checkable
class Tabular(Protocol):
    """Findings that can be written as a table without being told one by one."""

    def write_parquet(self, path: Path) -> None:
        """Write them to a new file with COLUMNS."""


def write(findings: Iterable[Finding], path: Path) -> int:
    """Writes the findings to a new file and returns their number.

    ``record`` and ``evidence`` hold JSON text, ``line`` is an integer, everything else a string. Of findings that are
    told one by one, parts are written beside ``path`` and joined as a stream.
    """
    import polars

    if isinstance(findings, Tabular):
        findings.write_parquet(path)
        return int(polars.scan_parquet(path).select(polars.len()).collect().item())
    schema = {name: polars.Int64 if name == "line" else polars.String for name in COLUMNS}
    parts: list[Path] = []
    total = 0
    for rows in _batches(findings):
        part = path.with_name(f"{path.name}.part-{len(parts)}")
        polars.DataFrame(rows, schema=schema, orient="row").write_parquet(part)
        parts.append(part)
        total += len(rows)
    if len(parts) > 1:
        polars.scan_parquet(parts).sink_parquet(path)
        for part in parts:
            part.unlink()
    else:
        parts[0].rename(path)
    return total


def read(path: Path) -> Iterator[Finding]:
    """Every finding of a table, in its order."""
    import polars

    table = polars.scan_parquet(path)
    for start in range(0, int(table.select(polars.len()).collect().item()), ROWS_A_PART):
        yield from map(_finding, table.slice(start, ROWS_A_PART).collect().iter_rows(named=True))


def examples(path: Path, number: int, *, loudest: bool = True) -> list[Finding]:
    """The first findings of each rule: regressed ones, then new ones, then in the order of the table, or only in that."""
    import polars

    table = polars.scan_parquet(path).with_row_index("place")
    order = ["place"]
    if loudest and "state" in table.collect_schema():
        loud = polars.col("state").replace_strict(_RANK, default=2, return_dtype=polars.Int8)
        table, order = table.with_columns(loud=loud), ["loud", "place"]
    keys = table.select("code", *order)
    chosen = keys.sort(order).group_by("code", maintain_order=True).head(number).select("place")
    rows = table.join(chosen, on="place", how="semi").sort(order).collect()
    return [_finding(row) for row in rows.iter_rows(named=True)]


def worst(path: Path, number: int, *, loudest: bool = True) -> list[Finding]:
    """At most so many findings, in the order of the table: regressed ones first, then by severity, every rule in its turn.

    A rule's turn goes by fingerprint, so that they are the same from sweep to sweep.
    """
    import polars

    table = polars.scan_parquet(path).with_row_index("place")
    rank = polars.col("severity").replace_strict(_SEVERITY_RANK, default=3, return_dtype=polars.Int8)
    loud = polars.lit(1)
    if loudest and "state" in table.collect_schema():
        loud = polars.col("state").replace_strict({"regressed": 0}, default=1, return_dtype=polars.Int8)
    keys = table.select("place", "code", "fingerprint", loud=loud, rank=rank)
    turn = polars.col("fingerprint").rank("ordinal").over("code", "rank")
    chosen = keys.with_columns(turn=turn).sort("loud", "rank", "turn", "code").head(number).select("place")
    rows = table.join(chosen, on="place", how="semi").sort("place").collect()
    return [_finding(row) for row in rows.iter_rows(named=True)]


def _finding(row: dict[str, Any]) -> Finding:
    code, slug, level, severity, record, path, evidence, file, line, fingerprint = (row[name] for name in _FIRST)
    return Finding(
        code, slug, Level(level), Severity(severity), record, path, json.loads(evidence or "{}"), file, line, fingerprint,
        row["class"], row["kind"], row["thread"], row["project"], row.get("agent"), row.get("source"), row.get("era"), row.get("state"), row.get("scope"),
        row.get("repository"),
    )  # fmt: skip


def _batches(findings: Iterable[Finding]) -> Iterator[list[tuple[Any, ...]]]:
    """At least one batch, so that a run without findings has a table without rows."""
    rows = map(_row, findings)
    yield list(islice(rows, ROWS_A_PART))
    while batch := list(islice(rows, ROWS_A_PART)):
        yield batch


def _row(finding: Finding) -> tuple[Any, ...]:
    members = {
        **finding_members(finding),
        **{name: getattr(finding, name) for name in ("agent", "source", "era", "repository", "scope")},
    }
    return tuple(json.dumps(members[name]) if name == "evidence" else _storable(members[name]) for name in COLUMNS)


def _storable(data: Any) -> Any:
    """A string that UTF-8 can hold: a lone surrogate becomes its escape."""
    if isinstance(data, str) and not data.isascii():
        return data.encode("utf-8", "backslashreplace").decode("utf-8")
    return data
