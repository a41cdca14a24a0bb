"""All entries of the sample by key, and the means to break some of them on purpose."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from harbor.extras import extra_entries
from harbor.model import Entry, Fault
from harbor.tracker import tracker_entries
from harbor.upstream import upstream_entries
from harbor.works import base_entries

MISSING = object()
"""As a value in ``set``: the member goes."""


class Book:
    """The entries, and what was broken on which of them."""

    def __init__(self, seed: int) -> None:
        """Tell the year; ``seed`` decides the minutes between records."""
        self.rng = random.Random(seed)
        self.entries: dict[str, Entry] = {}
        self.faults: list[Fault] = []
        self.add(*base_entries(self.rng), *tracker_entries(), *upstream_entries(), *extra_entries())

    def add(self, *entries: Entry) -> None:
        """Take new entries in; a key may not come twice."""
        for entry in entries:
            if entry.key in self.entries:
                raise ValueError(f"the key {entry.key} is taken")
            self.entries[entry.key] = entry

    def copy(self, entries: Iterable[Entry]) -> list[Entry]:
        """Deep copies, so that later faults do not reach them."""
        return [copy.deepcopy(entry) for entry in entries]

    def fault(
        self,
        key: str,
        codes: str,
        what: str,
        values: Mapping[str, Any] | None = None,
        *,
        tags: list[str] | None = None,
        text: str | None = None,
        at: datetime | None = None,
        thread: str | None = None,
        meta: Any = MISSING,
        top: Mapping[str, Any] | None = None,
    ) -> None:
        """Break one record.

        ``codes`` are the findings this is meant to give, ``CODE/level`` with blanks between; ``values`` maps
        dotted paths of the metadata to new values (MISSING takes the member out); ``meta`` replaces the metadata whole.
        """
        entry = self.entries[key]
        if meta is not MISSING:
            entry.meta = meta
        for path, value in (values or {}).items():
            _set(entry.meta, path.split("."), value)
        if tags is not None:
            entry.tags = tags
        if text is not None:
            entry.text = text
        if at is not None:
            entry.at = at
        if thread is not None:
            entry.thread = thread
        entry.top.update(top or {})
        self.faults.append(Fault(key, tuple(codes.split()), what))

    def in_order(self) -> list[Entry]:
        """The entries as the server stored them, oldest first."""
        return sorted(self.entries.values(), key=lambda entry: entry.at)


def _set(meta: dict[str, Any], path: list[str], value: Any) -> None:
    for name in path[:-1]:
        meta = meta.setdefault(name, {})
    if value is MISSING:
        del meta[path[-1]]
    else:
        meta[path[-1]] = value
