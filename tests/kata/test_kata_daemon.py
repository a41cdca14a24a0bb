"""Plans sent to a model of the daemon's metadata endpoints, and taken back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from daemon_model import Daemon, serving
from exports import CASES, issue, project, standard, uid

from migrate.cli.main import cli

MIXED = (CASES / "export_v32_mixed.jsonl").read_text("utf-8")
D5F6, G7H8, J9K0 = ("01K5A1000000000000000Q" + end for end in ("D5F6", "G7H8", "J9K0"))
PERSONAL, SPOKE = "01K5A0R000PR0JECT0000000B2", "01K5A0R000PR0JECT0000000A1"


class Desk:
    """A folder with an export, its plan and a workspace, and the daemon that the export came from."""

    def __init__(self, folder: Path, text: str, daemon: Daemon) -> None:
        self.folder, self.daemon = folder, daemon
        (folder / "export.jsonl").write_text(text, "utf-8")
        self.workspace = folder / "reports"
        self.call("plan", str(folder / "export.jsonl"), "-o", str(folder / "plan.jsonl"), "--unsafe-fixes")

    def call(self, *words: str) -> tuple[int, str]:
        result = CliRunner().invoke(cli, [*words, "--workspace", str(self.workspace)], catch_exceptions=False)
        return result.exit_code, result.output

    def apply(self) -> tuple[int, dict[str, Any]]:
        code, output = self.call(
            "apply", str(self.folder / "plan.jsonl"), "--to", self.daemon.uri, "--actor", "harbour", "--yes", "--format", "json"
        )  # fmt: skip
        return code, json.loads(output) if output.startswith("{") else {"error": output}

    def undo(self, run: str) -> tuple[int, dict[str, Any]]:
        code, output = self.call("undo", run, "--yes", "--format", "json")
        return code, json.loads(output) if output.startswith("{") else {"error": output}

    def journal(self) -> list[dict[str, Any]]:
        (path,) = self.workspace.glob("*/runs/*/journal.jsonl")
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with serving(Daemon.of(MIXED)) as daemon:
        yield Desk(tmp_path, MIXED, daemon)


def posted(daemon: Daemon) -> list[tuple[str, str | None, list[str]]]:
    return [(path, if_match, sorted(body["patch"])) for path, if_match, body in daemon.posts]


def test_each_patch_goes_out_under_its_revision(desk: Desk) -> None:
    code, result = desk.apply()
    assert (code, result["applied"], result["stale"], result["failed"]) == (0, 5, 0, 0)
    assert posted(desk.daemon) == [
        ("/api/v1/projects/2/metadata", '"rev-3"', ["area"]),
        ("/api/v1/projects/2/metadata", '"rev-4"', ["role"]),
        ("/api/v1/projects/1/issues/d5f6/metadata", '"rev-3"', ["scheduled_on", "someday"]),
        ("/api/v1/projects/1/issues/g7h8/metadata", '"rev-5"', ["deadline_on", "notify.cmV2aWV3ZXI", "notify.reviewer", "scheduled_on"]),
        ("/api/v1/projects/2/issues/j9k0/metadata", '"rev-2"', ["checklist"]),
    ]  # fmt: skip
    assert {body["actor"] for _, _, body in desk.daemon.posts} == {"harbour"}
    assert desk.daemon.record(D5F6).metadata["scheduled_on"] == "2026-09-20T22:30:00Z"
    assert desk.daemon.record(PERSONAL).metadata == {"area": "7", "sidebar_order": "first"}
    assert "notify.reviewer" not in desk.daemon.record(G7H8).metadata


def test_the_journal_has_the_event_and_the_new_revision(desk: Desk) -> None:
    desk.apply()
    notes = [line for line in desk.journal() if "posted" in line]
    assert [(line["posted"], line["revision"], line["event"]["type"]) for line in notes] == [
        (PERSONAL, 4, "project.metadata_updated"), (f"{PERSONAL}#role", 5, "project.metadata_updated"), (D5F6, 4, "issue.metadata_updated"),
        (G7H8, 6, "issue.metadata_updated"), (J9K0, 3, "issue.metadata_updated"),
    ]  # fmt: skip


def test_the_same_plan_again_writes_nothing(desk: Desk) -> None:
    desk.apply()
    events = len(desk.daemon.events)
    code, result = desk.apply()
    assert (code, result["applied"], result["already_applied"]) == (0, 0, 5)
    assert len(desk.daemon.events) == events == 5


def test_a_value_or_a_revision_that_moved_is_stale(desk: Desk) -> None:
    desk.daemon.record(D5F6).metadata["scheduled_on"] = "2026-12-01"
    desk.daemon.record(G7H8).revision += 1
    desk.daemon.record(J9K0).metadata["other"] = "x"
    code, result = desk.apply()
    assert (code, result["applied"], result["stale"]) == (5, 3, 2)
    assert [problem.split(":")[0] for problem in result["problems"]] == [D5F6, G7H8]
    assert len(desk.daemon.events) == 3


def test_a_change_in_the_last_moment_is_answered_with_412(desk: Desk) -> None:
    def somebody(daemon: Daemon) -> None:
        daemon.record(PERSONAL).revision += 1

    desk.daemon.before_post = somebody
    code, result = desk.apply()
    # The area is stale, and so is the role behind it.
    assert (code, result["applied"], result["stale"]) == (5, 3, 2)
    assert "revision_conflict: project revision is 4" in result["problems"][0]


def test_a_refused_record_does_not_stop_the_others(desk: Desk) -> None:
    desk.daemon.refusals = {D5F6: (409, "claim_required"), J9K0: (409, "federated_read_only")}
    desk.daemon.issues[1, "g7h8"].gone = True
    code, result = desk.apply()
    assert (code, result["applied"], result["failed"], result["stale"]) == (5, 2, 2, 1)
    assert "claim_required" in str(result["problems"]) and "gone: issue_not_found" in str(result["problems"])
    desk.daemon.refusals.clear()
    code, result = desk.apply()
    assert (code, result["applied"], result["already_applied"], result["stale"]) == (5, 2, 2, 1)


@pytest.mark.parametrize("drop", ["before", "after", "middle"])
def test_a_dropped_connection_doubles_and_loses_nothing(desk: Desk, drop: str) -> None:
    desk.daemon.drops = ["", "", drop, ""]
    code, result = desk.apply()
    assert (code, result["applied"], result["stale"], result["failed"]) == (0, 5, 0, 0)
    assert [event["payload"]["revision_new"] for event in desk.daemon.events] == [4, 5, 4, 6, 3]
    assert len(desk.daemon.posts) == 5


def test_a_daemon_that_goes_away_leaves_a_run_to_go_on_with(desk: Desk) -> None:
    desk.daemon.drops = ["", "", "before", "before", "before"]
    code, result = desk.apply()
    assert code == 5 and "goes on" in result["error"]
    assert len(desk.daemon.events) == 2
    code, result = desk.apply()
    assert (code, result["applied"], result["resumed"]) == (0, 5, True)
    assert len(desk.daemon.events) == 5
    outcomes = [line for line in desk.journal() if "outcome" in line]
    assert {line["outcome"] for line in outcomes} == {"applied"} and len({line["record"] for line in outcomes}) == 5


def test_undo_puts_back_what_is_still_ours(desk: Desk) -> None:
    before = json.dumps({uid: desk.daemon.record(uid).metadata for uid in (PERSONAL, D5F6, G7H8)}, sort_keys=True)
    _, applied = desk.apply()
    desk.daemon.validates = False
    desk.daemon.record(SPOKE).metadata["role"] = "outbox"
    desk.daemon.record(J9K0).metadata["checklist"] = []
    desk.daemon.record(J9K0).revision += 1
    desk.daemon.record(D5F6).metadata["new"] = 1
    desk.daemon.record(D5F6).revision += 5
    code, result = desk.undo(applied["run_id"])
    assert (code, result["applied"], result["stale"]) == (5, 4, 1)
    assert desk.daemon.record(J9K0).metadata["checklist"] == []
    assert desk.daemon.record(D5F6).metadata.pop("new") == 1
    assert (
        json.dumps({uid: desk.daemon.record(uid).metadata for uid in (PERSONAL, D5F6, G7H8)}, sort_keys=True) == before
    )
    assert ("/api/v1/projects/1/issues/d5f6/metadata", '"rev-9"', ["scheduled_on", "someday"]) in posted(desk.daemon)
    code, result = desk.undo(applied["run_id"])
    assert (result["applied"], result["already_applied"]) == (0, 4)


def test_undo_cannot_put_back_what_the_daemon_refuses(desk: Desk) -> None:
    _, applied = desk.apply()
    after = json.dumps([desk.daemon.record(uid).metadata for uid in (PERSONAL, SPOKE, D5F6)])
    code, result = desk.undo(applied["run_id"])
    assert (code, result["applied"], result["failed"], result["stale"]) == (5, 0, 4, 1)
    assert "invalid_metadata_value" in str(result["problems"]) and "Inbox" in str(result["problems"])
    assert json.dumps([desk.daemon.record(uid).metadata for uid in (PERSONAL, SPOKE, D5F6)]) == after


def test_a_designation_that_would_not_be_alone_is_left(tmp_path: Path) -> None:
    text = standard([issue(1, '{"someday":"true"}')], [project(2, '{"role":"Inbox","area":7}')])
    with serving(Daemon.of(text)) as daemon:
        desk = Desk(tmp_path, text, daemon)
        code, _ = desk.apply()
        assert code == 0
        assert [keys for _, _, keys in posted(daemon)] == [["area"], ["role"], ["someday"]]
        assert daemon.record(uid(900_002)).metadata == {"role": "inbox", "area": "7"}


def test_the_ground_of_a_change_is_asked_of_the_daemon(desk: Desk) -> None:
    desk.daemon.record(SPOKE).metadata.pop("role")
    code, result = desk.apply()
    assert (code, result["applied"], result["stale"]) == (5, 4, 1)
    assert desk.daemon.record(PERSONAL).metadata["role"] == "inbox"


def test_a_daemon_that_shows_nothing_is_written_to_by_revision_alone(desk: Desk) -> None:
    desk.daemon.reads = False
    desk.daemon.record(G7H8).revision += 1
    code, result = desk.apply()
    assert (code, result["applied"], result["stale"]) == (5, 4, 1)


def test_values_travel_as_they_are_spelled(tmp_path: Path) -> None:
    value = '{"from":"a","message":"quotes \\" and \\u0001 and 日本語","n":9007199254740993,"z":[1.50],"re":null,"o":{"a":null}}'
    text = standard([issue(1, f'{{"notify.cmV2aWV3ZXI=":{value}}}')])
    with serving(Daemon.of(text)) as daemon:
        desk = Desk(tmp_path, text, daemon)
        assert desk.apply()[0] == 0
        assert daemon.record(uid(1)).metadata == {"notify.cmV2aWV3ZXI": json.loads(value)}


def test_another_instance_is_refused(desk: Desk) -> None:
    desk.daemon.issues.clear()
    desk.daemon.projects.clear()
    code, result = desk.apply()
    assert code == 4 and "none of the planned records" in result["error"]
    assert desk.daemon.posts == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--to", "http://127.0.0.1:1"], "go together"),
        (["--to", "http://127.0.0.1:1", "--actor", " "], "go together"),
        (["--to", "ftp://127.0.0.1:1", "--actor", "a"], "http://HOST:PORT"),
        (["--to", "http://127.0.0.1:1", "--actor", "a"], "cannot be reached"),
        (["--to", "http://127.0.0.1:1", "--actor", "a", "-o", "x"], "one target"),
    ],
)
def test_what_cannot_be_a_daemon_is_said(desk: Desk, words: list[str], sentence: str) -> None:
    code, output = desk.call("apply", str(desk.folder / "plan.jsonl"), "--yes", *words)
    assert code in (2, 4, 5) and sentence in output.replace("\n", " ")
