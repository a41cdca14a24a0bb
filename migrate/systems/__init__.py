"""One run, from a corpus to its findings and its plan: which system's corpus it is, and the rooms put together for it.

One file a system. Only the command line and the runner of rule cases use this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from migrate.corpora.files import open_files
from migrate.corpora.interface import CorpusError
from migrate.corpora.repository.trees import is_repositories, open_trees
from migrate.systems.context_server import ContextServer
from migrate.systems.interface import Examination, Examined
from migrate.systems.repository_context import RepositoryContexts
from migrate.systems.since_last import SinceLast
from migrate.types import Options, Progress

__all__ = ["Examination", "Examined", "SinceLast", "examine", "examine_since"]

_Opened = Callable[[str, Options, Progress | None], Examination]

_SYSTEMS: Mapping[str, _Opened] = {
    "context-server": lambda corpus, options, progress: ContextServer(open_files(corpus), options, progress),
    "repository-context": lambda corpus, options, progress: RepositoryContexts(open_trees(corpus), options, progress),
}


def examine(corpus: str, options: Options, *, progress: Progress | None = None) -> Examination:
    """Open a corpus, read it whole and find what is wrong with it.

    Raises CorpusError, RuleError or EngineError, each with one sentence.
    """
    return _SYSTEMS[_system(corpus, options)](corpus, options, progress)


def examine_since(
    corpus: str, options: Options, kept: Path, mark: str, *, progress: Progress | None = None
) -> SinceLast:
    """The same findings, but judged again only where something changed since the examination whose state is in ``kept``.

    ``mark`` is kept with the state and differs where it must not be used: other rules, options or versions.
    """
    if (system := _system(corpus, options)) != "context-server":
        raise CorpusError(f"{corpus}: a {system} corpus is always read whole; leave --since-last out")
    return SinceLast(corpus, options, kept, mark, progress)


def _system(corpus: str, options: Options) -> str:
    system = options.system or ("repository-context" if is_repositories(corpus) else "context-server")
    if system not in _SYSTEMS:
        raise CorpusError(f"{system}: this version reads {' and '.join(_SYSTEMS)} corpora only")
    return system
