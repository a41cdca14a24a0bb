"""A plan for repository contexts: a line a scope, with every file that is created or edited in it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Protocol

import orjson

from migrate.engine.database import Database
from migrate.planning.chosen import chosen_options
from migrate.planning.heading import Digests, heading
from migrate.planning.plan_file import Plan
from migrate.types import Options, Progress, Summary

_LEVELS = ("safe", "unsafe")


class Examined(Protocol):
    """What the planner asks of a run."""

    database: Database
    selected: tuple[str, ...]
    options: Options
    summary: Summary
    progress: Progress | None


@dataclass(slots=True)
class _Change:
    """One file of a scope: its text before (None where it is created) and after, and who asks for it."""

    path: str
    old: str | None
    new: str
    level: str = "safe"
    codes: list[str] = field(default_factory=list)
    evidence: dict[str, Any] = field(default_factory=dict)


def files_hash(texts: Mapping[str, bytes | None]) -> str:
    """The hash of a scope's state as far as a plan is about it: by path the bytes of a file, None for no file."""
    state = [[path, None if data is None else hashlib.sha256(data).hexdigest()] for path, data in sorted(texts.items())]
    return "sha256:" + hashlib.sha256(orjson.dumps(state)).hexdigest()


def build(examination: Examined, options: Options) -> Plan:
    """Propose what the options allow: files that are missing, and with unsafe fixes the line a manifest lacks."""
    database = examination.database
    path = database.folder / "plan-lines.jsonl"
    digests, rewritten, added = Digests(), Counter[str](), Counter[str]()
    ordinals = []
    with path.open("wb") as file:
        for ordinal, about, changes in _changes(database, options):
            line = _line(about, changes)
            raw = orjson.dumps(line) + b"\n"
            file.write(raw)
            record, patch = (orjson.dumps(line[name]).decode() for name in ("record", "patch"))
            identity = f"{record}\t{line['before']['hash']}\t{patch}".encode()
            digests.line(raw, identity, f"{record}\t{line['before']['hash']}", line["level"])
            ordinals.append(ordinal)
            for change in changes:
                (added if change.old is None else rewritten)[change.codes[0]] += 1
    header = heading(
        examination.summary,
        chosen_options(options, examination.selected),
        digests,
        _books(database, ordinals, rewritten, added),
    )
    return Plan(header, path, ())


def _changes(database: Database, options: Options) -> Iterator[tuple[int, Mapping[str, Any], list[_Change]]]:
    """Ordinal, facts and changes of each scope that has any, its files in template order."""
    allowed = "('safe', 'unsafe')" if options.unsafe_fixes else "('safe')"
    cursor = database.stream(
        f"""
        SELECT e.ordinal, s.repository, s.scope, s.class, e.path, e.old, e.new, e.code, f.level, f.evidence
        FROM edits e
        JOIN scopes s USING (ordinal)
        JOIN (SELECT ordinal, code, CASE WHEN bool_or(level = 'unsafe') THEN 'unsafe' ELSE 'safe' END AS level,
                     any_value(evidence) AS evidence, min(wave) AS wave
              FROM findings WHERE level IN {allowed} GROUP BY ordinal, code) f USING (ordinal, code)
        JOIN standard_files p ON p.ordinal = e.ordinal AND p.path = e.path
        ORDER BY e.ordinal, p.position, f.wave, e.code
        """
    )
    for (ordinal, repository, scope, context_class), rows in groupby(_rows(cursor), key=lambda row: row[:4]):
        changes: dict[str, _Change] = {}
        for path, old, new, code, level, evidence in (row[4:] for row in rows):
            change = changes.setdefault(path, _Change(path, old, new))
            change.codes.append(code)
            change.level = max(change.level, level, key=_LEVELS.index)
            if evidence is not None:
                change.evidence[code] = orjson.loads(evidence)
        yield ordinal, {"repository": repository, "scope": scope, "class": context_class}, list(changes.values())


def _rows(cursor: Any) -> Iterator[tuple[Any, ...]]:
    while batch := cursor.fetchmany(10_000):
        yield from batch


def record_of(repository: str | None, scope: str) -> str:
    """The name of a scope in a plan: its directory, after its repository where there are several."""
    return "/".join(part for part in (repository, None if repository and scope == "." else scope) if part)


def _line(about: Mapping[str, Any], changes: Sequence[_Change]) -> dict[str, Any]:
    return {
        "record": record_of(about["repository"], about["scope"]),
        "part": None,
        "unit": None,
        "level": max((change.level for change in changes), key=_LEVELS.index),
        "codes": list(dict.fromkeys(code for change in changes for code in change.codes)),
        "before": {
            "hash": files_hash(
                {change.path: None if change.old is None else change.old.encode() for change in changes}
            ),
            "version": None,
        },
        "after": {"hash": files_hash({change.path: change.new.encode() for change in changes})},
        "requires": [],
        "patch": {"files": [_operation(change) for change in changes]},
        "changes": [_told(change) for change in changes],
        **about,
    }


def _operation(change: _Change) -> dict[str, Any]:
    if change.old is None:
        return {"path": change.path, "create": change.new}
    return {"path": change.path, "edit": [change.old, change.new]}


def _told(change: _Change) -> dict[str, Any]:
    told = {
        "path": change.path,
        "to": change.new,
        "level": change.level,
        "codes": change.codes,
        "evidence": change.evidence,
    }
    return told if change.old is None else {"path": change.path, "from": change.old, **told}


def _books(database: Database, ordinals: Sequence[int], rewritten: Counter[str], added: Counter[str]) -> dict[str, Any]:
    """The account of the files of the planned scopes: documents and manifests, as they were read."""
    before = database.value(
        """
        SELECT (SELECT count(*) FROM documents WHERE ordinal IN (SELECT unnest(?::BIGINT[])))
             + (SELECT count(*) FROM standard_files WHERE present AND NOT ends_with(path, '.md') AND ordinal IN (SELECT unnest(?::BIGINT[])))
        """,
        [list(ordinals), list(ordinals)],
    )
    changed = rewritten.total()
    return {
        "unit": "file", "before": before, "after": before + added.total(), "kept": before - changed, "moved": 0,
        "rewritten": changed, "removed": {}, "added": dict(added), "held": 0,
    }  # fmt: skip
