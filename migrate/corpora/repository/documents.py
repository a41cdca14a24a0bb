"""The documents of a context: every Markdown file below ``.context``, in the order in which the ecosystem's tools read them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from migrate.corpora.repository.ecmascript import by_code_unit
from migrate.corpora.repository.filesystem import Unreadable, read_regular, reason, shown
from migrate.corpora.repository.layout import CONTEXT
from migrate.corpora.repository.references import Reference, references

SUFFIX = ".md"


@dataclass(frozen=True, slots=True)
class Document:
    """One Markdown file: its path from the scope as it can be shown, what it says in numbers, and what it refers to."""

    path: str
    size: int
    lines: int
    text: str = field(repr=False)

    def references(self) -> Iterator[Reference]:
        """What it refers to, in reading order."""
        return references(self.text)


def documents(scope: Path) -> Iterator[Document | Unreadable]:
    """Each document once, read and let go of; an Unreadable in the place of a file or folder that could not be read.

    Only regular files count, and links to folders are not entered. Names are sorted by UTF-16 code units, a folder among files.
    """
    pending = [iter(_entries(str(scope), CONTEXT))]
    while pending:
        entry = next(pending[-1], None)
        if entry is None:
            pending.pop()
        elif isinstance(entry, Unreadable):
            yield entry
        else:
            path, is_folder = entry
            if is_folder:
                pending.append(iter(_entries(str(scope), path)))
            else:
                yield _document(str(scope), path)


def _entries(scope: str, folder: str) -> list[tuple[str, bool] | Unreadable]:
    """Paths of the Markdown files and folders in a folder, in order; files of other names are not looked at."""
    found = []
    try:
        with os.scandir(f"{scope}/{folder}") as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    found.append((entry.name, True))
                elif entry.name.endswith(SUFFIX) and entry.is_file(follow_symlinks=False):
                    found.append((entry.name, False))
    except OSError as error:
        return [Unreadable(shown(folder), f"the folder cannot be read: {reason(error)}")]
    found.sort(key=lambda one: by_code_unit(one[0]))
    return [(f"{folder}/{name}", is_folder) for name, is_folder in found]


def _document(scope: str, path: str) -> Document | Unreadable:
    name = shown(path)
    try:
        data = read_regular(f"{scope}/{path}", name)
    except Unreadable as error:
        return error
    text = data.decode("utf-8", "replace")
    lines = data.count(b"\n") + (bool(data) and not data.endswith(b"\n"))
    return Document(name, len(data), lines, text)
