"""What follows the specification has no finding: its own examples, completed to a corpus, and a clean corpus."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from whole_way import options, plan_of

CLEAN = Path(__file__).parents[2] / "sample_data" / "context_server" / "clean.jsonl"

Name = Callable[[int], Any]


def examples(name: Name) -> dict[int, dict[str, Any]]:
    """The metadata of the five canonical examples, by number."""
    core = {"schema_version": 1, "kind": "report"}
    return {
        3349: {
            **core, "project": "my-project", "agent_name": "developer", "task_name": "Implement JWT authentication", "status": "done",
            "report_type": "implementation", "technologies": ["python", "fastapi"],
            "links": {
                "derived_from": [name(3348)], "commissioned_by": [name(3340)], "git_commits": ["abc1234def5678901234567890abcdef12345678"],
            },
        },
        27401: {
            **core, "kind": "issue", "project": "mcp-context-server", "source_project": "claude-code-artifacts", "agent_name": "main-agent",
            "title": "Scope identical-text dedup by kind", "status": "triage", "priority": 3,
            "links": {"commissioned_by": [name(27318)], "related": [name(27074)]},
        },
        27402: {**core, "kind": "comment", "project": "mcp-context-server", "agent_name": "main-agent", "links": {"parent": [name(27401)]}},
        27403: {
            **core, "kind": "upstream_issue", "project": "my-project", "agent_name": "main-agent",
            "title": "Transient cache write failures during concurrent tool launches", "status": "open",
            "status_note": "fix released in 2.4.0; workaround removal pending, 2026-09-01", "upstream_repo": "acme/pkgtool",
            "upstream_component": "pkgtool -- cache persistence (src/fs)", "filing": "filed", "upstream_ref": "acme/pkgtool#2810",
            "upstream_state": "closed_completed", "affected_projects": ["my-project", "other-project"], "recheck_on": ["pkgtool"],
            "fixed_in": "2.4.0", "last_verified": "2026-09-01",
            "links": {
                "github_issues": ["https://github.com/acme/pkgtool/issues/2810"], "github_prs": ["https://github.com/acme/pkgtool/pull/2811"],
            },
        },
        27404: {
            **core, "kind": "plan", "project": "my-project", "agent_name": "main-agent", "task_name": "Migration plan, revised after review",
            "status": "pending", "links": {"supersedes": [name(27210)], "derived_from": [name(27198), name(27204)]},
        },
    }  # fmt: skip


def completed(name: Name) -> list[dict[str, Any]]:
    """The examples as stored records, after the records they point at."""
    prompt = {"schema_version": 1, "kind": "user_message", "project": "my-project"}
    found = [record(name, number, prompt) for number in (3340, 27318)]
    work = {"project": "my-project", "agent_name": "developer", "task_name": "Research the options"}
    for number, kind, status in (
        (3348, "report", "done"), (27198, "report", "done"), (27204, "handoff", "done"), (27210, "plan", "superseded"),
    ):  # fmt: skip
        found.append(record(name, number, {"schema_version": 1, "kind": kind, **work, "status": status}))
    issue = {"source_project": "my-project", "title": "An older issue", "status": "backlog", "priority": 0}
    found.append(record(name, 27074, {"schema_version": 1, "kind": "issue", "project": "my-project", "agent_name": "main-agent", **issue}))  # fmt: skip
    return found + [record(name, number, metadata) for number, metadata in examples(name).items()]


def record(name: Name, number: int, metadata: dict[str, Any]) -> dict[str, Any]:
    """A stored record as the server lists it."""
    kind, title = metadata["kind"], metadata.get("title")
    bodies = {"comment": f"Re issue {name(27401)}: seen here too", "user_message": f"Please do {number}"}
    threads = {"issue": "issues", "comment": "issues", "upstream_issue": "upstream-issues"}
    day = 1 + sorted([3340, 3348, 3349, 27074, 27198, 27204, 27210, 27318, 27401, 27402, 27403, 27404]).index(number)
    return {
        "id": name(number),
        "thread_id": threads.get(kind, "session"),
        "source": "user" if kind == "user_message" else "agent",
        "content_type": "text",
        "text_content": bodies.get(kind)
        or (f"# {title}\n\n## Problem" if title else f"Entry {number}: what was found"),
        "metadata": metadata,
        "tags": [] if kind == "user_message" else [kind],
        "created_at": f"2026-08-{day:02} 10:00:00",
        "updated_at": f"2026-08-{day:02} 10:00:00",
    }


@pytest.mark.parametrize("form", ["integer", "uuid"])
def test_the_five_canonical_examples_have_no_finding(form: str, tmp_path: Path) -> None:
    def name(number: int) -> Any:
        return number if form == "integer" else f"0198c0ffee007a7b8c8d{number:012x}"

    corpus = tmp_path / "entries.jsonl"
    records = completed(name)
    assert len(records) == 12
    corpus.write_text("".join(json.dumps(each) + "\n" for each in records))
    plan = plan_of(corpus, tmp_path, options(unsafe_fixes=True))
    assert plan.triples == {}
    assert plan.lines == []
    assert plan.summary.id_form == form
    assert {name: count for name, count in plan.summary.classes.items() if count} == {"user_message": 2, "v1": 10}


@pytest.mark.parametrize("unsafe", [False, True])
def test_a_clean_corpus_has_no_finding_but_info(unsafe: bool, tmp_path: Path) -> None:
    plan = plan_of(CLEAN, tmp_path, options(unsafe_fixes=unsafe))
    assert plan.summary.records > 50
    assert {triple for triple in plan.triples if triple[2] != "info"} == set()
    assert plan.summary.severities["error"] == plan.summary.severities["warning"] == 0
    assert plan.lines == []
