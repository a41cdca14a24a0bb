"""Repository contexts: Git working trees and the ``.context/`` directories in them, read and never written.

One file a question: which trees (``trees``), which scopes (``scopes``), of which class (``layout``, ``manifest``), which
documents (``documents``), what they refer to (``references``) and whether that exists (``resolution``), how old the state is
(``state``). ``reading`` asks all of them of one scope.
"""
