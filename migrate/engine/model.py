"""The table model of context-server corpora: its fields, and the scripts that build its tables."""

from __future__ import annotations

PACKAGE = "migrate.engine.context_server"

_COMMON = (
    "schema_version", "kind", "project", "agent_name", "title", "status", "report_type", "task_name", "technologies", "links", "references",
)  # fmt: skip
"""Members that many records have: a column each in ``lines``."""

_TOGETHER = {
    "issue": ("source_project", "priority", "estimate", "due_date", "completed_at", "assignee", "milestone", "labels"),
    "upstream": (
        "affected_projects", "recheck_on", "last_verified", "upstream_repo", "upstream_ref", "upstream_component",
        "upstream_state", "filing", "fixed_in",
    ),
    "work": ("status_note", "is_linked_worktree", "worktree_id", "worktree_path"),
    "early": (
        "agent_type", "task_type", "complete", "completed", "tags", "used_references", "parent_id", "supersedes", "blocked_by", "superseded_by",
    ),
}  # fmt: skip
"""Members that few records have, and then together: one list each in ``lines``, NULL for all other records."""

METADATA_FIELDS = (*_COMMON, *(name for names in _TOGETHER.values() for name in names))
"""Metadata members that some rule reads; each is a column ``f_<name>`` of the records with its JSON text as found."""


def fragments() -> dict[str, str]:
    """What the scripts take from the fields: their paths, the common ones as the scan sees them, all as it keeps and finds them again."""
    found = {name: f"f[{place}]" for place, name in enumerate(METADATA_FIELDS, 1)}
    # The digits of these would cost too much to say again in every query: they are kept in the same list.
    beside = {
        f"{name}_integer": f"CASE WHEN {found[name]} IS NOT NULL THEN integer_of(exact({found[name]})) END"
        for name in ("priority", "estimate")
    }
    kept, again = [f"f_{name}" for name in _COMMON], []
    for group, names in _TOGETHER.items():
        first, last = (METADATA_FIELDS.index(name) + 1 for name in (names[0], names[-1]))
        there = ", ".join(found[name] for name in names)
        more = beside if group == "issue" else {}
        values = f"f[{first}:{last}]" + (f" || [{', '.join(more.values())}]" if more else "")
        kept.append(f"CASE WHEN rare AND coalesce({there}) IS NOT NULL THEN {values} END AS {group}_fields")
        columns = [*(f"f_{name}" for name in names), *more]
        again += [f"{group}_fields[{place}] AS {column}" for place, column in enumerate(columns, 1)]
    return {
        "PATHS": "[" + ", ".join(f"'$.{name}'" for name in METADATA_FIELDS) + "]",
        "EXTRACT": ", ".join(f"{found[name]} AS f_{name}" for name in _COMMON),
        "COUNTED": " + ".join(f"(f_{name} IS NOT NULL)::INT" for name in _COMMON),
        "PRIORITY": found["priority"],
        "ESTIMATE": found["estimate"],
        "REPOSITORY": found["upstream_repo"],
        "KEPT": ", ".join(kept),
        "GROUPS": ", ".join(f"{group}_fields" for group in _TOGETHER),
        "AGAIN": ", ".join(again),
    }
