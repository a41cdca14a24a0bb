"""Text from a corpus inside Markdown: neither markup nor HTML may come of it."""

from __future__ import annotations

import re

from migrate.reporting.terminal import clean

_SPECIAL = re.compile(r"[\\`*_\[\]<>~#&$!]")
_ENTITIES = {"<": "&lt;", "&": "&amp;"}


def inline(text: str) -> str:
    """One line of clean text with everything that Markdown or HTML would act on escaped."""
    return _SPECIAL.sub(lambda match: _ENTITIES.get(match[0], f"\\{match[0]}"), clean(text))


def code(text: str) -> str:
    """One line of clean text as a code span, in which nothing is markup; its ticks outnumber any run in it."""
    text = clean(text)
    ticks = "`" * (max((len(run) for run in re.findall(r"`+", text)), default=0) + 1)
    return f"{ticks} {text} {ticks}" if "`" in text else f"`{text}`"


def fence(lines: list[str], language: str = "") -> list[str]:
    """Lines of clean text as a fenced block; the fence is longer than any run of backticks in it."""
    longest = max((len(run) for line in lines for run in re.findall(r"`+", line)), default=0)
    mark = "`" * max(3, longest + 1)
    return [mark + language, *lines, mark]
