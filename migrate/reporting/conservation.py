"""The books of a plan in words: where every leaf member of the changed records went."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from migrate.reporting.terminal import clean

_BEFORE = ("kept", "moved", "rewritten", "removed", "held")
_AFTER = ("kept", "moved", "rewritten", "added")


def sentences(books: Mapping[str, Any]) -> list[str]:
    """Two equations, before and after, as far as the books name their sides; nothing for books without an entry."""
    if not any(_total(books.get(side)) for side in ("before", "after")):
        return []
    return [line for line in (_equation("before", _BEFORE, books), _equation("after", _AFTER, books)) if line]


def _equation(side: str, parts: tuple[str, ...], books: Mapping[str, Any]) -> str:
    if side not in books:
        return ""
    terms = " + ".join(_term(part, books.get(part), books.get(f"{part}_by")) for part in parts)
    unit = clean(str(books.get("unit", "leaf member")))
    return f"{_total(books[side]):,} {unit}s {side} = {terms}"


def _term(name: str, amount: Any, by_code: Mapping[str, int] | None) -> str:
    """``2 removed (CS505 2)``; the codes stand in a member of their own, or are the amount."""
    codes = by_code or (amount if isinstance(amount, Mapping) else {})
    named = ", ".join(f"{clean(code)} {number:,}" for code, number in sorted(codes.items()))
    return f"{_total(amount):,} {name}" + (f" ({named})" if named else "")


def _total(amount: Any) -> int:
    return sum(amount.values()) if isinstance(amount, Mapping) else int(amount or 0)
