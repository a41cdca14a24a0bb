"""How often each rule spoke and how many records it would change, from any system's table of findings."""

from __future__ import annotations

from dataclasses import replace

from migrate.engine.database import Database
from migrate.rules.registry import Registry
from migrate.types import RuleCount, Severity

_WORST_FIRST = (Severity.ERROR, Severity.WARNING, Severity.INFO)


def counts(database: Database, table: str, registry: Registry) -> tuple[tuple[RuleCount, ...], dict[str, int]]:
    """By rule, sorted by code; and by severity, all three of them. The table has code, level and severity."""
    rows = database.rows(
        f"""
        SELECT code, count(*), count(*) FILTER (level = 'safe'), count(*) FILTER (level = 'unsafe'),
               count(*) FILTER (level = 'manual'), count(*) FILTER (level = 'info'),
               min(array_position(['error', 'warning', 'info'], severity))
        FROM {table} GROUP BY code ORDER BY code
        """
    )
    rules = tuple(
        replace(
            RuleCount(code, registry[code].slug, _WORST_FIRST[worst - 1], number, *by_level),
            urgent=registry[code].urgent,
        )
        for code, number, *by_level, worst in rows
    )
    severities = dict.fromkeys((str(severity) for severity in Severity), 0)
    severities.update(database.rows(f"SELECT severity, count(*) FROM {table} GROUP BY severity"))
    return rules, severities


def changing(database: Database, table: str, record: str = "ordinal") -> tuple[int, int]:
    """Records that would change with safe fixes, and further ones that would with unsafe ones; ``record`` are the columns of one."""
    safe, unsafe = database.rows(
        f"""
        SELECT count(*) FILTER (safe), count(*) FILTER (unsafe AND NOT safe) FROM (
            SELECT bool_or(level = 'safe') AS safe, bool_or(level = 'unsafe') AS unsafe FROM {table} GROUP BY {record})
        """
    )[0]
    return int(safe), int(unsafe)
