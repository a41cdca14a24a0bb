"""Which records an incremental sweep has to judge again, and which it has to read for that.

*Changed* are the ids whose records differ from those in the index. *Judged* is what they touch, by their old and by their new
content: a finding depends on its own record, on records one link away, on groups that are compared as a whole, and on chains and
cycles. *Read* is what the judged ones touch in turn. All of it by set operations over 64-bit keys: ``kept`` is the index of the last
sweep, ``part`` that of some records as they are now, among them the changed ones.

What has to be read is known for certain only when the changed records were read. So it is first *expected*, by the old content alone;
where the new content touches nothing else, one reading is enough.
"""

from __future__ import annotations

import rustworkx

from migrate.engine.database import Database
from migrate.systems.index import TABLES

_SHARE = 0.3
"""Of the corpus: where more has to be read than this, reading all of it costs no more."""


def expected(database: Database) -> bool:
    """Fill ``wanted`` as far as the old content tells, and ``expected`` with the same; whether that is not too much of the corpus."""
    database.run("ATTACH ':memory:' AS part")
    for name in TABLES:
        database.run(f"CREATE TABLE part.{name} AS FROM kept.{name} LIMIT 0")
    hold(database)
    fits = touched(database, known=False)
    database.run("CREATE TABLE expected AS FROM wanted")
    release(database)
    return fits


def hold(database: Database) -> None:
    """Look at the index ``part`` beside ``kept``."""
    database.run(
        """
        CREATE VIEW all_mentions AS FROM kept.mentions UNION ALL FROM part.mentions;
        CREATE VIEW all_items AS FROM kept.items UNION ALL FROM part.items;
        CREATE VIEW now_items AS
        SELECT * FROM kept.items WHERE key NOT IN (SELECT key FROM changed) UNION ALL SELECT * FROM part.items WHERE key IN (SELECT key FROM changed);
        """
    )


def release(database: Database) -> None:
    """Let go of the index ``part``."""
    database.run("DROP VIEW all_mentions; DROP VIEW all_items; DROP VIEW now_items; DETACH part")


def same_touch(database: Database) -> bool:
    """Whether the changed records touch by their new content, in ``part``, what they touched by the old: then ``judged`` is right as it is."""
    changed = "WHERE key IN (SELECT key FROM changed)"
    # Of a record without a task nobody asks when it was made.
    items = f"SELECT key, id_key, form, irregular, text, task, thread, project, lacks, CASE WHEN task IS NOT NULL THEN created END AS made FROM {{}}.items {changed}"
    names = f"SELECT * FROM {{}}.names {changed} OR key IS NULL"
    differing = [
        f"FROM part.{name} {changed} EXCEPT FROM kept.{name} {changed}" for name in ("mentions", "edges", "prefixes")
    ]
    differing += [
        f"SELECT * EXCLUDE (n), sum(n) FROM (SELECT *, 1 AS n FROM ({query.format('kept')}) UNION ALL SELECT *, -1 FROM ({query.format('part')})) GROUP BY ALL HAVING sum(n) <> 0"
        for query in (items, names)
    ]
    if any(database.value(f"SELECT count(*) FROM ({query})") for query in differing):
        return False
    database.run("CREATE OR REPLACE TABLE near (key UBIGINT)")
    _followed(database)
    return not database.value("SELECT count(*) FROM near WHERE key NOT IN (FROM judged)")


def as_expected(database: Database) -> bool:
    """Whether everything that has to be read was expected to be."""
    return not database.value(
        "SELECT count(*) FROM present WHERE key IN (SELECT key FROM wanted) AND key NOT IN (SELECT key FROM expected WHERE key IS NOT NULL)"
    )


def rows_of(database: Database, keys: str) -> list[tuple[int, int, str | None]]:
    """File, item and id of records, in corpus order; those without an id are always among them."""
    return database.rows(
        f"SELECT file_no, item, id_key FROM present WHERE key IS NULL OR key IN ({keys}) ORDER BY file_no, item, id_key"
    )


