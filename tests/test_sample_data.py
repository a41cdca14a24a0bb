"""The sample corpora are what their script makes, and what their README says; the large corpus is reproducible."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "sample_data"
CORPORA = SAMPLE / "context_server"
HEX = re.compile(r"[0-9a-f]{32}")

IN_THE_TWIN_ONLY = {"CS602", "CS605"}
FOR_POSTGRESQL_ONLY = {"CS012"}
ORDINARY = {"CS101", "CS401", "CS402", "CS403", "CS404"}
"""Codes that the README counts as ordinary on legacy records, so that its table need not name each place."""
CODES = {
    *(f"CS{number:03}" for number in (1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12)),
    *(f"CS{number}" for number in range(101, 119)),
    *(f"CS{number}" for number in (201, 202, 203, 204, 205, 206, 207, 209)),
    *(f"CS{number}" for number in range(301, 312)),
    *(f"CS{number}" for number in (401, 402, 403, 404, 406, 407, 408)),
    *(f"CS{number}" for number in (501, 502, 503, 504, 505, 507, 508, 509, 510, 513)),
    *(f"CS{number}" for number in range(601, 608)),
    *(f"CS{number}" for number in range(701, 718)),
    *(f"CS{number}" for number in (801, 802, 803)),
}


def records(name: str) -> Iterator[tuple[int, str, dict[str, Any] | None]]:
    """Number, text and object (None where it is no JSON object) of each line that is not blank."""
    for number, line in enumerate((CORPORA / name).read_text("utf-8").split("\n"), 1):
        if line.strip():
            yield number, line, parsed(line)


def refuse(token: str) -> None:
    raise ValueError(token)


def parsed(line: str) -> dict[str, Any] | None:
    try:
        value = json.loads(line, parse_constant=refuse)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def table_rows() -> Iterator[tuple[str, set[str]]]:
    """Record and codes of each row of the README's tables of faults."""
    for row in (SAMPLE / "README.md").read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        codes = {token.split("/")[0] for token in cells[1].split()} if len(cells) == 3 else set()
        if codes and all(re.fullmatch(r"CS\d{3}", code) for code in codes):
            yield cells[0], codes


def test_a_rebuild_gives_the_committed_files(tmp_path: Path) -> None:
    subprocess.run([sys.executable, SAMPLE / "build.py", "--out", tmp_path], check=True)
    made = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert made == {
        "README.md",
        *(f"{folder.name}/{path.name}" for folder in (CORPORA, SAMPLE / "kata") for path in folder.iterdir()),
    }
    for name in made:
        assert (tmp_path / name).read_bytes() == (SAMPLE / name).read_bytes(), name


def test_all_lines_are_json_but_the_broken_ones_of_the_readme() -> None:
    broken = {f"line {number}" for number, _, record in records("entries.jsonl") if record is None}
    assert broken == {place for place, codes in table_rows() if codes == {"CS001"}}
    assert len(broken) == 4
    for name in ("entries_uuid.jsonl", "clean.jsonl"):
        assert all(record is not None for _, _, record in records(name))


def test_the_counts_are_those_of_the_readme() -> None:
    readme = (SAMPLE / "README.md").read_text("utf-8")
    lines = list(records("entries.jsonl"))
    objects = [(line, record) for _, line, record in lines if record is not None]
    copies = len(objects) - len({line for line, _ in objects})
    conflicts = sum(1 for place, codes in table_rows() if codes == {"CS003"})
    assert (copies, conflicts) == (2, 1)
    assert f"| {len(lines)} lines, {len(objects) - copies - conflicts} records," in readme
    assert f"| the same {sum(1 for _ in records('entries_uuid.jsonl'))} records" in readme
    assert f"| {sum(1 for _ in records('clean.jsonl'))} of the records" in readme
    assert 300 <= len(objects) <= 360


def test_the_readme_names_a_place_for_every_fault() -> None:
    named = set[str]().union(*(codes for _, codes in table_rows()))
    assert named <= CODES
    assert CODES - named - ORDINARY == FOR_POSTGRESQL_ONLY
    text = (SAMPLE / "README.md").read_text("utf-8")
    assert all(code in text for code in CODES)


def test_the_readme_names_records_that_are_there() -> None:
    ids = {
        json.dumps(record.get("id", record.get("context_id")))
        for name in ("entries.jsonl", "entries_uuid.jsonl")
        for _, _, record in records(name)
        if record is not None
    }
    places = {place.strip("`") for place, _ in table_rows()}
    assert all(place in ids or f'"{place}"' in ids or place.startswith("line ") for place in places)


def test_the_year_goes_through_all_eras() -> None:
    objects = [record for _, _, record in records("entries.jsonl") if record is not None]
    months = Counter(str(record["created_at"])[:7] for record in objects)
    assert {f"2025-{month}" for month in (10, 11, 12)} | {f"2026-0{month}" for month in range(1, 10)} <= set(months)
    metas = [record["metadata"] for record in objects if isinstance(record["metadata"], dict)]
    assert all(
        "kind" not in record["metadata"]
        for record in objects
        if isinstance(record["metadata"], dict) and str(record["created_at"]) < "2026-06"
    )
    kinds = Counter(str(meta.get("kind")) for meta in metas)
    assert {
        "user_message",
        "report",
        "plan",
        "handoff",
        "checkpoint",
        "note",
        "issue",
        "upstream_issue",
        "comment",
    } <= set(kinds)


