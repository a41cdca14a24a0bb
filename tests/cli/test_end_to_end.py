"""The whole way with the real rooms behind it: what a user types, what comes out, what is left on the disk."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pytest
from click.testing import CliRunner, Result

from migrate.cli.main import cli

Run = Callable[..., Result]


def entry(number: int, metadata: dict[str, Any], tags: list[str]) -> str:
    record = {
        "id": number,
        "thread_id": "t",
        "source": "agent",
        "text_content": "words",
        "metadata": {"schema_version": 1, "project": "p", "agent_name": "a", "task_name": "t", **metadata},
        "tags": tags,
        "created_at": f"2026-08-0{number} 10:00:00",
        "updated_at": f"2026-08-0{number} 10:00:00",
    }
    return json.dumps(record)


CORPUS = [
    entry(1, {"kind": "plan", "status": "pending"}, ["plan"]),
    entry(2, {"kind": "plan", "status": "Done", "links": {"supersedes": ["1"]}}, ["plan"]),
    entry(3, {"kind": "report", "report_type": "x", "status": "completed"}, []),
    entry(4, {"kind": "report", "report_type": "x"}, ["report"]),
    entry(5, {"kind": "note", "note_color": "\x1b[31m\u202e", "links": {"related": [99]}}, ["note"]),
]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs the command line in a folder with a corpus; an exception that escapes fails the test."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "entries.jsonl").write_text("\n".join(CORPUS) + "\n")

    def call(*arguments: str) -> Result:
        result = CliRunner().invoke(cli, list(arguments), prog_name="corpus-migrate")
        assert result.exit_code != 70, result.stderr
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result

    return call


@pytest.fixture(scope="module")
def saved_plan(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The plan for the corpus, made once: it names the corpus as it was typed, so it fits every test's folder."""
    folder = tmp_path_factory.mktemp("planned")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("entries.jsonl").write_text("\n".join(CORPUS) + "\n")
        assert CliRunner().invoke(cli, ["plan", "entries.jsonl", "-o", "plan.jsonl"]).exit_code == 0
        return Path("plan.jsonl").read_bytes()


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def findings(result: Result) -> set[tuple[int, str, str]]:
    lines = map(json.loads, result.stdout.splitlines())
    return {(line["record"], line["code"], line["level"]) for line in lines}


def test_check(run: Run, tmp_path: Path) -> None:
    result = run("check", "entries.jsonl", "--format", "jsonl")
    assert result.exit_code == 1
    expected = {(1, "CS701", "safe"), (2, "CS201", "safe"), (2, "CS601", "safe"), (3, "CS204", "unsafe")}
    assert expected | {(3, "CS110", "safe"), (4, "CS207", "manual"), (5, "CS607", "manual")} <= findings(result)
    kept = {path.partition("/")[2].partition("/")[2] for path in files(tmp_path) if path.startswith("reports/")}
    assert kept == {"history.jsonl", "state/ledger.duckdb"}


def test_every_format_says_the_same(run: Run) -> None:
    document = json.loads(run("check", "entries.jsonl", "--format", "json").stdout)
    lines = run("check", "entries.jsonl", "--format", "jsonl").stdout.splitlines()
    assert [item.pop("state") for item in document["findings"]] == ["new"] * len(lines)
    found = [json.loads(line) for line in lines]
    assert [item.pop("state") for item in found] == ["known"] * len(lines)
    assert document["findings"] == found
    assert document["counts"]["findings"] == len(lines) == sum(rule["findings"] for rule in document["rules"])
    assert sum(document["severities"].values()) == len(lines)
    assert (document["exit_code"], document["read"]["records"]) == (1, 5)
    text = run("check", "entries.jsonl").stdout
    assert all(f"{rule['code']} {rule['slug']}" in text for rule in document["rules"])
    assert len(run("check", "entries.jsonl", "-v").stdout.partition("\n\n")[0].splitlines()) == len(lines)


def test_hostile_text_of_a_real_corpus(run: Run) -> None:
    for arguments in (("check", "entries.jsonl"), ("check", "entries.jsonl", "-v"), ("plan", "entries.jsonl")):
        assert all(line.isprintable() for line in run(*arguments).stdout.split("\n"))


