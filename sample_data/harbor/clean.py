"""Which records stand in the clean corpus: a closed world in which no rule finds more than information."""

from __future__ import annotations

from collections.abc import Iterable

from harbor.model import Entry, refs

_LEGACY = (
    "p-hello",
    "l3-setup",
    "berth-model/ask",
    "berth-model/research",
    "berth-model/plan",
    "berth-model/report",
    "login/ask",
    "login/plan",
    "login/report",
    "t-jetty-e",
    "t-domain",
    "p-thanks",
    "board/chunk1",
    "board/chunk2",
    "board/chunk3",
    "winter/chunk1",
    "winter/chunk2",
    "m-search",
    "p-restore",
    "p-boats",
)
_WORKS = ("tracker", "pool", "offline", "roles")
_SINGLE = (
    "p-close",
    "p-list",
    "p-students",
    "m-boards",
    "m-photo",
    "n-release",
    "n-codepage",
    "i-refunds",
    "i-credit",
    "i-ghost",
    "i-dates-mail",
    "i-dates-mail-2",
    "i-ferry",
    "i-pool",
    "i-alarm",
    "i-list-age",
    "i-hand",
    "u-subset",
    "u-pool",
    "u-cp1252",
)


def clean_entries(entries: Iterable[Entry]) -> list[Entry]:
    """The chosen ones among the unbroken entries, with the comments of the chosen issues.

    Raises:
        ValueError: a chosen record points at one that is not chosen.
    """
    chosen = [
        entry
        for entry in entries
        if entry.key in _LEGACY
        or entry.key in _SINGLE
        or entry.key.split("/")[0] in _WORKS
        or (entry.key.split("/")[0] in _SINGLE and entry.tags == ["comment"])
    ]
    keys = {entry.key for entry in chosen}
    for entry in chosen:
        for ref in refs(entry.meta):
            if ref.key not in keys:
                raise ValueError(f"{entry.key} points at {ref.key}, which is not in the clean corpus")
    return chosen
