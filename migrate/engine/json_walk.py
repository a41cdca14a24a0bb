"""A JSON text read event by event, without recursion, and the exact reason where it is none.

This is the slow and final judge behind :mod:`migrate.engine.json_text`: the C scanner of the standard library answers
first, and where it stops (an error, or nesting deeper than the interpreter's recursion limit) this module decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from json import JSONDecodeError, decoder

from migrate.engine.errors import EngineError

scanstring: Callable[[str, int, bool], tuple[str, int]] = vars(decoder)["scanstring"]
"""The C reader of strings: from after the opening quote to (the unescaped string, the index after the closing one)."""

Event = tuple[str, int, int]
"""What (``{ [ } ]``, ``k`` a member's name, ``v`` a scalar), where it starts, where it ends (for ``k`` before the colon)."""

_not_blank = re.compile(r"[^ \t\n\r]|\Z").search
_scalar = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null").match
_word = re.compile(r"[-+]?[A-Za-z_$][A-Za-z_$0-9]*").match

_STRING_REASONS = {
    "Unterminated": "a string that does not end",
    "Invalid control": "a raw control character in a string",
    "Invalid \\": "a bad escape in a string",
}


class JsonError(EngineError, ValueError):
    """A text that is not RFC 8259 JSON: ``reason`` in a few words, ``position`` in characters from 0."""

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(f"{reason} at character {position}")
        self.reason = reason
        self.position = position

    def __reduce__(self) -> tuple[type[JsonError], tuple[str, int]]:
        return type(self), (self.reason, self.position)


def blank(text: str, i: int) -> int:
    """The first index from ``i`` on that holds no JSON blank (the length of the text if there is none)."""
    if text[i : i + 1] > " ":
        return i
    found = _not_blank(text, i)
    return found.start() if found else len(text)


def string_end(text: str, start: int) -> int:
    """The index after the string whose opening quote is at ``start``; JsonError if it is none."""
    return read_string(text, start)[1]


def read_string(text: str, start: int) -> tuple[str, int]:
    """The unescaped string whose opening quote is at ``start``, and the index after it; JsonError if it is none."""
    try:
        return scanstring(text, start + 1, True)
    except JSONDecodeError as error:
        for opening, reason in _STRING_REASONS.items():
            if error.msg.startswith(opening):
                raise JsonError(reason, error.pos) from None
        raise JsonError("a string that cannot be read", error.pos) from None


def no_value(text: str, at: int) -> JsonError:
    """Why no value can start at ``at``."""
    found = text[at : at + 1]
    if not found:
        return JsonError("the text ends where a value should be", at)
    word = _word(text, at)
    reason = "no value"
    if found in "}]":
        before = len(text[:at].rstrip(" \t\n\r")) - 1
        reason = f"a comma before {found}" if text[before : before + 1] == "," else f"{found} where a value should be"
    elif word is not None:
        reason = f"{word[0][:20]} is no JSON value"
    elif found in "+.":
        reason = f"a number that starts with {found}"
    elif found == "-":
        reason = "a minus without a number"
    else:
        reason = _stray(text, at) or f"{found!r} where a value should be"
    return JsonError(reason, at)


def no_name(text: str, at: int) -> JsonError:
    """Why no member's name can start at ``at`` (after a brace or a comma)."""
    found = text[at : at + 1]
    if not found:
        return JsonError("the text ends inside an object", at)
    if found == "}":
        return JsonError("a comma before }", at)
    return JsonError(_stray(text, at) or "a member name without double quotes", at)


def no_colon(text: str, at: int) -> JsonError:
    """Why ``at``, after a member's name, holds no colon."""
    if at >= len(text):
        return JsonError("the text ends inside an object", at)
    return JsonError(_stray(text, at) or "a member name without a colon", at)


def no_delimiter(text: str, at: int, closer: str) -> JsonError:
    """Why ``at``, after a value, holds neither a comma nor ``closer``."""
    found = text[at : at + 1]
    if not found:
        return JsonError("the text ends inside an " + ("object" if closer == "}" else "array"), at)
    return JsonError(_after_value(text, at) or f"{found!r} where a comma or {closer} should be", at)


def no_end(text: str, at: int) -> JsonError:
    """Why the text should have ended at ``at``."""
    return JsonError(_after_value(text, at) or "something after the value", at)


def _stray(text: str, at: int) -> str | None:
    """The name of what people often write and JSON does not know."""
    found = text[at]
    if found == "'":
        return "single quotes"
    if found in "/#":
        return "a comment"
    if found == "\ufeff":
        return "a byte order mark"
    if found == ",":
        return "two commas, or a comma at the start"
    if found == "\x00" or ord(found) < 32:
        return "a raw control character"
    if found.isspace():
        return "a blank that JSON does not know"
    return None


def _after_value(text: str, at: int) -> str | None:
    before = text[at - 1 : at]
    found = text[at]
    if before.isdigit() and (found in ".eE" or found.isdigit()):
        return "a number with a leading zero" if found.isdigit() else "a number that is cut short"
    if found == ",":
        return None
    return _stray(text, at)


def walk(text: str, start: int) -> Iterator[Event]:
    """The events of the one value that starts at ``start`` (no blanks before it); JsonError where it breaks off.

    The last event ends where the value ends; what follows it is not looked at.
    """
    closers: list[str] = []
    at = start
    while True:
        found = text[at : at + 1]
        if found in ("{", "["):
            yield found, at, at + 1
            closer = "}" if found == "{" else "]"
            at = blank(text, at + 1)
            if text[at : at + 1] != closer:
                closers.append(closer)
                if closer == "}":
                    if text[at : at + 1] != '"':
                        raise no_name(text, at)
                    end = string_end(text, at)
                    yield "k", at, end
                    at = past_colon(text, end)
                continue
            yield closer, at, at + 1
            at += 1
        elif found == '"':
            end = string_end(text, at)
            yield "v", at, end
            at = end
        else:
            match = _scalar(text, at)
            if match is None:
                raise no_value(text, at)
            yield "v", at, match.end()
            at = match.end()
        while closers:
            at = blank(text, at)
            found = text[at : at + 1]
            if found == ",":
                at = blank(text, at + 1)
                if closers[-1] == "}":
                    if text[at : at + 1] != '"':
                        raise no_name(text, at)
                    end = string_end(text, at)
                    yield "k", at, end
                    at = past_colon(text, end)
                break
            if found != closers[-1]:
                raise no_delimiter(text, at, closers[-1])
            yield found, at, at + 1
            closers.pop()
            at += 1
        else:
            return


def past_colon(text: str, at: int) -> int:
    """From after a member's name to the start of its value."""
    at = blank(text, at)
    if text[at : at + 1] != ":":
        raise no_colon(text, at)
    return blank(text, at + 1)
