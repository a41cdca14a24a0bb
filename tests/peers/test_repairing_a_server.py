"""Legacy entries stored through a real server's tools, repaired beside it while it runs, and asked for again through its filters."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from context_server import Peer
from running import Run

ISSUE = {"schema_version": 1, "kind": "issue", "project": "harbor", "agent_name": "planner", "priority": 2}


@dataclass(frozen=True)
class Recipe:
    """A search of the schema: its filters, what it returns after the repair, and what it returned before."""

    name: str
    filters: list[dict[str, Any]]
    after: list[int]
    before: list[int]


def contains(key: str, value: int) -> dict[str, Any]:
    return {"key": f"links.{key}", "operator": "array_contains", "value": value}


def equals(key: str, value: str) -> dict[str, Any]:
    return {"key": key, "operator": "eq", "value": value, "case_sensitive": True}


@pytest.fixture
def legacy(peer: Peer) -> dict[str, int]:
    """Entries with the faults of their time, and their ids."""
    ids = {"ask": peer.store_entry("Please plan the harbor.", None, source="user")}

    def add(name: str, text: str, metadata: dict[str, Any], tags: list[str], thread: str = "harbor") -> None:
        ids[name] = peer.store_entry(text, metadata, tags, thread=thread)

    work = {"schema_version": 1, "project": "harbor", "agent_name": "planner"}
    add("plan", "The plan", {**work, "kind": "Plan", "status": "Done"}, ["plan"])
    add("old", "An old report", {**work, "kind": "report", "status": "done"}, ["report"])
    add(
        "new",
        "A new report",
        {**work, "kind": "report", "status": "done", "links": {"Supersedes": [f"{ids['old']}"]}},
        ["report"],
    )
    add("epic", "# Epic", {**ISSUE, "title": "Epic", "status": "In Progress"}, ["issue"], "issues")
    add(
        "task",
        "# Task",
        {**ISSUE, "title": "Task", "status": "todo", "links": {"parent": f"{ids['epic']}"}},
        ["issue"],
        "issues",
    )
    add(
        "block",
        "# Block",
        {**ISSUE, "title": "Block", "status": "todo", "links": {"blocks": [f"{ids['task']}"]}},
        ["issue"],
        "issues",
    )
    add(
        "word",
        f"Re issue {ids['epic']}: yes",
        {**work, "kind": "comment", "links": {"parent": ids["epic"]}},
        ["comment"],
        "issues",
    )
    add("one", "One", {**work, "kind": "note", "links": {"related": ids["plan"]}}, ["note"])
    add("loose", "Loose", {"agent_name": "planner", "references": {"context_ids": [ids["plan"], ids["old"]]}}, [])
    return ids


def recipes(ids: dict[str, int]) -> list[Recipe]:
    """The searches that the schema promises."""
    return [
        Recipe("kind and status", [equals("kind", "plan"), equals("status", "done")], [ids["plan"]], []),
        Recipe("superseded", [equals("kind", "report"), equals("status", "superseded")], [ids["old"]], []),
        Recipe("supersedes", [contains("supersedes", ids["old"])], [ids["new"]], []),
        Recipe("children", [contains("parent", ids["epic"]), equals("kind", "issue")], [ids["task"]], []),
        Recipe("comments", [contains("parent", ids["epic"]), equals("kind", "comment")], [ids["word"]], []),
        Recipe("blocks", [contains("blocks", ids["task"])], [ids["block"]], []),
        Recipe("related", [contains("related", ids["plan"])], [ids["one"]], []),
        Recipe("derived from", [contains("derived_from", ids["old"])], [ids["loose"]], []),
    ]


def planned_metadata(export: Path, plan: Path, out: Path, run: Run) -> dict[int, tuple[Any, Any]]:
    """Metadata and tags of every entry as the plan wants them, by way of a file."""
    assert run("apply", plan, "-o", out).exit_code == 0
    entries = map(json.loads, out.read_text(encoding="utf-8").splitlines())
    assert export.exists()
    return {entry["id"]: (entry["metadata"], sorted(entry["tags"])) for entry in entries}


@pytest.mark.parametrize("way", ["database", "server"])
def test_the_filters_find_after_the_repair_what_they_did_not_before(
    run: Run, peer: Peer, legacy: dict[str, int], tmp_path: Path, way: str
) -> None:
    store = peer.store if way == "database" else peer.uri
    texts = {own: peer.entry(own)["text_content"] for own in legacy.values()}
    for recipe in recipes(legacy):
        assert peer.search(*recipe.filters) == recipe.before, recipe.name
    assert run("export", store, "-o", "entries.jsonl").exit_code == 0
    assert run("plan", "entries.jsonl", "-o", "file.plan").exit_code == 0
    wanted = planned_metadata(tmp_path / "entries.jsonl", tmp_path / "file.plan", tmp_path / "repaired.jsonl", run)
    assert run("plan", store, "-o", "store.plan").exit_code == 0
    told = json.loads(run("apply", "store.plan", "--yes", "--format", "json").stdout)
    assert (told["stale"], told["failed"]) == (0, 0) and told["applied"] >= 8
    for own, text in texts.items():
        entry = peer.entry(own)
        assert (entry["metadata"] or None, sorted(entry["tags"])) == (wanted[own][0] or None, wanted[own][1])
        assert entry["text_content"] == text
    for recipe in recipes(legacy):
        assert peer.search(*recipe.filters) == recipe.after, recipe.name
    again = json.loads(run("apply", "store.plan", "--yes", "--format", "json").stdout)
    assert (again["applied"], again["already_applied"]) == (0, told["applied"])
    assert run("undo", told["run_id"], "--yes").exit_code == 0
    for recipe in recipes(legacy):
        assert peer.search(*recipe.filters) == recipe.before, recipe.name


def test_an_edit_through_the_server_between_plan_and_apply_stays(run: Run, peer: Peer, legacy: dict[str, int]) -> None:
    for store in (peer.store, peer.uri):
        run("plan", store, "-o", "p")
        peer.call("update_context", context_id=legacy["plan"], metadata_patch={"status": "pending", "mine": store})
        result = run("apply", "p", "--yes", "--format", "json")
        told = json.loads(result.stdout)
        assert (result.exit_code, told["stale"]) == (5, 1)
        assert told["problems"][0].startswith(f"{legacy['plan']}: stale: ")
        entry = peer.entry(legacy["plan"])
        assert (entry["metadata"]["status"], entry["metadata"]["mine"]) == ("pending", store)
        assert run("undo", told["run_id"], "--yes").exit_code == 0
        (workspace,) = Path("reports").glob("*/runs/" + told["run_id"])
        assert (workspace / "result.json").exists()


@pytest.mark.parametrize("peer", ["sqlite"], indirect=True)
def test_a_unit_larger_than_a_batch_is_refused_on_a_server(run: Run, peer: Peer) -> None:
    """One active side for a hundred passive ones: all or none of them."""
    goal = peer.store_entry("# Goal", {**ISSUE, "title": "Goal", "status": "todo"}, ["issue"], thread="issues")
    part = {**ISSUE, "status": "todo", "links": {"blocked_by": [goal]}}
    parts = [(f"# Part {number}", {**part, "title": f"Part {number}"}, "issues") for number in range(100)]
    assert len(peer.store_all(parts)) == 100
    assert run("plan", peer.uri, "-o", "p", "--unsafe-fixes", "--select", "CS504").exit_code == 0
    result = run("apply", "p", "--yes", "--format", "json")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["applied"], told["failed"]) == (5, 0, 101)
    assert "the server changes at most 100 at once" in told["problems"][0]
    assert peer.search(contains("blocks", told["failed"])) == []
    assert "links" not in peer.entry(goal)["metadata"]
    run("plan", peer.store, "-o", "q", "--unsafe-fixes", "--select", "CS504")
    assert json.loads(run("apply", "q", "--yes", "--format", "json").stdout)["applied"] == 101
    assert len(peer.entry(goal)["metadata"]["links"]["blocks"]) == 100
