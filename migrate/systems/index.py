"""What an incremental sweep remembers of a context-server corpus: each record's mark, what touches what, and every finding.

Two records touch where one names the other's id, in whatever spelling, or where a rule compares them: the same text, the same task
of a thread's project, a thread's projects. Everything is a 64-bit hash: a collision makes a sweep read more, never less.

The index is a database file. A run over a part of a corpus makes one too, which is then put into that of the whole.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from migrate.engine.sources import Loaded
from migrate.systems.context_server import ContextServer

TABLES = ("items", "mentions", "edges", "prefixes", "names", "findings")
CHAINED = ("supersedes", "parent", "blocks", "duplicate_of")
"""Keys whose chains or cycles a rule follows to their end."""
_TOKEN = "[0-9A-Za-z.+-]+"  # noqa: S105 - a pattern


def write_index(run: ContextServer, path: Path) -> None:
    """Write the index of a run over a whole corpus, or over a part of it, to a new file."""
    database = run.database
    database.run(
        "CREATE OR REPLACE TABLE main.index_places (ordinal BIGINT, file_no INTEGER, item BIGINT, line BIGINT)"
    )
    for number, part in enumerate(run.loaded):
        database.run(f"INSERT INTO main.index_places {_places(part, number)}", _given(part))
    if any(not part.source.numbered for part in run.loaded) and database.value(_OUT_OF_ORDER):
        database.run("UPDATE main.index_places SET item = ordinal")
    database.run(_MENTIONS)
    target = database.folder / "index.duckdb"
    database.attach(target, "fresh")
    queries = (_ITEMS, "FROM main.index_mentions", _EDGES, _PREFIXES, _NAMES, run.findings().query(placed=True))
    for name, query in zip(TABLES, queries, strict=True):
        database.run(f"CREATE TABLE fresh.{name} AS {query}")
    database.run("CHECKPOINT fresh; DETACH fresh")
    shutil.move(target, path)


def _places(part: Loaded, number: int) -> str:
    """A query for where the records of a source are: in a store, whose entries have no place, their ids say it."""
    if not part.source.numbered:
        return f"""
            SELECT ordinal, {number}, {item_of("id_key")}, NULL
            FROM main.items WHERE ordinal >= {part.first} AND ordinal < {part.first + part.count}
        """
    rows = f"SELECT rowid AS ordinal, rowid - {part.first} AS turn FROM main.lines WHERE rowid >= {part.first} AND rowid < {part.first + part.count}"
    item = "coalesce(i.value, r.turn)"
    return f"""
        WITH given AS (SELECT ?::BIGINT[] AS items, ?::BIGINT[] AS lines)
        SELECT r.ordinal, {number}, {item}, coalesce(l.value, {item} + 1) FROM ({rows}) r
        LEFT JOIN (SELECT generate_subscripts(items, 1) - 1 AS turn, unnest(items) AS value FROM given) i ON i.turn = r.turn
        LEFT JOIN (SELECT generate_subscripts(lines, 1) - 1 AS turn, unnest(lines) AS value FROM given) l ON l.turn = r.turn
    """


def _given(part: Loaded) -> tuple[list[int], list[int]] | tuple[()]:
    """The items of a part of a file, and the lines where they are not told by the items."""
    if not part.source.numbered:
        return ()
    return list(getattr(part.source, "items", ())), [] if part.lines is None else part.lines.tolist()


def key_of(id_key: str) -> str:
    """The SQL of what stands for an id in the index; NULL for a record without one."""
    return f"CASE WHEN {id_key} IS NOT NULL THEN hash({id_key}) END"


_OUT_OF_ORDER = """
    SELECT count(*) FROM (SELECT item, lag(item) OVER (ORDER BY ordinal) AS before FROM main.index_places) WHERE item IS NULL OR item < before
"""
"""Entries of a store whose ids do not say their place, such as negative ones."""


def item_of(id_key: str) -> str:
    """The SQL of the place of a store's entry among the others, but for ids whose first 15 digits are the same."""
    return f"CASE {id_key}[1] WHEN 'i' THEN try_cast({id_key}[2:] AS BIGINT) WHEN 'h' THEN try_cast('0x' || {id_key}[2:16] AS BIGINT) END"


