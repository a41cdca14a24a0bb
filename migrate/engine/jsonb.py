"""What PostgreSQL's ``jsonb`` refuses or would change: found before anything is written there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from migrate.engine.database import Database
from migrate.engine.json_text import JsonError, blank, members, unquote
from migrate.engine.sources import LARGEST, Loaded

_SCREEN = r"\\u0000|\\u[dD][89abAB]|[0-9][eE]|-0"
"""What is in every record that jsonb could not keep, and in few others."""

_INTEGER_DIGITS = 131_072
_FRACTION_DIGITS = 16_383
_STRING_BYTES = 0x0FFFFFFF

_token = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?', re.DOTALL).finditer
_zero = re.compile(r"-0+(?:\.0+)?").fullmatch
_number = re.compile(r"-?([0-9]+)(?:\.([0-9]+))?").fullmatch
_lone = re.compile("[\ud800-\udfff\0]").search


def faults(text: str) -> Iterator[str]:
    """The tokens of a JSON text that a jsonb would refuse, or give back as another text."""
    for found in _token(text):
        token = found[0]
        if token[0] == '"':
            if ("\\u" in token and _lone(unquote(token))) or len(token) > _STRING_BYTES // 4:
                yield token
            continue
        parts = _number(token)
        if parts is None or _zero(token) or len(parts[1]) > _INTEGER_DIGITS or len(parts[2] or "") > _FRACTION_DIGITS:
            yield token


def find_unstorable(database: Database, loaded: Sequence[Loaded]) -> None:
    """Fill ``unstorable`` (ordinal, path, evidence) with the members of metadata, and the tags, that a jsonb could not keep."""
    found: list[tuple[int, str, str]] = []
    for part in loaded:
        for index, raw in part.source.read(_candidates(database, part)):
            try:
                text = raw.decode("utf-8").removeprefix("\ufeff")
                places = list(_places(text))
            except (UnicodeDecodeError, JsonError):
                continue
            found += [(part.first + index, path, evidence) for path, evidence in places]
    if found:
        columns = [list(column) for column in zip(*found, strict=True)]
        database.run(
            "INSERT INTO unstorable SELECT unnest(?::BIGINT[]), unnest(?::VARCHAR[]), unnest(?::VARCHAR[])", columns
        )


def _candidates(database: Database, part: Loaded) -> list[int]:
    pattern, compression = part.source.scan
    quoted = pattern.replace("'", "''")
    database.run(
        f"CREATE OR REPLACE TABLE main.screened AS SELECT json IS NULL OR regexp_matches(json::VARCHAR, '{_SCREEN}')"
        f" OR (strlen(json::VARCHAR) > {_FRACTION_DIGITS} AND regexp_matches(json::VARCHAR, '[0-9]{{500}}')) AS asked"
        f" FROM read_ndjson_objects('{quoted}', ignore_errors = true, maximum_object_size = {LARGEST}, compression = '{compression}')"
    )
    count = int(database.value("SELECT count(*) FROM main.screened"))
    asked = [row[0] for row in database.rows("SELECT rowid FROM main.screened WHERE asked ORDER BY rowid")]
    database.run("DROP TABLE main.screened")
    # Where the scan counts lines in another way than the source has them, every record is looked at.
    return asked if count == part.count else list(range(part.count))


def _places(record: str) -> Iterator[tuple[str, str]]:
    values = {member.key: record[member.start : member.end] for member in members(record, blank(record, 0))}
    metadata = values.get("metadata", "")
    if metadata[:1] == '"':
        metadata = unquote(metadata)
    if metadata[:1] == "{":
        for member in members(metadata, 0):
            name = metadata[member.key_start : member.start]
            path = "" if any(faults(name)) else "/" + member.key.replace("~", "~0").replace("/", "~1")
            if tokens := [*faults(name), *faults(metadata[member.start : member.end])]:
                yield path, json.dumps({"holds": [token[:100] for token in tokens[:5]]})
    elif tokens := list(faults(metadata)):
        yield "", json.dumps({"holds": tokens[:5]})
    if tokens := list(faults(values.get("tags", ""))):
        yield "tags", json.dumps({"holds": tokens[:5]})
