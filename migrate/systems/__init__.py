"""One run, from a corpus to its findings and its plan: which system's corpus it is, and the rooms put together for it.

One file a system. Only the command line and the runner of rule cases use this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from migrate.corpora.files import open_files
from migrate.corpora.interface import CorpusError
from migrate.corpora.kata import is_kata
from migrate.corpora.repository.trees import is_repositories, open_trees
from migrate.systems.context_server import ContextServer
from migrate.systems.interface import Examination
from migrate.systems.kata import KataExport
from migrate.systems.repository_context import RepositoryContexts
from migrate.types import Options, Progress

__all__ = ["Examination", "examine"]

_Opened = Callable[[str, Options, Progress | None], Examination]

_SYSTEMS: Mapping[str, _Opened] = {
    "context-server": lambda corpus, options, progress: ContextServer(open_files(corpus), options, progress),
    "kata": lambda corpus, options, progress: KataExport(open_files(corpus), options, progress),
    "repository-context": lambda corpus, options, progress: RepositoryContexts(open_trees(corpus), options, progress),
}


def examine(corpus: str, options: Options, *, progress: Progress | None = None) -> Examination:
    """Open a corpus, read it whole and find what is wrong with it.

    Raises CorpusError, RuleError or EngineError, each with one sentence.
    """
    system = options.system or _detected(corpus)
    if system not in _SYSTEMS:
        raise CorpusError(f"{system}: this version reads {' and '.join(_SYSTEMS)} corpora only")
    return _SYSTEMS[system](corpus, options, progress)


def _detected(corpus: str) -> str:
    """The system of a corpus by its content."""
    if is_repositories(corpus):
        return "repository-context"
    return "kata" if is_kata(open_files(corpus)) else "context-server"
