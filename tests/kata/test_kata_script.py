"""Plans as scripts, run against a stand-in for the command that notes its arguments."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from exports import issue, line, project, standard

from migrate.cli.main import cli

STAND_IN = """#!{python}
import json, os, sys
log, plan = os.environ["KATA_LOG"], os.environ.get("KATA_ANSWERS")
with open(log, "a", encoding="utf-8") as file:
    file.write(json.dumps(sys.argv[1:], ensure_ascii=True) + "\\n")
if sys.argv[2] == "get":
    found = json.loads(os.environ.get("KATA_FOUND", "{{}}")).get(sys.argv[4])
    if found is None:
        sys.exit(4)
    print(found)
    sys.exit(0)
codes = json.loads(plan) if plan else {{}}
number = sum(1 for line in open(log, encoding="utf-8") if json.loads(line)[1] != "get")
sys.exit(codes.get(str(number), 0))
"""
MESSAGE = 'it\'s "quoted" $(touch pwned) `id` \\ $HOME\nsecond line\ttab – 日本語 %s'


class Desk:
    """A script made from an export, and the stand-in that it is run with."""

    def __init__(self, folder: Path, text: str) -> None:
        self.folder = folder
        (folder / "bin").mkdir()
        kata = folder / "bin" / "kata"
        kata.write_text(STAND_IN.format(python=sys.executable), "utf-8")
        kata.chmod(kata.stat().st_mode | stat.S_IXUSR)
        (folder / "export.jsonl").write_text(text, "utf-8")
        for words in (
            ["plan", "export.jsonl", "-o", "plan.jsonl", "--unsafe-fixes"],
            ["apply", "plan.jsonl", "--script", "repair.sh"],
        ):
            result = CliRunner().invoke(cli, [*(str(folder / w) if "." in w and "/" not in w else w for w in words), "--workspace", str(folder / "reports")], catch_exceptions=False)  # fmt: skip
            assert result.exit_code == 0, result.output
        self.script = folder / "repair.sh"

    def run(self, *words: str, shell: str = "sh", answers: dict[str, int] | None = None, **more: str) -> int:
        environment = {
            **os.environ, "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}", "KATA_LOG": str(self.folder / "log"),
            "KATA_ANSWERS": json.dumps(answers or {}), **more,
        }  # fmt: skip
        return subprocess.run(
            [shell, str(self.script), *words], cwd=self.folder, env=environment, capture_output=True, check=False
        ).returncode

    def calls(self) -> list[list[str]]:
        log = self.folder / "log"
        return [json.loads(text) for text in log.read_text("utf-8").splitlines()] if log.exists() else []


def sets(desk: Desk) -> list[list[str]]:
    return [call for call in desk.calls() if call[1] != "get"]


TWO_STEPS = standard([issue(1, '{"scheduled_on":" 2026-05-20","someday":"true"}'), issue(2, '{"someday":"false"}')])


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_every_value_arrives_as_it_is(tmp_path: Path, shell: str) -> None:
    value = {"from": "a", "message": MESSAGE, "re": None}
    metadata = json.dumps({"notify.cmV2aWV3ZXI=": value, "someday": "true", "scheduled_on": " 2026-05-20"})
    name = 'it\'s $(a) "b"\n日本'
    desk = Desk(
        tmp_path,
        standard(
            [line("issue", json.loads(issue(1, "{}"))["data"] | {"project_id": 2, "metadata": json.loads(metadata)})],
            [project(2, "{}", name=name)],
        ),
    )
    assert desk.run(shell=shell) == 0
    ref = json.loads(issue(1, "{}"))["data"]["short_id"]
    calls = {call[3]: call for call in desk.calls()}
    assert set(calls) == {"notify.cmV2aWV3ZXI", "notify.cmV2aWV3ZXI=", "someday", "scheduled_on"}
    moved = calls["notify.cmV2aWV3ZXI"]
    assert (
        moved[:4] == ["meta", "set", ref, "notify.cmV2aWV3ZXI"]
        and json.loads(moved[4]) == value
        and "--json-value" in moved
    )
    assert calls["scheduled_on"][4] == "2026-05-20" and "--json-value" not in calls["scheduled_on"]
    assert calls["notify.cmV2aWV3ZXI="][:4] == ["meta", "unset", ref, "notify.cmV2aWV3ZXI="]
    assert {call[call.index("--project") + 1] for call in desk.calls()} == {name}
    assert not (tmp_path / "pwned").exists()


def test_each_command_expects_the_revision_that_the_one_before_makes(tmp_path: Path) -> None:
    desk = Desk(tmp_path, TWO_STEPS)
    assert desk.run() == 0
    assert [(call[3], call[call.index("--if-match") + 1]) for call in desk.calls()] == [
        ("scheduled_on", "rev-3"), ("someday", "rev-4"), ("someday", "rev-3"),
    ]  # fmt: skip


def test_a_moved_value_is_set_before_the_old_one_goes(tmp_path: Path) -> None:
    desk = Desk(tmp_path, standard([issue(1, '{"notify.cmV2aWV3ZXI=":{"from":"a","message":"m"}}')]))
    desk.run()
    assert [call[1] for call in desk.calls()] == ["set", "unset"]


def test_leading_hyphens_are_no_options(tmp_path: Path) -> None:
    desk = Desk(tmp_path, standard([issue(1, '{"someday":"true"}', short_id="-abc")]))
    desk.run()
    (call,) = desk.calls()
    assert call[call.index("--") + 1 :] == ["-abc", "someday", "true"]


def test_it_stops_at_the_first_conflict_and_goes_on_there(tmp_path: Path) -> None:
    desk = Desk(tmp_path, TWO_STEPS)
    assert desk.run(answers={"2": 6}) == 6
    assert len(sets(desk)) == 2
    assert desk.run() == 0
    assert [call[3] for call in sets(desk)] == ["scheduled_on", "someday", "someday", "someday"]
    assert desk.run() == 0
    assert len(sets(desk)) == 4


def test_told_otherwise_it_goes_on(tmp_path: Path) -> None:
    desk = Desk(tmp_path, TWO_STEPS)
    assert desk.run("--keep-going", answers={"1": 6, "2": 6}) == 1
    assert len(sets(desk)) == 3
    assert desk.run("--nonsense") == 2


def test_a_command_that_was_cut_off_before_it_was_noted_is_looked_up(tmp_path: Path) -> None:
    desk = Desk(tmp_path, TWO_STEPS)
    (tmp_path / "repair.sh.done").write_text("1 begun\n", "utf-8")
    assert desk.run(answers={"1": 6}, KATA_FOUND=json.dumps({"scheduled_on": "2026-05-20"})) == 0
    (tmp_path / "repair.sh.done").write_text("1 begun\n", "utf-8")
    assert desk.run(answers={"4": 6}, KATA_FOUND=json.dumps({"scheduled_on": "2026-06-20"})) == 6


def test_patches_of_projects_are_comments(tmp_path: Path) -> None:
    desk = Desk(tmp_path, standard([], [project(2, '{"area":7}', name="evil\nrm -rf / #")]))
    assert desk.run() == 0 and desk.calls() == []
    text = desk.script.read_text("utf-8")
    assert (
        '#   POST /api/v1/projects/2/metadata\n#   If-Match: "rev-4"\n#   {"actor":"ACTOR","patch":{"area":"7"}}'
        in text
    )
    assert "\nrm" not in text


def test_values_that_no_argument_can_hold_go_as_json(tmp_path: Path) -> None:
    desk = Desk(
        tmp_path,
        standard([issue(1, '{"checklist":[{"ID":"01ARZ3NDEKTSV4RRFFQ69G5FAV","text":"a\\u0000b","done":false}]}')]),
    )
    assert desk.run() == 0
    (call,) = desk.calls()
    assert json.loads(call[4])[0]["text"] == "a\0b" and "--json-value" in call


@pytest.mark.parametrize("environment", [{"LC_ALL": "C"}, {"LC_ALL": "C.UTF-8", "TZ": "Pacific/Apia"}])
def test_the_locale_changes_no_argument(tmp_path: Path, environment: dict[str, Any]) -> None:
    desk = Desk(
        tmp_path, standard([issue(1, '{"notify.TGVh":{"from":"a"},"notify.Léa":{"from":"é","message":"日本"}}')])
    )
    assert desk.run(**environment) == 0
    assert json.loads(desk.calls()[0][4]) == {"from": "é", "message": "日本"}


def test_it_is_written_for_whole_kata_plans_and_to_new_files_only(tmp_path: Path) -> None:
    desk = Desk(tmp_path, TWO_STEPS)
    again = CliRunner().invoke(cli, ["apply", str(tmp_path / "plan.jsonl"), "--script", str(desk.script)])
    assert again.exit_code == 4 and "exists already" in again.output
    plan = tmp_path / "plan.jsonl"
    plan.write_text(plan.read_text("utf-8").replace('"someday":true', '"someday":false', 1), "utf-8")
    edited = CliRunner().invoke(cli, ["apply", str(plan), "--script", str(tmp_path / "other.sh")])
    assert edited.exit_code == 4 and "edited" in edited.output and not (tmp_path / "other.sh").exists()
