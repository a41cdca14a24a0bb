"""Apply in place, once, and taken back: what a person meets on the command line."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from migrate.applying.guard import alone
from migrate.cli.main import cli

Run = Callable[..., Result]

WORK = {"schema_version": 1, "kind": "plan", "project": "p", "agent_name": "a", "status": "pending"}


def line(own: int, metadata: Any, tags: Any = ("plan",), **more: Any) -> str:
    return json.dumps({"id": own, "thread_id": "t", "source": "agent", "metadata": metadata, "tags": tags, **more})


ONE = [line(1, {**WORK, "status": "Done", "x": None}), line(2, WORK), line(3, {**WORK, "links": {"supersedes": [2]}})]
UNIT = [
    line(4, {**WORK, "kind": "issue", "title": "4", "status": "todo", "links": {"blocked_by": [5]}}, ["issue"], thread_id="issues"),
    line(5, {**WORK, "kind": "issue", "title": "5", "status": "todo"}, ["issue"], thread_id="issues"),
]  # fmt: skip


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """The command line in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str, code: int = 0) -> Result:
        result = CliRunner().invoke(cli, [*arguments], prog_name="corpus-migrate")
        assert result.exit_code == code, result.output
        assert len(result.stderr.splitlines()) == (code in (2, 4)), result.stderr
        return result

    return call


def write(name: str, lines: list[str]) -> bytes:
    data = "".join(text + "\n" for text in lines).encode()
    path = Path(name)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return data


def planned(run: Run, corpus: str = "entries.jsonl") -> None:
    run("plan", corpus, "-q", "-o", "plan.jsonl", "--unsafe-fixes")


def apply(run: Run, *more: str, code: int = 0) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(
        run("apply", "plan.jsonl", *(more or ("--in-place",)), "--yes", "--format", "json", code=code).stdout
    )
    return result  # fmt: skip


def undo(run: Run, run_id: str, *more: str, code: int = 0) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(run("undo", run_id, "--yes", "--format", "json", *more, code=code).stdout)
    return result


def replace(old: str, new: str, name: str = "entries.jsonl") -> None:
    text = Path(name).read_text()
    assert old in text
    Path(name).write_text(text.replace(old, new))


def test_in_place_keeps_the_old_file(run: Run) -> None:
    old = write("entries.jsonl", ONE)
    Path("entries.jsonl").chmod(0o640)
    planned(run)
    result = apply(run)
    assert (result["applied"], result["complete"]) == (2, True)
    (kept,) = result["kept"]
    assert Path(kept).name == f"entries.jsonl.before-{result['run_id']}"
    assert Path(kept).read_bytes() == old != Path("entries.jsonl").read_bytes()
    assert Path("entries.jsonl").stat().st_mode & 0o777 == 0o640
    written = json.loads(Path(result["journal"]).with_name("result.json").read_text())
    assert (written["applied"], written["kept"], written["mode"], written["complete"]) == (2, [kept], "in-place", True)


def test_the_journal_has_the_exact_old_and_new_text(run: Run) -> None:
    write(
        "entries.jsonl",
        [
            '{"id":1,"version":2.0,"updated_at":"2026-01-01","metadata": {"status" : "Done", "n":1e400, "x":null},"tags":null}'
        ],
    )
    planned(run)
    journal = Path(apply(run)["journal"]).read_text().splitlines()
    header, intent, writes, outcome, end = map(json.loads, journal)
    assert header["format"] == "corpus-migrate.journal/1"
    assert intent["old"] == {"metadata": '{"status" : "Done", "n":1e400, "x":null}', "tags": "null"}
    assert intent["new"] == {"metadata": '{"status" : "done", "n":1e400, "x":null}', "tags": "null"}
    assert (intent["intent"], intent["unit"], intent["version"], intent["updated_at"]) == (1, None, 2.0, "2026-01-01")
    assert '"version":2.0' in journal[1]
    assert writes["writes"] == str(Path("entries.jsonl").resolve())
    assert (outcome["outcome"], outcome["record"], outcome["reason"]) == ("applied", 1, None)
    assert (end["complete"], end["applied"]) == (True, 1)


