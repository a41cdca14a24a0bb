"""The vocabulary of kata exports, and the time zones there are, as the engine's tables and variables."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

import yaml

from migrate.engine.tracks import Settings
from migrate.types import Options

_BLANKS = "\t\n\v\f\r \x85\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
"""What is trimmed from a recipient: the characters that Unicode calls white space."""


@cache
def vocabulary() -> dict[str, Any]:
    """The vocabulary file of kata."""
    text = resources.files("migrate.rules.kata").joinpath("vocabulary.yml").read_text(encoding="utf-8")
    loaded: dict[str, Any] = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - a safe loader
    return loaded


def word_lists() -> dict[str, list[str]]:
    """Name to words: ``is_<name>(s)`` in SQL."""
    words = vocabulary()
    return {"closed_reason": words["closed_reasons"], "attention": words["attentions"]}


def settings(options: Options, codes: tuple[frozenset[str], frozenset[str]]) -> Settings:
    """Vocabulary and options as SQL; ``codes`` are the promoted and the demoted ones."""
    words = vocabulary()
    return Settings(
        variables={"blanks": _BLANKS, "newest_export": words["newest_export"]},
        words=word_lists(),
        maps={},
        tables={
            "kinds": (
                ("kind VARCHAR", "rank INTEGER"),
                [(kind, rank) for rank, kinds in enumerate(words["kinds"]) for kind in kinds],
            )
        },
        promoted=tuple(sorted(codes[0])),
        demoted=tuple(sorted(codes[1])),
        partial=options.partial,
    )
