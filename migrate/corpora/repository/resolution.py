"""Whether the target of a reference exists: inside the repository, in its exact spelling, wherever links lead."""

from __future__ import annotations

import os
import posixpath
import unicodedata
from pathlib import Path

from migrate.corpora.repository.layout import CONTEXT
from migrate.corpora.repository.references import LINK

_REMEMBERED = 100_000
"""Answers kept for one repository; documents name the same few files again and again."""


class Resolver:
    """Answers for the references of one working tree, and remembers what it has looked at."""

    def __init__(self, root: Path) -> None:
        self.root = os.path.realpath(root).replace(os.sep, "/").rstrip("/")
        """Without a slash at its end; empty for the root of the file system."""
        self.answers: dict[str, bool] = {}
        self.listings: dict[str, frozenset[str]] = {}

    def resolves(self, kind: str, document: str, target: str, scope: str) -> bool:
        """Whether a target exists; ``document`` and ``scope`` are relative to the root.

        Links are relative to the document, code may also be relative to the scope, its ``.context`` or the root.
        """
        folder = posixpath.dirname(document)
        if self._exists(folder, target):
            return True
        if kind == LINK:
            return False
        return any(self._exists(base, target) for base in (scope, posixpath.join(scope, CONTEXT), ""))

    def _exists(self, base: str, target: str) -> bool:
        path = posixpath.normpath(f"{self.root or '/.'}/{base}/{target}")
        known = self.answers.get(path)
        if known is None:
            if len(self.answers) >= _REMEMBERED:
                self.answers.clear()
            known = self.answers[path] = self._look(path)
        return known

    def _look(self, path: str) -> bool:
        """Whether an absolute, lexically normal path is in the tree, and really leads to something in it."""
        if not self._inside(path) or "\0" in path:
            return False
        try:
            real = os.path.realpath(path, strict=True)
        except (OSError, ValueError):
            return False
        return self._inside(real.replace(os.sep, "/")) and self._is_spelled_so(path)

    def _inside(self, path: str) -> bool:
        return path == (self.root or "/") or path.startswith(f"{self.root}/")

    def _is_spelled_so(self, path: str) -> bool:
        """Whether each component stands in its directory's listing: a disk that folds letter case finds more than that."""
        folder = self.root
        for part in filter(None, path[len(self.root) + 1 :].split("/")):
            if unicodedata.normalize("NFC", part) not in self.listing(folder):
                return False
            folder = f"{folder}/{part}"
        return True

    def listing(self, folder: str) -> frozenset[str]:
        """The names in a folder, in NFC; nothing where it cannot be read."""
        known = self.listings.get(folder)
        if known is None:
            if len(self.listings) >= _REMEMBERED // 100:
                self.listings.clear()
            try:
                names = os.listdir(folder)
            except OSError:
                names = []
            known = self.listings[folder] = frozenset(unicodedata.normalize("NFC", name) for name in names)
        return known
