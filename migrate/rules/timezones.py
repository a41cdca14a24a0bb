"""The names of the IANA time zones, and which of them an unknown name may mean.

Everything comes from the ``tzdata`` package: the zones of the machine are never asked.
"""

from __future__ import annotations

import datetime
import difflib
import re
from collections.abc import Iterable
from functools import cache
from importlib import resources
from zoneinfo import ZoneInfo

_SHOWN = 6
"""Candidates named for one value."""

_LONGEST = 64
"""Characters of a name that anything is compared with."""

_DAYS = (datetime.datetime(2026, 1, 15, 12), datetime.datetime(2026, 7, 15, 12))
"""Winter and summer, whose abbreviations count; fixed, so that a report never depends on the day."""

_offset = re.compile(r"(?:UTC|GMT|Z)?\s*([+-])([0-9]{1,2})(?::?00)?", re.IGNORECASE).fullmatch


@cache
def names() -> tuple[str, ...]:
    """Every name, links included, sorted."""
    listed = resources.files("tzdata").joinpath("zones").read_text(encoding="utf-8")
    return tuple(sorted(listed.split()))


def candidates(name: str) -> list[str]:
    """Zones that a name which is none may mean: by abbreviation, by offset, else of similar spelling."""
    word = name.strip()[:_LONGEST]
    if found := _by_abbreviation().get(word.upper()):
        return found[:_SHOWN]
    if match := _offset(word):
        return _of_offset(match[1], int(match[2]))
    tidy = re.sub(r"[\s\\]+", lambda run: "/" if "\\" in run[0] else "_", word)
    folded = {known.lower(): known for known in names()}
    if tidy.lower() in folded:
        return [folded[tidy.lower()]]
    return [folded[near] for near in difflib.get_close_matches(tidy.lower(), folded, 3, 0.85)]


def _of_offset(sign: str, hours: int) -> list[str]:
    """The zones of a whole offset; those of the `Etc` area count the other way round, so that both are named."""
    known = set(names())
    both = [f"Etc/GMT{other}{hours}" for other in ("+-" if sign == "-" else "-+")] if hours else ["Etc/UTC"]
    return [zone for zone in both if zone in known]


@cache
def _by_abbreviation() -> dict[str, list[str]]:
    """Abbreviation to the zones that use it, those that are places of the zone table first."""
    places = set(_places())
    found: dict[str, list[str]] = {}
    for name in sorted(names(), key=lambda zone: (zone not in places, zone)):
        zone = _zone(name)
        for day in _DAYS:
            short = zone.tzname(day) or ""
            if short.isalpha() and name not in found.setdefault(short, []):
                found[short].append(name)
    return found


def _places() -> Iterable[str]:
    table = resources.files("tzdata").joinpath("zoneinfo", "zone1970.tab").read_text(encoding="utf-8")
    return (line.split("\t")[2] for line in table.splitlines() if line and not line.startswith("#"))


def _zone(name: str) -> ZoneInfo:
    with resources.files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)
