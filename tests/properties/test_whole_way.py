"""What holds for any corpus on its way from file to repaired file.

The default run takes few examples, each a whole corpus with many faults; ``-m slow`` takes many more.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from corpus_strategy import Corpus, corpora
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from whole_way import LIMITS, Planned, applied, options, own_id, plan_of, scratch, texts_of, without_touchable

from migrate.applying.apply import Copy, apply_plan
from migrate.applying.journal import past_run
from migrate.applying.running import RunResult, Settings
from migrate.applying.undo import undo_run

pytestmark = pytest.mark.slow

CALM = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]


QUICK = [Phase.explicit, Phase.reuse, Phase.generate]
"""Without shrinking, which takes minutes here; the slow tests shrink."""


def few(examples: int) -> settings:
    """Each costs the engine a second or more."""
    return settings(max_examples=examples, phases=QUICK, deadline=None, suppress_health_check=CALM, print_blob=True)


def many() -> settings:
    return settings(max_examples=20, deadline=None, suppress_health_check=CALM, print_blob=True)


# What holds after a plan was applied.


def check_undone(run: RunResult, out: Path, data: bytes) -> None:
    """Undo in the copy gives the source again, byte for byte."""
    assert run.journal is not None
    past = past_run(run.journal.parent)
    assert past is not None
    undone = undo_run(past, None, Settings(run.journal.parents[3], LIMITS))
    assert (undone.stale, undone.failed, undone.problems) == (0, 0, ())
    assert out.read_bytes() == data


def check_repaired(corpus: Corpus, folder: Path, *, unsafe: bool) -> None:
    """Applied, checked again, applied again: nothing is left to do safely, and nothing is done twice."""
    here = scratch(folder)
    source, out = here / "entries.jsonl", here / "out.jsonl"
    source.write_bytes(corpus.data)
    plan = plan_of(source, here, options(unsafe_fixes=unsafe))
    assert plan.withheld == ()
    check_books(plan)
    check_levels(plan, unsafe=unsafe)
    if not plan.lines:
        return
    run = applied(plan, out)
    written = out.read_bytes()
    check_bytes(corpus.data, written, plan)
    check_undone(run, out, corpus.data)
    out.write_bytes(written)

    again = plan_of(out, scratch(here), options())
    assert [line["record"] for line in again.lines] == []
    assert again.withheld == ()
    assert [(each.record, each.code, each.path) for each in again.findings if each.level == "safe"] == []
    assert again.summary.records == plan.summary.records

    second = here / "second.jsonl"
    applied(plan, second)
    assert second.read_bytes() == written
    source.write_bytes(written)
    nothing = here / "nothing.jsonl"
    result = apply_plan(plan.path, Copy(nothing), Settings(here / "again", LIMITS))
    assert (result.applied, result.already, result.stale, result.failed) == (0, len(plan.lines), 0, 0), result
    assert not nothing.exists()


def check_books(plan: Planned) -> None:
    books = plan.header["conservation"]
    stayed = books["kept"] + books["moved"] + books["rewritten"]
    assert books["before"] == stayed + books["removed"] + books["held"]
    assert books["after"] == stayed + books["added"]
    assert (books["removed"], books["added"]) == (sum(books["removed_by"].values()), sum(books["added_by"].values()))


def check_levels(plan: Planned, *, unsafe: bool) -> None:
    """No change without a code, none that was not asked for, and none of what must not be touched."""
    classes = {each.record: each.record_class for each in plan.findings}
    found = {(each.record, each.code) for each in plan.findings}
    for line in plan.lines:
        assert classes.get(json.dumps(line["record"])) not in ("user_message", "newer", "held")
        assert all(change["codes"] for change in line["changes"])
        assert unsafe or line["level"] == "safe"
    once = Counter((each.record, each.code, each.path, each.line) for each in plan.findings)
    assert [key for key, count in once.items() if count > 1] == []
    assert len(found) <= len(plan.findings)


def check_bytes(before: bytes, after: bytes, plan: Planned) -> None:
    """Every byte outside of the planned records, and in those every byte outside of what a change names."""
    planned = {json.dumps(line["record"]): line for line in plan.lines}
    lines = before.split(b"\n"), after.split(b"\n")
    assert len(lines[0]) == len(lines[1])
    touched = set()
    for old, new in zip(*lines, strict=True):
        if old == new:
            continue
        own = own_id(old.decode().removeprefix("\ufeff"))
        assert own in planned
        touched.add(own)
        check_record(old.decode(), new.decode(), {change["path"] for change in planned[own]["changes"]})
    assert touched == planned.keys()


def check_record(old: str, new: str, paths: set[str]) -> None:
    outside, parts = without_touchable(old)
    outside_after, parts_after = without_touchable(new)
    assert parts.keys() <= parts_after.keys()
    if parts.keys() == parts_after.keys():
        assert outside_after == outside
    else:  # a member that was missing comes last
        whole = "".join(outside).rstrip()
        assert "".join(outside_after).startswith(whole[:-1].rstrip())
    if "tags" not in paths:
        assert parts.get("tags") == parts_after.get("tags")
    if parts.get("metadata", "")[:1] == "{":
        steps = {step(path, 1) for path in paths if path[:1] == "/"}
        check_members(parts["metadata"], parts_after["metadata"], steps)
        links = [dict(texts_of(part["metadata"])).get("links", "") for part in (parts, parts_after)]
        if "/links" not in paths and all(text[:1] == "{" for text in links):
            check_members(*links, {step(path, 2) for path in paths if path.startswith("/links/")})


def check_members(before: str, after: str, changed: set[str]) -> None:
    """Members that no change names: the same text, in the same order."""
    old, new = dict(texts_of(before)), dict(texts_of(after))
    assert {name: text for name, text in old.items() if name not in changed}.items() <= new.items()
    assert [name for name in old if name in new] == [name for name in new if name in old]
    assert new.keys() - old.keys() <= changed


def step(path: str, place: int) -> str:
    """A part of a JSON pointer."""
    return path.split("/")[place].replace("~1", "/").replace("~0", "~")


@given(corpus=corpora())
@few(6)
def test_safe_fixes_settle_and_spare_everything_else(corpus: Corpus, folder: Path) -> None:
    check_repaired(corpus, folder, unsafe=False)


@given(corpus=corpora())
@few(6)
def test_unsafe_fixes_settle_and_spare_everything_else(corpus: Corpus, folder: Path) -> None:
    check_repaired(corpus, folder, unsafe=True)


@pytest.mark.slow
@pytest.mark.parametrize("unsafe", [False, True])
@given(corpus=corpora(most=80))
@many()
def test_fixes_of_many_corpora_settle(corpus: Corpus, folder: Path, unsafe: bool) -> None:
    check_repaired(corpus, folder, unsafe=unsafe)


# What does not depend on how the corpus lies on the disk.


def check_order(corpus: Corpus, other: list[bytes], folder: Path) -> None:
    """The same findings and the same plan lines, record by record, in whatever order the lines are."""
    plans = []
    for lines in (list(corpus.lines), other):
        here = scratch(folder)
        source = here / "entries.jsonl"
        source.write_bytes(b"".join(line.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r\n") + b"\n" for line in lines))
        plans.append(plan_of(source, here, options(unsafe_fixes=True)))
    found = [Counter((each.record, each.code, each.path, each.level, each.severity) for each in plan.findings) for plan in plans]  # fmt: skip
    assert found[0] == found[1]
    by_record = [{own_record(text): text for text in plan.line_texts} for plan in plans]
    assert by_record[0] == by_record[1]
    for same in ("counts", "conservation", "options"):
        assert plans[0].header[same] == plans[1].header[same]


def own_record(line: bytes) -> str:
    return json.dumps(json.loads(line)["record"])


@given(corpus=corpora(), rng=st.randoms(use_true_random=False))
@few(4)
def test_order_in_the_file_never_matters(corpus: Corpus, rng: object, folder: Path) -> None:
    lines = list(corpus.lines)
    rng.shuffle(lines)  # type: ignore[attr-defined]
    check_order(corpus, lines, folder)


@pytest.mark.slow
@given(corpus=corpora(most=80), rng=st.randoms(use_true_random=False))
@many()
def test_order_in_many_files_never_matters(corpus: Corpus, rng: object, folder: Path) -> None:
    lines = list(corpus.lines)
    rng.shuffle(lines)  # type: ignore[attr-defined]
    check_order(corpus, lines, folder)


@given(corpus=corpora(), subset=st.sets(st.sampled_from(["CS1", "CS2", "CS3", "CS4", "CS5", "CS6", "CS7", "CS102", "CS502", "CS601"]), min_size=1))  # fmt: skip
@few(3)
def test_codes_that_are_not_selected_are_neither_reported_nor_written(
    corpus: Corpus, subset: set[str], folder: Path
) -> None:
    here = scratch(folder)
    source = here / "entries.jsonl"
    source.write_bytes(corpus.data)
    plan = plan_of(source, here, options(unsafe_fixes=True, ignore=tuple(sorted(subset))))
    unwanted = tuple(subset)
    assert [each.code for each in plan.findings if each.code.startswith(unwanted)] == []
    assert [code for line in plan.lines for code in line["codes"] if code.startswith(unwanted)] == []
    assert plan.withheld == ()
    if plan.lines:
        applied(plan, here / "out.jsonl")
        check_bytes(corpus.data, (here / "out.jsonl").read_bytes(), plan)
