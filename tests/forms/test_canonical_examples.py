"""The schema's own examples are right, and so is the clean sample: nothing is found there that anybody would have to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from migrate.systems import examine
from migrate.types import Level, Limits, Options, Severity

CLEAN = Path(__file__).parents[2] / "sample_data" / "context_server" / "clean.jsonl"
OPTIONS = Options(unsafe_fixes=True, limits=Limits(memory="500MB", threads=1))

REPORT = """{
"schema_version": 1,
"kind": "report",
"project": "my-project",
"agent_name": "developer",
"task_name": "Implement JWT authentication",
"status": "done",
"report_type": "implementation",
"technologies": ["python", "fastapi"],
"links": {
"derived_from": [3348],
"commissioned_by": [3340],
"git_commits": ["abc1234def5678901234567890abcdef12345678"]
}
}"""
ISSUE = """{
"schema_version": 1,
"kind": "issue",
"project": "mcp-context-server",
"source_project": "claude-code-artifacts",
"agent_name": "main-agent",
"title": "Scope identical-text dedup by kind",
"status": "triage",
"priority": 3,
"links": {
"commissioned_by": [27318],
"related": [27074]
}
}"""
COMMENT = """{
"schema_version": 1,
"kind": "comment",
"project": "mcp-context-server",
"agent_name": "main-agent",
"links": {
"parent": [27401]
}
}"""
UPSTREAM = """{
"schema_version": 1,
"kind": "upstream_issue",
"project": "my-project",
"agent_name": "main-agent",
"title": "Transient cache write failures during concurrent tool launches",
"status": "open",
"status_note": "fix released in 2.4.0; workaround removal pending, 2026-09-01",
"upstream_repo": "acme/pkgtool",
"upstream_component": "pkgtool -- cache persistence (src/fs)",
"filing": "filed",
"upstream_ref": "acme/pkgtool#2810",
"upstream_state": "closed_completed",
"affected_projects": ["my-project", "other-project"],
"recheck_on": ["pkgtool"],
"fixed_in": "2.4.0",
"last_verified": "2026-09-01",
"links": {
"github_issues": ["https://github.com/acme/pkgtool/issues/2810"],
"github_prs": ["https://github.com/acme/pkgtool/pull/2811"]
}
}"""
PLAN = """{
"schema_version": 1,
"kind": "plan",
"project": "my-project",
"agent_name": "main-agent",
"task_name": "Migration plan, revised after review",
"status": "pending",
"links": {
"supersedes": [27210],
"derived_from": [27198, 27204]
}
}"""


def record(own: int, thread: str, metadata: str, text: str, *tags: str, source: str = "agent") -> str:
    """A line of an export; later ids are later records."""
    time = f"2026-09-{1 + own // 1000:02}T{own % 1000 // 50:02}:{own % 50:02}:00Z"
    members: dict[str, Any] = {
        "id": own,
        "thread_id": thread,
        "source": source,
        "content_type": "text",
        "text_content": text,
    }
    more = {"summary": None, "tags": list(tags), "images": [], "created_at": time, "updated_at": time}
    return f'{json.dumps(members)[:-1]}, "metadata": {" ".join(metadata.split())}, {json.dumps(more)[1:]}'


def message(own: int, text: str) -> str:
    metadata = '{"schema_version": 1, "kind": "user_message", "project": "my-project"}'
    return record(own, "my-project", metadata, text, source="user")


def report(own: int, name: str) -> str:
    metadata = {
        "schema_version": 1, "kind": "report", "project": "my-project", "agent_name": "researcher", "task_name": name,
        "status": "done", "report_type": "research",
    }  # fmt: skip
    return record(own, "my-project", json.dumps(metadata), f"Report: {name}", "report")


def examples() -> list[str]:
    """The five examples, each as a record, and what they link to."""
    issue = "# {0}\n\n## Problem\nIt is there.\n\n## Context\nSeen twice.\n\n## Acceptance criteria\n- it is gone"
    earlier = '{"schema_version": 1, "kind": "plan", "project": "my-project", "agent_name": "main-agent", "task_name": "Migration plan", "status": "superseded"}'
    other = json.dumps(
        {**json.loads(ISSUE), "title": "Name the thread", "status": "todo", "links": {"commissioned_by": [27060]}}
    )
    return [
        message(3340, "Please put a login before it."),
        report(3348, "What the tokens may hold"),
        record(3400, "my-project", REPORT, "The login is there.", "report", "auth"),
        message(27060, "The thread should have a name."),
        record(27074, "issues", other, issue.format("Name the thread"), "issue"),
        report(27198, "What must move"),
        report(27204, "What may stay"),
        record(27210, "my-project", earlier, "First the tables, then the texts.", "plan"),
        record(27250, "my-project", PLAN, "First the texts, then the tables.", "plan"),
        message(27318, "Two kinds with one text should not fall together."),
        record(27401, "issues", ISSUE, issue.format("Scope identical-text dedup by kind"), "issue"),
        record(27402, "issues", COMMENT, "Re issue 27401: the kind is part of the key now.", "comment"),
        record(
            27500, "upstream-issues", UPSTREAM,
            "# Transient cache write failures during concurrent tool launches (acme/pkgtool#2810)\n\n**Why** The cache is not locked.\n\n"
            "**Workaround** (my-project) Start one after the other.\n**Remove when** 2.4.0 is in use.\n\n"
            "**Workaround** (other-project) Start again.\n**Remove when** 2.4.0 is in use.", "upstream_issue",
        ),
    ]  # fmt: skip


def to_do(corpus: Path) -> tuple[list[tuple[str | None, str, str]], int]:
    """What anybody would have to look at: id, code and path of all findings but those for information; and the patches."""
    with examine(str(corpus), OPTIONS) as examination:
        found = [each for each in examination.findings() if (each.level, each.severity) != (Level.INFO, Severity.INFO)]
        patches = examination.plan().header["counts"]["patches"]
        assert examination.summary.records == len(corpus.read_bytes().splitlines())
    return [(each.record, each.code, each.path) for each in found], patches


def test_the_examples_of_the_schema_are_right(tmp_path: Path) -> None:
    corpus = tmp_path / "examples.jsonl"
    corpus.write_text("\n".join(examples()) + "\n")
    assert to_do(corpus) == ([], 0)


@pytest.mark.parametrize(
    ("right", "wrong", "code"),
    [
        ('"status": "superseded"', '"status": "done"', "CS701"),
        ('"derived_from": [3348]', '"derived_from": [3349]', "CS607"),
        ("Re issue 27401", "Re issue 27402", None),
    ],
)
def test_the_examples_are_looked_at_at_all(tmp_path: Path, right: str, wrong: str, code: str | None) -> None:
    text = "\n".join(examples()) + "\n"
    assert text.count(right) == 1
    corpus = tmp_path / "examples.jsonl"
    corpus.write_text(text.replace(right, wrong))
    found, _ = to_do(corpus)
    assert {each[1] for each in found} == ({code} if code else set())


def test_the_clean_sample_is_clean() -> None:
    assert to_do(CLEAN) == ([], 0)
