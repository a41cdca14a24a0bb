"""Ids of both corpora: integers with the gaps of deleted rows, and the UUIDs of the server's migration."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime

from harbor.model import Entry

FIRST_ID = 1001
LATER_DELETED = 0.06
"""Share of ids that belong to rows somebody deleted."""
BROKEN_LINES = ("#comma", "#nan")
"""Lines that are no records but show an id."""


def integer_ids(entries: Iterable[Entry], rng: random.Random) -> dict[str, int]:
    """An id for each key, rising with time."""
    ids = {}
    number = FIRST_ID
    for entry in entries:
        if rng.random() < LATER_DELETED:
            number += rng.randint(1, 2)
        ids[entry.key] = number
        number += 1
    for mark in BROKEN_LINES:
        number += 1
        ids[mark] = number
    return ids


def uuid7(created: datetime | None, rng: random.Random) -> str:
    """A version 7 UUID as 32 hex digits for a naive UTC time; an unreadable time is anchored at the epoch."""
    milliseconds = int(created.replace(tzinfo=UTC).timestamp() * 1000) if created else 0
    bits = milliseconds << 80 | 7 << 76 | rng.getrandbits(12) << 64 | 2 << 62 | rng.getrandbits(62)
    return uuid.UUID(int=bits).hex
