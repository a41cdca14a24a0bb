"""The scopes of a working tree: every directory that has a ``.context`` Git knows of, and the root's own."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from migrate.corpora.repository import git
from migrate.corpora.repository.ecmascript import by_code_unit
from migrate.corpora.repository.filesystem import reason, shown
from migrate.corpora.repository.layout import CONTEXT

ROOT = "."


@dataclass(frozen=True, slots=True)
class Scopes:
    """What a working tree holds: the scopes in order, and those that cannot be one, with the reason."""

    names: tuple[str, ...]
    refused: tuple[tuple[str, str], ...]
    none: bool
    """Whether there is no context at all, and the root stands for that."""


def discover(root: Path) -> Scopes:
    """The scopes of a tree; the root alone where there is none. Raises GitError."""
    names = _named(git.listed(root))
    if os.path.lexists(root / CONTEXT):
        names.add(ROOT)
    found, refused = [], []
    for name in sorted(names, key=by_code_unit):
        if name == ROOT:
            if os.path.lexists(root / CONTEXT):
                found.append(name)
            continue
        try:
            why = _why_not(root, name)
        except FileNotFoundError:
            continue
        except OSError as error:
            why = reason(error)
        if why is not None:
            refused.append((shown(name), why))
        elif os.path.lexists(root / name / CONTEXT):
            found.append(name)
    none = not found and not refused
    return Scopes((ROOT,) if none else tuple(found), tuple(refused), none)


def _named(paths: Iterable[str]) -> set[str]:
    """The directory before the first component ``.context`` of each path."""
    names = set()
    for path in paths:
        if CONTEXT not in path:
            continue
        parts = path.split("/")
        if CONTEXT in parts:
            names.add("/".join(parts[: parts.index(CONTEXT)]) or ROOT)
    return names


def _why_not(root: Path, name: str) -> str | None:
    """Why a directory of the tree can be no scope, in words; None where it can. Raises OSError, where it is gone."""
    if "\\" in name:
        return (
            "its name holds a backslash, which the ecosystem's tools take for no path of a scope; rename the directory"
        )
    try:
        name.encode()
    except UnicodeEncodeError:
        return "its name is no UTF-8; rename the directory"
    place = root
    for part in name.split("/"):
        place = place / part
        mode = place.lstat().st_mode
        if stat.S_ISLNK(mode):
            return f"{shown(str(place.relative_to(root)))} is a symbolic link; a scope is reached through none"
        if not stat.S_ISDIR(mode):
            return "it is no directory any more"
        if os.path.lexists(place / ".git") and (why := _another_tree(root, place)):
            return f"{shown(str(place.relative_to(root)))} {why}"
    return None


def _another_tree(root: Path, place: Path) -> str | None:
    try:
        own = os.path.realpath(git.work_tree(place)) == os.path.realpath(root)
    except git.GitError as error:
        return f"has a .git that Git does not take: {error}"
    return None if own else "is a repository of its own; check that one by itself"
