"""Expected errors are one sentence and a code; anything else is a bug with a log."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from migrate.naming import without_secrets


@pytest.mark.parametrize(("name", "code"), [("corpus", 2), ("rule", 2), ("plan", 2), ("refused", 4)])
def test_the_rooms_errors_have_their_codes(
    engine: Any, call: Any, one_sentence: Callable[[Any, int], str], name: str, code: int
) -> None:
    engine.error = getattr(engine.errors, name)("what is wrong, and what to do")
    assert one_sentence(call("check", "entries.jsonl"), code) == "what is wrong, and what to do"


def test_a_subclass_of_a_room_has_the_code_of_its_nearest_known_class(engine: Any, call: Any) -> None:
    class TruncatedError(engine.errors.corpus):  # type: ignore[misc,name-defined]
        """As a room may refine its error."""

    engine.error = TruncatedError("cut")
    assert call("check", "entries.jsonl").exit_code == 2


def test_a_class_of_that_name_from_elsewhere_is_a_bug(engine: Any, call: Any) -> None:
    class CorpusError(Exception):
        """Not ours."""

    engine.error = CorpusError("?")
    assert call("check", "entries.jsonl").exit_code == 70


def test_hostile_text_in_a_sentence_stays_on_one_line_and_cannot_act(
    engine: Any, call: Any, one_sentence: Callable[[Any, int], str]
) -> None:
    engine.error = engine.errors.corpus("line 3: \x1b[2J\x1b]0;owned\x07bad\nerror: \u202enothing")
    assert one_sentence(call("check", "entries.jsonl"), 2) == "line 3: bad\\nerror: nothing"


def test_a_bug_is_70_and_leaves_a_log_in_the_workspace(engine: Any, call: Any, tmp_path: Path) -> None:
    engine.error = ZeroDivisionError("at postgresql://me:hunter2@host/db")
    result = call("check", "entries.jsonl", "--workspace", "mine")
    assert (result.exit_code, result.stdout) == (70, "")
    first, second = result.stderr.splitlines()
    assert first == "error: a bug in corpus-migrate: ZeroDivisionError: at postgresql://me:***@host/db"
    (log,) = (tmp_path / "mine" / "logs").iterdir()
    assert str(Path("mine", "logs", log.name)) in second
    text = log.read_text()
    assert "Traceback" in text
    assert "\npython 3." in text
    assert "duckdb " in text
    assert "hunter2" not in text


def test_a_log_goes_to_the_temp_dir_where_the_workspace_cannot_be(
    engine: Any, call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "tmp"
    elsewhere.mkdir()
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "logs").write_text("a file in the way")
    monkeypatch.setattr("tempfile.tempdir", str(elsewhere))
    engine.error = ZeroDivisionError("x")
    assert str(elsewhere) in call("check", "entries.jsonl").stderr
    assert len(list(elsewhere.glob("bug-*.log"))) == 1


def test_books_that_do_not_balance_are_a_bug_and_leave_no_plan(engine: Any, call: Any, tmp_path: Path) -> None:
    engine.write_error = engine.errors.plan("the books do not balance")
    result = call("plan", "entries.jsonl")
    assert result.exit_code == 70
    assert "the books do not balance" in result.stderr
    assert not list(tmp_path.rglob("plan.jsonl"))
    assert not list(tmp_path.rglob("findings.parquet"))


def test_a_plan_that_the_disk_does_not_take_is_no_bug(engine: Any, call: Any) -> None:
    engine.write_error = engine.errors.plan("the plan cannot be written: No space left on device")
    engine.write_error.__cause__ = OSError(28, "No space left on device")
    assert call("plan", "entries.jsonl").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["check"], "Missing argument 'CORPUS'; see corpus-migrate check --help"),
        (["check", "a", "b"], "Got unexpected extra argument (b); see corpus-migrate check --help"),
        (["nothing"], "No such command 'nothing'; see corpus-migrate --help"),
        (["check", "a", "--threads", "many"], "--threads must be a whole number above 0"),
        (["check", "a", "--memory-limit", "lots"], '--memory-limit must be a size such as "500MB" or "2GB"'),
        (["check", "a", "--id-map", "gone.json"], "--id-map names gone.json, which does not exist"),
        (["check", "a", "--config", "gone.toml"], "gone.toml cannot be read: No such file or directory"),
        (["show", "gone.jsonl"], "there is no plan gone.jsonl; see corpus-migrate show --help"),
        (["apply", "gone.jsonl", "-o", "x"], "there is no plan gone.jsonl; see corpus-migrate apply --help"),
        (["rules", "test", "gone"], "rules test: gone is no folder"),
        (["rules", "test"], "rules takes nothing, one CODE, or test DIR; see corpus-migrate rules --help"),
    ],
)
def test_bad_use_is_one_sentence_and_does_nothing(
    engine: Any, call: Any, one_sentence: Any, tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    assert one_sentence(call(*arguments), 2) == sentence
    assert engine.calls == []
    assert list(tmp_path.iterdir()) == []


def test_unknown_options_name_the_nearest(call: Any, one_sentence: Any) -> None:
    assert "--unsafe-fixes" in one_sentence(call("check", "a", "--unsafe-fixe"), 2)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("postgresql://me:p@ss@host/db", "postgresql://me:***@host/db"),
        ("https://host:8000/mcp", "https://host:8000/mcp"),
        ("postgresql://me@host/db", "postgresql://me@host/db"),
        ("see http://h:1/x and a@b", "see http://h:1/x and a@b"),
        ("postgresql://me:p/w'rd@host/db", "postgresql://me:***@host/db"),
        ("postgresql://me:@host/db", "postgresql://me:@host/db"),
        ("https://t0ken@host/mcp?token=abc&x=1", "https://***@host/mcp?token=***&x=1"),
        (
            "mcp+stdio:env API_KEY=abc server --token abc --port 1",
            "mcp+stdio:env API_KEY=*** server --token *** --port 1",
        ),
        ("Authorization: Bearer abc", "Authorization: Bearer ***"),
    ],
)
def test_passwords_are_blanked(text: str, clean: str) -> None:
    assert without_secrets(text) == clean
