"""Working trees: one that is named, or those in a folder of many."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from migrate.corpora.interface import CorpusError
from migrate.corpora.repository import git
from migrate.corpora.repository.ecmascript import by_code_unit
from migrate.corpora.repository.filesystem import shown
from migrate.corpora.repository.layout import CONTEXT
from migrate.corpora.sniff import is_export
from migrate.types import Gap

DEPTH = 4
"""How many folders below the named one a working tree may begin."""
_DATA = (
    ".jsonl",
    ".ndjson",
    ".parquet",
    ".jsonl.gz",
    ".jsonl.zst",
    ".ndjson.gz",
    ".ndjson.zst",
    ".parquet.gz",
    ".parquet.zst",
)


@dataclass(frozen=True, slots=True)
class Tree:
    """A working tree; ``name`` is its path in the folder of many, empty where it is alone."""

    name: str
    root: Path


@dataclass(frozen=True, slots=True)
class RepositoryCorpus:
    """Working trees that are checked as one corpus, sorted by name."""

    uri: str
    """As it was typed."""
    trees: tuple[Tree, ...]
    single: bool
    gaps: tuple[Gap, ...] = ()
    """Folders that could not be looked into."""


def is_repositories(uri: str) -> bool:
    """Whether a path is a Git working tree, a folder of some or a context in one, and no folder of exported files."""
    folder = Path(uri)
    if not uri or not folder.is_dir():
        return False
    if CONTEXT in folder.resolve().parts:
        return True
    names = os.listdir(folder)
    if ".git" in names:
        return CONTEXT in names or not any(name.endswith(_DATA) for name in names)
    if any(name.endswith(_DATA) for name in names):
        return False
    if any(is_export(name) for name in names):
        return any(os.path.lexists(folder / name / ".git") for name in names)
    return CONTEXT in names or next(_roots(folder, [])) is not None


def open_trees(uri: str) -> RepositoryCorpus:
    """The working trees of a path; nothing in them is read yet.

    A folder inside a working tree stands for the whole tree. Raises CorpusError where there is none, or Git does not take it.
    """
    if not uri:
        raise CorpusError("no corpus was named; give a Git working tree or a folder of many")
    folder = Path(uri)
    if not folder.is_dir():
        raise CorpusError(f"{uri}: there is no such folder; repository contexts are read from Git working trees")
    gaps: list[Gap] = []
    if not os.path.lexists(folder / ".git"):
        roots = sorted(filter(None, _roots(folder, gaps)), key=by_code_unit)
        if roots:
            return RepositoryCorpus(uri, tuple(Tree(name, folder / name) for name in roots), False, tuple(gaps))
    try:
        root = git.work_tree(folder)
        if os.path.lexists(folder / ".git"):
            git.check_root(folder)
        return RepositoryCorpus(uri, (Tree("", root),), single=True)
    except git.GitError as error:
        raise CorpusError(f"{uri}: this is no Git working tree and holds none: {error}") from error


def _roots(folder: Path, gaps: list[Gap]) -> Iterator[str | None]:
    """The working trees below a folder, by path; what lies inside of one is its own business. None at the end."""
    pending = [""]
    while pending:
        name = pending.pop()
        try:
            with os.scandir(folder / name) as entries:
                below = [
                    entry.name for entry in entries if entry.is_dir(follow_symlinks=False) and entry.name[0] != "."
                ]
        except OSError as error:
            gaps.append(Gap(shown(name or "."), f"the folder cannot be read: {(error.strerror or str(error)).lower()}"))
            continue
        for child in below:
            path = f"{name}/{child}" if name else child
            if os.path.lexists(folder / path / ".git"):
                yield path
            elif path.count("/") + 1 < DEPTH:
                pending.append(path)
    yield None
