"""From working trees to the tables of repository contexts, a scope at a time."""

from __future__ import annotations

import json

from migrate.corpora.interface import CorpusError
from migrate.corpora.repository import git, manifest
from migrate.corpora.repository.filesystem import shown
from migrate.corpora.repository.layout import TEMPLATES, ContextClass
from migrate.corpora.repository.manifest import Manifest
from migrate.corpora.repository.reading import ScopeReading, read_scope
from migrate.corpora.repository.resolution import Resolver
from migrate.corpora.repository.scopes import discover
from migrate.corpora.repository.suggestions import Suggestions
from migrate.corpora.repository.trees import RepositoryCorpus, Tree
from migrate.engine.appending import Appender
from migrate.engine.context_rules import PACKAGE
from migrate.engine.database import Database, script_text
from migrate.types import Gap, Progress

_EXPLAINED = 200
"""Different broken references of one scope for which the nearest paths are looked for; comparing names is slow."""

_LONGEST = 10_000
"""Characters of a target that are kept; no path of a file system is so long."""


class Loader:
    """Fills the tables; ``gaps`` names what could not be read."""

    def __init__(self, database: Database, corpus: RepositoryCorpus) -> None:
        self.database = database
        self.corpus = corpus
        self.gaps: list[Gap] = list(corpus.gaps)
        self.files = 0
        self.bytes_read = 0
        self.scopes = 0
        database.run(script_text(PACKAGE, "tables.sql", {}))
        names = ("scopes", "standard_files", "templates", "documents", "reference_rows", "nearest_paths")
        self.tables = {name: Appender(database, name) for name in names}
        for path, text in TEMPLATES.items():
            self.tables["templates"].add(path, text)

    def load(self, now: float, progress: Progress | None) -> None:
        """Read every tree at a time in seconds since 1970. Raises CorpusError where the only one cannot be read."""
        for number, tree in enumerate(self.corpus.trees):
            if progress is not None:
                progress("reading", number, len(self.corpus.trees))
            try:
                self._load_tree(tree, now)
            except git.GitError as error:
                if self.corpus.single:
                    raise CorpusError(f"{self.corpus.uri}: Git cannot read this working tree: {error}") from error
                self.gaps.append(Gap(shown(tree.name), f"Git cannot read this working tree: {error}"))
        for table in self.tables.values():
            table.flush()

    def _load_tree(self, tree: Tree, now: float) -> None:
        if not self.corpus.single:
            git.check_root(tree.root)
        found = discover(tree.root)
        if found.refused and self.corpus.single:
            name, why = found.refused[0]
            more = f" ({len(found.refused) - 1} more like it)" if len(found.refused) > 1 else ""
            raise CorpusError(f"{self.corpus.uri}: the scope {name} cannot be checked: {why}{more}")
        for name, why in found.refused:
            self._lose(tree, name, "", why)
        resolver = Resolver(tree.root)
        for name in found.names:
            scope = read_scope(tree.root, name, now, expected=not found.none)
            self._add(tree, scope, resolver)
            for lost in scope.unreadable:
                self._lose(tree, name, lost.file, lost.reason)

    def _lose(self, tree: Tree, scope: str, file: str, why: str) -> None:
        parts = (shown(tree.name), "" if scope == "." else scope, file)
        self.gaps.append(Gap("/".join(part for part in parts if part) or ".", why))

    def _add(self, tree: Tree, scope: ScopeReading, resolver: Resolver) -> None:
        ordinal, self.scopes = self.scopes, self.scopes + 1
        layout, parsed, state = scope.layout, scope.layout.manifest, scope.state
        told = parsed is not None and parsed.protocol is None and layout.manifest_text is not None
        old, new = (manifest.with_protocol(layout.manifest_text or b"") if told else None) or (None, None)
        self.tables["scopes"].add(
            ordinal, None if self.corpus.single else shown(tree.name), scope.name, str(layout.context_class), layout.why,
            layout.manifest_is_there, parsed is not None,
            *_fields(parsed), old, new,
            *((state.headings_only, state.days, state.moved_on) if state else (None,) * 3),
        )  # fmt: skip
        if layout.context_class is not ContextClass.UNREADABLE:
            occupied = dict(layout.occupied)
            for position, path in enumerate(TEMPLATES):
                self.tables["standard_files"].add(
                    ordinal, position, path, path not in layout.missing, occupied.get(path)
                )
        self.files += layout.manifest_text is not None
        self.bytes_read += len(layout.manifest_text or b"")
        self._add_documents(ordinal, scope, resolver)

    def _add_documents(self, ordinal: int, scope: ScopeReading, resolver: Resolver) -> None:
        broken: dict[tuple[str, str], None] = {}
        paths: list[str] = []
        position = 0
        add = self.tables["reference_rows"].add
        for document, references in scope.documents(resolver):
            self.tables["documents"].add(ordinal, len(paths), document.path, document.size, document.lines)
            for (kind, line, whole), exists in references:
                target = whole[:_LONGEST]
                add(ordinal, position, len(paths), line, kind, target, exists)
                position += 1
                if not exists and len(broken) < _EXPLAINED:
                    broken[document.path, target] = None
            paths.append(document.path)
            self.bytes_read += document.size
        self.files += len(paths)
        nearest = Suggestions(resolver, scope.name, paths)
        for path, target in broken:
            self.tables["nearest_paths"].add(ordinal, path, target, json.dumps(nearest.near(path, target)))


def _fields(parsed: Manifest | None) -> tuple[str | None, float | None, str | None, str | None]:
    """Protocol, version, layout and the version's text of a manifest, as the engine can hold them."""
    if parsed is None:
        return None, None, None, None
    protocol, layout = (
        text and text.encode("utf-8", "backslashreplace").decode() for text in (parsed.protocol, parsed.layout)
    )
    return protocol, parsed.version, layout, parsed.version_text
