"""The findings of a run as they are told: one query, read row by row or written to a table as a whole.

A finding's fingerprint is made of its code, its record, its path and the lasting part of its evidence, so that it is the same
from sweep to sweep and from an export to the database it came from.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from migrate.engine.database import Database
from migrate.engine.sources import Loaded
from migrate.engine.strict import MARK, restored
from migrate.systems.evidence import ENTRIES, EXCERPT
from migrate.systems.evidence import evidence as facts_of
from migrate.types import Evidence, Finding, Level, Severity

_BATCH = 10_000
_WORDS = ("record", "class", "kind", "thread", "project", "agent", "source")
"""Columns that hold corpus text and may hold the engine's private characters."""
_PASSING = (
    "count",
    "number",
    "total",
    "records",
    "parents",
    "steps",
    "lines",
    "byte",
    "projects_in_thread",
    "later_records",
)
"""Members of evidence that count, or tell of records beside the finding's own: no part of what makes a finding the same."""
_MOMENT = r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2})?([.,]\d+)?(Z|[+-]\d{2}:?\d{2})?)?"
_PRIVATE = rf"[\x{{10d800}}-\x{{10dfff}}{MARK}]"


@dataclass(frozen=True, slots=True)
class About:
    """What is told of a finding's record, in SQL over ``l``, its row of ``items``."""

    kind: str
    project: str
    thread: str = "NULL::VARCHAR"
    agent: str = "NULL::VARCHAR"
    source: str = "NULL::VARCHAR"
    era: str = "NULL::VARCHAR"
    join: str = ""


CONTEXT_SERVER = About(
    kind="coalesce(l.kind, l.kind_inferred, l.kind_text)",
    project="string_of(l.f_project)",
    thread="l.thread",
    agent="string_of(l.f_agent_name)",
    source="l.source",
    era="CASE WHEN l.created BETWEEN -62135596800000000 AND 253402300799000000 THEN strftime(make_timestamp(l.created), '%Y-%m') END",
)


