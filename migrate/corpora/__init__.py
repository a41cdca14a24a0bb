"""Corpora: how each kind is recognised, where its records are, how their bytes are read and written.

One file a kind: exported files (:mod:`~migrate.corpora.files`), the databases of a context server
(:mod:`~migrate.corpora.sqlite_store`, :mod:`~migrate.corpora.postgres_store`), the running server
(:mod:`~migrate.corpora.live_server`). :mod:`~migrate.corpora.stores` tells from what was typed which it is.
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
