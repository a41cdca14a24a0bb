"""The integer → UUID map of a server migration, from JSON, JSON lines, CSV or Parquet."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from migrate.rules.errors import RuleError

_hex = re.compile(r"[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}").fullmatch
_decimal = re.compile(r"[1-9][0-9]*").fullmatch


def read(path: Path) -> dict[str, str]:
    """Decimal string to 32 lowercase hex. RuleError for a file that is no map, naming the entry."""
    if not path.is_file():
        raise RuleError(f"the id map {path} does not exist")
    try:
        pairs = list(_pairs(path))
    except (OSError, UnicodeDecodeError, ValueError, KeyError, TypeError, IndexError, StopIteration) as error:
        raise RuleError(f"the id map {path} cannot be read: {error}") from error
    found: dict[str, str] = {}
    for old, new in pairs:
        key, value = str(old).strip(), str(new).strip().lower()
        if not _decimal(key) or not _hex(value):
            raise RuleError(f"the id map {path} maps {old!r} to {new!r}; it must map a positive integer to a UUID")
        value = value.replace("-", "")
        if found.setdefault(key, value) != value:
            raise RuleError(f"the id map {path} maps {key} twice, to {found[key]} and {value}")
    return found


def _pairs(path: Path) -> Iterable[tuple[Any, Any]]:
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        import polars

        frame = polars.read_parquet(path)
        return [(row[0], row[1]) for row in frame.select(frame.columns[:2]).rows()]
    text = path.read_text(encoding="utf-8-sig")
    if suffix == ".csv":
        rows = [row for row in csv.reader(text.splitlines()) if row]
        return [(row[0], row[1]) for row in rows if _decimal(row[0].strip()) or row is not rows[0]]
    if suffix in (".jsonl", ".ndjson"):
        return [_entry(json.loads(line)) for line in text.splitlines() if line.strip()]
    whole = json.loads(text, object_pairs_hook=list)
    if not isinstance(whole, list) or not all(isinstance(pair, tuple) for pair in whole):
        raise ValueError('it is no object {"old": "new"}')
    return whole


def _entry(entry: Any) -> tuple[Any, Any]:
    if isinstance(entry, dict):
        return (entry["old"], entry["new"]) if "old" in entry else next(iter(entry.items()))
    return entry[0], entry[1]