class Findings:
    """The findings of the safe track of one run, in corpus order, then by code and path."""

    def __init__(
        self,
        database: Database,
        loaded: Sequence[Loaded],
        slugs: Mapping[str, str],
        evidence: Evidence,
        about: About = CONTEXT_SERVER,
    ) -> None:
        self._database = database
        self._loaded = loaded
        self._evidence = evidence
        database.run("CREATE OR REPLACE TABLE main.told_slugs (code VARCHAR, slug VARCHAR)")
        database.run(
            "INSERT INTO main.told_slugs SELECT unnest(?::VARCHAR[]), unnest(?::VARCHAR[])",
            [list(slugs), list(slugs.values())],
        )
        database.run(
            "CREATE OR REPLACE TABLE main.told_parts (file_no INTEGER, name VARCHAR, first BIGINT, listed BOOLEAN, numbered BOOLEAN)"
        )
        rows = [
            [number, part.source.name, part.first, part.lines is not None, part.source.numbered]
            for number, part in enumerate(loaded)
        ]
        database.connection.executemany("INSERT INTO main.told_parts VALUES (?, ?, ?, ?, ?)", rows)
        self._list_lines()
        database.run(_macros())
        database.run(_view(about))

    def _list_lines(self) -> None:
        """The lines of findings in files whose items do not stand one a line."""
        self._database.run("CREATE OR REPLACE TABLE main.told_lines (ordinal BIGINT, line BIGINT)")
        for part in self._loaded:
            if part.lines is None:
                continue
            span = f"ordinal >= {part.first} AND ordinal < {part.first + part.count}"
            found = self._database.rows(f"SELECT DISTINCT ordinal FROM safe.findings WHERE {span}")
            ordinals = [row[0] for row in found]
            self._database.run(
                "INSERT INTO main.told_lines SELECT unnest(?::BIGINT[]), unnest(?::BIGINT[])",
                [ordinals, [part.line(ordinal) for ordinal in ordinals]],
            )

    def __iter__(self) -> Iterator[Finding]:
        columns = ", ".join(f'"{name}"' for name in _WORDS)
        cursor = self._database.stream(
            f"SELECT code, slug, level, severity, path, evidence, file, line, fingerprint, era, {columns} FROM main.told ORDER BY ordinal, code, path"
        )
        while batch := cursor.fetchmany(_BATCH):
            for code, slug, level, severity, path, evidence, file, line, mark, era, *texts in batch:
                words = dict(zip(_WORDS, (_text(word) for word in texts), strict=True))
                yield Finding(
                    code, slug, Level(level), Severity(severity), words["record"], path, facts_of(evidence, self._evidence), file, line, mark,
                    words["class"], words["kind"], words["thread"], words["project"], words["agent"], words["source"], era,
                )  # fmt: skip

    def write_parquet(self, path: Path) -> None:
        """Write all of them to a new table, a row each, ``evidence`` and ``record`` as JSON text."""
        target = self._database.folder / "told.parquet"
        name = str(target).replace("'", "''")
        self._database.run(f"COPY ({self.query()}) TO '{name}' (FORMAT parquet, COMPRESSION zstd)")
        shutil.move(target, path)

    def query(self, *, placed: bool = False) -> str:
        """The query for all of them, in their order.

        ``placed`` is what an incremental sweep goes by: file, item, the hash of the record's id where that is its alone, and the
        fingerprint as a number; neither the file's name nor the line.
        """
        self._mend()
        plain = {
            Evidence.NONE: "'{}'",
            Evidence.HASH: "CASE WHEN evidence IS NULL THEN '{}' ELSE json_object('sha256', sha256(evidence))::VARCHAR END",
        }
        evidence = plain.get(self._evidence, "coalesce(evidence, '{}')").replace("evidence", "t.evidence")
        words = {
            name: f'CASE WHEN m.ordinal IS NULL THEN t."{name}" ELSE m."{name}" END AS "{name}"' for name in _WORDS
        }
        place, places = "t.file, t.line, t.fingerprint", "ORDER BY t.ordinal, t.code, t.path"
        if placed:
            place = """p.file_no, p.item, CASE WHEN i.broken IS NULL AND NOT (i.copy OR i.conflict) AND i.id_key IS NOT NULL THEN hash(i.id_key) END AS key,
                       ('0x' || t.fingerprint)::UBIGINT AS fp"""
            places = "JOIN main.index_places p ON p.ordinal = t.ordinal JOIN main.items i ON i.ordinal = t.ordinal"
        return f"""
            SELECT t.code, t.slug, t.level, t.severity, {words["record"]}, t.path,
                   CASE WHEN m.ordinal IS NULL THEN {evidence} ELSE m.evidence END AS evidence,
                   {place}, {words["class"]}, {words["kind"]}, {words["thread"]}, {words["project"]},
                   {words["agent"]}, {words["source"]}, t.era
            FROM main.told t LEFT JOIN main.told_mended m ON m.ordinal = t.ordinal AND m.code = t.code AND m.path = t.path
            {places}
        """

    def _mend(self) -> None:
        """Rows that SQL cannot tell: spellings the engine marks, and evidence that has to be shortened."""
        columns = ", ".join(f'"{name}" VARCHAR' for name in _WORDS)
        self._database.run(
            f"CREATE OR REPLACE TABLE main.told_mended (ordinal BIGINT, code VARCHAR, path VARCHAR, evidence VARCHAR, {columns})"
        )
        private = f"strlen(words) <> length(words) AND regexp_matches(words, '{_PRIVATE}')"
        long = "false"
        if self._evidence is Evidence.EXCERPT:
            long = f"strlen(evidence) > {EXCERPT} OR len(evidence) - len(replace(evidence, ',', '')) >= {ENTRIES}"
        texts = ", ".join(f'"{name}"' for name in ("evidence", *_WORDS))
        cursor = self._database.stream(
            f"""
            SELECT ordinal, code, path, {texts} FROM (SELECT *, concat_ws(' ', {texts}) AS words FROM main.told)
            WHERE ({private}) OR coalesce({long}, false)
            """
        )
        places = ", ".join(
            "unnest(?::BIGINT[])" if place == 0 else "unnest(?::VARCHAR[])" for place in range(4 + len(_WORDS))
        )
        while batch := cursor.fetchmany(_BATCH):
            rows = [
                (
                    ordinal,
                    code,
                    path,
                    _storable(json.dumps(facts_of(evidence, self._evidence))),
                    *(_storable(_text(word)) for word in words),
                )
                for ordinal, code, path, evidence, *words in batch
            ]
            self._database.run(
                f"INSERT INTO main.told_mended SELECT {places}", [list(column) for column in zip(*rows, strict=True)]
            )