def test_the_map_covers_the_twin() -> None:
    id_map: dict[str, str] = json.loads((CORPORA / "id_map.json").read_text("utf-8"))
    ids = [str(record["id"]) for _, _, record in records("entries_uuid.jsonl") if record is not None]
    assert all(HEX.fullmatch(identifier) for identifier in ids)
    assert len(set(ids)) == len(ids)
    assert len(set(id_map.values())) == len(id_map)
    assert len(set(ids) - set(id_map.values())) == 1, "only the record copied from another server has no old id"
    assert set(id_map.values()) <= set(ids)
    old = {record["id"] for _, _, record in records("entries.jsonl") if record is not None and "id" in record}
    assert all(str(identifier) in id_map for identifier in old if isinstance(identifier, int))


def test_the_twin_says_the_same() -> None:
    id_map: dict[str, str] = json.loads((CORPORA / "id_map.json").read_text("utf-8"))
    twins = {record["id"]: record for _, _, record in records("entries_uuid.jsonl") if record is not None}
    compared = 0
    for _, _, record in records("entries.jsonl"):
        if record is None or not isinstance(record.get("id"), int):
            continue
        twin = twins[id_map[str(record["id"])]]
        assert (twin["thread_id"], twin["source"], twin["text_content"]) == (
            record["thread_id"],
            record["source"],
            record["text_content"],
        )
        if isinstance(record["metadata"], dict):
            assert list(twin["metadata"]) == list(record["metadata"])
        compared += 1
    assert compared > 330


def test_the_twin_has_new_ids_in_references_and_old_ones_in_links() -> None:
    moved = kept = 0
    for _, _, record in records("entries_uuid.jsonl"):
        assert record is not None
        meta = record["metadata"] if isinstance(record["metadata"], dict) else {}
        references = meta.get("references")
        listed = references.get("context_ids") if isinstance(references, dict) else None
        if isinstance(listed, list):
            moved += sum(isinstance(element, str) and bool(HEX.fullmatch(element)) for element in listed)
        links = meta.get("links")
        if isinstance(links, dict) and record["created_at"] < "2026-09-22T12":
            kept += sum(
                type(element) is int for value in links.values() if isinstance(value, list) for element in value
            )
    assert moved > 40
    assert kept > 100


def test_the_clean_corpus_points_only_at_itself() -> None:
    objects = [record for _, _, record in records("clean.jsonl") if record is not None]
    ids = {record["id"] for record in objects}
    targets = [
        element
        for record in objects
        for value in ((record["metadata"] or {}).get("links") or {}).values()
        for element in value
        if isinstance(element, int)
    ]
    assert len(targets) > 30
    assert set(targets) <= ids
    assert not any("references" in (record["metadata"] or {}) for record in objects)
    assert all(record["tags"] == [] for record in objects if (record["metadata"] or {}).get("kind") == "user_message")


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("benchmark_generator", ROOT / "benchmarks" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("uuid", [False, True])
def test_the_generator_gives_the_same_bytes_again(generator: ModuleType, tmp_path: Path, uuid: bool) -> None:
    for name in ("one", "two"):
        generator.write(tmp_path / name, 2000, seed=7, uuid=uuid)
    generator.write(tmp_path / "other", 2000, seed=8, uuid=uuid)
    first = (tmp_path / "one").read_bytes()
    assert first == (tmp_path / "two").read_bytes()
    assert first != (tmp_path / "other").read_bytes()


@pytest.mark.parametrize("uuid", [False, True])
def test_the_generator_keeps_to_its_mix(generator: ModuleType, tmp_path: Path, uuid: bool) -> None:
    generator.write(tmp_path / "corpus", 2000, seed=3, uuid=uuid)
    lines = (tmp_path / "corpus").read_text("utf-8").splitlines()
    objects = [record for line in lines if (record := parsed(line)) is not None]
    assert abs(len(objects) - 2000) <= 5
    texts = [record["text_content"] for record in objects]
    assert len(set(texts)) > len(texts) - 3
    assert 850 < sum(map(len, texts)) / len(texts) < 950
    users = sum(record["source"] == "user" for record in objects) / len(objects)
    assert 0.11 < users < 0.19
    legacy = sum("kind" not in (record["metadata"] or {}) for record in objects) / len(objects)
    assert 0.27 < legacy < 0.33
    assert {type(record["id"]) for record in objects} == {str if uuid else int}
    threads = {(record["metadata"] or {}).get("kind"): record["thread_id"] for record in objects}
    assert threads["issue"] == "issues"
    assert threads["upstream_issue"] == "upstream-issues"


def test_the_generator_spoils_a_few_lines(generator: ModuleType) -> None:
    line = '{"id":1,"source":"agent"}\n'
    spoiled = [generator._spoiled(line, which) for which in range(8)]
    assert [parsed(text) for text in spoiled[:3]] == [None, None, None]
    assert all(text.count('"source"') == 2 and parsed(text) for text in spoiled[3:6])
    assert spoiled[6] == spoiled[7] == line * 2
