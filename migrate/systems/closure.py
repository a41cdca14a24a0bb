"""Which records an incremental sweep has to judge again, and which it has to read for that.

*Changed* are the ids whose lines differ from those of the last sweep. *Judged* is what they touch, by their old and by their new
content: a finding depends on its own record, on records one link away, on groups that are compared as a whole, and on chains and
cycles. *Read* is what the judged ones touch in turn. All of it by set operations over 64-bit keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import duckdb
import rustworkx

from migrate.corpora.source import ShardSource
from migrate.engine.database import Database
from migrate.engine.macros import create_plain_macros
from migrate.engine.sources import LARGEST
from migrate.rules import vocabulary

_SHARE = 0.3
"""Of the corpus: where more has to be read than this, reading all of it costs no more."""
_CARRIED = ("seen", "changed", "judged")
INDEXES = ("items", "mentions", "edges", "prefixes", "names")
"""Tables of the index that a sweep reads again."""


@runtime_checkable
class Watching(Protocol):
    """A source that knows by itself what changed, such as a database with times of change."""

    def fill_seen(self, database: Database, number: int, watermark: Any) -> Any:
        """Insert every record into ``seen`` under a file number and return the watermark for the next time; None if that cannot be told.

        ``mark`` is what the column ``line_hash`` of a full run is, or NULL for records that did not change since ``watermark``
        (None: the first time). How far a watermark has to overlap is the source's own matter.
        """


def scan(database: Database, sources: Sequence[ShardSource], watermarks: Sequence[Any]) -> list[Any] | None:
    """Fill ``seen``: file, item, line, id and mark of every item; the new watermarks, None where the items cannot be told.

    What lies in files is read and hashed as a whole and has no watermark.
    """
    create_plain_macros(database, vocabulary.word_lists(), vocabulary.meanings())
    database.run("CREATE TABLE seen (file_no INTEGER, item BIGINT, line BIGINT, id_key VARCHAR, mark UBIGINT)")
    marks: list[Any] = []
    for number, source in enumerate(sources):
        if isinstance(source, Watching):
            mark = source.fill_seen(database, number, watermarks[number])
            if mark is None:
                return None
            marks.append(mark)
            continue
        marks.append(None)
        pattern, compression = source.scan
        quoted = pattern.replace("'", "''")
        database.run("CREATE OR REPLACE TABLE scanned (id_key VARCHAR, mark UBIGINT)")
        try:
            database.run(
                f"""
                INSERT INTO scanned SELECT own_key(coalesce(m[1], m[2])), hash(json) FROM (
                    SELECT json::VARCHAR AS json, json_extract(json, ['$.id', '$.context_id'])::VARCHAR[] AS m
                    FROM read_ndjson_objects('{quoted}', ignore_errors = true, maximum_object_size = {LARGEST}, compression = '{compression}'))
                """
            )
        except (duckdb.InvalidInputException, duckdb.IOException):
            return None
        places = source.places()
        if database.value("SELECT count(*) FROM scanned") != places.count:
            return None
        database.run(f"INSERT INTO seen SELECT {number}, rowid, rowid + 1, id_key, mark FROM scanned ORDER BY rowid")
        if places.numbers is not None:
            database.run(
                f"UPDATE seen SET line = l.line FROM (SELECT generate_subscripts(n, 1) - 1 AS item, unnest(n) AS line FROM (SELECT ?::BIGINT[] AS n)) l"
                f" WHERE seen.file_no = {number} AND seen.item = l.item",
                [places.numbers.tolist()],
            )
    return marks


def load(database: Database, kept: Path) -> None:
    """The state of the last sweep as the tables ``old_items``, ``old_mentions``, ``old_edges``, ``old_prefixes``."""
    for name in INDEXES:
        database.run(f"CREATE TABLE old_{name} AS FROM read_parquet('{pattern(kept / name)}.parquet')")


def changed_items(database: Database, files: int) -> tuple[tuple[int, ...], ...]:
    """The items of each file that are new or other than they were; those without an id of their own are always among them."""
    database.run(
        """
        CREATE TABLE now_ids AS
        SELECT hash(id_key) AS key, count(*) AS n, sum(mark) AS marks, bool_or(mark IS NULL) AS unread FROM seen WHERE id_key IS NOT NULL GROUP BY ALL;
        CREATE TABLE old_ids AS
        SELECT key, count(*) AS n, sum(mark) AS marks, bool_or(irregular) AS irregular FROM old_items WHERE key IS NOT NULL GROUP BY ALL;
        CREATE TABLE changed AS
        SELECT coalesce(a.key, b.key) AS key FROM now_ids a FULL JOIN old_ids b ON a.key = b.key
        WHERE a.key IS NULL OR b.key IS NULL OR a.n <> b.n OR (NOT a.unread AND a.marks <> b.marks);
        CREATE TABLE judged AS
        SELECT key FROM changed UNION SELECT key FROM now_ids WHERE n > 1 UNION SELECT key FROM old_ids WHERE irregular
        UNION SELECT key FROM old_prefixes;
        """
    )
    return _items(database, files, "SELECT key FROM changed UNION SELECT key FROM now_ids WHERE n > 1")


def forms(database: Database) -> tuple[str, bool]:
    """The id form and whether metadata is text, of the corpus as it is now."""
    database.run(
        """
        CREATE TABLE now_forms AS
        SELECT form, metadata_form FROM old_items WHERE NOT broken AND key IS NOT NULL AND key NOT IN (SELECT key FROM changed) AND NOT irregular
        UNION ALL SELECT form, metadata_form FROM new_items WHERE NOT broken
        """
    )
    integers, uuids = database.rows("SELECT count(*) FILTER (form = 'i'), count(*) FILTER (form = 'h') FROM now_forms")[
        0
    ]
    kinds = {kind for (kind,) in database.rows("SELECT DISTINCT metadata_form FROM now_forms")} - {"null", "absent"}
    return "uuid" if uuids > integers else "integer", kinds == {"text"}


def touched_items(database: Database, files: int) -> tuple[tuple[int, ...], ...] | None:
    """The items of each file that have to be read; None where that is too much of the corpus. Fills ``judged``."""
    database.run(
        """
        CREATE TABLE all_mentions AS SELECT * FROM old_mentions UNION ALL SELECT * FROM new_mentions;
        CREATE TABLE all_items AS SELECT * FROM old_items UNION ALL SELECT * FROM new_items;
        CREATE TABLE near AS
        SELECT key FROM judged
        UNION SELECT m.key FROM all_mentions m WHERE m.target IN (SELECT key FROM judged)
        UNION SELECT m.target FROM all_mentions m WHERE m.key IN (SELECT key FROM judged)
        UNION SELECT key FROM new_prefixes;
        INSERT INTO near
        SELECT key FROM all_items WHERE text IN (SELECT text FROM all_items WHERE key IN (SELECT key FROM changed) AND text IS NOT NULL)
        UNION SELECT key FROM all_items WHERE bare AND task IN (SELECT task FROM all_items WHERE key IN (SELECT key FROM changed) AND task IS NOT NULL)
        UNION SELECT key FROM all_items WHERE lacks AND thread IN (SELECT thread FROM all_items WHERE key IN (SELECT key FROM changed));
        """
    )
    _chains(database)
    _respelled(database)
    database.run("CREATE OR REPLACE TABLE judged AS SELECT DISTINCT key FROM near WHERE key IS NOT NULL")
    database.run(
        """
        CREATE TABLE wanted AS
        SELECT key FROM judged
        UNION SELECT m.key FROM all_mentions m WHERE m.target IN (SELECT key FROM judged)
        UNION SELECT m.target FROM all_mentions m WHERE m.key IN (SELECT key FROM judged)
        UNION SELECT key FROM all_items WHERE text IN (SELECT text FROM all_items WHERE key IN (SELECT key FROM judged) AND text IS NOT NULL)
        UNION SELECT key FROM all_items
              WHERE task IN (SELECT task FROM all_items WHERE bare AND task IS NOT NULL AND key IN (SELECT key FROM judged))
        -- Of each project in a thread the record that would be named for it.
        UNION SELECT arg_min(key, rank) FROM all_items
              WHERE project IS NOT NULL AND thread IN (SELECT thread FROM all_items WHERE lacks AND key IN (SELECT key FROM judged))
              AND key IN (SELECT hash(id_key) FROM seen) GROUP BY thread, project
        -- Whatever an abbreviated id may stand for.
        UNION SELECT hash(s.id_key) FROM seen s JOIN (SELECT DISTINCT prefix FROM (FROM old_prefixes UNION ALL FROM new_prefixes)) p
              ON s.id_key >= 'h' || p.prefix AND s.id_key < 'h' || p.prefix || 'g';
        INSERT INTO wanted SELECT key FROM members WHERE component IN (SELECT component FROM members WHERE key IN (SELECT key FROM wanted));
        """
    )
    items = _items(database, files, "SELECT key FROM wanted")
    most = _SHARE * int(database.value("SELECT count(*) FROM seen"))
    # Small corpora are as quickly read whole, but nothing is gained by it.
    return items if sum(map(len, items)) <= max(most, 1_000) else None


def names_elsewhere(database: Database) -> tuple[tuple[str, str, int], ...]:
    """How often the records that are not read have each name."""
    return tuple(
        (str(path), str(name), int(n))
        for path, name, n in database.rows(
            """
            SELECT path, name, count(*) FROM old_names
            WHERE key NOT IN (SELECT key FROM wanted) AND key IN (SELECT hash(id_key) FROM seen WHERE id_key IS NOT NULL) GROUP BY ALL
            """
        )
    )


def _respelled(database: Database) -> None:
    """Records whose name is, by the counts of the whole corpus, no longer what it was: the usual spelling or another one."""
    now = "SELECT * FROM old_names WHERE key NOT IN (SELECT key FROM changed) UNION ALL SELECT * FROM new_names WHERE key IN (SELECT key FROM changed)"
    for name, source in (("old_usual", "FROM old_names"), ("now_usual", now)):
        database.run(
            f"""
            CREATE TABLE {name} AS
            SELECT path, name, first_value(name) OVER (PARTITION BY path, folded ORDER BY n DESC, name) AS usual
            FROM (SELECT path, name, folded, count(*) AS n FROM ({source}) GROUP BY ALL)
            """
        )
    database.run(
        """
        INSERT INTO near SELECT key FROM old_names SEMI JOIN (
            SELECT o.path, o.name FROM old_usual o LEFT JOIN now_usual n USING (path, name) WHERE o.usual IS DISTINCT FROM n.usual) USING (path, name)
        """
    )


def save(database: Database, folder: Path) -> None:
    """Keep what a later step goes on with."""
    for name in _CARRIED:
        database.run(f"COPY {name} TO '{str(folder / name).replace(chr(39), chr(39) * 2)}.parquet' (FORMAT parquet)")


def restore(database: Database, folder: Path, examined: Path) -> None:
    """What was kept, and the tables of a run over a part of the corpus as ``new_items`` and so on."""
    for name in _CARRIED:
        database.run(f"CREATE TABLE {name} AS FROM read_parquet('{pattern(folder / name)}.parquet')")
    for name in INDEXES:
        database.run(f"CREATE TABLE new_{name} AS FROM read_parquet('{pattern(examined / name)}.parquet')")


def pattern(path: Path) -> str:
    """A path inside a string of SQL that is read: its globbing characters stand for themselves."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in str(path).replace("'", "''"))


