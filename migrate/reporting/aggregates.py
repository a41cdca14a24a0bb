"""What a report says of the findings together: where they lie. Counted over the table, never row by row."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from migrate.results import Tally, Where

_SHOWN = 10
_ERAS = 36
_SOURCES = 6
NONE, OTHERS = "(none)", "(others)"


def where(table: Path, families: Mapping[str, str]) -> Where:
    """Places by their findings; ``families`` has the family of each code, which is a row of the heat."""
    import polars

    findings = polars.scan_parquet(table).select("code", "severity", "thread", "project", "agent", "era", "source")
    errors = (polars.col("severity") == "error").sum().alias("errors")

    def counted(*names: str) -> list[dict[str, Any]]:
        return findings.group_by(*names).agg(polars.len().alias("findings"), errors).collect().to_dicts()

    def tallies(name: str) -> list[Tally]:
        return [Tally(row[name] or NONE, row["findings"], row["errors"]) for row in counted(name)]

    def first(name: str) -> tuple[Tally, ...]:
        return tuple(sorted(tallies(name), key=lambda tally: (-tally.findings, tally.name))[:_SHOWN])

    eras = sorted((tally for tally in tallies("era") if tally.name != NONE), key=lambda tally: tally.name)
    heat: dict[str, dict[str, int]] = {}
    totals: dict[str, int] = {}
    for row in counted("code", "source"):
        family, source = families.get(row["code"], "other"), row["source"] or NONE
        heat.setdefault(family, {})[source] = heat.setdefault(family, {}).get(source, 0) + row["findings"]
        totals[source] = totals.get(source, 0) + row["findings"]
    sources = sorted(totals, key=lambda name: (-totals[name], name))
    if len(sources) > _SOURCES:
        shown, rest = sources[: _SOURCES - 1], sources[_SOURCES - 1 :]
        for cells in heat.values():
            cells[OTHERS] = sum(cells.pop(name, 0) for name in rest)
        sources = [*shown, OTHERS]
    rows = sorted(heat)
    return Where(
        threads=first("thread"),
        projects=first("project"),
        agents=first("agent"),
        eras=tuple(eras[-_ERAS:]),
        sources=tuple(sources),
        families=tuple(rows),
        heat=tuple(tuple(heat[family].get(source, 0) for source in sources) for family in rows),
    )
