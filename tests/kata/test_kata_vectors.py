"""The verdicts of kata's own validator and evaluation, row by row."""

from __future__ import annotations

import base64
import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest
from exports import CASES, VERDICTS, examined, export, found, issue, project, rows, standard, uid

VECTORS = rows("vectors.tsv")
DUE = rows("vectors_due.tsv")
RECIPIENTS = [row for row in rows("vectors_notify.tsv") if row[0] == "R"]
KEYS = [row for row in rows("vectors_notify.tsv") if row[0] == "K"]


def codes(text: str, folder: Path) -> Mapping[str, set[str]]:
    """Record (its bare id) to the codes of its findings."""
    by_record: dict[str, set[str]] = defaultdict(set)
    for finding in found(text, folder):
        by_record[json.loads(finding.record or '""')].add(finding.code)
    return by_record


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, set[str]]:
    """Every row of the validator's vectors in one export, and its codes."""
    projects, issues = [], []
    for number, (registry, key, raw, _, _) in enumerate(VECTORS, 1):
        metadata = f"{{{json.dumps(key)}:{raw}}}"
        (projects if registry == "project" else issues).append(
            (project if registry == "project" else issue)(number, metadata)
        )
    return codes(export(project(999, "{}"), *projects, *issues), tmp_path_factory.mktemp("vectors"))


@pytest.mark.parametrize("number", range(1, len(VECTORS) + 1), ids=lambda n: "-".join(VECTORS[n - 1][:3])[:80])
def test_a_finding_is_what_the_validator_refuses(judged: Mapping[str, set[str]], number: int) -> None:
    registry, key, _, _, verdict = VECTORS[number - 1]
    own = uid(900_000 + number if registry == "project" else number)
    here = judged.get(own, set())
    if verdict == "reject":
        assert here & VERDICTS
    else:
        # What is opaque to the validator may still break a convention or be of the first registry.
        conventions = {"work.attention": {"KT301"}, "role": {"KT401", "KT402"}, "sidebar_order": {"KT601"}}
        assert here <= {"KT102", "KT106", "KT108"} | conventions.get(key, set())
        assert not here & {"KT102", "KT108"} or "T15:30:45" in VECTORS[number - 1][2]


def test_a_value_that_is_no_json_is_a_broken_line(tmp_path: Path) -> None:
    raws = ["2026-05-20", "{", "'x'", "NaN", "01", '"a\tb"', "[1,]", ""]
    text = standard(issue(number, f'{{"scheduled_on":{raw}}}') for number, raw in enumerate(raws, 1))
    assert [(f.code, f.record, f.line) for f in found(text, tmp_path)] == [
        ("KT001", None, number + 2) for number in range(1, len(raws) + 1)
    ]


@pytest.mark.parametrize("number", range(1, len(DUE) + 1), ids=lambda n: DUE[n - 1][1][:60])
def test_what_cannot_be_evaluated_is_found(tmp_path: Path, number: int) -> None:
    _, metadata, _, error = DUE[number - 1]
    here = codes(standard([issue(1, metadata)]), tmp_path)[uid(1)]
    assert bool(here & {"KT102", "KT108"}) == (error == "ERR")


def encoded(text: str) -> str:
    return "notify." + base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


@pytest.mark.parametrize("row", RECIPIENTS, ids=lambda row: row[1][:40])
def test_every_recipient_has_its_canonical_key(tmp_path: Path, row: list[str]) -> None:
    _, recipient, key, verdict = row
    name = json.loads(recipient, strict=False)
    value = '{"from":"a","message":"m"}'
    padded = encoded(name) + "=" * (-len(encoded(name)[7:]) % 4 or 4)
    with examined(standard([issue(1, f"{{{json.dumps(padded)}:{value}}}")]), tmp_path) as examination:
        findings = [f for f in examination.findings() if f.code == "KT201"]
        plan = [json.loads(raw) for raw in examination.plan().lines]
    assert [f.level.value for f in findings] == ["safe" if verdict == "ok" else "manual"]
    if verdict == "ok":
        assert plan[0]["patch"]["metadata"] == {padded: None, key: json.loads(value)}
        assert not found(standard([issue(1, f"{{{json.dumps(key)}:{value}}}")]), tmp_path)
    else:
        assert not plan
        if name.strip():
            assert "KT203" in codes(standard([issue(1, f"{{{json.dumps(encoded(name))}:{value}}}")]), tmp_path)[uid(1)]


@pytest.mark.parametrize("row", KEYS, ids=lambda row: row[1])
def test_other_keys_are_recognised(tmp_path: Path, row: list[str]) -> None:
    metadata = f'{{{json.dumps(row[1])}:{{"from":"a","message":"m"}}}}'
    assert ("KT201" in codes(standard([issue(1, metadata)]), tmp_path)[uid(1)]) == ("canonical=false" in row[2])


def test_the_whole_export_has_its_verdicts(tmp_path: Path) -> None:
    wanted = {(int(line), key, verdict) for line, _, _, key, verdict in rows("export_v32_mixed.expected.tsv")}
    text = (CASES / "export_v32_mixed.jsonl").read_text("utf-8")
    findings = found(text, tmp_path)
    refused = {(f.line, f.path[1:], "REJECT") for f in findings if f.code in VERDICTS}
    unresolved = {(f.line, f.path[1:], "EVAL-ERROR") for f in findings if f.code == "KT108"}
    # The soft-deleted issue of line 14 is evaluated by nobody.
    assert refused | unresolved == {row for row in wanted if row[0] != 14 or row[2] == "REJECT"}


def test_the_findings_of_the_whole_export(tmp_path: Path) -> None:
    text = (CASES / "export_v32_mixed.jsonl").read_text("utf-8")
    assert sorted((f.code, f.line, f.path, f.level.value) for f in found(text, tmp_path)) == [
        ("KT101", 10, "/scheduled_on", "safe"), ("KT101", 11, "/deadline_on", "unsafe"), ("KT101", 12, "/deadline_on", "manual"),
        ("KT101", 14, "/scheduled_on", "manual"), ("KT102", 11, "/scheduled_on", "safe"), ("KT103", 10, "/someday", "safe"),
        ("KT104", 12, "/checklist", "unsafe"), ("KT105", 10, "/timezone", "manual"), ("KT107", 6, "/area", "unsafe"),
        ("KT108", 10, "/scheduled_on", "safe"), ("KT108", 11, "/deadline_on", "unsafe"), ("KT108", 11, "/scheduled_on", "unsafe"),
        ("KT108", 12, "/deadline_on", "manual"), ("KT201", 11, "/notify.reviewer", "unsafe"), ("KT202", 13, "/notify.b3Bz", "manual"),
        ("KT301", 10, "/work.attention", "manual"), ("KT302", 13, "", "info"), ("KT401", 6, "/role", "unsafe"),
        ("KT401", 7, "/role", "manual"), ("KT601", 6, "/sidebar_order", "info"),
    ]  # fmt: skip