def test_the_way_from_plan_to_a_repaired_corpus(run: Run, tmp_path: Path) -> None:
    before = (tmp_path / "entries.jsonl").read_bytes()
    planned = run("plan", "entries.jsonl", "--detailed-exitcode")
    assert planned.exit_code == 1
    assert "3 records would change with safe fixes (" in planned.stdout
    (folder,) = tmp_path.glob("reports/entries.jsonl-*/plans/*")
    assert {path.name for path in folder.iterdir()} == {
        *("plan.jsonl", "findings.parquet", "report.html", "report.json", "report.md")
    }
    checked = run("check", "entries.jsonl", "--format", "jsonl").stdout.splitlines()
    frame = polars.read_parquet(folder / "findings.parquet")
    assert [json.loads(record) for record in frame["record"]] == [json.loads(line)["record"] for line in checked]

    diff = run("show", str(folder), "--record", "2")
    assert '    - "Done"\n    + "done"\n' in diff.stdout
    assert '    - ["1"]\n    + [1]\n' in diff.stdout
    assert (tmp_path / "entries.jsonl").read_bytes() == before

    applied = run("apply", str(folder), "-o", "repaired.jsonl")
    assert applied.exit_code == 0, applied.stderr
    assert applied.stdout.startswith("Applied     3 records changed\n")
    assert (tmp_path / "entries.jsonl").read_bytes() == before
    old, new = CORPUS, (tmp_path / "repaired.jsonl").read_text().splitlines()
    assert [number for number in range(5) if old[number] != new[number]] == [0, 1, 2]
    assert json.loads(new[0])["metadata"]["status"] == "superseded"

    again = run("plan", "repaired.jsonl", "--detailed-exitcode")
    assert again.exit_code == 0
    assert "0 records would change with safe fixes (" in again.stdout


def test_the_same_plan_whatever_the_folder_memory_and_threads(run: Run, tmp_path: Path) -> None:
    run("plan", "entries.jsonl", "-o", "a.jsonl")
    run("plan", "entries.jsonl", "-o", "b.jsonl", "--threads", "1", "--memory-limit", "300MB", "--workspace", "other")
    first, second = (json.loads((tmp_path / name).read_text().splitlines()[0]) for name in ("a.jsonl", "b.jsonl"))
    assert {**first, "created_at": None} == {**second, "created_at": None}
    a, b = ((tmp_path / name).read_text().splitlines()[1:] for name in ("a.jsonl", "b.jsonl"))
    assert a == b


def test_select_and_unsafe_fixes(run: Run) -> None:
    selected = run("check", "entries.jsonl", "--format", "jsonl", "--select", "CS2", "--ignore", "CS207")
    assert {code for _, code, _ in findings(selected)} == {"CS201", "CS204"}
    assert selected.exit_code == 0
    assert run("plan", "entries.jsonl", "--unsafe-fixes", "-o", "plan.jsonl").exit_code == 0
    shown = json.loads(run("show", "plan.jsonl", "--select", "CS204", "--format", "json").stdout)
    assert [record["record"] for record in shown["records"]] == [3]


