"""The table models: what each system of corpora reads of its records, and the scripts that build its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class TableModel:
    """How the engine reads the items of one system and which tables it makes of them."""

    package: str
    """Where its scripts are: ``macros``, ``facts``, ``typed``, ``items``, ``held``, ``records``, those below, ``findings``, ``edits``, ``requirements``."""
    fragments: Mapping[str, str]
    """What ``typed`` and ``items`` take from the metadata fields it reads."""
    tables: tuple[str, ...]
    """Scripts that run before the cycles are known."""
    cyclic: tuple[str, ...]
    """Keys of ``edges`` that must not go round."""
    late_tables: tuple[str, ...] = ()
    """Scripts that run after."""
    ids: tuple[str, str] = ("id", "context_id")
    """Paths of the members of an item that are its record's id; the first there counts."""


def _fields_together() -> dict[str, str]:
    """The fields of the context server: the common ones as the scan sees them, all as it keeps and finds them again."""
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
        "PATHS": _paths(METADATA_FIELDS),
        "EXTRACT": ", ".join(f"{found[name]} AS f_{name}" for name in _COMMON),
        "COUNTED": " + ".join(f"(f_{name} IS NOT NULL)::INT" for name in _COMMON),
        "PRIORITY": found["priority"],
        "ESTIMATE": found["estimate"],
        "REPOSITORY": found["upstream_repo"],
        "KEPT": ", ".join(kept),
        "GROUPS": ", ".join(f"{group}_fields" for group in _TOGETHER),
        "AGAIN": ", ".join(again),
    }


def _fields_apart(names: Sequence[str]) -> dict[str, str]:
    """Fields that are a column ``f_<name>`` each, dots as underscores."""
    columns = ["f_" + name.replace(".", "_") for name in names]
    extract = ", ".join(f"f[{place}] AS {column}" for place, column in enumerate(columns, 1))
    return {"PATHS": _paths(names), "EXTRACT": extract, "FIELDS": ", ".join(columns)}


def _paths(names: Sequence[str]) -> str:
    return "[" + ", ".join(f"'$.\"{name}\"'" if "." in name else f"'$.{name}'" for name in names) + "]"


CONTEXT_SERVER = TableModel(
    PACKAGE,
    _fields_together(),
    ("links.sql", "graph.sql"),
    ("supersedes", "parent", "blocks"),
    ("supersession.sql", "assembly.sql"),
)

KATA = TableModel(
    "migrate.engine.kata",
    _fields_apart((
        "scheduled_on", "deadline_on", "timezone", "someday", "checklist", "area", "role", "teammate", "work.branch", "work.attention",
        "work.attention_msg", "today_bucket", "sidebar_order", "icon",
    )),
    ("entries.sql", "schedules.sql", "checklists.sql", "requests.sql", "graph.sql"),
    ("parent", "blocks"),
    ids=("data.uid", "data.id"),
)  # fmt: skip
