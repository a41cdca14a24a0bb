"""How the metadata and tags of one kind of record looked in each era of the server and its skills."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from harbor.model import Ref, Work

NESTED_SINCE = datetime(2025, 10, 10)
"""Metadata could hold objects and lists from here on; before it was flat."""
FLAGS_UNTIL = datetime(2026, 1, 6)
PROJECTS_IN_PROMPTS_SINCE = datetime(2026, 1, 24)
SKILL_SINCE = datetime(2026, 3, 18)
V1_SINCE = datetime(2026, 8, 1)

AGENTS = {
    "research": "researcher",
    "plan": "planner",
    "plan2": "planner",
    "report": "developer",
    "review": "reviewer",
    "checkpoint": "developer",
    "handoff": "developer",
    "note": "main-agent",
}
KINDS = {"research": "report", "review": "report", "plan2": "plan"}
REPORT_TYPES = {"research": "research", "report": "implementation", "review": "validation"}


def commit_of(digest: str) -> str:
    """A full commit id from any hex digest of 40 digits."""
    return digest[:40]


def pull_url(work: Work) -> str:
    """The address of the pull request that brought a work in."""
    return f"https://github.com/harbor-berths/{work.project}/pull/{work.pull}"


def prompt_meta(work: Work, at: datetime) -> dict[str, Any] | None:
    """Metadata of a prompt: none at first, the project since January, schema v1 since August."""
    if at < PROJECTS_IN_PROMPTS_SINCE:
        return None
    linked = work.key in {"audit-log", "erasure", "roles", "keyboard"}
    suffix = f"-{work.key}" if linked else ""
    where = {
        "project": work.project,
        "worktree_id": f"{work.project}{suffix}",
        "worktree_path": f"/home/jonna/src/{work.project}{suffix}",
        "is_linked_worktree": linked,
    }
    if at < V1_SINCE:
        return where
    return {"schema_version": 1, "kind": "user_message", **where}


def legacy_meta(
    make: str, work: Work, at: datetime, sources: list[Ref], commit: str
) -> tuple[dict[str, Any], list[str]]:
    """Metadata and tags of an agent's record before schema v1; ``sources`` are the records it builds upon."""
    kind = KINDS.get(make, make)
    agent = AGENTS[make]
    topic = work.tech[0]
    if at < NESTED_SINCE:
        return {"agent_name": "builder", "task_type": make}, [kind, "subagent:builder"]
    if at < FLAGS_UNTIL:
        meta: dict[str, Any] = {"agent_name": agent, "task_name": work.title, "completed": at.day % 2 == 0 or "true"}
        if kind == "report" and sources:
            meta["references"] = sources
        return meta, [kind, topic]
    meta = {"agent_name": agent, "task_name": work.title}
    references: dict[str, Any] = {"context_ids": sources} if sources else {}
    if at < SKILL_SINCE:
        meta["status"] = "completed" if kind == "report" else "active"
        meta["project"] = work.project
    else:
        meta["status"] = "done" if make != "checkpoint" else "pending"
        meta["project"] = work.project
        if make == "report" and work.pull:
            references["git_commits"] = [commit]
            references["github_prs"] = [pull_url(work)]
    meta["technologies"] = list(work.tech)
    if make in REPORT_TYPES:
        meta["report_type"] = REPORT_TYPES[make]
    if references or at >= SKILL_SINCE:
        meta["references"] = references
    return meta, [kind, topic]


def v1_meta(make: str, work: Work, prompt: Ref, sources: list[Ref], commit: str) -> tuple[dict[str, Any], list[str]]:
    """Metadata and tags under schema v1, everything where it belongs."""
    kind = KINDS.get(make, make)
    meta: dict[str, Any] = {
        "schema_version": 1,
        "kind": kind,
        "project": work.project,
        "agent_name": AGENTS[make],
    }
    links: dict[str, Any] = {}
    if make == "plan2":
        links["supersedes"] = [Ref(f"{work.key}/plan")]
    if sources:
        links["derived_from"] = sources
    if make in {"research", "plan", "report"}:
        links["commissioned_by"] = [prompt]
    if kind != "note":
        meta["task_name"] = work.title
        superseded = make == "plan" and "plan2" in work.makes
        meta["status"] = "superseded" if superseded else "pending" if make == "checkpoint" else "done"
    if make in REPORT_TYPES:
        meta["report_type"] = REPORT_TYPES[make]
        meta["technologies"] = list(work.tech)
    if make == "report" and work.pull:
        links["git_commits"] = [commit]
        links["github_prs"] = [pull_url(work)]
    if links:
        meta["links"] = links
    return meta, [kind, work.tech[0]]