def forms(database: Database) -> tuple[str, bool]:
    """The id form and whether metadata is text, of the corpus as it is now."""
    found = database.rows(
        """
        SELECT form, metadata_form, count(*) FROM (
            SELECT form, metadata_form FROM kept.items WHERE NOT broken AND key IS NOT NULL AND key NOT IN (SELECT key FROM changed) AND NOT irregular
            UNION ALL SELECT form, metadata_form FROM part.items WHERE NOT broken AND (irregular OR key IS NULL OR key IN (SELECT key FROM changed)))
        GROUP BY ALL
        """
    )
    number = {form: sum(n for own, _, n in found if own == form) for form in "ih"}
    kinds = {kind for _, kind, _ in found} - {"null", "absent"}
    return "uuid" if number["h"] > number["i"] else "integer", kinds == {"text"}


def touched(database: Database, *, known: bool = True) -> bool:
    """Fill ``judged`` and ``wanted``, what has to be read; whether that is not too much of the corpus.

    ``known`` is whether ``part`` has the changed records as they are now.
    """
    database.run(
        """
        CREATE OR REPLACE TABLE judged AS
        SELECT key FROM changed UNION SELECT key FROM now_ids WHERE n > 1 UNION SELECT key FROM old_ids WHERE irregular
        UNION SELECT key FROM kept.prefixes;
        CREATE OR REPLACE TABLE near AS
        SELECT key FROM judged
        UNION SELECT m.key FROM all_mentions m WHERE m.target IN (FROM judged)
        UNION SELECT m.target FROM all_mentions m WHERE m.key IN (FROM judged)
        UNION SELECT key FROM part.prefixes;
        CREATE OR REPLACE TABLE sides AS
        SELECT text, thread FROM all_items WHERE key IN (SELECT key FROM changed);
        INSERT INTO near
        SELECT key FROM all_items WHERE text IN (SELECT text FROM sides WHERE text IS NOT NULL)
        UNION SELECT key FROM all_items WHERE lacks AND thread IN (SELECT thread FROM sides);
        """
    )
    _chains(database, known=known)
    if known:
        _followed(database)
        _respelled(database)
    database.run("CREATE OR REPLACE TABLE judged AS SELECT DISTINCT key FROM near WHERE key IS NOT NULL")
    database.run(
        """
        CREATE OR REPLACE TABLE own AS SELECT * FROM all_items WHERE key IN (FROM judged);
        CREATE OR REPLACE TABLE wanted AS
        SELECT key FROM judged
        UNION SELECT m.key FROM all_mentions m WHERE m.target IN (FROM judged)
        UNION SELECT m.target FROM all_mentions m WHERE m.key IN (FROM judged)
        UNION SELECT key FROM all_items WHERE text IN (SELECT text FROM own WHERE text IS NOT NULL)
        -- The first records of its task that came after a superseded one; a changed one may have become that.
        UNION SELECT unnest(list_transform(later, lambda r: r.key)) FROM (
            SELECT min({'created': i.created, 'id': i.id_key, 'key': i.key}, 5) AS later
            FROM (SELECT DISTINCT key, created, task FROM own WHERE bare OR key IN (SELECT key FROM changed)) b
            JOIN now_items i ON i.task = b.task AND i.created > b.created WHERE i.eligible GROUP BY b.key, b.created, b.task)
        -- Of each project in a thread the record that would be named for it.
        UNION SELECT arg_min(key, rank) FROM now_items
              WHERE project IS NOT NULL AND thread IN (SELECT thread FROM own WHERE lacks) GROUP BY thread, project
        -- Whatever an abbreviated id may stand for.
        UNION SELECT s.key FROM present s JOIN (SELECT DISTINCT prefix FROM (FROM kept.prefixes UNION ALL FROM part.prefixes)) p
              ON s.id_key >= 'h' || p.prefix AND s.id_key < 'h' || p.prefix || 'g';
        INSERT INTO wanted SELECT key FROM members WHERE component IN (SELECT component FROM members WHERE key IN (SELECT key FROM wanted));
        """
    )
    most = _SHARE * int(database.value("SELECT count(*) FROM present"))
    # Small corpora are as quickly read whole, but nothing is gained by it.
    number = int(database.value("SELECT count(*) FROM present WHERE key IN (SELECT key FROM wanted)"))
    return number <= max(most, 1_000)


