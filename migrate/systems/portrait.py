"""What a corpus is made of: kinds, and links by their key, as they are and as safe repairs leave them."""

from __future__ import annotations

from migrate.engine.database import Database
from migrate.results import Portrait

_SHOWN = 24
"""Names of each kind; the rest is summed."""
NONE, OTHERS = "(none)", "(others)"


def portrait(database: Database) -> Portrait:
    """The numbers of the safe track."""
    kinds = """
        SELECT name, sum(before)::BIGINT, sum(after)::BIGINT FROM (
            SELECT coalesce(kind_text, '') AS name, 1 AS before, 0 AS after FROM safe.node_facts
            UNION ALL SELECT coalesce(kind, kind_text, ''), 0, 1 FROM safe.node_facts)
        GROUP BY name
    """
    number = """
        CASE WHEN value[1] <> '[' THEN (value <> 'null')::INT WHEN value = '[]' THEN 0
             WHEN plain THEN strlen(value) - strlen(replace(value, ',', '')) + 1 ELSE json_array_length(value) END
    """
    links = f"""
        SELECT name, sum(before)::BIGINT, sum(after)::BIGINT FROM (
            SELECT found_key AS name, {number} AS before,
                   CASE WHEN plain AND role <> 'entry' AND ordinal NOT IN (SELECT ordinal FROM safe.touched) THEN {number} ELSE 0 END AS after
            FROM safe.link_members
            UNION ALL
            SELECT 'references', CASE WHEN is_empty THEN 0 WHEN value[1] = '[' THEN json_array_length(value) ELSE 1 END, 0
            FROM safe.reference_members
            UNION ALL SELECT key, 0, 1 FROM safe.cells_active
            UNION ALL SELECT key, 0, 1 FROM safe.plain_edges)
        GROUP BY name
    """
    return Portrait(_first(database, kinds), _first(database, links))


def _first(database: Database, query: str) -> dict[str, tuple[int, int]]:
    rows = database.rows(f"SELECT * FROM ({query}) ORDER BY 2 DESC, 1")
    named = {name or NONE: (int(before), int(after)) for name, before, after in rows[:_SHOWN]}
    if rest := rows[_SHOWN:]:
        named[OTHERS] = (sum(int(row[1]) for row in rest), sum(int(row[2]) for row in rest))
    return named
