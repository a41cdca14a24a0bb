"""Corpora: how each kind is recognised, where its records are, how their bytes are read and written.

One file a kind. This version has the exported files (:mod:`~migrate.corpora.files`); the databases of a
context server are the next file beside it.
"""

from migrate.corpora.files import FileCorpus, open_files
from migrate.corpora.interface import CorpusError, Places, Prepared, Rewritten
from migrate.corpora.rewrite import Staged, rewrite, stage
from migrate.corpora.shard import Shard

__all__ = [
    "CorpusError",
    "FileCorpus",
    "Places",
    "Prepared",
    "Rewritten",
    "Shard",
    "Staged",
    "open_files",
    "rewrite",
    "stage",
]
