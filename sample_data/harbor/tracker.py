"""The issues thread: what was filed since August 2026, and what was said about it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from harbor import issues_later, issues_sweep
from harbor.model import Entry, Issue, Ref

ISSUES = (*issues_sweep.ISSUES, *issues_later.ISSUES)


def _body(issue: Issue) -> str:
    wanted = "\n".join(f"- {line}" for line in issue.wanted)
    return (
        f"# {issue.title}\n\n## Problem\n{issue.problem}\n\n## Context\n{issue.evidence}\n\n"
        f"## Acceptance criteria\n{wanted}"
    )


def _meta(issue: Issue, closed: datetime) -> dict[str, Any]:
    meta: dict[str, Any] = {
        "schema_version": 1,
        "kind": "issue",
        "project": issue.project,
        "source_project": issue.source or issue.project,
    }
    if not issue.by_hand:
        meta["agent_name"] = "main-agent"
    meta |= {"title": issue.title, "status": issue.status, "priority": issue.priority, **dict(issue.more)}
    if issue.closed_hours:
        meta["completed_at"] = closed.strftime("%Y-%m-%dT%H:%M:%SZ")
    if issue.links:
        meta["links"] = {key: [Ref(target) for target in targets] for key, targets in issue.links}
    return meta


def comment(key: str, at: datetime, project: str, agent: str, parent: str, text: str, thread: str = "issues") -> Entry:
    """A comment on an issue or an upstream issue, as schema v1 wants it."""
    meta = {
        "schema_version": 1,
        "kind": "comment",
        "project": project,
        "agent_name": agent,
        "links": {"parent": [Ref(parent)]},
    }
    word = "issue" if thread == "issues" else "upstream issue"
    return Entry(key, at, thread, "agent", f"Re {word} [[{parent}]]: {text}", meta, ["comment"])


def tracker_entries() -> list[Entry]:
    """Every issue with its comments."""
    entries = []
    for number, issue in enumerate(ISSUES):
        at = datetime.fromisoformat(issue.at) + timedelta(seconds=7 * number % 60)
        closed = at + timedelta(hours=issue.closed_hours, minutes=11 * number % 60)
        source = "user" if issue.by_hand else "agent"
        entry = Entry(issue.key, at, "issues", source, _body(issue), _meta(issue, closed), ["issue", *issue.labels])
        if issue.closed_hours:
            entry.updated = closed
        entries.append(entry)
        for turn, (hours, agent, text) in enumerate(issue.comments, 1):
            later = at + timedelta(hours=hours, minutes=13 * (number + turn) % 60)
            entries.append(comment(f"{issue.key}/c{turn}", later, issue.project, agent, issue.key, text))
    return entries