def names_elsewhere(database: Database) -> tuple[tuple[str, str, int], ...]:
    """How often the records that are not read have each name."""
    return tuple(
        (str(path), str(name), int(n))
        for path, name, n in database.rows(
            """
            SELECT path, name, sum(n) FROM (
                SELECT path, name, n FROM kept.name_counts
                UNION ALL SELECT path, name, -1 FROM kept.names
                WHERE key IS NULL OR key IN (SELECT key FROM wanted UNION SELECT key FROM changed))
            GROUP BY ALL HAVING sum(n) > 0
            """
        )
    )


def _followed(database: Database) -> None:
    """Superseded records whose first later records of the same task are others now: one came, or went, or lies at another time."""
    sides = "SELECT key, id_key, task, created FROM {}.items WHERE eligible AND task IS NOT NULL AND created IS NOT NULL AND key IN (SELECT key FROM changed)"
    old, new = sides.format("kept"), sides.format("part")
    for moved, items in ((f"{old} EXCEPT {new}", "kept.items"), (f"{new} EXCEPT {old}", "now_items")):
        database.run(
            f"""
            INSERT INTO near
            WITH moved AS ({moved}),
            reach AS (
                -- Whatever lies before five others that come before it is not shown with it.
                SELECT m.key, m.task, m.created, max(i.created, 5) AS before
                FROM moved m LEFT JOIN {items} i ON i.task = m.task AND i.eligible
                     AND (i.created < m.created OR i.created = m.created AND i.id_key < m.id_key) GROUP BY ALL)
            SELECT b.key FROM reach r JOIN all_items b ON b.task = r.task AND b.bare AND b.created < r.created
                   AND (before IS NULL OR len(before) < 5 OR b.created >= list_min(before))
            """
        )


def _respelled(database: Database) -> None:
    """Records whose name is, by the counts of the whole corpus, no longer what it was: the usual spelling or another one."""
    now = """
        SELECT path, name, folded, n FROM kept.name_counts
        UNION ALL SELECT path, name, folded, -1 FROM kept.names WHERE key IS NULL OR key IN (SELECT key FROM changed)
        UNION ALL SELECT path, name, folded, 1 FROM part.names WHERE key IS NULL OR key IN (SELECT key FROM changed)
    """
    for name, source in (("old_usual", "FROM kept.name_counts"), ("now_usual", now)):
        database.run(
            f"""
            CREATE OR REPLACE TABLE {name} AS
            SELECT path, name, first_value(name) OVER (PARTITION BY path, folded ORDER BY n DESC, name) AS usual
            FROM (SELECT path, name, folded, sum(n) AS n FROM ({source}) GROUP BY ALL HAVING sum(n) > 0)
            """
        )
    database.run(
        """
        CREATE OR REPLACE TABLE respelled AS SELECT o.path, o.name FROM old_usual o LEFT JOIN now_usual n USING (path, name) WHERE o.usual IS DISTINCT FROM n.usual
        """
    )
    if database.value("SELECT count(*) FROM respelled"):
        database.run(
            "INSERT INTO near SELECT key FROM kept.names SEMI JOIN respelled USING (path, name) WHERE key IS NOT NULL"
        )


def _chains(database: Database, *, known: bool) -> None:
    """Cycles and chains that a changed record is on, was on, or comes to: all of their members are near. Fills ``members``."""
    database.run("CREATE OR REPLACE TABLE members (component BIGINT, key UBIGINT)")
    old = "SELECT kind, key, target FROM kept.edges"
    new = f"{old} WHERE key NOT IN (SELECT key FROM changed) UNION SELECT kind, key, target FROM part.edges"
    components: list[list[int]] = []
    for source in (old, new) if known else (old,):
        for (kind,) in database.rows(f"SELECT DISTINCT kind FROM ({source}) ORDER BY 1"):
            edges = f"SELECT key, target FROM ({source}) WHERE kind = '{kind}' AND key <> target"
            components += _components(database, edges, whole=kind == "duplicate_of")
    numbers = [number for number, component in enumerate(components) for _ in component]
    database.run(
        "INSERT INTO members SELECT unnest(?::BIGINT[]), unnest(?::UBIGINT[])",
        [numbers, [key for component in components for key in component]],
    )
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
