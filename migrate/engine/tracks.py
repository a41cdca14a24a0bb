"""A track: the table model and the rules over it, once for what safe repairs make and once for what unsafe ones make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb
import rustworkx

from migrate.engine.compile import FOUND, RowRule, SetRule, masks_of, row_findings, row_scan, set_query
from migrate.engine.database import Database, first_line, script_text
from migrate.engine.errors import EngineError
from migrate.engine.loading import described, typed
from migrate.engine.macros import create_macros
from migrate.engine.sources import Loaded
from migrate.engine.strict import find_nested_references
from migrate.types import Progress


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of a run as the engine takes them."""

    rows: tuple[RowRule, ...]
    sets: tuple[SetRule, ...]
    selected: tuple[str, ...]
    waves: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Settings:
    """What decides the values of a run, as SQL variables and small tables."""

    variables: Mapping[str, Any]
    words: Mapping[str, Sequence[str]]
    """Name to words: ``is_<name>(s)`` in SQL."""
    maps: Mapping[str, Mapping[str, str]]
    tables: Mapping[str, tuple[Sequence[str], Sequence[Sequence[Any]]]]
    promoted: tuple[str, ...] = ()
    demoted: tuple[str, ...] = ()
    partial: bool = False
    id_map: Mapping[str, str] = field(default_factory=dict)
    meanings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Name to words and what each means: ``<name>(s)`` in SQL."""


def prepare(database: Database, settings: Settings, rules: RuleSet) -> None:
    """Variables and vocabularies, and what has to be known of the whole corpus before its records are typed."""
    for name, value in settings.variables.items():
        database.set(name, value)
    for name, pairs in settings.maps.items():
        database.set_map(name, pairs)
    for name, (columns, rows) in settings.tables.items():
        database.run(f"CREATE OR REPLACE TABLE {name} ({', '.join(columns)})")
        if rows:
            places = ", ".join("?" for _ in columns)
            database.connection.executemany(f"INSERT INTO {name} VALUES ({places})", [list(row) for row in rows])
    database.run("CREATE OR REPLACE TABLE id_map (old VARCHAR PRIMARY KEY, new VARCHAR)")
    if settings.id_map:
        database.run(
            "INSERT INTO id_map SELECT unnest(?::VARCHAR[]), unnest(?::VARCHAR[])",
            [list(settings.id_map), list(settings.id_map.values())],
        )
    # In a run over a part of the corpus: how often the rest of it has a project's or an agent's name.
    database.run("CREATE OR REPLACE TABLE elsewhere_names (path VARCHAR, name VARCHAR, n BIGINT)")
    database.set("selected", list(rules.selected))
    database.set("promoted", list(settings.promoted))
    database.set("demoted", list(settings.demoted))
    database.set("partial", settings.partial)
    database.set_map("odd_tags", {})
    for name, value in (("id_form", "integer"), ("text_encoded", False), ("track", "safe")):
        database.set(name, value)
    create_macros(database, settings.words, settings.meanings)
    database.set("waves", [{"code": code, "wave": wave} for code, wave in rules.waves.items()])


def describe(database: Database, loaded: Sequence[Loaded]) -> None:
    """What the records are judged by together: the form of their ids, how metadata is written, odd letters in tags."""
    integers, uuids = database.rows(
        "SELECT count(*) FILTER (starts_with(id_key, 'i')), count(*) FILTER (starts_with(id_key, 'h')) FROM kept WHERE broken IS NULL"
    )[0]
    database.set("id_form", "uuid" if uuids > integers else "integer")
    forms = {form for (form,) in database.rows("SELECT DISTINCT metadata_form FROM kept WHERE broken IS NULL")} - {
        "null",
        "absent",
    }
    database.set("text_encoded", forms == {"text"})
    find_nested_references(database)
    _lower_sigmas(database)
    database.run("CREATE OR REPLACE TABLE places (ordinal BIGINT, line BIGINT)")
    repeated = database.rows("SELECT ordinal FROM repeated")
    lines = [(row[0], line_of(loaded, row[0])) for row in repeated]
    if lines:
        columns = [list(column) for column in zip(*lines, strict=True)]
        database.run("INSERT INTO places SELECT unnest(?::BIGINT[]), unnest(?::BIGINT[])", columns)


def _lower_sigmas(database: Database) -> None:
    """Tags with a sigma, whose lower case only Python finds as the server does."""
    columns = ("tags_json", "f_labels", "f_tags")
    texts = " UNION ALL ".join(f"SELECT {name} AS j FROM items WHERE contains({name}, 'Σ')" for name in columns)
    rows = database.rows(f"SELECT DISTINCT unnest(string_list(j)) FROM ({texts})")
    if rows:
        database.set_map("odd_tags", {tag: tag.strip().lower() for (tag,) in rows})


def line_of(loaded: Sequence[Loaded], ordinal: int) -> int:
    """The line, from 1, of a row of ``lines`` in its own file."""
    return next(part.line(ordinal) for part in reversed(loaded) if part.first <= ordinal)


_FEW = 20_000
"""Rows up to which the records of a track are a table."""

_GIVEN = {"ordinal", "path", "level", "evidence"}
"""What the query of a set rule returns."""
_ALSO = {"needs", "requires", "edits", "value"}
"""What it may return beside."""

ROWS = "SELECT * FROM main.kept"


def build(
    database: Database, schema: str, track: str, rules: RuleSet, progress: Progress | None = None, rows: str = ROWS
) -> None:
    """Build the tables of a track in a schema of their own and run every rule over them.

    ``rows`` is the query of the kept rows, with their ordinal, that the track is about.
    """
    database.run(f"CREATE SCHEMA IF NOT EXISTS {schema}")
    database.run(f"SET search_path = '{schema},main'")
    database.set("track", track)
    lines = described(database.model, rows)
    # What follows from the kept columns is kept too where there is little of it: to say it again in every query takes longer.
    kind = "TABLE" if database.value("SELECT count(*) FROM main.lines") <= _FEW else "VIEW"
    database.run(f"CREATE {kind} records AS {_records(database, rows)}")
    steps = database.model.tables
    for place, step in enumerate(steps):
        if progress is not None:
            progress("tables", place, len(steps))
        database.script(step, LINES=lines)
    _find_cycles(database)
    for step in database.model.late_tables:
        database.script(step)
    _judge(database, rules, rows, progress)


def _records(database: Database, rows: str) -> str:
    model = database.model
    return script_text(model.package, "records.sql", {"LINES": described(model, rows)})


_FACTS = (
    "file_no", "broken", "length", "line_hash", "id_json", "thread", "source", "created_json", "updated_json", "truncated",
    "text_hash", "text_length", "opening",
)  # fmt: skip
"""Columns of ``lines`` that say what stands beside metadata and tags."""


def build_after(database: Database, ordinals: list[int], rules: RuleSet, progress: Progress | None) -> None:
    """Build the track ``after``: the corpus with the planned records as ``read_after`` has them, in the order of ``ordinals``."""
    database.run("DROP SCHEMA IF EXISTS after CASCADE")
    database.run("CREATE SCHEMA after")
    database.run("CREATE OR REPLACE TABLE main.planned AS SELECT unnest(?::BIGINT[]) AS ordinal", [ordinals])
    facts = ", ".join(f"l.{name}" for name in _FACTS)
    encoded = "CASE WHEN getvariable('text_encoded') THEN 'text' ELSE 'object' END"
    database.run(
        f"""
        CREATE TABLE after.changed AS
        WITH facts AS (
            SELECT p.ordinal, {facts}, a.tags_json, a.metadata,
                   CASE WHEN a.metadata IS NULL THEN 'absent' ELSE {encoded} END AS metadata_form, false AS doubtful_text, false AS doubled_members
            FROM main.planned p JOIN main.read_after a ON a.rowid = p.rowid JOIN main.kept l ON l.ordinal = p.ordinal)
        {typed(database.model, "ordinal, file_no")}
        """
    )
    kept = "SELECT * FROM main.kept WHERE ordinal NOT IN (SELECT ordinal FROM main.planned)"
    build(database, "after", "safe", rules, progress, f"{kept} UNION ALL BY NAME SELECT * FROM after.changed")


def _run_set_rule(database: Database, rule: SetRule) -> None:
    try:
        database.run(set_query(rule))
    except (duckdb.BinderException, duckdb.ConstraintException):
        # The columns are only asked for where something is wrong: to ask costs as much as the query of a small corpus.
        columns = database.connection.execute(f"SELECT * FROM ({rule.query}) LIMIT 0").description
        names = {column[0] for column in columns}
        if missing := _GIVEN - names:
            raise EngineError(
                f"the query of the rule {rule.code} returns no column {', '.join(sorted(missing))}"
            ) from None
        if more := names - _GIVEN - _ALSO:
            raise EngineError(
                f"the query of the rule {rule.code} returns the column {', '.join(sorted(more))}, which no finding has"
            ) from None
        raise
    if rule.edits is not None:
        database.run(
            f"INSERT INTO set_edits SELECT {rule.wave}, '{rule.code}', e.ordinal, e.path, e.value, f.level FROM ({rule.edits}) e"
            f" JOIN found f ON f.ordinal = e.ordinal AND f.code = '{rule.code}' AND f.level IN ('safe', 'unsafe')"
            " AND len(list_filter(f.needs, lambda c: NOT written(c))) = 0"
        )


def _run_row_rules(database: Database, rules: Sequence[RowRule], rows: str) -> None:
    database.scan(row_scan(rules))
    masks = database.rows(
        f"SELECT {', '.join(f'bit_or(mask_{number})' for number in range(masks_of(rules)))} FROM hits"
    )[0]
    if masks[0] is None:
        return
    # What a rule says costs more than whether it speaks: only the records it speaks of are described for that.
    hits = f"SELECT * FROM ({rows}) SEMI JOIN hits USING (ordinal)"
    database.run(row_findings(rules, masks, f"({_records(database, hits)})"))


def _name_the_culprit(database: Database, rules: Sequence[RowRule], rows: str) -> None:
    """EngineError for the first row rule that fails alone as well."""
    for rule in rules:
        try:
            _run_row_rules(database, [rule], rows)
        except duckdb.Error as error:
            raise EngineError(f"the rule {rule.code} fails: {first_line(error)}") from error


def _find_cycles(database: Database) -> None:
    """Strongly connected components of more than one record, for each key whose edges must not go round."""
    database.run("CREATE TABLE cycles (key VARCHAR, ordinal BIGINT, component BIGINT)")
    for key in database.model.cyclic:
        edges = database.rows(
            f"WITH e AS (SELECT DISTINCT ordinal, target FROM edges WHERE key = '{key}' AND target IS NOT NULL AND NOT is_self)"
            " SELECT ordinal, target FROM e WHERE ordinal IN (SELECT target FROM e) AND target IN (SELECT ordinal FROM e)"
        )
        if not edges:
            continue
        places = {ordinal: place for place, ordinal in enumerate(sorted({end for edge in edges for end in edge}))}
        graph = rustworkx.PyDiGraph()
        graph.add_nodes_from(list(places))
        graph.add_edges_from_no_data([(places[start], places[end]) for start, end in edges])
        rows = [
            (key, graph[node], min(graph[other] for other in component))
            for component in rustworkx.strongly_connected_components(graph)
            if len(component) > 1
            for node in component
        ]
        if rows:
            columns = [list(column) for column in zip(*rows, strict=True)]
            database.run(
                "INSERT INTO cycles SELECT unnest(?::VARCHAR[]), unnest(?::BIGINT[]), unnest(?::BIGINT[])", columns
            )


def _judge(database: Database, rules: RuleSet, rows: str, progress: Progress | None) -> None:
    database.run(FOUND)
    database.run(
        "CREATE TABLE set_edits (wave TINYINT, code VARCHAR, ordinal BIGINT, path VARCHAR, value VARCHAR, level VARCHAR)"
    )
    if rules.rows:
        try:
            _run_row_rules(database, rules.rows, rows)
        except duckdb.Error:
            _name_the_culprit(database, rules.rows, rows)
            raise
    for place, rule in enumerate(rules.sets):
        if progress is not None:
            progress("rules", place, len(rules.sets))
        try:
            _run_set_rule(database, rule)
        except duckdb.Error as error:
            raise EngineError(f"the query of the rule {rule.code} fails: {first_line(error)}") from error
    database.script("findings.sql")
    database.script("edits.sql")