def test_a_link_is_followed(run: Run) -> None:
    write("real/entries.jsonl", ONE)
    Path("entries.jsonl").symlink_to("real/entries.jsonl")
    planned(run)
    (kept,) = apply(run)["kept"]
    assert Path("entries.jsonl").is_symlink()
    assert Path(kept).parent.name == "real"


@pytest.mark.parametrize("name", ["entries.jsonl", "entries.jsonl.gz", "shards"])
def test_undo_gives_the_source_again_and_twice_changes_nothing(name: str, run: Run) -> None:
    files = {name: ONE + UNIT} if name != "shards" else {"shards/a.jsonl": ONE, "shards/b.jsonl.gz": UNIT[:1], "shards/c.jsonl": UNIT[1:]}  # fmt: skip
    old = {file: write(file, lines) for file, lines in files.items()}
    planned(run, name)
    done = apply(run)
    assert done["applied"] == 4
    taken_back = undo(run, done["run_id"])
    assert (taken_back["applied"], taken_back["stale"]) == (4, 0)
    for file, data in old.items():
        raw = Path(file).read_bytes()
        assert (gzip.decompress(raw) if file.endswith(".gz") else raw) == data
    again = undo(run, done["run_id"])
    assert (again["applied"], again["already_applied"], again["journal"]) == (0, 4, None)
    # An undo is a run, and is undone like one.
    assert undo(run, taken_back["run_id"])["applied"] == 4
    assert apply(run)["already_applied"] == 4


def test_a_text_encoded_export(run: Run) -> None:
    old = write(
        "entries.jsonl",
        [
            '{"id":1,"metadata":"{\\"status\\": \\"Done\\", \\"x\\": null}"}',
            '{"id": 2, "metadata": null, "tags": ["A"]}',
        ],
    )
    planned(run)
    result = apply(run)
    assert '"metadata":"{\\"status\\": \\"done\\", \\"x\\": null}"' in Path("entries.jsonl").read_text()
    replace('\\"x\\": null', '\\"x\\": 7')
    undo(run, result["run_id"])
    assert Path("entries.jsonl").read_bytes() == old.replace(b'\\"x\\": null', b'\\"x\\": 7')


def test_undo_leaves_newer_edits_alone(run: Run) -> None:
    write("entries.jsonl", ONE + UNIT)
    planned(run)
    result = apply(run)
    replace('"x": null', '"x": null, "note": "mine"')  # beside what the run wrote in 1
    replace('"status": "superseded"', '"status": "abandoned"')  # what the run wrote in 2
    replace('"links": {"blocks":[4]}', '"links": {"blocks":[4, 9]}')  # and in 5, with which 4 changed together
    edited = Path("entries.jsonl").read_text().splitlines()
    taken_back = undo(run, result["run_id"], code=5)
    assert (taken_back["applied"], taken_back["stale"]) == (1, 3)
    assert taken_back["problems"] == [
        "2: stale: its status was changed since the run",
        "4: stale: the record 5 of its unit 4 is stale",
        "5: stale: its links was changed since the run",
    ]
    now = Path("entries.jsonl").read_text().splitlines()
    assert now[1:] == edited[1:]
    assert now[0] == edited[0].replace('"status": "done"', '"status": "Done"')


def test_a_null_and_a_spelling_come_back(run: Run) -> None:
    old = write(
        "entries.jsonl",
        [
            '{"id":1,"metadata":{"links":null,"a":1,"links2":0}}',
            '{"id":2,"metadata":{"links":{"related":[ 1.0 ,"1"]}},"tags":[ "A"]}',
        ],
    )
    planned(run)
    result = apply(run)
    assert "null" not in Path("entries.jsonl").read_text()
    undo(run, result["run_id"])
    assert Path("entries.jsonl").read_bytes() == old


