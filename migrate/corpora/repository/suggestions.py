"""Which existing paths a broken reference may have meant: evidence for a person, never a repair."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable
from difflib import get_close_matches

from migrate.corpora.repository.layout import CONTEXT
from migrate.corpora.repository.resolution import Resolver
from migrate.corpora.repository.scopes import ROOT

_SHOWN = 3
_LONGEST_NAME = 200
_LARGEST_FOLDER = 1_000
"""Names that are compared with; more than that in one folder says nothing, and takes long."""


class Suggestions:
    """Answers for one scope, from its documents and from the folders that its references point into."""

    def __init__(self, resolver: Resolver, scope: str, documents: Iterable[str]) -> None:
        self.resolver = resolver
        self.scope = scope
        self.by_name: dict[str, list[str]] = defaultdict(list)
        for path in documents:
            self.by_name[posixpath.basename(path).casefold()].append(path)

    def near(self, document: str, target: str) -> list[str]:
        """Up to three paths from the scope: documents of the target's name in any folder, else names alike in its own folder."""
        name = posixpath.basename(target.rstrip("/"))
        if not name or len(name) > _LONGEST_NAME:
            return []
        if same := self.by_name.get(name.casefold()):
            return same[:_SHOWN]
        start = "" if self.scope == ROOT else self.scope
        for base in dict.fromkeys((posixpath.dirname(document), CONTEXT, "")):
            folder = posixpath.normpath(posixpath.join(start, base, posixpath.dirname(target)))
            if "\0" in folder or folder.startswith(("..", "/")):
                continue
            if found := self._alike(folder, name):
                return [self._from_scope(f"{folder}/{entry}") for entry in found]
        return []

    def _alike(self, folder: str, name: str) -> list[str]:
        names = self.resolver.listing(f"{self.resolver.root}/{folder}")
        if len(names) > _LARGEST_FOLDER:
            return []
        return get_close_matches(name, sorted(names - {".git"}), n=_SHOWN, cutoff=0.75)

    def _from_scope(self, path: str) -> str:
        start = "." if self.scope == ROOT else self.scope
        return posixpath.relpath(path, start)