def test_lost_input_is_3_and_its_plan_is_refused(run: Run, tmp_path: Path) -> None:
    whole = gzip.compress(
        "".join(entry(1 + n % 9, {"n": n}, []).replace('"id": ', f'"id": 1{n}') + "\n" for n in range(400)).encode()
    )
    (tmp_path / "cut.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    checked = run("check", "cut.jsonl.gz", "--format", "jsonl")
    assert checked.exit_code == 3
    assert checked.stderr.startswith("warning: ")
    assert "cut.jsonl.gz" in checked.stderr
    assert run("plan", "cut.jsonl.gz", "-o", "plan.jsonl").exit_code == 3
    assert run("show", "plan.jsonl").exit_code == 0
    before = files(tmp_path)
    refused = run("apply", "plan.jsonl", "-o", "out.jsonl.gz")
    assert refused.exit_code == 4
    assert "incomplete" in refused.stderr
    assert files(tmp_path) == before


def test_a_stale_record_is_5_and_the_rest_is_done(run: Run, saved_plan: bytes, tmp_path: Path) -> None:
    (tmp_path / "plan.jsonl").write_bytes(saved_plan)
    text = (tmp_path / "entries.jsonl").read_text()
    (tmp_path / "entries.jsonl").write_text(text.replace('"Done"', '"done"'))
    result = run("apply", "plan.jsonl", "-o", "out.jsonl", "--format", "json")
    document = json.loads(result.stdout)
    assert (result.exit_code, document["exit_code"], document["stale"]) == (5, 5, 1)
    assert document["applied"] == 2
    assert len(document["problems"]) == 1


BAD = {
    "missing": (["check", "gone.jsonl"], 2, "gone.jsonl"),
    "missing to plan": (["plan", "gone.jsonl"], 2, "gone.jsonl"),
    "no exports": (["check", "empty"], 2, "empty"),
    "no match": (["check", "empty/*.jsonl"], 2, "empty/*.jsonl"),
    "code": (["check", "entries.jsonl", "--select", "CS999"], 2, "--select: no rule is or begins with CS999"),
    "code to plan": (["plan", "entries.jsonl", "--ignore", "XX"], 2, "--ignore: no rule is or begins with XX"),
    "config": (["check", "entries.jsonl", "--config", "broken.toml"], 2, "broken.toml: unknown key selekt"),
    "id map": (["check", "entries.jsonl", "--id-map", "broken.toml"], 2, "broken.toml"),
    "custom rules": (["check", "entries.jsonl", "--config", "rules.toml"], 2, "XX001.yml"),
    "no plan": (["show", "entries.jsonl"], 2, "entries.jsonl is no plan"),
    "nothing to apply": (["apply", "entries.jsonl", "-o", "out.jsonl"], 2, "entries.jsonl is no plan"),
    "no target": (["apply", "plan.jsonl"], 2, "-o FILE"),
    "output exists": (["apply", "plan.jsonl", "-o", "notes.txt"], 4, "notes.txt exists"),
    "output is the source": (["apply", "plan.jsonl", "-o", "entries.jsonl"], 4, "entries.jsonl exists"),
    "output is a folder": (["apply", "plan.jsonl", "-o", "empty"], 2, "empty is a folder"),
    "check into a folder": (["check", "entries.jsonl", "-o", "empty"], 2, "-o empty is a folder"),
    "plan into a folder": (["plan", "entries.jsonl", "-o", "empty"], 2, "-o empty is a folder"),
    "plan over notes": (["plan", "entries.jsonl", "-o", "notes.txt"], 4, "notes.txt exists and is no plan"),
    "plan over the corpus": (["plan", "entries.jsonl", "-o", "entries.jsonl"], 4, "a file of the corpus itself"),
    "no folder": (["apply", "plan.jsonl", "-o", "gone/out.jsonl"], 2, "there is no folder gone"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_use_is_one_sentence_the_documented_code_and_nothing_written(
    run: Run, saved_plan: bytes, tmp_path: Path, name: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "broken.toml").write_text("selekt = []")
    (tmp_path / "rules.toml").write_text('custom-rules = ["mine"]')
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "XX001.yml").write_text("code: XX001\n")
    (tmp_path / "plan.jsonl").write_bytes(saved_plan)
    before = {path: (tmp_path / path).read_bytes() for path in files(tmp_path)}
    arguments, code, part = BAD[name]
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert part in result.stderr
    assert {path: (tmp_path / path).read_bytes() for path in files(tmp_path)} == before


@pytest.mark.parametrize("ids", ["other integers", "uuids"])
def test_a_plan_for_another_corpus_is_refused(run: Run, saved_plan: bytes, tmp_path: Path, ids: str) -> None:
    (tmp_path / "plan.jsonl").write_bytes(saved_plan)
    lines = [json.loads(line) for line in CORPUS]
    for line in lines:
        line["id"] = line["id"] + 500 if ids == "other integers" else f"0198c0ffee00000000000000000000{line['id']:02x}"
    (tmp_path / "entries.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = run("apply", "plan.jsonl", "-o", "out.jsonl")
    assert (result.exit_code, result.stdout) == (4, "")
    assert "not the corpus of this plan" in result.stderr
    assert not (tmp_path / "out.jsonl").exists()


def test_a_rule_explains_itself(run: Run) -> None:
    result = run("rules", "CS701")
    assert result.exit_code == 0
    assert result.stdout.startswith("CS701 ")
    assert "Fix safety" in result.stdout
    assert run("rules", "CS702").stdout != result.stdout
