"""Others at work on the corpus between plan and apply, and between apply and undo: no edit of anyone is ever overwritten.

One plan of one corpus (fields, units, grounds, an id on two lines, a change of spelling alone), and any edits. What must come of them is
told line by line, by what each line says as JSON, and not by what the tool thinks of it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from whole_way import LIMITS, options, plan_of, scratch

from migrate.applying.apply import Copy, InPlace, apply_plan
from migrate.applying.errors import Refused
from migrate.applying.running import RunResult, Settings
from migrate.applying.undo import find_run, undo_run

WORK = {"schema_version": 1, "kind": "plan", "project": "p", "agent_name": "a", "status": "pending"}
ISSUE = {"schema_version": 1, "kind": "issue", "project": "p", "status": "todo"}


def line(own: int, metadata: Any, tags: Any = ("plan",), **more: Any) -> str:
    return json.dumps({"id": own, "thread_id": "t", "source": "agent", "text": f"text {own}", "metadata": metadata, "tags": tags, **more})  # fmt: skip


LINES = [
    line(1, {**WORK, "status": "Done", "x": None}, version=3),
    line(2, WORK),
    line(3, {**WORK, "links": {"supersedes": [2]}}),
    line(4, {**ISSUE, "title": "4", "links": {"blocked_by": [5], "related": [1.0]}}, ["issue"], thread_id="issues"),
    line(5, {**ISSUE, "title": "5"}, ["issue"], thread_id="issues"),
    line(6, {"status": "Done", "references": {"context_ids": [1, 2]}}, [" B ", "a"]),
    line(6, {"status": "Done", "references": {"context_ids": [1, 2]}}, [" B ", "a"]),
    '{"id":7, "metadata" : {"links":{"related":[1.0, 2]} , "n":1e400,"z":"\\u00e9"},"tags":null}',
    line(8, None, ["A"]),
    "broken",
    line(9, {**WORK, "note": "nobody touches this"}),
]
UNITS = [{4, 5}]
GROUNDS = {2: 3}
"""2 is superseded because 3 says so."""


@dataclass(frozen=True)
class Given:
    """The corpus, its plan, and each line after the repair."""

    folder: Path
    before: list[str]
    after: list[str]


@pytest.fixture(scope="module")
def given_plan(tmp_path_factory: pytest.TempPathFactory) -> Given:
    folder = tmp_path_factory.mktemp("interleaved")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("entries.jsonl").write_text("\n".join(LINES) + "\n")
        made = plan_of("entries.jsonl", folder, options(unsafe_fixes=True))
        assert {each["record"] for each in made.lines} == {1, 2, 4, 5, 6, 7, 8}
        apply_plan(Path("plan.jsonl"), Copy(Path("out.jsonl")), Settings(folder / "trial", LIMITS))
        after = Path("out.jsonl").read_text().split("\n")[:-1]
    assert [one != other for one, other in zip(LINES, after, strict=True)] == [
        True, True, False, True, True, True, True, True, True, False, False,
    ]  # fmt: skip
    return Given(folder, LINES, after)


# What others do to a line. Each takes its text and gives the new one.


def edited(text: str, **members: Any) -> str:
    record = json.loads(text, parse_float=Exact, parse_int=Exact)
    metadata = record["metadata"] if isinstance(record["metadata"], dict) else {}
    metadata.update(members)
    record["metadata"] = metadata
    return dumps(record)


class Exact(float):
    """A number that keeps its spelling."""

    def __new__(cls, token: str) -> Exact:
        made = super().__new__(cls, token)
        made.token = token
        return made

    token: str

    def __repr__(self) -> str:
        return self.token


def dumps(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)}: {dumps(child)}" for name, child in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(dumps, value)) + "]"
    return value.token if isinstance(value, Exact) else json.dumps(value)


def other_text(text: str) -> str:
    record = json.loads(text, parse_float=Exact, parse_int=Exact)
    return dumps({**record, "text": "edited", "summary": "new"})


EDITS = {
    "metadata": lambda text: edited(text, note="mine"),
    "status": lambda text: edited(text, status="abandoned"),
    "links": lambda text: edited(text, links={"related": [9]}),
    "text": other_text,
    "spaces": lambda text: dumps(json.loads(text, parse_float=Exact, parse_int=Exact)),
    "tags": lambda text: dumps({**json.loads(text, parse_float=Exact, parse_int=Exact), "tags": ["mine"]}),
    "removed": lambda text: "",
    "cut": lambda text: text[:-3],
}


@st.composite
def interleavings(draw: st.DrawFn) -> tuple[dict[int, str], list[int], list[str]]:
    """Edits by line, an order of the lines, and new records."""
    count = len(LINES)
    edits = draw(st.dictionaries(st.integers(0, count - 1), st.sampled_from(sorted(EDITS)), max_size=3))
    order = draw(st.just(list(range(count))) | st.permutations(range(count)))
    new = draw(st.lists(st.sampled_from([line(20, WORK), line(21, {"status": "Done"}), "{}", "x"]), max_size=2))
    return edits, order, new


def changed(lines: list[str], work: tuple[dict[int, str], list[int], list[str]]) -> list[tuple[int | None, str]]:
    """The lines after the work of others, each with the number that it had."""
    edits, order, new = work
    made: list[tuple[int | None, str]] = []
    for number in order:
        text = lines[number]
        if number in edits and text.startswith("{"):
            text = EDITS[edits[number]](text)
        if text:
            made.append((number, text))
    return made + [(None, text) for text in new]


def meaning(text: str) -> Any:
    """What compare and set looks at: metadata and tags, an absent value and an empty one alike; None for no record."""
    try:
        record = json.loads(text, parse_float=str, parse_int=str)
    except ValueError:
        return None
    return (record.get("metadata") or {}, sorted(set(record.get("tags") or []))) if isinstance(record, dict) else None


def without_touchable(text: str) -> Any:
    record = json.loads(text, parse_float=str, parse_int=str)
    return {name: value for name, value in record.items() if name not in ("metadata", "tags")}


def own_id(text: str) -> Any:
    try:
        record = json.loads(text)
    except ValueError:
        return None
    return record.get("id") if isinstance(record, dict) else None


def carry_out(folder: Path, lines: list[str]) -> tuple[RunResult | None, list[str], bytes]:
    path = folder / "entries.jsonl"
    old = "\n".join(lines).encode() + b"\n"
    path.write_bytes(old)
    try:
        result = apply_plan(folder / "plan.jsonl", InPlace(), Settings(folder / "reports", LIMITS))
    except Refused:
        assert path.read_bytes() == old
        return None, lines, old
    return result, path.read_text().split("\n")[:-1], old


def check_applied(base: Given, lines: list[tuple[int | None, str]], result: list[str]) -> None:
    assert len(result) == len(lines)
    ids = [own_id(text) for _, text in lines]
    whole = {
        own: all(meaning(text) == meaning(base.before[number]) for (number, text), other in zip(lines, ids, strict=True) if other == own and number is not None)
        and own in ids
        for own in {own_id(text) for text in base.before}
    }  # fmt: skip
    for (number, text), new in zip(lines, result, strict=True):
        if new == text:
            if number is None or base.before[number] == base.after[number]:
                continue
            own = own_id(text)
            ground = GROUNDS.get(own)
            unit = next((unit for unit in UNITS if own in unit), {own})
            # A line that was as planned, with its unit and its ground, was repaired.
            assert not (
                own is not None and all(whole.get(one) for one in unit) and (ground is None or whole.get(ground)) and len({t for (_, t), i in zip(lines, ids, strict=True) if i == own}) == 1
            ), (text, new)  # fmt: skip
            continue
        # What changed was as the plan saw it, and is now as the plan says; everything else of it is as it was.
        assert number is not None
        assert meaning(text) == meaning(base.before[number])
        assert meaning(new) == meaning(base.after[number])
        assert without_touchable(new) == without_touchable(text)


def few(examples: int) -> settings:
    quiet = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large]
    return settings(max_examples=examples, deadline=None, suppress_health_check=quiet, print_blob=True)


def fresh(base: Given) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        here = scratch(base.folder)
        shutil.copy(base.folder / "plan.jsonl", here)
        patch.chdir(here)
        yield here
        patch.undo()
        shutil.rmtree(here)


def apply_after_others(base: Given, work: tuple[dict[int, str], list[int], list[str]]) -> None:
    for here in fresh(base):
        lines = changed(base.before, work)
        result, after, old = carry_out(here, [text for _, text in lines])
        check_applied(base, lines, after)
        if result is None or result.journal is None:
            return
        # Undone at once, it is what the others left.
        undo_run(find_run(here / "reports", result.run_id), None, Settings(here / "reports", LIMITS))
        assert (here / "entries.jsonl").read_bytes() == old


def undo_after_others(base: Given, work: tuple[dict[int, str], list[int], list[str]]) -> None:
    for here in fresh(base):
        result, after, _ = carry_out(here, base.before)
        assert result is not None and result.complete and after == base.after
        lines = changed(base.after, work)
        path = here / "entries.jsonl"
        path.write_text("\n".join(text for _, text in lines) + "\n")
        try:
            undone = undo_run(find_run(here / "reports", result.run_id), None, Settings(here / "reports", LIMITS))
        except Refused:
            assert path.read_text() == "\n".join(text for _, text in lines) + "\n"
            return
        new = path.read_text().split("\n")[:-1]
        check_undone(base, lines, new)
        left = path.read_bytes()
        again = undo_run(find_run(here / "reports", result.run_id), None, Settings(here / "reports", LIMITS))
        assert (again.applied, again.stale) == (0, undone.stale)
        assert path.read_bytes() == left


def check_undone(base: Given, lines: list[tuple[int | None, str]], result: list[str]) -> None:
    assert len(result) == len(lines)
    touched = {own_id(text) for (number, text) in lines if number is not None and text != base.after[number]}
    ids = {own_id(text) for _, text in lines}
    for (number, text), new in zip(lines, result, strict=True):
        if number is None:
            assert new == text
            continue
        if text == base.after[number]:  # nobody edited it: it is as before, unless its unit was edited
            own = own_id(text)
            unit = next((unit for unit in UNITS if own in unit), {own})
            if unit <= ids and not unit & touched:
                assert new == base.before[number]
            else:
                assert new in (text, base.before[number])
            continue
        if new == text:
            continue
        # Edited, and undone beside the edit: what the edit did is still there.
        was, now, edit = json.loads(base.after[number]), json.loads(new), json.loads(text)
        for name in {*was, *edit}:
            if name == "metadata":
                old, mine = (record[name] if isinstance(record.get(name), dict) else {} for record in (was, edit))
                for inner in {*old, *mine}:
                    if old.get(inner) != mine.get(inner):
                        assert now["metadata"].get(inner) == mine.get(inner), (inner, text, new)
            elif was.get(name) != edit.get(name):
                assert now.get(name) == edit.get(name), (name, text, new)


@few(25)
@given(work=interleavings())
def test_apply_after_the_work_of_others(work: Any, given_plan: Given) -> None:
    apply_after_others(given_plan, work)


@few(25)
@given(work=interleavings())
def test_undo_after_the_work_of_others(work: Any, given_plan: Given) -> None:
    undo_after_others(given_plan, work)


@pytest.mark.slow
@few(200)
@given(work=interleavings())
def test_apply_after_the_work_of_others_often(work: Any, given_plan: Given) -> None:
    apply_after_others(given_plan, work)


@pytest.mark.slow
@few(200)
@given(work=interleavings())
def test_undo_after_the_work_of_others_often(work: Any, given_plan: Given) -> None:
    undo_after_others(given_plan, work)
