"""Exports read, repaired into new files, and judged alike wherever the tool runs."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from exports import CASES, closed, examined, export, found, issue, line, project, standard, uid

from migrate.cli.main import cli

MIXED = CASES / "export_v32_mixed.jsonl"
ROOT = Path(__file__).parents[2]


def call(folder: Path, *words: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli, [*words, "--workspace", str(folder / "reports")], catch_exceptions=False)
    return result.exit_code, result.output


def repaired(folder: Path, text: str, *flags: str) -> str:
    (folder / "export.jsonl").write_bytes(text.encode("utf-8"))
    assert call(folder, "plan", str(folder / "export.jsonl"), "-o", str(folder / "plan.jsonl"), *flags)[0] == 0
    code, output = call(folder, "apply", str(folder / "plan.jsonl"), "-o", str(folder / "new.jsonl"))
    assert code == 0, output
    return (folder / "new.jsonl").read_bytes().decode("utf-8") if (folder / "new.jsonl").exists() else text


def test_only_the_touched_keys_change(tmp_path: Path) -> None:
    text = MIXED.read_text("utf-8")
    new = repaired(tmp_path, text, "--unsafe-fixes")
    pairs = [(a, b) for a, b in zip(text.splitlines(), new.splitlines(), strict=True) if a != b]
    assert len(pairs) == 4
    for before, after in pairs:
        old, now = (json.loads(one)["data"] for one in (before, after))
        assert {name for name in old if old[name] != now[name]} == {"metadata"}
    # Revisions and events say what happened in the daemon, and this did not.
    assert [json.loads(b)["data"]["revision"] for _, b in pairs] == [
        json.loads(a)["data"]["revision"] for a, _ in pairs
    ]


def test_spellings_beside_a_repair_stay(tmp_path: Path) -> None:
    metadata = '{"a": 1E5, "someday" : "true", "b":[1.50,1e400 ,"\\u00e9\\/"],"checklist":[{"id":"01arz3ndektsv4rrffq69g5fav","text":"x","done":false,"n":1.50}]}'
    text = standard([issue(1, metadata), issue(2, '{"x":9007199254740993}')]).replace("\n", "\r\n")
    new = repaired(tmp_path, text)
    wanted = metadata.replace('"someday" : "true"', '"someday" : true').replace(
        "01arz3ndektsv4rrffq69g5fav", "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    )
    assert new == text.replace(metadata, wanted)


def test_a_repaired_export_is_repaired(tmp_path: Path) -> None:
    new = repaired(tmp_path, MIXED.read_text("utf-8"), "--unsafe-fixes")
    assert not [f for f in found(new, tmp_path) if f.level.value in ("safe", "unsafe")]


def test_undo_gives_the_same_bytes_again(tmp_path: Path) -> None:
    text = MIXED.read_text("utf-8")
    repaired(tmp_path, text, "--unsafe-fixes")
    (run,) = (path.parent.name for path in tmp_path.glob("reports/*/runs/*/journal.jsonl"))
    code, output = call(tmp_path, "undo", run, "--yes")
    assert code == 0, output
    assert (tmp_path / "new.jsonl").read_text("utf-8").splitlines()[9:12] == text.splitlines()[9:12]


def test_a_line_that_moved_on_is_left_alone(tmp_path: Path) -> None:
    text = standard([issue(1, '{"someday":"true"}'), issue(2, '{"someday":"true"}'), issue(3, '{"someday":"true"}')])
    path = tmp_path / "export.jsonl"
    path.write_text(text, "utf-8")
    call(tmp_path, "plan", str(path), "-o", str(tmp_path / "plan.jsonl"))
    moved = text.splitlines()
    moved[2] = moved[2].replace('"revision":3', '"revision":4')
    moved[3] = moved[3].replace('"someday":"true"', '"someday":"TRUE"')
    path.write_text("\n".join(moved) + "\n", "utf-8")
    code, output = call(
        tmp_path, "apply", str(tmp_path / "plan.jsonl"), "-o", str(tmp_path / "new.jsonl"), "--format", "json"
    )
    result = json.loads(output)
    assert (code, result["applied"], result["stale"]) == (5, 1, 2)
    assert "its revision is 4 and not 3" in str(result["problems"])


def test_an_export_is_known_by_its_first_line(tmp_path: Path) -> None:
    with examined("\n\n" + MIXED.read_text("utf-8"), tmp_path) as examination:
        assert examination.summary.system == "kata"
        assert examination.summary.classes["open_issue"] == 4
    packed = tmp_path / "kata-export.jsonl.gz"
    packed.write_bytes(gzip.compress(b"\xef\xbb\xbf" + MIXED.read_bytes()))
    code, output = call(tmp_path, "check", str(packed), "--format", "json")
    assert code == 1 and json.loads(output)["corpus"]["system"] == "kata"
    (tmp_path / "other.jsonl").write_text('{"id": 1, "metadata": {}}\n', "utf-8")
    assert (
        json.loads(call(tmp_path, "check", str(tmp_path / "other.jsonl"), "--format", "json")[1])["corpus"]["system"]
        == "context-server"
    )
    code, output = call(tmp_path, "check", str(tmp_path / "other.jsonl"), "--system", "kata", "--format", "json")
    assert json.loads(output)["corpus"]["system"] == "kata" and code == 1


def test_two_exports_are_no_corpus(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_bytes(MIXED.read_bytes())
    code, output = call(tmp_path, "check", str(tmp_path))
    assert code == 2 and "a kata export is one file" in output.replace("\n", " ")


def test_every_kind_of_line_is_read_or_tolerated(tmp_path: Path) -> None:
    kinds = [
        "project_alias", "issue_sync_binding", "github_sync_status", "recurrence", "issue_embedding", "comment", "issue_label", "link",
        "import_mapping", "external_field_mapping", "external_root_binding", "external_field_state", "federation_binding",
        "federation_sync_status", "federation_quarantine", "federation_enrollment", "issue_claim", "pending_claim_request", "cron_job",
        "cron_flow", "cron_run", "event", "purge_log", "project_purge_log", "sqlite_sequence", "team", "federation_embedding_artifact",
    ]  # fmt: skip
    lines = [project(1, "{}")]
    for number, kind in enumerate(kinds, 1):
        if kind == "issue_embedding":
            lines.append(issue(1, "{}"))
        if kind == "link":
            data = {
                "id": 1,
                "from_issue_id": 1,
                "from_issue_uid": uid(1),
                "to_issue_id": 1,
                "to_issue_uid": uid(1),
                "type": "related",
            }
            lines.append(line("link", data))
        elif kind == "recurrence":
            lines.append(line(kind, {"id": 1, "uid": uid(77), "project_id": 1}, "{}", "template_metadata"))
        else:
            lines.append(line(kind, {"id": number, "uid": uid(1), "metadata": {"area": 7}, "name": "x"}))
    assert found(export(*lines), tmp_path) == []


def test_hostile_lines_stop_nothing(tmp_path: Path) -> None:
    deep = "[" * 3000 + "]" * 3000
    lines = [
        issue(1, f'{{"deep":{deep},"someday":"true"}}'), issue(2, '{"lone":"\\ud800","someday":"true"}'),
        issue(3, f'{{"big":"{"x" * 3_000_000}","someday":"true"}}'), '{"kind":"issue","data":', "\x00", '{"kind":"issue","data":{"uid":"\udcff"}}',
        issue(4, '{"notify.a\\"b":{"from":"a","message":"m"},"someday":"true"}'), closed(5, '{"someday":"true"}'),
        issue(6, "{\"x'; DROP TABLE lines; --\":1,\"someday\":\"true\"}"),
    ]  # fmt: skip
    path = tmp_path / "export.jsonl"
    path.write_bytes(standard(lines).encode("utf-8", "surrogateescape"))
    assert call(tmp_path, "plan", str(path), "-o", str(tmp_path / "plan.jsonl"))[0] == 0
    code, output = call(tmp_path, "apply", str(tmp_path / "plan.jsonl"), "-o", str(tmp_path / "new.jsonl"))
    assert code == 0, output
    before, after = path.read_bytes().split(b"\n"), (tmp_path / "new.jsonl").read_bytes().split(b"\n")
    changed = [number for number, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    assert changed == [2, 3, 4, 8, 9, 10]
    assert all(b == a.replace(b'"someday":"true"', b'"someday":true') for a, b in zip(before, after, strict=True))


@pytest.mark.slow
def test_a_line_beyond_what_is_scanned_is_read_alone(tmp_path: Path) -> None:
    text = standard([issue(1, '{"someday":"true"}', body="x" * 20_000_000), issue(2, '{"someday":"true"}')])
    assert [(f.code, f.line) for f in found(text, tmp_path)] == [("KT103", 3), ("KT103", 4)]


@pytest.mark.parametrize(
    "environment",
    [
        {"TZ": "America/New_York", "LC_ALL": "C"},
        {"TZ": "Pacific/Apia", "LC_ALL": "tr_TR.UTF-8", "PYTHONUTF8": "0"},
        {"TZ": "Nowhere/At_All", "LANG": "C", "PYTHONTZPATH": "/nowhere"},
    ],
)
def test_the_host_changes_no_result(tmp_path: Path, environment: dict[str, str]) -> None:
    words = [
        sys.executable,
        "-m",
        "migrate",
        "plan",
        str(MIXED),
        "-o",
        str(tmp_path / "plan.jsonl"),
        "--unsafe-fixes",
        "--workspace",
        str(tmp_path),
    ]
    subprocess.run(words, check=True, capture_output=True, cwd=ROOT, env={**os.environ, **environment})
    with examined(MIXED.read_text("utf-8"), tmp_path, unsafe_fixes=True) as examination:
        here = hashlib.sha256(b"".join(examination.plan().lines)).hexdigest()
    assert hashlib.sha256((tmp_path / "plan.jsonl").read_bytes().split(b"\n", 1)[1]).hexdigest() == here


def test_what_breaks_the_lists_stands_first(tmp_path: Path) -> None:
    text = standard([issue(1, '{"scheduled_on":"tomorrow"}'), *(issue(n, '{"someday":7}') for n in range(2, 9))])
    (tmp_path / "export.jsonl").write_text(text, "utf-8")
    _, output = call(tmp_path, "check", str(tmp_path / "export.jsonl"))
    assert output.startswith("KT108 ")
