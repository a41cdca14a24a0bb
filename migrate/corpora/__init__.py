"""Corpora: how each kind is recognised, where its records are, how their bytes are read and written.

One file a kind: exported files (:mod:`~migrate.corpora.files`), the databases of a context server
(:mod:`~migrate.corpora.sqlite_store`, :mod:`~migrate.corpora.postgres_store`), the running server
(:mod:`~migrate.corpora.live_server`). :mod:`~migrate.corpora.stores` tells from what was typed which it is.
"""
