"""Records of every kind and era, as they should be or as their time wrote them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from json_texts import Raw

Record = dict[str, Any]

SHA = "abc1234def5678901234567890abcdef12345678"
HOSTILE = "\x1b[31m red \u202e\u2066 \u2028\u2029\x85 \x00 <b>&\"'\\/ İıſK 𝔘 \ud800 \udc00x é"


@dataclass(frozen=True, slots=True)
class World:
    """What a record may refer to: the ids of all records of its corpus."""

    ids: tuple[int | str, ...]
    uuid: bool

    def ref(self, place: int) -> int | str:
        """The id of some record."""
        return self.ids[place % len(self.ids)]


def new_world(count: int, *, uuid: bool) -> World:
    """Ids of one form: a few beyond what a float can hold, a few that look like a number and are none."""
    if uuid:
        return World(tuple(f"1{place:031}" if place % 13 == 7 else f"0198c0ffee{place // 3:06x}7a7b3c8d{place:08x}" for place in range(count)), uuid=True)  # fmt: skip
    big = (9007199254740993, 18446744073709551616, 10**30)
    return World(tuple(big[place // 13] if place % 13 == 7 and place < 39 else 100 + place for place in range(count)), uuid=False)  # fmt: skip


def _record(world: World, place: int, rng: Random, metadata: Any, tags: Any, **members: Any) -> Record:
    day, hour = 1 + place % 27, rng.randrange(24)
    return {
        "id": world.ids[place],
        "thread_id": "t",
        "source": "agent",
        "content_type": "text",
        "text_content": f"words of {place}",
        "metadata": metadata,
        "summary": None,
        "tags": tags,
        "created_at": f"2026-08-{day:02} {hour:02}:00:00",
        "updated_at": f"2026-09-{day:02} {hour:02}:30:00",
        **members,
    }


def _core(kind: str, **members: Any) -> dict[str, Any]:
    return {"schema_version": 1, "kind": kind, "project": "alpha", "agent_name": "main-agent", **members}


def _some(world: World, place: int, rng: Random) -> int | str:
    """Another record's id; earlier ones more often than later ones."""
    return world.ref(place + rng.choice((-1, -1, -2, -3, -5, 1, 2, 7)))


def report(world: World, place: int, rng: Random) -> Record:
    """A v1 report."""
    links = {"derived_from": [_some(world, place, rng)], "git_commits": [SHA], "urls": ["https://example.org/a"]}
    fields = {"task_name": f"task {place % 3}", "status": rng.choice(("done", "pending")), "report_type": "research"}
    return _record(world, place, rng, _core("report", **fields, technologies=["python"], links=links), ["report", "x"])


def work(world: World, place: int, rng: Random) -> Record:
    """A v1 plan, handoff or checkpoint that replaces another record."""
    kind = rng.choice(("plan", "plan", "handoff", "checkpoint"))
    links = {"supersedes": [_some(world, place, rng)], "evidence": [_some(world, place, rng)]}
    return _record(world, place, rng, _core(kind, task_name="t", status="pending", links=links), [kind])


def note(world: World, place: int, rng: Random) -> Record:
    """A v1 note."""
    links = {"related": [_some(world, place, rng), _some(world, place, rng)]}
    return _record(world, place, rng, _core("note", links=links), ["note"], thread_id=rng.choice(("t", "issues")))


def issue(world: World, place: int, rng: Random) -> Record:
    """A v1 issue."""
    links = {rng.choice(("blocks", "parent", "related")): [_some(world, place, rng)]}
    title = f"Fix {place}"
    fields = {"source_project": "alpha", "title": title, "status": "todo", "priority": rng.randrange(5), "links": links}
    if rng.random() < 0.3:
        fields |= {"status": "duplicate", "links": {"duplicate_of": [_some(world, place, rng)]}}
    return _record(world, place, rng, _core("issue", **fields), ["issue"], thread_id="issues", text_content=f"# {title}\n\nIt breaks.")  # fmt: skip


def upstream_issue(world: World, place: int, rng: Random) -> Record:
    """A v1 upstream issue."""
    url = f"https://github.com/acme/tool/issues/{place}"
    fields = {
        "title": f"Fails {place}", "status": "open", "upstream_repo": "acme/tool", "upstream_component": "x", "filing": "filed",
        "upstream_ref": f"acme/tool#{place}", "affected_projects": ["alpha"], "recheck_on": ["uv"], "last_verified": "2026-09-01",
        "links": {"github_issues": [url]},
    }  # fmt: skip
    return _record(world, place, rng, _core("upstream_issue", **fields), ["upstream_issue"], thread_id="upstream-issues", text_content=f"# Fails {place}: acme")  # fmt: skip


