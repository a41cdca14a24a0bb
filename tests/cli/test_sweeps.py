"""Sweeps from the command line: what is known, what counts, what is said of it, and what stays quiet."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result

from migrate.cli.main import cli
from migrate.naming import corpus_name

Run = Callable[..., Result]
SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"
FOLDER = Path("reports", corpus_name("c.jsonl"))


def record(number: int, **metadata: Any) -> str:
    plain = {
        "schema_version": 1,
        "kind": "report",
        "report_type": "x",
        "project": "p",
        "agent_name": "a",
        "task_name": "t",
    }
    return json.dumps({"id": number, "thread_id": "t", "source": "agent", "text_content": f"words {number}",
                       "metadata": {**plain, **metadata}, "tags": ["report"]})  # fmt: skip


GOOD = record(1, status="done")
SPELLED = record(2, status="Done")
UNKNOWN = record(3, status="done", links={"related": [99]})
MISSING = record(4)


def store(*lines: str) -> None:
    Path("c.jsonl").write_text("\n".join(lines) + "\n")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> Result:
        result = CliRunner().invoke(cli, list(arguments), prog_name="corpus-migrate")
        assert result.exit_code != 70, result.stderr
        return result

    return call


def states(run: Run, *flags: str) -> dict[tuple[int, str], str]:
    lines = run("check", "c.jsonl", "--format", "jsonl", *flags).stdout.splitlines()
    return {(item["record"], item["code"]): item["state"] for item in map(json.loads, lines)}


def test_states_over_five_sweeps(run: Run) -> None:
    store(GOOD, SPELLED)
    assert states(run) == {(2, "CS201"): "new"}
    assert states(run) == {(2, "CS201"): "known"}
    store(GOOD, record(2, status="done"))
    assert states(run) == {}
    store(GOOD, SPELLED)
    assert states(run) == {(2, "CS201"): "regressed"}
    assert states(run) == {(2, "CS201"): "known"}
    history = json.loads(run("history", "c.jsonl", "--format", "json").stdout)
    jsonschema.validate(history, json.loads((SCHEMAS / "history-1.schema.json").read_text()))
    changes = [[sweep[name] for name in ("new", "known", "fixed", "regressed")] for sweep in history["sweeps"]]
    assert changes == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 1, 0, 0]]


def test_another_value_is_another_finding_and_a_new_time_is_not(run: Run) -> None:
    store(
        GOOD,
        record(2, status="Done"),
        record(3, status="done", kind="issue", title="A", completed_at="2026-01-01 10:00"),
    )
    before = states(run)
    store(
        GOOD,
        record(2, status="DONE"),
        record(3, status="done", kind="issue", title="A", completed_at="2026-02-02 11:00"),
    )
    after = states(run)
    assert after[2, "CS201"] == "new"
    assert {key for key, state in after.items() if key[0] == 3 and state == "known"} == {
        key for key in before if key[0] == 3
    }


def test_a_place_is_no_part_of_a_fingerprint(run: Run) -> None:
    store(GOOD, SPELLED, UNKNOWN)
    states(run)
    store(UNKNOWN, GOOD, SPELLED)
    assert set(states(run).values()) == {"known"}


@pytest.mark.parametrize(
    "line", [GOOD[:40], record(2, status=float("nan")), SPELLED], ids=["cut", "no JSON value", "repeated"]
)
def test_lines_that_are_alike_have_findings_of_their_own(run: Run, line: str) -> None:
    store(GOOD, line, line, line)
    found = [json.loads(text) for text in run("check", "c.jsonl", "--format", "jsonl").stdout.splitlines()]
    assert len({finding["fingerprint"] for finding in found}) == len(found) > 1
    store(line, GOOD, line, line)
    again = [json.loads(text) for text in run("check", "c.jsonl", "--format", "jsonl").stdout.splitlines()]
    assert {finding["state"] for finding in again} == {"known"}


def test_findings_of_rules_that_did_not_run_stay_as_they_were(run: Run) -> None:
    store(GOOD, SPELLED, UNKNOWN)
    states(run)
    assert states(run, "--select", "CS6") == {(3, "CS607"): "known"}
    assert states(run) == {(2, "CS201"): "known", (3, "CS607"): "known"}
    sweeps = json.loads(run("history", "c.jsonl", "--format", "json").stdout)["sweeps"]
    assert [sweep["fixed"] for sweep in sweeps] == [0, 0, 0]


def test_an_incomplete_sweep_calls_nothing_fixed(run: Run, tmp_path: Path) -> None:
    store(GOOD, SPELLED)
    states(run)
    (tmp_path / "c.jsonl").write_bytes("\n".join([GOOD]).encode("utf-16"))
    result = run("check", "c.jsonl", "--format", "json")
    assert result.exit_code == 3
    assert json.loads(result.stdout)["changes"]["fixed"] == 0
    store(GOOD, SPELLED)
    assert states(run) == {(2, "CS201"): "known"}


def test_with_a_baseline_only_new_and_regressed_findings_count(run: Run) -> None:
    store(GOOD, MISSING)
    assert run("check", "c.jsonl").exit_code == 1
    assert "1 added, 0 removed: 1 accepted finding in" in run("baseline", "write", "c.jsonl").stdout
    line = json.loads((FOLDER / "baseline.jsonl").read_text())
    jsonschema.validate(line, json.loads((SCHEMAS / "baseline-1.schema.json").read_text()))
    assert (line["code"], line["record"]) == ("CS207", 4)
    result = run("check", "c.jsonl")
    assert result.exit_code == 0
    assert "0 new, 0 fixed since the baseline and the sweep of" in result.stdout
    assert run("check", "c.jsonl", "--no-baseline").exit_code == 1
    store(GOOD, MISSING, record(5))
    for _ in range(2):  # until somebody looks at it
        result = run("check", "c.jsonl", "--format", "json")
        assert (result.exit_code, json.loads(result.stdout)["exit_reason"]) == (
            1,
            "1 new or regressed finding at or above --fail-on error",
        )
        assert json.loads(result.stdout)["changes"]["new"] == 1


def test_what_was_accepted_and_fixed_regresses_loudly(run: Run) -> None:
    store(GOOD, MISSING)
    run("baseline", "write", "c.jsonl")
    run("check", "c.jsonl")
    store(GOOD, record(4, status="done"))
    result = run("check", "c.jsonl")
    assert (result.exit_code, "0 new, 1 fixed" in result.stdout) == (0, True)
    store(GOOD, MISSING, SPELLED, UNKNOWN)
    for _ in range(2):
        result = run("check", "c.jsonl")
        assert result.exit_code == 1
        assert "1 regressed, 2 new, 0 fixed since" in " ".join(result.stdout.split())
        assert result.stdout.startswith("CS207 missing-status  error  1 finding: 1 manual  1 regressed")
    run("baseline", "write", "c.jsonl")
    assert run("check", "c.jsonl").exit_code == 0


def test_prune_only_removes(run: Run) -> None:
    store(GOOD, MISSING, SPELLED)
    run("baseline", "write", "c.jsonl")
    store(GOOD, MISSING, UNKNOWN)
    assert "0 added, 1 removed: 1 accepted finding" in run("baseline", "prune", "c.jsonl").stdout
    assert run("baseline", "prune", "c.jsonl", "-q").stdout == ""
    text = run("baseline", "show", "c.jsonl").stdout
    assert text.splitlines()[1].split() == ["CS207", "1"]
    assert json.loads(run("baseline", "show", "c.jsonl", "--format", "json").stdout)["rules"] == {"CS207": 1}


def test_prune_and_write_leave_rules_alone_that_did_not_run(run: Run) -> None:
    store(GOOD, MISSING, SPELLED)
    run("baseline", "write", "c.jsonl")
    store(GOOD)
    assert "0 added, 1 removed: 1 accepted" in run("baseline", "prune", "c.jsonl", "--select", "CS201").stdout
    store(GOOD, UNKNOWN)
    assert "1 added, 0 removed: 2 accepted" in run("baseline", "write", "c.jsonl", "--select", "CS6").stdout


def test_a_baseline_is_sorted_and_has_no_times(run: Run) -> None:
    store(*(record(number) for number in (30, 4, 100)), SPELLED)
    run("baseline", "write", "c.jsonl", "--baseline", "known.jsonl")
    first = Path("known.jsonl").read_bytes()
    assert [json.loads(line)["record"] for line in first.splitlines()] == [2, 4, 30, 100]
    run("baseline", "write", "c.jsonl", "--baseline", "known.jsonl")
    assert Path("known.jsonl").read_bytes() == first
    assert run("check", "c.jsonl", "--baseline", "known.jsonl").exit_code == 0


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{}\n", "a line of it has no fingerprint or no code"),
        ("no JSON\n", "is no baseline"),
        ("[1]\n", "is no baseline"),
    ],
)
def test_a_baseline_that_is_none_is_a_sentence(run: Run, text: str, sentence: str) -> None:
    store(GOOD)
    Path("b.jsonl").write_text(text)
    result = run("check", "c.jsonl", "--baseline", "b.jsonl")
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_baseline_that_is_not_there_is_a_sentence(run: Run) -> None:
    store(GOOD)
    assert "b.jsonl is not there" in run("check", "c.jsonl", "--baseline", "b.jsonl").stderr
    assert run("baseline", "show", "c.jsonl").exit_code == 2
    assert run("baseline", "prune", "c.jsonl").exit_code == 2


def test_lost_input_leaves_the_baseline_as_it_is(run: Run) -> None:
    store(GOOD, MISSING)
    run("baseline", "write", "c.jsonl")
    before = (FOLDER / "baseline.jsonl").read_bytes()
    Path("c.jsonl").write_bytes(GOOD.encode("utf-16"))
    for command in ("write", "prune"):
        assert run("baseline", command, "c.jsonl").exit_code == 3
    assert (FOLDER / "baseline.jsonl").read_bytes() == before


def test_quiet_is_nothing_where_nothing_changed(run: Run) -> None:
    store(GOOD, SPELLED)
    assert run("check", "c.jsonl", "-q").stdout.startswith("c.jsonl: 1 finding (")
    result = run("check", "c.jsonl", "-q")
    assert (result.stdout, result.stderr) == ("", "")
    store(GOOD)
    (line,) = run("check", "c.jsonl", "-q").stdout.splitlines()
    assert line.startswith("c.jsonl: 0 new, 1 fixed since the sweep of ")
    assert run("check", "c.jsonl", "-q").stdout == ""
    Path("c.jsonl").write_bytes(GOOD.encode("utf-16"))
    assert run("check", "c.jsonl", "-q").stdout.startswith("c.jsonl: INCOMPLETE")


def test_a_plan_is_a_sweep_too(run: Run) -> None:
    store(GOOD, SPELLED)
    run("plan", "c.jsonl")
    assert states(run) == {(2, "CS201"): "known"}
    sweeps = json.loads(run("history", "c.jsonl", "--format", "json").stdout)["sweeps"]
    assert [sweep["command"] for sweep in sweeps] == ["plan", "check"]


def test_a_cut_line_in_the_history_is_passed_over(run: Run) -> None:
    store(GOOD, SPELLED)
    states(run)
    path = FOLDER / "history.jsonl"
    path.write_bytes(path.read_bytes() + b'{"format": "corpus-migrate.sw')
    states(run)
    sweeps = json.loads(run("history", "c.jsonl", "--format", "json").stdout)["sweeps"]
    assert [sweep["sweep"] for sweep in sweeps] == [1, 2]


def test_state_that_cannot_be_read_is_a_sentence(run: Run) -> None:
    store(GOOD, SPELLED)
    states(run)
    (FOLDER / "state" / "ledger.duckdb").write_text("no table")
    result = run("check", "c.jsonl")
    assert result.exit_code == 2
    assert "remove it to start anew" in result.stderr


def test_history_of_nothing(run: Run) -> None:
    assert run("history", "c.jsonl").stdout == "No sweep of c.jsonl yet: check and plan record one each.\n"


def test_sarif_is_0_whenever_the_check_worked(run: Run) -> None:
    store(GOOD, MISSING)
    result = run("check", "c.jsonl", "--format", "sarif")
    assert result.exit_code == 0
    log = json.loads(result.stdout)
    assert log["runs"][0]["invocations"][0]["exitCode"] == 1
    Path("c.jsonl").write_bytes(GOOD.encode("utf-16"))
    assert run("check", "c.jsonl", "--format", "sarif").exit_code == 3


def test_machine_formats_are_what_their_schemas_say(run: Run) -> None:
    store(GOOD, MISSING, SPELLED, "{", UNKNOWN)
    schemas = {
        name: json.loads((SCHEMAS / f"{name}-1.schema.json").read_text()) for name in ("check", "finding", "report")
    }
    jsonschema.validate(json.loads(run("check", "c.jsonl", "--format", "json").stdout), schemas["check"])
    for line in run("check", "c.jsonl", "--format", "jsonl").stdout.splitlines():
        jsonschema.validate(json.loads(line), schemas["finding"])
    jsonschema.validate(json.loads(run("plan", "c.jsonl", "--format", "json").stdout), schemas["report"])


@pytest.mark.parametrize("suffix", ["html", "md", "json", "jsonl", "sarif", "xml", "txt"])
def test_a_report_is_drawn_later_and_the_suffix_decides(run: Run, tmp_path: Path, suffix: str) -> None:
    store(GOOD, SPELLED)
    run("plan", "c.jsonl", "-o", "plan.jsonl")
    (folder,) = FOLDER.glob("plans/*")
    run("apply", "plan.jsonl", "-o", "repaired.jsonl")
    (applied,) = (path.parent for path in FOLDER.glob("runs/*/journal.jsonl"))
    texts = set()
    for place in ("plan.jsonl", str(folder), str(applied)):
        result = run("report", place, "-o", f"out.{suffix}")
        assert (result.exit_code, result.output) == (0, "")
        texts.add(Path(f"out.{suffix}").read_bytes())
    assert len(texts) == 1
    assert texts.pop()


def test_a_reproducible_report_is_the_same_bytes_whatever_was_before(run: Run) -> None:
    store(GOOD, SPELLED, UNKNOWN)
    run("check", "c.jsonl")
    store(GOOD, SPELLED, MISSING)
    made = []
    for _ in range(2):
        run("plan", "c.jsonl")
        (folder,) = FOLDER.glob("plans/*")
        drawn = ("html", "json", "jsonl", "markdown", "sarif", "junit", "github", "text")
        texts = [run("report", str(folder), "--reproducible", "--format", name).stdout for name in drawn]
        made.append([*texts, run("check", "c.jsonl", "--reproducible", "--format", "html").stdout])
    assert made[0] == made[1]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("gone", "-o", "x.html"), "there is no plan or run gone"),
        (("c.jsonl", "-o", "x.html"), "c.jsonl is no plan"),
        ((".", "-o", "x.html"), "holds no report"),
        (("c.jsonl", "-o", "x.pdf"), "the suffix names no format"),
    ],
)
def test_what_cannot_be_drawn_is_a_sentence(run: Run, arguments: tuple[str, ...], sentence: str) -> None:
    store(GOOD)
    result = run("report", *arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr
