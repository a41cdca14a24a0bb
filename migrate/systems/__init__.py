"""One run, from a corpus to its findings and its plan: which system's corpus it is, and the rooms put together for it.

One file a system. Only the command line and the runner of rule cases use this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from migrate.corpora.files import FileCorpus, open_files
from migrate.corpora.interface import CorpusError
from migrate.corpora.kata import is_kata
from migrate.corpora.spool import Store
from migrate.corpora.sqlite_store import SqliteStore
from migrate.corpora.stores import is_store, open_corpus
from migrate.systems.context_server import ContextServer
from migrate.systems.file_changes import Files
from migrate.systems.interface import Examination
from migrate.systems.since_last import SinceLast
from migrate.systems.store_changes import Entries
from migrate.types import Options, Progress

__all__ = ["Examination", "SinceLast", "examine", "examine_since"]


def _context_server(corpus: str, options: Options, progress: Progress | None) -> Examination:
    return ContextServer(open_corpus(corpus), options, progress)


def _kata(corpus: str, options: Options, progress: Progress | None) -> Examination:
    from migrate.systems.kata import KataExport

    return KataExport(open_files(corpus), options, progress)


def _repository_context(corpus: str, options: Options, progress: Progress | None) -> Examination:
    # What reads a tree needs packages of its own, which no other run waits for.
    from migrate.corpora.repository.trees import open_trees
    from migrate.systems.repository_context import RepositoryContexts

    return RepositoryContexts(open_trees(corpus), options, progress)


_SYSTEMS: Mapping[str, Callable[[str, Options, Progress | None], Examination]] = {
    "context-server": _context_server,
    "kata": _kata,
    "repository-context": _repository_context,
}


def examine(corpus: str, options: Options, *, progress: Progress | None = None) -> Examination:
    """Open a corpus, read it whole and find what is wrong with it.

    Raises CorpusError, RuleError or EngineError, each with one sentence.
    """
    return _SYSTEMS[_system(corpus, options)](corpus, options, progress)


def examine_since(
    corpus: str, options: Options, kept: Path, mark: str, scratch: Path, *, progress: Progress | None = None
) -> SinceLast | None:
    """The same findings, but judged again only where something changed since the examination whose index is in ``kept``.

    ``mark`` is kept with the index and differs where it must not be used: other rules, options or versions. ``scratch`` is a folder
    for what is needed until the findings are read. None for corpora that cannot tell what changed: those of other systems than the
    context server's, running servers, and databases without times of change.
    """
    if _system(corpus, options) != "context-server":
        return None
    opened = open_corpus(corpus)
    if isinstance(opened, FileCorpus):
        return SinceLast(opened, Files(opened), options, kept, mark, scratch, progress)
    watched = _entries(opened.store, options)
    return None if watched is None else SinceLast(opened, watched, options, kept, mark, scratch, progress)


def _entries(store: Store, options: Options) -> Entries | None:
    """The entries of a database that has their times of change."""
    if isinstance(store, SqliteStore):
        from migrate.corpora import sqlite_changes

        return Entries(store, sqlite_changes, options.limits) if "updated_at" in store.columns else None
    if not store.jsonb:
        return None
    from migrate.corpora import postgres_changes
    from migrate.corpora.postgres_store import PostgresStore

    if isinstance(store, PostgresStore) and "updated_at" in store.columns:
        return Entries(store, postgres_changes, options.limits)
    return None


def _system(corpus: str, options: Options) -> str:
    """The system of a corpus, as it was named or by its content."""
    system = options.system or _detected(corpus)
    if system not in _SYSTEMS:
        raise CorpusError(f"{system}: this version reads {' and '.join(_SYSTEMS)} corpora only")
    return system


def _detected(corpus: str) -> str:
    if is_store(corpus):
        return "context-server"
    if Path(corpus).is_dir():
        from migrate.corpora.repository.trees import is_repositories

        if is_repositories(corpus):
            return "repository-context"
    return "kata" if is_kata(open_files(corpus)) else "context-server"
