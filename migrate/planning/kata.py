"""Edits of a kata issue or project to plan lines: a merge patch a line, with the revision and the values it was made for."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from migrate.engine import loading, tracks
from migrate.engine.database import Database
from migrate.engine.json_text import blank, members, quote, unquote
from migrate.engine.kata_lines import record_span
from migrate.engine.strict import readable, restored
from migrate.engine.tracks import RuleSet
from migrate.planning.drafting import Draft, Grounds, Wanted, draft
from migrate.planning.errors import PlanError
from migrate.planning.merge_patch import Patch
from migrate.planning.pointer import tokens
from migrate.planning.spelling import compact
from migrate.planning.splice import splice
from migrate.planning.ways import Evidence
from migrate.types import Progress

ROLE = "/role"
"""The daemon takes a designation only in a patch without anything else."""


class KataWays:
    """Those of kata; see :class:`migrate.planning.ways.Ways`."""

    def __init__(self, database: Database) -> None:
        rows = database.rows("SELECT number_json, name FROM main.project_names WHERE name IS NOT NULL")
        self._projects: Mapping[str, str] = {number: restored(name) for number, name in rows}

    def corpus(self, database: Database) -> dict[str, Any]:
        """Which instance it is, and of which schema."""
        found = dict(database.rows("SELECT meta_key, meta_value FROM safe.entries WHERE meta_key IN ('instance_uid', 'export_version') AND meta_value IS NOT NULL"))  # fmt: skip
        return {name: json.loads(text) for name, text in sorted(found.items())}

    def made(self, database: Database, track: str) -> Mapping[int, Evidence]:
        """Nothing: every edit comes from a finding of its own record."""
        return {}

    def draft(self, text: str, wanted: Sequence[Wanted], grounds: Grounds) -> Sequence[Draft]:
        """A line for the role, and one before it for everything else."""
        span = record_span(text)
        if span is None:
            raise PlanError(f"the record {grounds.record} is not where it was read before; check the corpus again")
        data, kind = text[slice(*span)], _kind(text)
        found: list[Draft] = []
        parts = (
            (None, [edit for edit in wanted if edit.path != ROLE]),
            ("role", [e for e in wanted if e.path == ROLE]),
        )
        for part, edits in parts:
            if not edits:
                continue
            proposed = draft(
                data, edits, _about(self._projects, data, kind, edits, part, len(found), grounds), text_encoded=False
            )
            if proposed is not None:
                found.append(proposed)
                data = splice(data, _patch(proposed), text_encoded=False)
        return found

    def after(self, text: str, drafts: Sequence[Draft]) -> str:
        """The whole line."""
        start, end = record_span(text) or (0, 0)
        data = text[start:end]
        for proposed in drafts:
            data = splice(data, _patch(proposed), text_encoded=False)
        return readable(text[:start] + data + text[end:])

    def read_after(self, database: Database, paths: Sequence[Path]) -> None:
        """Into a table as that of the lines."""
        loading.scan_files(database, paths, "read_after")

    def build_after(
        self, database: Database, ordinals: Sequence[int], rules: RuleSet, progress: Progress | None
    ) -> None:
        """From that table and the other lines."""
        database.run("DROP SCHEMA IF EXISTS after CASCADE")
        database.run("CREATE SCHEMA after")
        database.run("CREATE OR REPLACE TABLE main.planned AS SELECT unnest(?::BIGINT[]) AS ordinal", [list(ordinals)])
        database.run(
            "CREATE TABLE after.changed AS SELECT p.ordinal, a.* FROM main.planned p JOIN main.read_after a ON a.rowid = p.rowid"
        )
        kept = "SELECT * FROM main.kept WHERE ordinal NOT IN (SELECT ordinal FROM main.planned)"
        tracks.build(
            database, "after", "safe", rules, progress, f"{kept} UNION ALL BY NAME SELECT * FROM after.changed"
        )


def _kind(text: str) -> str:
    return next(unquote(text, member.start) for member in members(text, blank(text, 0)) if member.key == "kind")


def _patch(proposed: Draft) -> Patch:
    return Patch.read(proposed.patch)


def _about(
    projects: Mapping[str, str],
    data: str,
    kind: str,
    edits: Sequence[Wanted],
    part: str | None,
    earlier: int,
    grounds: Grounds,
) -> Grounds:
    """What the plan line says beside the changes. Each patch before it has moved the revision by one."""
    values = {member.key: data[member.start : member.end] for member in members(data, 0)}
    metadata = values.get("metadata", "{}")
    stored = {} if metadata == "null" else {m.key: metadata[m.start : m.end] for m in members(metadata, 0)}
    keys = [tokens(edit.path)[0] for edit in edits]
    before = ",".join(f"{quote(key)}:{compact(stored[key])}" for key in dict.fromkeys(keys) if key in stored)
    revision = str(int(values.get("revision", "1")) + earlier)
    number, ref = values.get("id", "null"), values.get("short_id", values.get("uid", "null"))
    project = number if kind == "project" else values.get("project_id", "null")
    name = quote(projects[project]) if project in projects else "null"
    return dataclasses.replace(
        grounds,
        part=part,
        ids=("uid", "id"),
        version=revision,
        before=f',"revision":{revision},"values":{{{before}}}',
        target=f',"target":{{"kind":"{kind}","project":{project},"name":{name},"ref":{"null" if kind == "project" else ref}}}',
    )
