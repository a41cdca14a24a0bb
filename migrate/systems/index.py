"""What an incremental sweep remembers of a context-server corpus: each record's mark, and what touches what.

Two records touch where one names the other's id, in whatever spelling, or where a rule compares them: the same text, the same task
of a thread, a thread's projects. Everything is a 64-bit hash: a collision makes a sweep read more, never less.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from migrate.systems.context_server import ContextServer

TABLES = ("items", "mentions", "edges", "prefixes", "names", "told")
CHAINED = ("supersedes", "parent", "blocks", "duplicate_of")
"""Keys whose chains or cycles a rule follows to their end."""
_TOKEN = "[0-9A-Za-z.+-]+"  # noqa: S105 - a pattern


def write_index(run: ContextServer, folder: Path) -> None:
    """Write the tables of a run over a whole corpus, or over a part of it, into a folder, a Parquet file each."""
    database = run.database
    database.run(_PLACES)
    for number, part in enumerate(run.loaded):
        items = getattr(part.source, "items", None)
        if items is None:
            database.run(
                f"INSERT INTO main.index_places SELECT rowid, {number}, rowid - {part.first} FROM main.lines"
                f" WHERE rowid >= {part.first} AND rowid < {part.first + part.count}"
            )
        else:
            database.run(
                f"INSERT INTO main.index_places SELECT {part.first} + generate_subscripts(l, 1) - 1, {number}, unnest(l) FROM (SELECT ?::BIGINT[] AS l)",
                [list(items)],
            )
    database.run(_MENTIONS)
    for name, query in (
        ("items", _ITEMS),
        ("mentions", "FROM main.index_mentions"),
        ("edges", _EDGES),
        ("prefixes", _PREFIXES),
        ("names", _NAMES),
    ):
        target = database.folder / f"{name}.parquet"
        database.run(f"COPY ({query}) TO '{str(target).replace(chr(39), chr(39) * 2)}' (FORMAT parquet)")
        shutil.move(target, folder / target.name)
    run.findings().write_parquet(folder / "told.parquet", placed=True)


_PLACES = "CREATE OR REPLACE TABLE main.index_places (ordinal BIGINT, file_no INTEGER, item BIGINT)"

_MENTIONS = f"""
    CREATE OR REPLACE TABLE main.index_words AS
    SELECT hash(id_key) AS key, unnest(regexp_extract_all(concat_ws(' ', f_links, f_references), '{_TOKEN}')) AS word
    FROM main.items WHERE id_key IS NOT NULL AND (f_links IS NOT NULL OR f_references IS NOT NULL);
    CREATE OR REPLACE TABLE main.index_mentions AS
    SELECT DISTINCT key, hash(target) AS target FROM (
        SELECT key,
               CASE WHEN regexp_full_match(word, '0*[1-9][0-9]*') THEN 'i' || ltrim(word, '0')
                    WHEN regexp_full_match(replace(word, '-', ''), '[0-9a-fA-F]{{32}}') THEN 'h' || lower(replace(word, '-', ''))
                    WHEN word[1] BETWEEN '0' AND '9' AND try_cast(word AS DOUBLE) BETWEEN 1 AND 1e30 THEN 'i' || try_cast(word AS DOUBLE)::HUGEINT END AS target
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

_NAMES = """
    SELECT hash(id_key) AS key, path, name, fold(name) AS folded FROM (
        SELECT id_key, unnest(['/project', '/agent_name']) AS path, unnest([string_of(f_project), string_of(f_agent_name)]) AS name
        FROM main.items WHERE broken IS NULL AND NOT copy AND NOT held AND class <> 'newer')
    WHERE name IS NOT NULL
"""

_ITEMS = """
    SELECT p.file_no, p.item, hash(i.id_key) AS key, r.line_hash AS mark, CASE WHEN i.broken IS NULL THEN n.class END AS class,
           i.broken IS NOT NULL AS broken, i.copy, i.id_key[1] AS form, i.metadata_form,
           i.broken IS NOT NULL OR i.id_key IS NULL OR i.copy OR i.conflict AS irregular,
           CASE WHEN i.thread IS NOT NULL AND i.text_hash IS NOT NULL THEN hash(i.thread, i.source, i.text_hash, i.text_length) END AS text,
           CASE WHEN string_of(i.f_task_name) IS NOT NULL THEN hash(i.thread, string_of(i.f_task_name)) END AS task,
           hash(i.thread) AS thread,
           CASE WHEN i.class NOT IN ('held', 'newer') AND string_of(i.f_project) IS NOT NULL THEN hash(string_of(i.f_project)) END AS project,
           length(i.id_key) || i.id_key AS rank,
           coalesce(i.v1 AND present(i.f_project) IS NULL, false) AS lacks,
           coalesce(n.status = 'superseded', false) AS bare
    FROM main.index_places p
    JOIN main.items i USING (ordinal)
    JOIN main.lines r ON r.rowid = p.ordinal
    LEFT JOIN safe.node_facts n ON n.ordinal = p.ordinal
"""
