"""User messages, newer and held records stay byte for byte, whatever is asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from whole_way import applied, options, own_id, plan_of

Name = Callable[[int], Any]

FAULTS = {
    "status": "Done", "report_type": "Audit", "technologies": "Python", "priority": "2", "estimate": "3", "is_linked_worktree": "TRUE",
    "upstream_repo": "Acme/X", "due_date": "2026/08/01", "labels": ["x"], "agent_type": "planner",
}  # fmt: skip
"""One member for each of many repairs."""


def record(own: Any, metadata: Any, **members: Any) -> str:
    base = {"id": own, "thread_id": "t", "source": "agent", "text_content": f"text {own}", "metadata": metadata}
    stamps = {"tags": [" A", "a"], "created_at": "2026-08-01 10:00:00", "updated_at": "2026-08-02 10:00:00"}
    return json.dumps({**base, **stamps, **members})


def links(name: Name) -> dict[str, Any]:
    """Every repair of links and references, some of them at others' expense."""
    return {
        "links": {
            "derivedFrom": [str(name(1)), name(1), name(1)], "related": name(2), "parent": None, "git_commits": ["A" * 40],
            "blocked_by": [name(1)], "subissues": [name(2)], "superseded_by": [name(1)], "evidence": [{"id": name(2)}],
        },
        "references": {"context_ids": [name(1), name(2)], "urls": ["https://example.org"], "github_prs": []},
    }  # fmt: skip


def untouchable(name: Name) -> list[str]:
    """Lines that nothing may change, each with faults that would be repaired elsewhere."""
    faults = {**FAULTS, **links(name)}
    core = {"project": "p", **faults}
    prompt = {"chunk": 1, **links(name), "labels": ["x"]}
    held = record(name(35), faults)
    member = record(name(36), faults)
    return [
        record(name(20), {"schema_version": 1, "kind": "user_message", **core}, source="user"),
        record(name(21), {"schema_version": "1", "kind": "User Message", **core}),
        record(name(22), {"schema_version": 1.0, "kind": " user-message ", **core}),
        record(name(23), {"kind": "user_message", **faults}),
        record(name(24), prompt, source="user", tags=["X ", "x"]),
        record(name(25), None, source="user", tags=["X "]),
        record(name(26), json.dumps(prompt), source="user"),
        record(name(27), {"schema_version": 2, "kind": "Report", **core}),
        record(name(28), {"schema_version": 0, "kind": "issue", **core}),
        record(name(29), {"schema_version": 3.0, **core}),
        record(name(30), json.dumps({"schema_version": 2, "kind": "Report", **core})),
        record(name(31), [faults]),
        record(name(32), json.dumps(json.dumps(faults))),
        record(name(33), "no object"),
        record(name(34), 7),
        held,
        held.replace("text", "changed", 1),
        member.replace('"status": "Done"', '"status": "Done", "status": "Done"'),
        record(name(37), faults).replace('"source": "agent"', '"source": "agent", "source": "agent"'),
        record(name(38), {**faults, "deep": 0}).replace('"deep": 0', '"deep": [{"a": 1, "a": 2}]'),
        record(None, faults),
        record(True, faults),
        record("an id", faults),
        record([name(1)], faults),
        json.dumps({"metadata": faults, "tags": ["A "]}),
        record(name(39), faults)[:-1],
        record(name(39), faults) + ",",
        record(name(39), faults) * 2,
    ]


def ordinary(name: Name) -> list[str]:
    """Records that are repaired, and that name the others wherever a repair could reach out."""
    others = [name(number) for number in range(20, 40)]
    aimed = {
        "supersedes": others,
        "blocked_by": others,
        "subissues": others,
        "superseded_by": others,
        "duplicates": others,
    }
    work = {"schema_version": 1, "project": "p", "agent_name": "a", "status": "Done"}
    made = [record(name(1), {**work, "kind": "plan", "links": aimed}, tags=["plan"], created_at="2026-09-01 10:00:00")]
    made.append(record(name(2), {**work, "kind": "report", **FAULTS}, tags=["report"]))
    made += [
        record(name(10 + number), {**work, "kind": "checkpoint", "links": {key: others}})
        for number, key in enumerate(("commissioned_by", "derived_from", "duplicate_of", "parent", *aimed))
    ]
    made.append(record(name(3), {"status": "completed", "references": {"context_ids": others}, **FAULTS}))
    return made


