"""One run, from a corpus to its findings and its plan: which system's corpus it is, and the rooms put together for it.

One file a system. Only the command line and the runner of rule cases use this.
"""

from __future__ import annotations

from migrate.corpora.files import open_files
from migrate.corpora.interface import CorpusError
from migrate.systems.context_server import ContextServer
from migrate.systems.interface import Examination
from migrate.types import Options, Progress

__all__ = ["Examination", "examine"]


def examine(corpus: str, options: Options, *, progress: Progress | None = None) -> Examination:
    """Open a corpus, read it whole and find what is wrong with it.

    Raises CorpusError, RuleError or EngineError, each with one sentence.
    """
    if options.system not in (None, "context-server"):
        raise CorpusError(f"{options.system}: this version reads corpora of the context server only")
    return ContextServer(open_files(corpus), options, progress)
