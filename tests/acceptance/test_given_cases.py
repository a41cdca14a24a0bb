"""Every given case, the whole way: what is found, what is written after safe and after unsafe fixes, and nothing else."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from whole_way import Planned, applied, options, own_id, plan_of, without_touchable

CASES = Path(__file__).parents[1] / "data" / "cases" / "context_server"
NAMES = sorted(folder.name for folder in CASES.iterdir())


def test_the_cases_are_all_there() -> None:
    assert len(NAMES) == 76


def given_options(arguments: list[str], folder: Path) -> dict[str, Any]:
    match arguments:
        case []:
            return {}
        case ["--partial"]:
            return {"partial": True}
        case ["--id-map", name]:
            return {"id_map": folder / name}
    raise AssertionError(arguments)


def expected_findings(expected: dict[str, Any]) -> set[tuple[str, str, str]]:
    """Id as JSON text, so that 7 and "7" are two."""
    return {(json.dumps(each["id"]), each["code"], each["level"]) for each in expected["findings"]}


def exact(value: Any) -> str:
    """A value with the types of its numbers and the order of its members."""
    return json.dumps(value)


def wanted_records(expected: dict[str, Any], mode: str) -> dict[str, Any]:
    """What changes, by id as JSON text; unsafe fixes come on top of the safe ones."""
    return expected["safe"] if mode == "safe" else {**expected["safe"], **expected["unsafe"]}


def check_record(before: str, after: str, wanted: dict[str, Any], *, text_encoded: bool) -> None:
    """A changed record: its whole metadata and tags as expected, every other byte as before."""
    old, new = json.loads(before), json.loads(after)
    outside, old_parts = without_touchable(before)
    after_outside, new_parts = without_touchable(after)
    if old_parts.keys() == new_parts.keys():
        assert after_outside == outside
    for part in ("metadata", "tags"):
        if part not in wanted:
            assert new_parts.get(part) == old_parts.get(part)
    if "metadata" in wanted:
        metadata = new["metadata"]
        if text_encoded:
            assert isinstance(metadata, str)
            metadata = json.loads(metadata)
        assert exact(metadata) == exact(wanted["metadata"])
    if "tags" in wanted:
        assert new["tags"] == wanted["tags"]
    rest = {"metadata", "tags"}
    assert {name: value for name, value in new.items() if name not in rest} == {
        name: value for name, value in old.items() if name not in rest
    }


def check_file(source: bytes, written: bytes, wanted: dict[str, Any], plan: Planned) -> None:
    """Line by line; ids that the case names must all be met."""
    lines, out = source.split(b"\n"), written.split(b"\n")
    assert len(lines) == len(out)
    met: Counter[str] = Counter()
    for before, after in zip(lines, out, strict=True):
        try:
            record = json.loads(before)
            own = json.dumps(record.get("id", record.get("context_id")))
        except (ValueError, AttributeError, RecursionError):
            own = ""
        if own not in wanted:
            assert after == before
            continue
        met[own] += 1
        check_record(before.decode(), after.decode(), wanted[own], text_encoded=plan.header["corpus"]["text_encoded"])
    assert met.keys() == wanted.keys()


@pytest.mark.parametrize("mode", ["safe", "unsafe"])
@pytest.mark.parametrize("name", NAMES)
def test_given_case(name: str, mode: str, tmp_path: Path) -> None:
    folder = CASES / name
    source = folder / "input.jsonl"
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    given = given_options(expected["args"], folder)
    wanted = wanted_records(expected, mode)

    plan = plan_of(source, tmp_path, options(unsafe_fixes=mode == "unsafe", **given))
    assert set(plan.triples) == expected_findings(expected)
    assert plan.withheld == ()

    out = tmp_path / "out.jsonl"
    applied(plan, out)
    assert out.exists() == bool(wanted)  # where nothing changes, nothing is written
    if not wanted:
        return
    check_file(source.read_bytes(), out.read_bytes(), wanted, plan)
    if mode == "safe":
        for own, text in expected.get("raw_metadata_after", {}).items():
            (line,) = (line for line in out.read_text("utf-8").split("\n") if line and own_id(line) == own)
            assert without_touchable(line)[1]["metadata"] == text

    again = plan_of(out, tmp_path, options(**given))
    assert again.lines == []
    assert again.withheld == ()
