"""How the records of a system become plan lines, and how its tables look after a plan: what differs between systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from migrate.engine import loading, tracks
from migrate.engine.database import Database
from migrate.engine.strict import readable, readable_metadata
from migrate.engine.tracks import RuleSet
from migrate.planning.drafting import Draft, Grounds, Wanted, draft
from migrate.planning.ordinary import ordinary_draft
from migrate.types import Progress

Evidence = Mapping[str, Mapping[str, str]]
"""Code to the path of each of its findings to JSON text."""


class Ways(Protocol):
    """What the planner asks of a system; it travels to other processes."""

    def corpus(self, database: Database) -> dict[str, Any]:
        """What a plan's header says of the corpus besides."""

    def made(self, database: Database, track: str) -> Mapping[int, Evidence]:
        """Ordinal to evidence that stands in no finding of the record."""

    def draft(self, text: str, wanted: Sequence[Wanted], grounds: Grounds) -> Sequence[Draft]:
        """The plan lines of an item whose text is given, in the order in which they are carried out; none where nothing changes.

        Raises PlanError or JsonError for an item that is not as the rules read it.
        """

    def after(self, text: str, drafts: Sequence[Draft]) -> str:
        """What the engine is given of the item as planned, on one line."""

    def read_after(self, database: Database, paths: Sequence[Path]) -> None:
        """Take what :meth:`after` gave, in these files, into the database."""

    def build_after(
        self, database: Database, ordinals: Sequence[int], rules: RuleSet, progress: Progress | None
    ) -> None:
        """Build the track ``after``: the corpus with the planned items, in the order of ``ordinals``."""


class ContextServerWays:
    """Those of the context server; see :class:`Ways`."""

    def __init__(self, database: Database) -> None:
        self._text_encoded = bool(database.value("SELECT getvariable('text_encoded')"))

    def corpus(self, database: Database) -> dict[str, Any]:
        """Whether metadata is kept as text."""
        return {"text_encoded": self._text_encoded}

    def made(self, database: Database, track: str) -> Mapping[int, Evidence]:
        """Who asks for the edges that are made."""
        rows = database.rows(
            f"SELECT m.ordinal, to_json({{'asked_by': list(id_value::JSON ORDER BY length(id_value), id_value)}})::VARCHAR FROM"
            f" (SELECT DISTINCT m.ordinal, n.id_value FROM {track}.made_edges m JOIN {track}.nodes n ON n.ordinal = m.asked_by) m GROUP BY m.ordinal"
        )
        return {ordinal: {"CS504": {"": text}} for ordinal, text in rows}

    def draft(self, text: str, wanted: Sequence[Wanted], grounds: Grounds) -> Sequence[Draft]:
        """One line a record."""
        quick = ordinary_draft(text, wanted, grounds, text_encoded=self._text_encoded)
        proposed = quick if quick is not False else draft(text, wanted, grounds, text_encoded=self._text_encoded)
        return () if proposed is None else (proposed,)

    def after(self, text: str, drafts: Sequence[Draft]) -> str:
        """Metadata and tags."""
        metadata = drafts[-1].metadata or "null"
        if not drafts[-1].ordinary:
            metadata = readable_metadata(metadata)
        return f'{{"metadata":{metadata},"tags":{readable(drafts[-1].tags or "null")}}}'

    def read_after(self, database: Database, paths: Sequence[Path]) -> None:
        """Into the table ``read_after``."""
        loading.read_planned(database, paths)

    def build_after(
        self, database: Database, ordinals: Sequence[int], rules: RuleSet, progress: Progress | None
    ) -> None:
        """From that table and what stands beside metadata and tags."""
        tracks.build_after(database, list(ordinals), rules, progress)
