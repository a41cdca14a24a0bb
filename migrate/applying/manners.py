"""What differs between the systems when orders are carried out: their ids, and how a decision is come to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from migrate.applying.deciding import ByPlan, Decider
from migrate.applying.kata_deciding import ByValues, InExport, OfPart, inside
from migrate.applying.reverting import ByJournal
from migrate.engine.model import CONTEXT_SERVER, KATA, TableModel
from migrate.rules import kata_words, vocabulary

_KATA_IDS = ("uid", "id")

Words = Mapping[str, Sequence[str]]
Meanings = Mapping[str, Mapping[str, str]]


def _kata_words() -> tuple[Words, Meanings]:
    return kata_words.word_lists(), {}


@dataclass(frozen=True, slots=True)
class Manner:
    """How the records of one system are found and decided about."""

    model: TableModel
    words: Callable[[], tuple[Words, Meanings]]
    """The lists of words and the tables of meanings of its macros."""
    by_plan: Callable[[Mapping[str, Any]], Decider]
    """From the plan's ``corpus``."""
    by_journal: Decider
    inside: Callable[[str], str] = str
    """The record in an item's text."""
    parts: bool = False
    """Whether an order is a line of its own where a record has several parts, or all lines of a record together."""


_MANNERS = {
    "context-server": Manner(
        CONTEXT_SERVER,
        lambda: (vocabulary.word_lists(), vocabulary.meanings()),
        lambda corpus: ByPlan(bool(corpus.get("text_encoded"))),
        ByJournal(),
    ),
    "kata": Manner(
        KATA,
        _kata_words,
        lambda corpus: InExport(ByPlan(False, "revision", _KATA_IDS)),
        InExport(ByJournal(_KATA_IDS, "revision")),
        inside,
    ),
    # Its orders are read by themselves.
    "repository-context": Manner(
        CONTEXT_SERVER,
        lambda: (vocabulary.word_lists(), vocabulary.meanings()),
        lambda corpus: ByPlan(False),
        ByJournal(),
    ),
    "kata-daemon": Manner(
        KATA, _kata_words, lambda corpus: ByValues(), OfPart(ByJournal(_KATA_IDS, "revision")), parts=True
    ),
}


def manner_of(system: str, kind: str = "files") -> Manner:
    """That of a system's records in files, or in the target of another kind.

    Repository contexts have orders of their own and need nothing of it.
    """
    return _MANNERS.get(kind) or _MANNERS.get(system) or _MANNERS["context-server"]
