"""The table model of context-server corpora: its fields, and the scripts that build its tables."""

from __future__ import annotations

PACKAGE = "migrate.engine.context_server"

METADATA_FIELDS = (
    "schema_version", "kind", "project", "source_project", "agent_name", "agent_type", "task_name", "task_type", "title",
    "status", "status_note", "report_type", "technologies", "affected_projects", "recheck_on", "is_linked_worktree", "estimate",
    "priority", "due_date", "last_verified", "completed_at", "complete", "completed", "upstream_repo", "upstream_ref",
    "upstream_component", "upstream_state", "filing", "fixed_in", "assignee", "milestone", "worktree_id", "worktree_path",
    "labels", "tags", "links", "references", "used_references", "parent_id", "supersedes", "blocked_by", "superseded_by",
)  # fmt: skip
"""Metadata members that some rule reads; each is a column ``f_<name>`` with its JSON text as found."""


def path_list() -> str:
    """The SQL list of the JSON paths of the metadata fields."""
    return "[" + ", ".join(f"'$.{name}'" for name in METADATA_FIELDS) + "]"
