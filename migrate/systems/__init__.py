"""One run, from a corpus to its findings and its plan: which system's corpus it is, and the rooms put together for it.

One file a system. Only the command line and the runner of rule cases use this.
"""

from __future__ import annotations

from pathlib import Path

from migrate.corpora.files import open_files
from migrate.corpora.interface import CorpusError
from migrate.systems.context_server import ContextServer
from migrate.systems.interface import Examination, Examined
from migrate.systems.since_last import SinceLast
from migrate.types import Options, Progress

__all__ = ["Examination", "Examined", "SinceLast", "examine", "examine_since"]


def examine(corpus: str, options: Options, *, progress: Progress | None = None) -> Examination:
    """Open a corpus, read it whole and find what is wrong with it.

    Raises CorpusError, RuleError or EngineError, each with one sentence.
    """
    _refuse_other_systems(options)
    return ContextServer(open_files(corpus), options, progress)


def examine_since(
    corpus: str, options: Options, kept: Path, mark: str, *, progress: Progress | None = None
) -> SinceLast:
    """The same findings, but judged again only where something changed since the examination whose state is in ``kept``.

    ``mark`` is kept with the state and differs where it must not be used: other rules, options or versions.
    """
    _refuse_other_systems(options)
    return SinceLast(corpus, options, kept, mark, progress)


def _refuse_other_systems(options: Options) -> None:
    if options.system not in (None, "context-server"):
        raise CorpusError(f"{options.system}: this version reads corpora of the context server only")
