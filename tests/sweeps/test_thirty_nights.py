"""Night after night: states are what an independent count says, and ``--since-last`` says what a full run says."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from nights import Corpus, Store

from migrate.cli.main import cli

SAMPLES = Path(__file__).parents[2] / "sample_data" / "context_server"
RULE = """
code: XX001
slug: note-color
family: own
title: A colour
severity: warning
levels: [manual]
since: "1"
what: w
why: w
before: '{{}}'
fix: f
safety: s
rows:
- when: string_of(f_project) = '{project}'
  path: /project
  level: manual
  evidence: '{{''found'': f_project::JSON}}'
"""


def check(corpus: str, *flags: str) -> list[dict[str, Any]]:
    result = CliRunner().invoke(cli, ["check", corpus, "--format", "jsonl", "--fail-on", "never", *flags])
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def last_sweep(workspace: str) -> dict[str, Any]:
    (history,) = Path(workspace).glob("*/history.jsonl")
    sweep: dict[str, Any] = json.loads(history.read_text().splitlines()[-1])
    return sweep


class Count:
    """States counted by hand: what is there, and what was there and went."""

    def __init__(self) -> None:
        self.open: set[str] = set()
        self.gone: set[str] = set()

    def night(self, found: set[str]) -> tuple[dict[str, str], set[str]]:
        states = {mark: "known" if mark in self.open else "regressed" if mark in self.gone else "new" for mark in found}
        fixed = self.open - found
        self.gone = (self.gone | fixed) - found
        self.open = found
        return states, fixed


def follow(corpus: str, nights: int, night_falls: Callable[[int], None]) -> None:
    """Sweep a corpus in the working directory every night, by changes and whole, with a rule that is upgraded twice in thirty nights."""
    count = Count()
    rule = Path("rules/note-color.yml")
    rule.parent.mkdir()
    Path("corpus-migrate.toml").write_text('custom-rules = ["rules"]\n')
    upgrades = (nights // 3, 2 * nights // 3) if nights > 9 else ()
    partly = 0
    for night in range(nights):
        upgraded = night in upgrades
        rule.write_text(
            RULE.format(project=("harbor-web", "harbor-api")[sum(night >= upgrade for upgrade in upgrades) % 2])
        )
        night_falls(night)
        whole = check(corpus, "--workspace", "whole")
        part = check(corpus, "--workspace", "part", "--since-last")
        assert part == whole, f"night {night}"
        marks = [finding["fingerprint"] for finding in whole]
        assert len(set(marks)) == len(marks)
        states, fixed = count.night(set(marks))
        assert {finding["fingerprint"]: finding["state"] for finding in whole} == states, f"night {night}"
        sweep = last_sweep("part")
        assert sweep["fixed"] == len(fixed) == last_sweep("whole")["fixed"]
        assert sweep["full"] == (night == 0 or upgraded)
        partly += not sweep["full"]
        numbers = ("records", "findings", "severities", "rules", "new", "known", "regressed")
        assert {name: sweep[name] for name in numbers} == {name: last_sweep("whole")[name] for name in numbers}
    assert partly == nights - 1 - len(upgrades)


@pytest.mark.parametrize(
    ("nights", "seed"),
    [(3, 7), pytest.param(30, 1, marks=pytest.mark.slow), pytest.param(30, 2, marks=pytest.mark.slow)],
)
def test_nights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nights: int, seed: int) -> None:
    monkeypatch.chdir(tmp_path)
    corpus = Corpus((SAMPLES / "entries.jsonl").read_text("utf-8").split("\n")[:-1], seed)

    def night_falls(night: int) -> None:
        if night:
            corpus.night(corpus.random.choice((0, 1, 2, 5)))
        Path("corpus.jsonl").write_text("\n".join(corpus.lines) + "\n")

    follow("corpus.jsonl", nights, night_falls)


@pytest.mark.parametrize(
    ("layout", "sample"), [("2.x", "entries.jsonl"), ("3.x", "entries_uuid.jsonl")], ids=["2.x", "3.x"]
)
@pytest.mark.parametrize(
    ("nights", "seed"), [(3, 5), pytest.param(30, 3, marks=pytest.mark.slow)], ids=["three", "thirty"]
)
def test_nights_of_a_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: str, sample: str, nights: int, seed: int
) -> None:
    monkeypatch.chdir(tmp_path)
    with Store(Path("store.db"), layout, SAMPLES / sample, seed) as store:

        def night_falls(night: int) -> None:
            if night:
                store.night(store.random.choice((0, 1, 2, 5)))

        follow("store.db", nights, night_falls)


@pytest.mark.parametrize(
    "written",
    [
        "UPDATE context_entries SET metadata = replace(metadata, '\"done\"', '\"Done\"')",
        "UPDATE tags SET tag = upper(substr(tag, 1, 1)) || substr(tag, 2)",
        "UPDATE tags SET context_entry_id = (SELECT id FROM context_entries ORDER BY created_at LIMIT 1) WHERE id = 184",
        "UPDATE context_entries SET text_content = '@' || substr(text_content, 2), updated_at = '2020-01-01 00:00:00' WHERE text_content LIKE '#%'",
        "UPDATE context_entries SET created_at = CAST(created_at AS BLOB) WHERE id = 1153",
    ],
    ids=["metadata", "tags", "owner", "text", "type"],
)
def test_what_was_written_without_its_time_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with Store(Path("store.db"), "2.x", SAMPLES / "entries.jsonl", 1):
        before = check("store.db", "--workspace", "part", "--since-last")
        with closing(sqlite3.connect("store.db")) as base, base:
            base.execute(written)
        part = check("store.db", "--workspace", "part", "--since-last")
    whole = check("store.db", "--workspace", "whole")
    marks = [
        [(finding["fingerprint"], finding["evidence"]) for finding in findings] for findings in (before, part, whole)
    ]
    assert marks[1] == marks[2] != marks[0]
    assert last_sweep("part")["full"]


def test_entries_whose_ids_do_not_say_their_place_are_told_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with (
        Store(Path("store.db"), "2.x", SAMPLES / "entries.jsonl", 1),
        closing(sqlite3.connect("store.db")) as base,
        base,
    ):
        base.execute("UPDATE context_entries SET id = -5 WHERE id = 1153")
    assert check("store.db", "--workspace", "part", "--since-last") == check("store.db", "--workspace", "whole")
