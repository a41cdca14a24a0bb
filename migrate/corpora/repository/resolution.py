"""Whether the target of a reference exists: inside the repository, in its exact spelling, wherever links lead."""

from __future__ import annotations

import os
import posixpath
import stat
import unicodedata
from pathlib import Path

from migrate.corpora.repository.layout import CONTEXT
from migrate.corpora.repository.references import LINK

_REMEMBERED = 100_000
"""Answers kept for one repository; documents name the same few files again and again."""
_LISTED = 1_000
"""Listings of folders kept, likewise."""


class Resolver:
    """Answers for the references of one working tree, and remembers what it has looked at."""

    def __init__(self, root: Path) -> None:
        self.root = os.path.realpath(root).replace(os.sep, "/").rstrip("/")
        """Without a slash at its end; empty for the root of the file system."""
        self.answers: dict[str, bool] = {}
        self.asked: dict[tuple[str, str, str], bool] = {}
        """The same by kind, folder of the document and target, of one scope."""
        self.scope = ""
        self.folders: dict[str, str | None] = {}
        """Where the folders of lexical paths really are; None for those that are not, or not spelled so."""
        self.listings: dict[str, frozenset[str]] = {}

    def resolves(self, kind: str, document: str, target: str, scope: str) -> bool:
        """Whether a target exists; ``document`` and ``scope`` are relative to the root.

        Links are relative to the document, code may also be relative to the scope, its ``.context`` or the root.
        """
        if scope != self.scope or len(self.asked) >= _REMEMBERED:
            self.asked.clear()
            self.scope = scope
        folder = document.rpartition("/")[0]
        question = (kind, folder, target)
        known = self.asked.get(question)
        if known is None:
            bases = (folder,) if kind == LINK else (folder, scope, f"{scope}/{CONTEXT}", "")
            known = self.asked[question] = any(self._exists(base, target) for base in bases)
        return known

    def _exists(self, base: str, target: str) -> bool:
        path = posixpath.normpath(f"{self.root or '/.'}/{base}/{target}")
        known = self.answers.get(path)
        if known is None:
            if len(self.answers) >= _REMEMBERED:
                self.answers.clear()
                self.folders.clear()
            known = self.answers[path] = self._look(path)
        return known

    def _look(self, path: str) -> bool:
        """Whether an absolute, lexically normal path is in the tree, and really leads to something in it."""
        if not self._inside(path) or "\0" in path:
            return False
        if len(path) - len(self.root) <= 1:
            return True
        folder, _, name = path.rpartition("/")
        real = self._step(self._folder(folder), folder, name)
        return real is not None and self._inside(real)

    def _inside(self, path: str) -> bool:
        return path == (self.root or "/") or path.startswith(f"{self.root}/")

    def _folder(self, path: str) -> str | None:
        """Where a folder of the tree really is, found from the nearest one above it that is known."""
        unknown = []
        at = path
        while at != self.root and at not in self.folders:
            unknown.append(at)
            at = at.rpartition("/")[0]
        real = self.root if at == self.root else self.folders[at]
        for at in reversed(unknown):
            folder, _, name = at.rpartition("/")
            real = self.folders[at] = self._step(real, folder, name)
        return real

    def _step(self, real: str | None, folder: str, name: str) -> str | None:
        """Where ``name`` in a folder really is; None where it is not, or where the folder's listing spells it otherwise.

        A disk that folds letter case finds more than is spelled there.
        """
        if real is None or unicodedata.normalize("NFC", name) not in self.listing(folder):
            return None
        path = f"{real}/{name}"
        try:
            if not stat.S_ISLNK(os.lstat(path).st_mode):
                return path
            return os.path.realpath(path, strict=True).replace(os.sep, "/")
        except (OSError, ValueError):
            return None

    def listing(self, folder: str) -> frozenset[str]:
        """The names in a folder, in NFC; nothing where it cannot be read."""
        known = self.listings.get(folder)
        if known is None:
            if len(self.listings) >= _LISTED:
                self.listings.clear()
            try:
                names = os.listdir(folder or "/")
            except (OSError, ValueError):
                names = []
            known = self.listings[folder] = frozenset(unicodedata.normalize("NFC", name) for name in names)
        return known