_MENTIONS = f"""
    CREATE OR REPLACE TABLE main.index_words AS
    SELECT hash(id_key) AS key, unnest(regexp_extract_all(concat_ws(' ', f_links, f_references), '{_TOKEN}')) AS word
    FROM main.items WHERE id_key IS NOT NULL AND (f_links IS NOT NULL OR f_references IS NOT NULL);
    CREATE OR REPLACE TABLE main.index_mentions AS
    SELECT DISTINCT key, hash(target) AS target FROM (
        -- Thirty-two digits may be an id of either form.
        SELECT key, unnest([
            CASE WHEN regexp_full_match(word, '0*[1-9][0-9]*') THEN 'i' || ltrim(word, '0')
                 WHEN word[1] BETWEEN '0' AND '9' AND try_cast(word AS DOUBLE) BETWEEN 1 AND 1e30 THEN 'i' || try_cast(word AS DOUBLE)::HUGEINT END,
            CASE WHEN regexp_full_match(replace(word, '-', ''), '[0-9a-fA-F]{{32}}') THEN 'h' || lower(replace(word, '-', '')) END]) AS target
        FROM main.index_words)
    WHERE target IS NOT NULL;
"""

_PREFIXES = """
    SELECT DISTINCT key, lower(word) AS prefix FROM main.index_words
    WHERE getvariable('id_form') = 'uuid' AND regexp_full_match(word, '[0-9a-fA-F]{8,31}')
"""

_EDGES = f"""
    SELECT DISTINCT e.key AS kind, hash(i.id_key) AS key, hash(e.id_key) AS target
    FROM safe.edges e JOIN main.items i USING (ordinal)
    WHERE e.key IN ({", ".join(f"'{key}'" for key in CHAINED)}) AND e.id_key IS NOT NULL AND i.id_key IS NOT NULL
"""

_NAMES = f"""
    SELECT {key_of("id_key")} AS key, path, name, fold(name) AS folded FROM (
        SELECT id_key, unnest(['/project', '/agent_name']) AS path, unnest([string_of(f_project), string_of(f_agent_name)]) AS name
        FROM main.items WHERE broken IS NULL AND NOT copy AND NOT held AND class <> 'newer')
    WHERE name IS NOT NULL
"""

# `bare` and `eligible` are the two sides of a supersession that no record confirms (CS702), `lacks` that of a missing project.
_ITEMS = f"""
    SELECT p.file_no, p.item, p.line, i.id_key, {key_of("i.id_key")} AS key, r.line_hash AS mark,
           CASE WHEN i.broken IS NULL THEN n.class END AS class, i.broken IS NOT NULL AS broken, i.copy, i.id_key[1] AS form, i.metadata_form,
           i.broken IS NOT NULL OR i.id_key IS NULL OR i.copy OR i.conflict AS irregular,
           CASE WHEN i.thread IS NOT NULL AND i.text_hash IS NOT NULL THEN hash(i.thread, i.source, i.text_hash, i.text_length) END AS text,
           CASE WHEN string_of(i.f_task_name) IS NOT NULL THEN hash(i.thread, string_of(i.f_project), string_of(i.f_task_name)) END AS task,
           hash(i.thread) AS thread,
           CASE WHEN i.class NOT IN ('held', 'newer') AND string_of(i.f_project) IS NOT NULL THEN hash(string_of(i.f_project)) END AS project,
           length(i.id_key) || i.id_key AS rank,
           coalesce(i.v1 AND present(i.f_project) IS NULL, false) AS lacks,
           coalesce(n.status = 'superseded', false) AS bare,
           coalesce(i.class IN ('v1', 'legacy') AND i.broken IS NULL AND NOT i.copy, false) AS eligible, i.created
    FROM main.index_places p
    JOIN main.items i USING (ordinal)
    JOIN main.lines r ON r.rowid = p.ordinal
    LEFT JOIN safe.node_facts n ON n.ordinal = p.ordinal
"""