STATUSES = {"any": {"done": "pending"}, "report": {"done": "superseded"}, "plan": {"done": "pending"}}
GIVEN: dict[str, dict[str, Any]] = {
    "safe": {},
    "unsafe": {"unsafe_fixes": True},
    "everything selected": {"select": ("CS",), "unsafe_fixes": True},
    "everything promoted": {"safe_fixes": ("CS",)},
    "everything promoted, unsafe too": {"safe_fixes": ("CS",), "unsafe_fixes": True, "partial": True},
    "everything demoted": {"unsafe_only": ("CS",), "unsafe_fixes": True},
    "a status map": {"status_map": STATUSES, "unsafe_fixes": True},
    "their own class ignored": {"ignore": ("CS801", "CS104", "CS003", "CS005", "CS006", "CS008"), "unsafe_fixes": True},
}


def check(lines: list[str], spared: int, folder: Path, **given: Any) -> None:
    """The first ``spared`` of the lines, strewn among the others, are the same bytes in the output."""
    source = folder / "entries.jsonl"
    strewn = [line + ("\r\n" if place % 3 == 0 else "\n") for place, line in enumerate(lines)]
    strewn = strewn[::2] + strewn[1::2]
    source.write_text("".join(strewn), newline="")
    plan = plan_of(source, folder, options(**given))
    assert plan.withheld == ()
    assert plan.lines
    kept = {own_id(line) for line in lines[:spared]} - {None}
    assert not {json.dumps(line["record"]) for line in plan.lines} & kept
    out = folder / "out.jsonl"
    applied(plan, out)
    written = out.read_bytes().split(b"\n")
    before = source.read_bytes().split(b"\n")
    assert len(written) == len(before)
    untouched = {line.encode() for line in lines[:spared]}
    assert sum(line.rstrip(b"\r") in untouched for line in before) == spared
    for old, new in zip(before, written, strict=True):
        if old.rstrip(b"\r") in untouched:
            assert new == old
    assert sum(old != new for old, new in zip(before, written, strict=True)) == len(plan.lines)


@pytest.mark.parametrize("form", ["integer", "uuid"])
@pytest.mark.parametrize("given", GIVEN)
def test_nothing_touches_them(given: str, form: str, tmp_path: Path) -> None:
    def name(number: int) -> Any:
        return number if form == "integer" else f"0198c0ffee007a7b8c8d{number:012x}"

    lines = untouchable(name)
    check(lines + ordinary(name), len(lines), tmp_path, **GIVEN[given])


@pytest.mark.parametrize("unsafe", [False, True])
def test_an_id_map_does_not_either(unsafe: bool, tmp_path: Path) -> None:
    """Links with the old ids, which the map knows, on records that nothing may change."""

    def new(number: int) -> str:
        return f"0198c0ffee007a7b8c8d{number:012x}"

    table = tmp_path / "map.json"
    table.write_text(json.dumps({str(number): new(number) for number in range(1, 60)}))

    def with_old_ids(line: str) -> str:
        """Ids of the links are integers, those of the records are not."""
        head, mark, rest = line.partition('"metadata":')
        for number in range(1, 60):
            rest = rest.replace(f'\\"{new(number)}\\"', str(number)).replace(f'"{new(number)}"', str(number))
        return head + mark + rest

    lines = [with_old_ids(line) for line in untouchable(new)]
    others = [with_old_ids(line) for line in ordinary(new)]
    check(lines + others, len(lines), tmp_path, id_map=table, unsafe_fixes=unsafe)
    assert f'"{new(25)}"' in (tmp_path / "out.jsonl").read_text().rpartition("checkpoint")[0]
