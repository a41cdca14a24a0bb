"""The local paths that a context document refers to: Markdown links and inline code, as the ecosystem's tools read them.

This is no Markdown parser, on purpose: a line at a time, without backslash or code-span awareness in link texts, so that
what is found here is what users of those tools see.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from migrate.corpora.repository.ecmascript import WHITE, trim

LINK = "link"
CODE = "code"


class Reference(NamedTuple):
    """One reference: ``link`` or ``code``, its line from 1, its target cut at the first ``#`` and unescaped."""

    kind: str
    line: int
    target: str


_fence = re.compile(rf"[{WHITE}]*(?:```|~~~)").match
_white = re.compile(rf"[{WHITE}]*").match
_plain = re.compile(rf"[^\\(){WHITE}]*").match
_angled = re.compile(r"((?:\\.|[^\\<>])*)>", re.DOTALL).match
_code = re.compile(r"`([^`]+)`").finditer
_scheme = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:").match
_escape = re.compile(r"\\([\\()\[\]<>])").sub
_titles = {
    '"': re.compile(r'"(?:\\.|[^\\"])*"', re.DOTALL).match,
    "'": re.compile(r"'(?:\\.|[^\\'])*'", re.DOTALL).match,
    "(": re.compile(r"\((?:\\.|[^\\)])*\)", re.DOTALL).match,
}


def references(text: str) -> Iterator[Reference]:
    """The references of a document in reading order; on a line its links first, then its inline code.

    Lines end at LF or CRLF alone. Everything between two fence lines is skipped, whatever kind and length they have.
    """
    fenced = False
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if ("```" in line or "~~~" in line) and _fence(line):
            fenced = not fenced
            continue
        if fenced:
            continue
        if "](" in line:
            for target in _links(line):
                if not _ignored(target):
                    yield Reference(LINK, number, target)
        if ".md" in line and "`" in line:
            for found in _code(line):
                target = trim(found[1])
                if " " in target:
                    continue
                target = target.partition("#")[0]
                if target.endswith(".md") and not _ignored(target) and len(target.rpartition("/")[2]) > len(".md"):
                    yield Reference(CODE, number, target)


def _ignored(target: str) -> bool:
    """Whether a target names nothing in the tree: empty, an anchor, absolute, or with a scheme."""
    return not target or target[0] in "#/" or _scheme(target) is not None


def _links(line: str) -> Iterator[str]:
    """The targets of a line's inline links and images, left to right. Each character is looked at a few times at most."""
    reader = _Destinations(line)
    at = segment = 0
    while (close := line.find("]", at)) >= 0:
        at = close + 1
        is_opening = line[at : at + 1] == "(" and line.find("[", segment, close) >= 0
        if is_opening:
            at += 1
            if destination := reader.read(at):
                target, at = destination
                yield _escape(r"\1", target.partition("#")[0])
        segment = at


class _Destinations:
    """Reads what may stand between ``](`` and ``)`` on one line, and remembers it: a hostile line nests thousands of them."""

    def __init__(self, line: str) -> None:
        self.line = line
        self.ends: dict[int, int | None] = {}
        """For each opening parenthesis met so far: where a bare target that starts behind it ends."""
        self.unclosed: set[str] = set()
        """Title marks that nothing closes from here on."""

    def read(self, at: int) -> tuple[str, int] | None:
        """The raw target from behind ``](`` and the index behind the closing parenthesis; None where this is no link."""
        line = self.line
        start = _skip(line, at)
        if line[start : start + 1] == "<":
            found = _angled(line, start + 1)
            if found is None:
                return None
            target, end = found[1], found.end()
        else:
            bare = self.ends[at - 1] if start == at and at - 1 in self.ends else self._bare(start)
            if bare is None:
                return None
            target, end = line[start:bare], bare
        at = _skip(line, end)
        mark = line[at : at + 1]
        if at > end and (title := _titles.get(mark)):
            found = None if mark in self.unclosed else title(line, at)
            if found is None:
                self.unclosed.add(mark)
                return None
            at = _skip(line, found.end())
        return (target, at + 1) if line[at : at + 1] == ")" else None

    def _bare(self, at: int) -> int | None:
        """Where a target without angle brackets ends: before white space, or before a ``)`` that it did not open."""
        line, open_ones = self.line, list[int]()
        while True:
            at = _run(line, at)
            mark = line[at : at + 1]
            if mark == "\\" and at + 1 < len(line):
                at += 2
            elif mark == "(":
                open_ones.append(at)
                at += 1
            elif mark == ")" and open_ones:
                self.ends[open_ones.pop()] = at
                at += 1
            elif mark == ")":
                return at
            else:
                end = at if mark and mark != "\\" else None
                for place in reversed(open_ones):
                    self.ends[place] = end
                    end = None
                return end


def _run(line: str, at: int) -> int:
    found = _plain(line, at)
    return found.end() if found else at


def _skip(line: str, at: int) -> int:
    found = _white(line, at)
    return found.end() if found else at
