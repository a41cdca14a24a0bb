"""Nothing a terminal obeys gets through, and what is cut or padded is measured in columns."""

from __future__ import annotations

import io
import json
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from migrate.reporting import terminal
from migrate.reporting.terminal import (
    Screen,
    clean,
    display_width,
    escape,
    pad,
    shorten,
    stream_width,
    take,
    use_colour,
    value,
)

BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
ANYTHING = st.text(st.characters(categories=("L", "N", "P", "S", "Z", "C")))


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("plain – ünïcode 漢字 🎉", "plain – ünïcode 漢字 🎉"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[2J\x1b[1;1H", ""),
        ("\x1b]0;title\x07x", "x"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9b31mred", "red"),
        ("\x1bPq data\x1b\\x", "x"),
        ("\x1b]0;never ends", "]0;never ends"),
        ("\x1b", ""),
        ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
        ("a\u2028b\u2029c", "a\\u2028b\\u2029c"),
        ("\x00\x07\x08\x7f\x85", ""),
        (BIDI, ""),
        ("zero\u200bwidth\ufeff\u00ad\u200d", "zerowidth"),
        ("tag\U000e0041s", "tags"),
        ("lone \ud800 and \udc80", "lone \\ud800 and \\udc80"),
        ("", ""),
    ],
)
def test_clean(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


@given(ANYTHING)
def test_clean_text_has_nothing_to_obey(text: str) -> None:
    cleaned = clean(text)
    assert not any(unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") for character in cleaned)
    assert clean(cleaned) == cleaned
    cleaned.encode("utf-8")


@given(ANYTHING)
def test_a_value_hides_nothing(text: str) -> None:
    shown = value(text)
    assert json.loads(shown) == text
    assert clean(shown) == shown


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | ANYTHING, lambda x: st.lists(x) | st.dictionaries(ANYTHING, x)
    )
)
def test_any_json_value_is_its_own_text(data: object) -> None:
    assert json.loads(value(data)) == data
    assert clean(value(data)) == value(data)


def test_values_stay_readable() -> None:
    assert value({"größe": ["漢", 1, None, True]}) == '{"größe": ["漢", 1, null, true]}'
    assert value("a\u202eb\x1b") == '"a\\u202eb\\u001b"'
    assert escape('"\U000e0041\x7f"') == '"\\udb40\\udc41\\u007f"'


@pytest.mark.parametrize(("text", "width"), [("abc", 3), ("漢字", 4), ("e\u0301", 1), ("", 0), ("ａ", 2)])
def test_display_width(text: str, width: int) -> None:
    assert display_width(text) == width


def test_cutting_and_padding() -> None:
    assert shorten("abcdef", 6) == "abcdef"
    assert shorten("abcdefg", 6) == "abcde…"
    assert shorten("漢字漢字", 5) == "漢字…"
    assert take("漢字", 3) == "漢"
    assert pad("漢", 4) == "漢  "
    assert pad("abcdef", 4) == "abcdef"


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("flag", "tty", "environment", "colour"),
    [
        ("auto", True, {}, True),
        ("auto", False, {}, False),
        ("always", False, {"NO_COLOR": "1", "TERM": "dumb"}, True),
        ("never", True, {"FORCE_COLOR": "1"}, False),
        ("auto", True, {"NO_COLOR": "1"}, False),
        ("auto", True, {"NO_COLOR": ""}, True),
        ("auto", False, {"FORCE_COLOR": "1"}, True),
        ("auto", False, {"FORCE_COLOR": "0"}, False),
        ("auto", False, {"FORCE_COLOR": ""}, False),
        ("auto", True, {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ("auto", True, {"TERM": "dumb"}, False),
        ("auto", False, {"TERM": "dumb", "FORCE_COLOR": "1"}, True),
    ],
)
def test_colour(flag: str, tty: bool, environment: dict[str, str], colour: bool) -> None:
    assert use_colour(flag, Terminal() if tty else io.StringIO(), environment) is colour


def test_a_closed_stream_is_no_terminal() -> None:
    stream = io.StringIO()
    stream.close()
    assert not terminal.is_terminal(stream)


def test_width_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert stream_width(io.StringIO()) == 80
    monkeypatch.setenv("COLUMNS", "120")
    assert stream_width(io.StringIO()) == 120
    monkeypatch.setenv("COLUMNS", "3")
    assert stream_width(io.StringIO()) == 40


def test_styles_only_on_a_screen_with_colour() -> None:
    assert Screen(sys.stdout).style("x", "red", "bold") == "x"
    assert Screen(sys.stdout, colour=True).style("x", "red", "bold") == "\x1b[31;1mx\x1b[0m"
    assert Screen(sys.stdout, colour=True).style("", "red") == ""
