"""How much of the corpus the evidence of a finding shows, whatever the system."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

from migrate.engine.strict import restored
from migrate.types import Evidence

EXCERPT = 200
"""Characters of a string that evidence keeps by default."""
ENTRIES = 20
"""Entries of a list, or members of an object, likewise."""


def evidence(text: str | None, wanted: Evidence) -> Mapping[str, Any]:
    """The evidence of a finding, given as JSON text by the engine, as far as the options want it."""
    if text is None or wanted is Evidence.NONE:
        return {}
    text = restored(text)
    if wanted is Evidence.HASH:
        return {"sha256": hashlib.sha256(text.encode()).hexdigest()}
    facts = _loads(text)
    return facts if wanted is Evidence.FULL else {name: _short(value) for name, value in facts.items()}


def _loads(text: str) -> dict[str, Any]:
    try:
        facts = json.loads(text, parse_int=_integer, parse_float=_float)
    except RecursionError:
        return {"found": text[:EXCERPT]}
    return facts if isinstance(facts, dict) else {"found": facts}


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= 400 else digits


def _float(token: str) -> float | str:
    """A number that a double cannot hold stays its text: ``Infinity`` is no JSON."""
    number = float(token)
    return number if math.isfinite(number) else token


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= EXCERPT else value[: EXCERPT - 1] + "…"
    if isinstance(value, list):
        return [_short(entry) for entry in value[:ENTRIES]] + (["…"] if len(value) > ENTRIES else [])
    if isinstance(value, dict):
        return {name: _short(entry) for name, entry in list(value.items())[:ENTRIES]}
    return value