def comment(world: World, place: int, rng: Random) -> Record:
    """A v1 comment on a record of the same thread, or not."""
    parent = _some(world, place, rng)
    return _record(world, place, rng, _core("comment", links={"parent": [parent]}), ["comment"], thread_id=rng.choice(("issues", "t")), text_content=f"Re issue {parent}: done {place}")  # fmt: skip


def user_message(world: World, place: int, rng: Random) -> Record:
    """What a user typed, of any era; never to be touched."""
    metadata = rng.choice((
        {"schema_version": 1, "kind": "user_message", "project": "alpha"},
        {"schema_version": 1, "kind": "User Message", "chunk": 1, "total_chunks": 3, "is_chunked": True},
        None, {}, {"chunk": 1, "links": {"related": ["7"]}, "references": {"context_ids": ["7"]}, "labels": "x"},
    ))  # fmt: skip
    record = _record(world, place, rng, metadata, rng.choice(([], None)), source="user", text_content=f"do {place}")
    if rng.random() < 0.3:
        del record["metadata"]
    return record


def newer(world: World, place: int, rng: Random) -> Record:
    """A record of a later schema; opaque."""
    version = rng.choice((2, 0, -1, Raw("2.0"), Raw("3e0"), Raw("99999999999999999999")))
    metadata = {"schema_version": version, "kind": "Report", "status": "Done", "links": {"supersedes": [_some(world, place, rng)], "related": "7"}}  # fmt: skip
    return _record(world, place, rng, metadata, ["B", "B"])


def unknown_kind(world: World, place: int, rng: Random) -> Record:
    """A v1 record of a kind that came later."""
    return _record(world, place, rng, _core("decision", status="Whatever", links={"decides": [1], "related": [_some(world, place, rng)]}), ["decision"])  # fmt: skip


def bare(world: World, place: int, rng: Random) -> Record:
    """The oldest records: hardly any metadata."""
    metadata = rng.choice((
        None, {}, {"references": [_some(world, place, rng)]}, {"used_references": [1], "implementation_complete": True},
        {"agent_type": "planner", "task_type": "x", "complete": True}, {"agent_name": "builder", "completed": "true"},
        {"status": rng.choice(("active", "Done", "completed", "archived")), "priority": 8, "tags": ["a", "B"], "config": {"a": [1.0]}},
    ))  # fmt: skip
    return _record(world, place, rng, metadata, rng.choice((None, [], ["report", "subagent:builder"], ["plan"])))


def legacy(world: World, place: int, rng: Random) -> Record:
    """The bulk: records with untyped references."""
    ids = [_some(world, place, rng) for _ in range(rng.randrange(4))]
    references = {
        "context_ids": ids,
        "urls": ["https://example.org/x"],
        "git_commits": [SHA],
        "github_prs": ["acme/x#1"],
    }
    for name in rng.sample(sorted(references), rng.randrange(5)):
        del references[name]
    metadata = {
        "agent_name": "developer", "task_name": "t", "status": rng.choice(("done", "pending", "Done", "superseded")), "project": "alpha",
        "technologies": ["python"], "report_type": rng.choice(("research", "audit", "other")), "references": references,
    }  # fmt: skip
    return _record(world, place, rng, metadata, rng.choice((["report"], [], ["research", "REPORT"])))


def legacy_tracker(world: World, place: int, rng: Random) -> Record:
    """Issues and comments from before the schema."""
    if rng.random() < 0.5:
        metadata = {"project": "alpha", "source_project": "alpha", "agent_name": "a", "title": f"Fix {place}", "status": "todo", "priority": 2}  # fmt: skip
        return _record(world, place, rng, metadata, ["issue"], thread_id="issues", text_content=f"# Fix {place}\nx")
    metadata = {"project": "alpha", "agent_name": "a", "links": {"parent": [_some(world, place, rng)]}}
    return _record(world, place, rng, metadata, ["comment"], thread_id="issues", text_content=f"Re issue {place}: ok")


TEMPLATES: tuple[Callable[[World, int, Random], Record], ...] = (
    report, work, note, issue, upstream_issue, comment, user_message, newer, unknown_kind, bare, legacy, legacy, work, issue, legacy_tracker,
)  # fmt: skip