def _macros() -> str:
    names = "|".join(_PASSING)
    without = json.dumps(dict.fromkeys(_PASSING))
    return f"""
        CREATE OR REPLACE MACRO main.lasting(e) AS coalesce(regexp_replace(
            CASE WHEN regexp_matches(e, '"({names})":') THEN json_merge_patch(e, '{without}')::VARCHAR ELSE e::VARCHAR END, '{_MOMENT}', '', 'g'), '');
    """


def _view(about: About) -> str:
    """A record is told by its id's key, what has none by its content; of several that are told alike each has its turn."""
    return f"""
        CREATE OR REPLACE VIEW main.told AS
        WITH marked AS (
            SELECT f.ordinal, f.code, f.level, f.severity, f.path, f.evidence::VARCHAR AS evidence, l.file_no,
                   CASE WHEN l.broken IS NULL THEN l.id_json END AS record,
                   CASE WHEN l.broken IS NULL THEN l.class END AS class,
                   {about.kind} AS kind, {about.thread} AS thread, {about.project} AS project, {about.agent} AS agent, {about.source} AS source,
                   {about.era} AS era,
                   sha256(concat_ws(chr(0), f.code, coalesce(l.id_key, b.fingerprint, l.line_hash::VARCHAR), f.path, main.lasting(f.evidence)))[:16] AS mark,
                   l.broken IS NOT NULL OR l.id_key IS NULL OR l.copy OR l.conflict AS alike
            FROM safe.findings f
            LEFT JOIN main.items l ON l.ordinal = f.ordinal
            {about.join}
            LEFT JOIN main.broken b ON b.ordinal = f.ordinal),
        turns AS (
            SELECT ordinal, code, path, row_number() OVER (PARTITION BY mark ORDER BY ordinal) AS turn FROM marked WHERE alike)
        SELECT m.* EXCLUDE (mark, alike, file_no), s.slug, p.name AS file,
               CASE WHEN NOT p.numbered THEN NULL WHEN p.listed THEN n.line ELSE m.ordinal - p.first + 1 END AS line,
               CASE WHEN coalesce(t.turn, 1) = 1 THEN m.mark ELSE sha256(concat_ws(chr(0), m.mark, t.turn))[:16] END AS fingerprint
        FROM marked m
        LEFT JOIN turns t ON t.ordinal = m.ordinal AND t.code = m.code AND t.path = m.path
        LEFT JOIN main.told_slugs s ON s.code = m.code
        LEFT JOIN main.told_parts p ON p.file_no = m.file_no
        LEFT JOIN main.told_lines n ON n.ordinal = m.ordinal
    """


def _text(word: str | None) -> str | None:
    """A string from the engine as it stands in the corpus; a lone surrogate as its escape."""
    return word if word is None or word.isascii() else restored(word)


def _storable(text: str | None) -> str | None:
    """A string that UTF-8 can hold."""
    return text if text is None or text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")
