"""Bars are for people who watch a phase that lasts."""

from __future__ import annotations

import io
import sys
from typing import Any

import pytest

from migrate.cli import progress


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time: a list of one number that tests move."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def watched(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Makes stderr a terminal. No fixture: pytest puts its own stderr back between fixtures and test."""
    made = Terminal()
    monkeypatch.setattr(sys, "stderr", made)
    return made


def test_who_gets_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    watched(monkeypatch)
    assert progress.wanted(False, {})
    assert progress.wanted(False, {"NO_COLOR": "1", "TERM": "dumb"})
    assert not progress.wanted(True, {})
    assert not progress.wanted(False, {"CI": "true"})
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert not progress.wanted(False, {"FORCE_COLOR": "1"})


def test_a_short_phase_has_no_bar(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    with progress.Bars(True) as bars:
        for done in range(10):
            bars("reading", done, 10)
            clock[0] += 0.09
    assert terminal.getvalue() == ""


def test_a_long_phase_has_one_and_it_goes_away(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    with progress.Bars(True) as bars:
        bars("read\x1b[2Jing", 0, 10)
        clock[0] += 1.5
        bars("read\x1b[2Jing", 5, 10)
        assert "reading:  50%" in terminal.getvalue()
        assert "[2J" not in terminal.getvalue()
        bars("rules", 0, None)
    assert terminal.getvalue().endswith("\r")


def test_nobody_watches(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    with progress.Bars(False) as bars:
        bars("reading", 0, 10)
        clock[0] += 60
        bars("reading", 9, 10)
    assert terminal.getvalue() == ""


def test_verbose_is_a_plain_line_a_phase(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.StringIO()
    monkeypatch.setattr(sys, "stderr", written)
    with progress.Bars(False, told=True) as bars:
        bars("read\x1b[2Jing", 0, None)
        clock[0] += 2
        bars("read\x1b[2Jing", 1000, None)
        bars("rules", 0, 92)
        clock[0] += 0.5
    assert written.getvalue() == "reading: 1,000 in 2.0 s, 500 a second\nrules: 92 in 0.5 s\n"


def test_the_engine_gets_it(engine: Any, call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    got: list[Any] = []
    real = engine.examine
    monkeypatch.setattr(
        sys.modules["migrate.systems"],
        "examine",
        lambda corpus, options, *, progress: got.append(progress) or real(corpus, options, progress=progress),
    )
    call("check", "c")
    assert callable(got[0])
