"""Row rules compiled into one scan of ``records``; set rules and edits gathered into the tables of a track."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

_READABLE = "class NOT IN ('held', 'newer')"

# What a row rule may rest on: the code of the normalisation, where this record has it.
_NEEDS = {
    "kind": "CASE WHEN kind_text <> kind THEN 'CS105' END",
    "version": "CASE WHEN version_json <> '1' THEN 'CS103' END",
    "status": "CASE WHEN status <> status_text THEN CASE status_verdict WHEN 'fold' THEN 'CS201' ELSE 'CS204' END END",
}

_BITS = 60
"""Rules that share one mask."""

LEVELS = ("safe", "unsafe", "manual", "info")


@dataclass(frozen=True, slots=True)
class RowRule:
    """One predicate over a row of ``records``; every text is a SQL expression over its columns.

    ``level`` and ``path`` are taken literally where they are a level or a path; ``edits`` maps a path to the JSON text of
    its new value, None to remove the member.
    """

    code: str
    wave: int
    when: str
    path: str
    level: str
    severity: str
    evidence: str | None = None
    needs: tuple[str, ...] = ()
    edits: dict[str, str | None] = field(default_factory=dict)
    classes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SetRule:
    """A query over the tables: ordinal, path, level, evidence, and where it has them needs, requires, and value or edits.

    ``value`` is what becomes of the path; ``edits`` lists {path, value} where a finding changes others.
    """

    code: str
    wave: int
    severity: str
    query: str
    edits: str | None = None


FOUND = """
CREATE TABLE found (code VARCHAR, wave TINYINT, ordinal BIGINT NOT NULL, path VARCHAR NOT NULL, level VARCHAR NOT NULL, severity VARCHAR,
                    evidence VARCHAR, needs VARCHAR[] DEFAULT [], requires VARCHAR, edits STRUCT(path VARCHAR, value VARCHAR)[] DEFAULT [],
                    value VARCHAR DEFAULT '');
"""
"""What the rules found; ``value`` is the new value of ``path`` that a set rule gives, NULL where the member goes, empty where it gives none."""


def row_scan(rules: Sequence[RowRule]) -> str:
    """The statement that asks every row rule in one scan: ``hits`` has the records that a rule speaks of, and which rules do."""
    masks = [_mask(rules[start : start + _BITS]) for start in range(0, len(rules), _BITS)]
    columns = ", ".join(f"{mask} AS mask_{number}" for number, mask in enumerate(masks))
    found = " OR ".join(f"mask_{number} <> 0" for number in range(len(masks)))
    return f"CREATE OR REPLACE TABLE hits AS SELECT * FROM (SELECT ordinal, {columns} FROM records) WHERE {found}"


def masks_of(rules: Sequence[RowRule]) -> int:
    """The number of columns ``mask_…`` that ``hits`` has."""
    return -(-len(rules) // _BITS)


def row_findings(rules: Sequence[RowRule], masks: Sequence[int], records: str) -> str:
    """The statement that adds what the rules say of ``hits`` to ``found``.

    ``masks`` are all masks together: the other rules say nothing. ``records`` is the table expression of the records in ``hits``.
    """
    speaking = [place for place in range(len(rules)) if masks[place // _BITS] >> place % _BITS & 1]
    variants = ", ".join(
        f"CASE WHEN mask_{place // _BITS} & {1 << place % _BITS}::UBIGINT <> 0 THEN {number} END"
        for number, place in enumerate(speaking)
    )
    rules = [rules[place] for place in speaking]
    return f"""
INSERT INTO found
WITH spoken AS (SELECT ordinal, unnest(list_filter([{variants}], lambda v: v IS NOT NULL)) AS variant FROM hits)
SELECT {_choice([_literal(rule.code) for rule in rules])},
       {_choice([str(rule.wave) for rule in rules])},
       ordinal,
       {_choice([_path(rule.path) for rule in rules])},
       {_choice([_level(rule.level) for rule in rules])},
       {_choice([_literal(rule.severity) for rule in rules])},
       {_choice([_evidence(rule.evidence) for rule in rules])},
       {_choice([_needs(rule.needs) for rule in rules])},
       NULL,
       {_choice([_edits(rule.edits) for rule in rules])},
       ''
FROM spoken JOIN {records} USING (ordinal)
"""


def _mask(rules: Sequence[RowRule]) -> str:
    """One number a record, a bit for each rule that speaks."""
    return " | ".join(
        f"CASE WHEN {_scope(rule)} AND ({rule.when}) THEN {1 << bit}::UBIGINT ELSE 0::UBIGINT END"
        for bit, rule in enumerate(rules)
    )


def set_query(rule: SetRule) -> str:
    """The statement that adds what one set rule finds to ``found``."""
    return f"""
INSERT INTO found BY NAME
SELECT {_literal(rule.code)} AS code, {rule.wave} AS wave, {_literal(rule.severity)} AS severity, * FROM ({rule.query})
"""


def _choice(texts: Sequence[str]) -> str:
    """One expression out of many by the variant; equal ones share a branch."""
    branches: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        branches.setdefault(text, []).append(place)
    if len(branches) == 1:
        return texts[0]
    cases = " ".join(
        f"WHEN {'variant = ' + str(places[0]) if len(places) == 1 else 'variant IN (' + ', '.join(map(str, places)) + ')'} THEN {text}"
        for text, places in branches.items()
    )
    return f"CASE {cases} END"


def _scope(rule: RowRule) -> str:
    return f"class IN ({', '.join(map(_literal, rule.classes))})" if rule.classes else _READABLE


def _path(path: str) -> str:
    return _literal(path) if path in ("", "tags") or path.startswith("/") else f"({path})"


def _level(level: str) -> str:
    return _literal(level) if level in LEVELS else f"({level})"


def _evidence(evidence: str | None) -> str:
    return "NULL::VARCHAR" if evidence is None else f"to_json({evidence})::VARCHAR"


def _needs(needs: Sequence[str]) -> str:
    if not needs:
        return "[]::VARCHAR[]"
    return f"list_filter([{', '.join(_NEEDS.get(need, need) for need in needs)}], lambda c: c IS NOT NULL)"


def _edits(edits: dict[str, str | None]) -> str:
    if not edits:
        return "[]"
    return (
        "["
        + ", ".join(
            f"{{'path': {_literal(path)}, 'value': {value or 'NULL::VARCHAR'}}}" for path, value in edits.items()
        )
        + "]"
    )


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
