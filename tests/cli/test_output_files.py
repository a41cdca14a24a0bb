"""``-o``: a file that appears when it is complete, and only where it may."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from migrate.cli.errors import CommandError
from migrate.cli.output import opened, refuse_bad_target


def test_a_file_gets_the_output_and_stdout_nothing(call: Any, tmp_path: Path) -> None:
    result = call("check", "c", "--format", "jsonl", "-o", "found.jsonl")
    assert (result.exit_code, result.stdout) == (1, "")
    assert len((tmp_path / "found.jsonl").read_text().splitlines()) == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["found.jsonl", "reports"]


def test_a_dash_is_stdout(call: Any, tmp_path: Path) -> None:
    assert len(call("check", "c", "--format", "jsonl", "-o", "-").stdout.splitlines()) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["reports"]


@pytest.mark.parametrize("command", ["check", "plan", "config", "show", "rules"])
def test_a_folder_is_no_output(
    engine: Any, call: Any, one_sentence: Any, tmp_path: Path, plan_file: Path, command: str
) -> None:
    (tmp_path / "folder").mkdir()
    arguments = {"config": ["config", "show"], "show": ["show", "saved.jsonl"], "rules": ["rules"]}
    result = call(*arguments.get(command, [command, "c"]), "-o", "folder")
    assert one_sentence(result, 2) == "-o folder is a folder; name a file in it"
    assert engine.calls == []
    assert list((tmp_path / "folder").iterdir()) == []


@pytest.mark.parametrize("command", ["check", "plan"])
def test_a_missing_folder_is_no_place(engine: Any, call: Any, one_sentence: Any, tmp_path: Path, command: str) -> None:
    sentence = one_sentence(call(command, "c", "-o", "gone/out.json"), 2)
    assert sentence == "-o gone/out.json cannot be written: there is no folder gone"
    assert engine.calls == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["check", "plan"])
@pytest.mark.parametrize("corpus", ["shards/a.jsonl", "shards", "shards/*.jsonl", "sqlite:///shards/a.jsonl"])
@pytest.mark.parametrize("name", ["shards/a.jsonl", "shards/../shards/a.jsonl", "link.jsonl"])
def test_the_corpus_itself_is_refused(
    engine: Any, call: Any, one_sentence: Any, tmp_path: Path, command: str, corpus: str, name: str
) -> None:
    (tmp_path / "shards").mkdir()
    (tmp_path / "shards" / "a.jsonl").write_text('{"id": 1}\n')
    (tmp_path / "link.jsonl").symlink_to("shards/a.jsonl")
    assert "is a file of the corpus itself" in one_sentence(call(command, corpus, "-o", name), 4)
    assert (tmp_path / "shards" / "a.jsonl").read_text() == '{"id": 1}\n'
    assert engine.calls == []


def test_after_an_error_the_old_file_stands(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_text("old")

    def fail() -> None:
        with opened(path) as stream:
            stream.write("half of it")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert path.read_text() == "old"
    assert [item.name for item in tmp_path.iterdir()] == ["out.json"]


def test_a_new_file_has_the_usual_mode_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        for name in ("new", "private"):
            if name == "private":
                (tmp_path / name).touch(0o600)
            with opened(tmp_path / name) as stream:
                stream.write("x")
        modes = {name: stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("new", "private")}
    finally:
        os.umask(mask)
    assert modes == {"new": 0o640, "private": 0o600}


def test_a_link_is_followed_and_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    with opened(tmp_path / "link") as stream:
        stream.write("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_a_device_is_written_to_and_not_replaced() -> None:
    refuse_bad_target(Path(os.devnull))
    with opened(Path(os.devnull)) as stream:
        stream.write("x")
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_a_sentence_with_the_name() -> None:
    with pytest.raises(CommandError, match="/dev/full cannot be written: No space left on device"):  # noqa: SIM117
        with opened(Path("/dev/full")) as stream:
            stream.write("x" * 100_000)


def test_somebody_elses_system_error_passes(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), opened(tmp_path / "out"):
        Path(tmp_path, "gone").read_text()
