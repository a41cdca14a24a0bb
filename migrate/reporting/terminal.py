"""The only way to a terminal for text that comes from a corpus.

Corpus text is hostile: it may carry control characters, ANSI sequences that rewrite what stands on the screen,
and bidirectional marks that show a value in another order than it is stored in. ``clean`` takes them out of
prose, ``value`` shows them as JSON escapes where a reviewer has to see that they are there.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TextIO

from migrate.reporting.exact import dumps

DEFAULT_WIDTH = 80
_MINIMUM_WIDTH = 40

# Whole sequences, so that no "[31m" stays behind. An unterminated one loses only its introducer: what follows must
# stay visible, or a record could hide its own tail.
_ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x9b[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)")
_VISIBLE = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def clean(text: str) -> str:
    """The text on one line without what a terminal would obey.

    Line ends and tabs become visible escapes, lone surrogates ``\\udXXX``; ANSI sequences and every other character
    of the categories Cc and Cf (bidirectional marks, zero-width characters) go.
    """
    if text.isprintable():
        return text
    return "".join(map(_clean_character, _ANSI.sub("", text)))


def _clean_character(character: str) -> str:
    if character in _VISIBLE:
        return _VISIBLE[character]
    category = unicodedata.category(character)
    if category == "Cs":
        return f"\\u{ord(character):04x}"
    return "" if category in ("Cc", "Cf") else character


def value(data: Any) -> str:
    """A JSON value as compact JSON text in which nothing is hidden: what ``clean`` removes stands as an escape."""
    return escape(dumps(data, ensure_ascii=False))


def escape(text: str) -> str:
    """JSON text with every character that a terminal obeys, or does not show, as a JSON escape."""
    return text if text.isprintable() else "".join(map(_escape_character, text))


def _escape_character(character: str) -> str:
    if character in _VISIBLE or unicodedata.category(character) in ("Cc", "Cf", "Cs"):
        return json.dumps(character)[1:-1]
    return character


def display_width(text: str) -> int:
    """Columns of clean text: wide East Asian characters take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def shorten(text: str, width: int) -> str:
    """Clean text cut to ``width`` columns, the cut marked with an ellipsis."""
    if display_width(text) <= width:
        return text
    return take(text, max(width - 1, 0)) + "…"


def take(text: str, width: int) -> str:
    """The longest beginning of clean text that fits ``width`` columns."""
    used = 0
    for index, character in enumerate(text):
        used += _columns(character)
        if used > width:
            return text[:index]
    return text


def pad(text: str, width: int) -> str:
    """Clean text followed by blanks up to ``width`` columns."""
    return text + " " * max(0, width - display_width(text))


def stream_width(stream: TextIO) -> int:
    """Columns of the terminal behind a stream (or COLUMNS); DEFAULT_WIDTH where there is no terminal."""
    if os.environ.get("COLUMNS", "").isdigit() or is_terminal(stream):
        return max(_MINIMUM_WIDTH, shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns)
    return DEFAULT_WIDTH


def is_terminal(stream: TextIO) -> bool:
    """Whether a stream, possibly closed, is a terminal."""
    try:
        return stream.isatty()
    except ValueError:
        return False


def use_colour(flag: str, stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether to colour what goes to ``stream``: flag, NO_COLOR, FORCE_COLOR, TERM=dumb, then the stream itself."""
    if flag != "auto":
        return flag == "always"
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return environment.get("TERM") != "dumb" and is_terminal(stream)


_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


@dataclass(frozen=True, slots=True)
class Screen:
    """A text stream with a width in columns and, where it is wanted, colour."""

    stream: TextIO
    width: int = DEFAULT_WIDTH
    colour: bool = False

    def line(self, text: str = "") -> None:
        """Writes clean text, styled or not, and a line feed."""
        self.stream.write(text + "\n")

    def style(self, text: str, *names: str) -> str:
        """Clean text in the named styles, or as it is on a screen without colour."""
        if not self.colour or not text:
            return text
        return f"\x1b[{';'.join(_STYLES[name] for name in names)}m{text}\x1b[0m"
