"""The table models: what each system of corpora reads of its records, and the scripts that build its tables."""

from __future__ import annotations

from dataclasses import dataclass

PACKAGE = "migrate.engine.context_server"

METADATA_FIELDS = (
    "schema_version", "kind", "project", "source_project", "agent_name", "agent_type", "task_name", "task_type", "title",
    "status", "status_note", "report_type", "technologies", "affected_projects", "recheck_on", "is_linked_worktree", "estimate",
    "priority", "due_date", "last_verified", "completed_at", "complete", "completed", "upstream_repo", "upstream_ref",
    "upstream_component", "upstream_state", "filing", "fixed_in", "assignee", "milestone", "worktree_id", "worktree_path",
    "labels", "tags", "links", "references", "used_references", "parent_id", "supersedes", "blocked_by", "superseded_by",
)  # fmt: skip
"""Metadata members that some rule reads; each is a column ``f_<name>`` with its JSON text as found."""


@dataclass(frozen=True, slots=True)
class TableModel:
    """How the engine reads the items of one system and which tables it makes of them."""

    package: str
    """Where its scripts are: ``macros``, ``facts``, ``typed``, ``held``, those below, ``findings``, ``edits``, ``requirements``."""
    fields: tuple[str, ...]
    """Metadata members that become columns ``f_<name>``, dots as underscores."""
    tables: tuple[str, ...]
    """Scripts that run before the cycles are known, the first of which makes ``records``."""
    cyclic: tuple[str, ...]
    """Keys of ``edges`` that must not go round."""
    late_tables: tuple[str, ...] = ()
    """Scripts that run after."""
    ids: tuple[str, str] = ("id", "context_id")
    """Paths of the members of an item that are its record's id; the first there counts."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of the metadata fields."""
        return tuple("f_" + name.replace(".", "_") for name in self.fields)

    @property
    def paths(self) -> str:
        """The SQL list of the JSON paths of the metadata fields."""
        return "[" + ", ".join(f"'$.\"{name}\"'" if "." in name else f"'$.{name}'" for name in self.fields) + "]"


CONTEXT_SERVER = TableModel(
    PACKAGE,
    METADATA_FIELDS,
    ("records.sql", "links.sql", "graph.sql"),
    ("supersedes", "parent", "blocks"),
    ("supersession.sql", "assembly.sql"),
)

KATA = TableModel(
    "migrate.engine.kata",
    (
        "scheduled_on", "deadline_on", "timezone", "someday", "checklist", "area", "role", "teammate", "work.branch", "work.attention",
        "work.attention_msg", "today_bucket", "sidebar_order", "icon",
    ),
    ("records.sql", "schedules.sql", "checklists.sql", "requests.sql", "graph.sql"),
    ("parent", "blocks"),
    ids=("data.uid", "data.id"),
)  # fmt: skip
