"""How much of the corpus the evidence of a finding shows, whatever the system."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from migrate.engine.strict import restored
from migrate.types import Evidence

_EXCERPT = 200
"""Characters of a string that evidence keeps by default."""


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
        facts = json.loads(text, parse_int=_integer)
    except RecursionError:
        return {"found": text[:_EXCERPT]}
    return facts if isinstance(facts, dict) else {"found": facts}


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= 400 else digits


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= _EXCERPT else value[: _EXCERPT - 1] + "…"
    if isinstance(value, list):
        return [_short(entry) for entry in value[:20]] + (["…"] if len(value) > 20 else [])
    if isinstance(value, dict):
        return {name: _short(entry) for name, entry in list(value.items())[:20]}
    return value
