"""One scope, read once: its class, its documents and references, its state, and what could not be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from migrate.corpora.repository import layout, state
from migrate.corpora.repository.documents import Document, documents
from migrate.corpora.repository.filesystem import Unreadable
from migrate.corpora.repository.layout import ContextClass, Layout
from migrate.corpora.repository.references import Reference
from migrate.corpora.repository.resolution import Resolver
from migrate.corpora.repository.scopes import ROOT
from migrate.corpora.repository.state import State

_NOT_READ = (ContextClass.ABSENT, ContextClass.UNRELATED, ContextClass.UNREADABLE)


@dataclass(slots=True)
class ScopeReading:
    """What was read of a scope; ``unreadable`` grows while its documents are read."""

    name: str
    folder: Path
    layout: Layout
    state: State | None = None
    unreadable: list[Unreadable] = field(default_factory=list)

    def documents(self, resolver: Resolver) -> Iterator[tuple[Document, Iterator[tuple[Reference, bool]]]]:
        """The documents, each with its references and whether they resolve; nothing for a scope that is not this protocol's."""
        if self.layout.context_class in _NOT_READ:
            return
        start = "" if self.name == ROOT else f"{self.name}/"
        for found in documents(self.folder):
            if isinstance(found, Unreadable):
                self.unreadable.append(found)
            else:
                yield found, self._resolved(found, start + found.path, resolver)

    def _resolved(self, document: Document, place: str, resolver: Resolver) -> Iterator[tuple[Reference, bool]]:
        for one in document.references():
            yield one, resolver.resolves(one.kind, place, one.target, self.name)


def read_scope(root: Path, name: str, now: float, *, expected: bool) -> ScopeReading:
    """Classify a scope and judge its state at a time (seconds since 1970). Never raises for what is in it.

    ``expected`` says that a moment ago there was a ``.context``: a scope that is absent then has gone away during the run.
    """
    folder = root if name == ROOT else root / name
    try:
        found = layout.examine(folder)
        if expected and found.context_class is ContextClass.ABSENT:
            raise Unreadable(
                layout.CONTEXT, "it went away while the repository was read; run again when nothing changes it"
            )
    except Unreadable as error:
        return ScopeReading(name, folder, Layout(ContextClass.UNREADABLE, str(error)), unreadable=[error])
    scope = ScopeReading(name, folder, found)
    if found.context_class not in _NOT_READ:
        try:
            scope.state = state.examine(folder, now)
        except Unreadable as error:
            scope.unreadable.append(error)
    return scope
