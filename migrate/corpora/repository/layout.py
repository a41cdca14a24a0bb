"""The standard layout, and the class of a scope: what its ``.context/`` is, decided in the order in which the ecosystem's tools do."""

from __future__ import annotations

import enum
import os
from dataclasses import dataclass
from pathlib import Path

from migrate.corpora.repository import manifest
from migrate.corpora.repository.filesystem import (
    Unreadable,
    is_folder,
    is_regular,
    kind_of,
    looked_at,
    read_regular,
    reason,
    shown,
)
from migrate.corpora.repository.manifest import PROTOCOL, SUPPORTED, Manifest

CONTEXT = ".context"
LAYOUT = "standard"
MANIFEST_FILE = ".context/manifest.json"
STATE_FILE = ".context/state/current.md"

TEMPLATES = {
    MANIFEST_FILE: '{\n  "protocol": "repository-context",\n  "schemaVersion": 1,\n  "layout": "standard"\n}\n',
    ".context/index.md": (
        "# Repository Context\n\nThis directory contains the canonical shared context for this repository.\n\n"
        "## Always relevant\n\n- `truth/architecture.md` — current system architecture.\n"
        "- `state/current.md` — current project state and active work.\n\n"
        "## When relevant\n\n- `truth/conventions.md` — repository conventions.\n"
        "- `decisions/` — significant technical and architectural decisions.\n\n"
        "## Historical\n\n- `history/` — completed, historical, or superseded operational context.\n"
    ),
    ".context/truth/architecture.md": (
        "# Architecture\n\n## Overview\n\n## Major components\n\n## Data flow\n\n## External systems\n\n## Important constraints\n"
    ),
    ".context/truth/conventions.md": "# Conventions\n\n## Repository conventions\n\n## Development workflow\n\n## Important rules\n",
    STATE_FILE: "# Current State\n\n## Current focus\n\n## Recent relevant changes\n\n## Next\n\n## Blockers\n",
    ".context/decisions/README.md": (
        "# Decisions\n\nEach significant decision has a Markdown file here: what was decided, why, and what else was considered.\n"
    ),
    ".context/history/README.md": (
        "# History\n\nWhat is finished, replaced or no longer true is kept here, so that the other folders hold only what is valid now.\n"
    ),
}
"""The standard files by path from the scope, in the order in which they are reported and made."""

_KINDS = {"index.md": is_regular, "truth": is_folder, "state": is_folder, "decisions": is_folder, "history": is_folder}
_BESIDE_THE_POINT = frozenset((".DS_Store", "manifest.json"))


@enum.unique
class ContextClass(enum.StrEnum):
    """What a scope's ``.context`` is."""

    ABSENT = "absent"
    VALID = "valid"
    PARTIAL = "partial"
    UNSUPPORTED = "unsupported-schema"
    INVALID = "invalid-manifest"
    UNRELATED = "unrelated"
    UNREADABLE = "unreadable"
    """Not to be decided, because something in it could not be looked at."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A class and what it was decided by."""

    context_class: ContextClass
    why: str | None
    """For an unrelated directory, in words."""
    missing: tuple[str, ...] = ()
    """Standard files that are not there as regular files, in template order."""
    occupied: tuple[tuple[str, str], ...] = ()
    """Of these the names that something else has, and what."""
    manifest_is_there: bool = False
    manifest_text: bytes | None = None
    manifest: Manifest | None = None


def examine(scope: Path) -> Layout:
    """The class of a scope. Raises Unreadable, as the whole verdict, where a look at one of its files fails."""
    status = looked_at(scope, CONTEXT)
    if status is None:
        return Layout(ContextClass.ABSENT, None, tuple(TEMPLATES))
    if not is_folder(status):
        return Layout(ContextClass.UNRELATED, f"{CONTEXT} is {kind_of(status)} and no folder", tuple(TEMPLATES))
    found = looked_at(scope, MANIFEST_FILE)
    data = read_regular(str(scope / MANIFEST_FILE), MANIFEST_FILE) if is_regular(found) else None
    parsed = None if data is None else manifest.parse(data)
    there = {file: looked_at(scope, file) for file in TEMPLATES}
    missing = tuple(file for file, status in there.items() if not is_regular(status))
    occupied = tuple((file, kind_of(status)) for file in missing if (status := there[file]) is not None)
    context_class, why = _decide(found is not None, parsed, missing, _problem(scope, missing))
    return Layout(context_class, why, missing, occupied, found is not None, data, parsed)


def _decide(
    manifest_is_there: bool, parsed: Manifest | None, missing: tuple[str, ...], problem: str | None
) -> tuple[ContextClass, str | None]:
    if not manifest_is_there:
        return (ContextClass.UNRELATED, problem) if problem else (ContextClass.PARTIAL, None)
    if parsed is None:
        return ContextClass.INVALID, None
    if parsed.protocol is not None and parsed.protocol != PROTOCOL:
        return ContextClass.UNRELATED, f"its manifest declares the protocol {parsed.protocol[:200]!r}"
    if parsed.protocol is None and problem:
        return ContextClass.UNRELATED, problem
    if parsed.version is None:
        return ContextClass.INVALID, None
    if parsed.version != SUPPORTED:
        return ContextClass.UNSUPPORTED, None
    return (ContextClass.PARTIAL if missing else ContextClass.VALID), None


def _problem(scope: Path, missing: tuple[str, ...]) -> str | None:
    """Why the top level is not that of the standard layout, in words; None where it is, or is empty."""
    try:
        names = sorted(set(os.listdir(scope / CONTEXT)) - _BESIDE_THE_POINT)
    except OSError as error:
        raise Unreadable(CONTEXT, reason(error)) from error
    if not names:
        return None
    if strange := [name for name in names if name not in _KINDS]:
        return f"it holds {shown(strange[0])[:200]!r}, which is no part of the standard layout"
    for name in names:
        status = looked_at(scope, f"{CONTEXT}/{name}")
        if status is not None and not _KINDS[name](status):
            return f"{CONTEXT}/{name} is {kind_of(status)}"
    if len(set(missing) - {MANIFEST_FILE}) == len(TEMPLATES) - 1:
        return "it holds none of the standard documents"
    return None