def test_a_copy_is_undone_where_it_is_now(run: Run) -> None:
    old = write("entries.jsonl", ONE)
    planned(run)
    result = apply(run, "-o", "out.jsonl")
    Path("out.jsonl").rename("moved.jsonl")
    assert "out.jsonl is gone; --at PATH says where it is now" in run("undo", result["run_id"], "--yes", code=4).stderr
    undo(run, result["run_id"], "--at", "moved.jsonl")
    assert Path("moved.jsonl").read_bytes() == old
    write("other.jsonl", [line(70, WORK)])
    sentence = run("undo", result["run_id"], "--yes", "--at", "other.jsonl", code=4).stderr
    assert "none of the 2 planned records is in it" in sentence


def test_an_unknown_run(run: Run) -> None:
    assert "there is no run nope in reports" in run("undo", "nope", "--yes", code=4).stderr


def test_a_state_that_moved_since_a_complete_run_is_refused(run: Run) -> None:
    write("entries.jsonl", ONE)
    planned(run)
    result = apply(run)
    replace('"status": "done"', '"status": "Done"')
    before = Path("entries.jsonl").read_bytes()
    sentence = run("apply", "plan.jsonl", "--in-place", "--yes", code=4).stderr
    assert f"the record 1 is no longer as the complete run {result['run_id']} left it" in sentence
    assert Path("entries.jsonl").read_bytes() == before


def test_an_undone_run_can_be_applied_again(run: Run) -> None:
    write("entries.jsonl", ONE)
    planned(run)
    first = apply(run)
    undo(run, first["run_id"])
    second = apply(run)
    assert (second["applied"], second["resumed"]) == (2, False)
    assert second["run_id"] != first["run_id"]


def test_what_was_stale_can_follow(run: Run) -> None:
    """A record that was stale is no part of what a complete run left."""
    write("entries.jsonl", ONE)
    planned(run)
    replace('"status": "Done"', '"status": "other"')
    assert apply(run, code=5)["stale"] == 1
    replace('"status": "other"', '"status": "Done"')
    assert (apply(run)["applied"], apply(run)["already_applied"]) == (1, 2)


def test_a_version_that_moved_is_stale(run: Run) -> None:
    write("entries.jsonl", [line(1, {"status": "Done"}, version=3), line(2, {"status": "Done"}, version=1)])
    planned(run)
    replace('"version": 3', '"version": 4')
    result = apply(run, code=5)
    assert result["problems"] == ["1: stale: its version is 4 and not 3"]


def test_an_id_on_lines_that_differ_is_held(run: Run) -> None:
    write("entries.jsonl", ONE)
    planned(run)
    copy = ONE[0].replace('"source": "agent"', '"source": "other"')
    write("entries.jsonl", [*ONE, copy])
    result = apply(run, code=5)
    assert result["problems"] == ["1: stale: it stands on several lines that differ"]
    assert Path("entries.jsonl").read_text().splitlines()[3] == copy


def test_a_broken_line_with_the_id_of_a_record_is_no_copy_of_it(run: Run) -> None:
    broken = ONE[0].replace('"tags"', '"x": NaN, "tags"')
    before = write("entries.jsonl", [broken, *ONE])
    planned(run)
    result = apply(run)
    assert result["problems"] == []
    after = Path("entries.jsonl").read_text().splitlines()
    assert after[0] == broken
    assert json.loads(after[1])["metadata"]["status"] == "done"
    undo(run, result["run_id"])
    assert Path("entries.jsonl").read_bytes() == before


def test_a_record_that_was_broken_since_is_left_alone(run: Run) -> None:
    write("entries.jsonl", ONE)
    planned(run)
    replace('"x": null', '"x": NaN')
    result = apply(run, code=5)
    assert result["problems"][0] == "1: stale: it is no readable record any more: NaN is no JSON value"