def _items(database: Database, files: int, keys: str) -> tuple[tuple[int, ...], ...]:
    rows = database.rows(
        f"SELECT file_no, item FROM seen WHERE id_key IS NULL OR hash(id_key) IN ({keys}) ORDER BY file_no, item"
    )
    items: list[list[int]] = [[] for _ in range(files)]
    for number, item in rows:
        items[number].append(item)
    return tuple(map(tuple, items))


def _chains(database: Database) -> None:
    """Cycles and chains that a changed record is on, was on, or comes to: all of their members are near. Fills ``members``."""
    database.run("CREATE TABLE members (component UBIGINT, key UBIGINT)")
    old = "SELECT kind, key, target FROM old_edges"
    new = "SELECT kind, key, target FROM old_edges WHERE key NOT IN (SELECT key FROM changed) UNION SELECT kind, key, target FROM new_edges"
    number = 0
    for source in (old, new):
        for (kind,) in database.rows(f"SELECT DISTINCT kind FROM ({source}) ORDER BY 1"):
            edges = f"SELECT key, target FROM ({source}) WHERE kind = '{kind}' AND key <> target"
            for component in _components(database, edges, whole=kind == "duplicate_of"):
                number += 1
                database.run("INSERT INTO members SELECT ?, unnest(?::UBIGINT[])", [number, component])
    # A cycle that a changed record does not touch by itself is on the same record's old or new links all the same.
    database.run(
        """
        INSERT INTO near SELECT key FROM members WHERE component IN (SELECT component FROM members WHERE key IN (SELECT key FROM near))
        """
    )


def _components(database: Database, edges: str, *, whole: bool) -> list[list[int]]:
    """Strongly connected components of several records; for chains, which are followed to their end, the weakly connected ones."""
    inner = "" if whole else "WHERE key IN (SELECT target FROM e) AND target IN (SELECT key FROM e)"
    rows = database.rows(f"WITH e AS ({edges}) SELECT DISTINCT key, target FROM e {inner}")
    places: dict[int, int] = {}
    graph: rustworkx.PyDiGraph = rustworkx.PyDiGraph()
    for key in {end for row in rows for end in row}:
        places[key] = graph.add_node(key)
    graph.add_edges_from_no_data([(places[start], places[end]) for start, end in rows])
    found = rustworkx.weakly_connected_components(graph) if whole else rustworkx.strongly_connected_components(graph)
    return [[graph[node] for node in component] for component in found if len(component) > 1]