def test_a_line_that_stands_twice_is_repaired_twice_and_undone(run: Run) -> None:
    old = write("entries.jsonl", [ONE[0], *ONE])
    planned(run)
    result = apply(run)
    assert Path("entries.jsonl").read_text().count('"status": "done"') == 2
    undo(run, result["run_id"])
    assert Path("entries.jsonl").read_bytes() == old


def test_an_empty_corpus(run: Run) -> None:
    write("entries.jsonl", [])
    planned(run)
    assert apply(run)["journal"] is None
    write("entries.jsonl", ONE)
    assert apply(run)["journal"] is None


def test_a_corpus_that_is_gone_or_another_one(run: Run) -> None:
    write("entries.jsonl", ONE)
    planned(run)
    Path("entries.jsonl").rename("moved.jsonl")
    assert "there is no such file" in run("apply", "plan.jsonl", "--in-place", "--yes", code=2).stderr
    write("entries.jsonl", [line(7, WORK)])
    assert "is not the corpus of this plan" in run("apply", "plan.jsonl", "--in-place", "--yes", code=4).stderr
    assert [path.name for path in Path().iterdir() if "before" in path.name] == []


def test_parquet_is_not_replaced(run: Run) -> None:
    import polars

    polars.DataFrame({"id": [1], "metadata": ['{"status":"Done"}'], "tags": [["a"]]}).write_parquet("entries.parquet")
    planned(run, "entries.parquet")
    sentence = run("apply", "plan.jsonl", "--in-place", "--yes", code=2).stderr
    assert "a Parquet file is only repaired into JSON lines; name a new file with -o" in sentence


def test_a_folder_that_cannot_be_written(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write("entries.jsonl", ONE)
    planned(run)
    real = os.open

    def refused(path: Any, flags: int, *more: Any, **named: Any) -> int:
        if ".corpus-migrate-" in str(path):
            raise OSError(30, "Read-only file system")
        return real(path, flags, *more, **named)

    monkeypatch.setattr(os, "open", refused)
    sentence = run("apply", "plan.jsonl", "--in-place", "--yes", code=2).stderr
    assert "nothing can be written to its folder (Read-only file system); nothing was changed" in sentence
    assert not list(Path("reports").glob("*/runs/2*"))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is forbidden to this user")
def test_a_read_only_folder(run: Run) -> None:
    write("sub/entries.jsonl", ONE)
    planned(run, "sub/entries.jsonl")
    Path("sub").chmod(0o555)
    try:
        run("apply", "plan.jsonl", "--in-place", "--yes", code=2)
    finally:
        Path("sub").chmod(0o755)


def test_one_at_a_time(run: Run) -> None:
    write("entries.jsonl", ONE)
    planned(run)
    (corpus,) = Path("reports").iterdir()
    with alone(corpus / "runs"):
        assert (
            "another process is at work on this corpus"
            in run("apply", "plan.jsonl", "--in-place", "--yes", code=4).stderr
        )


def test_a_file_that_changes_meanwhile_is_not_replaced(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from migrate.corpora.rewrite import Staged

    write("entries.jsonl", ONE)
    planned(run)
    verify = Staged.verify

    def appended(staged: Staged) -> Any:
        with Path("entries.jsonl").open("a") as file:
            file.write(line(9, WORK) + "\n")
        return verify(staged)

    with monkeypatch.context() as patch:
        patch.setattr(Staged, "verify", appended)
        result = CliRunner().invoke(cli, ["apply", "plan.jsonl", "--in-place", "--yes"])
    assert result.exit_code == 5
    assert "it was changed while it was read" in result.stderr
    assert Path("entries.jsonl").read_text().splitlines() == [*ONE, line(9, WORK)]
    done = apply(run)
    assert (done["applied"], done["resumed"]) == (2, True)
    assert Path("entries.jsonl").read_text().splitlines()[3] == line(9, WORK)
