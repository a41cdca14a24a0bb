"""What a sweep judged again, put into the index of the whole corpus; and the numbers of the whole, from the index."""

from __future__ import annotations

import time
from collections.abc import Iterable

from migrate.corpora.files import FileCorpus
from migrate.corpora.spool import StoreCorpus
from migrate.engine.database import Database
from migrate.rules.registry import Registry
from migrate.systems.changes import Watched
from migrate.systems.context_server import CLASSES
from migrate.systems.counting import changing, counts
from migrate.types import Summary

FOUND = "SELECT *, (SELECT list(file ORDER BY file_no) FROM kept.files)[file_no + 1] AS file FROM kept.findings"
"""The findings, in no order."""

TOLD = """
    WITH own AS (SELECT key, file_no, item, line FROM kept.items WHERE NOT irregular),
    irregular AS (SELECT file_no, item, line FROM kept.items WHERE irregular),
    -- Where a record without an id of its own lies is noted with its findings, of all others with the record.
    placed AS (
        SELECT f.* EXCLUDE (file_no, item), coalesce(o.file_no, f.file_no) AS file_no, coalesce(o.item, f.item) AS item, coalesce(o.line, i.line) AS line
        FROM kept.findings f LEFT JOIN own o ON o.key = f.key LEFT JOIN irregular i ON f.key IS NULL AND i.file_no = f.file_no AND i.item = f.item)
    SELECT p.code, p.slug, p.level, p.severity, p.record, p.path, p.evidence, n.file, p.line, format('{:016x}', p.fp) AS fingerprint,
           p.class, p.kind, p.thread, p.project, p.agent, p.source, p.era, p.fp, p.file_no, p.item
    FROM placed p JOIN kept.files n ON n.file_no = p.file_no
"""
ORDER = ("file_no", "item", "record", "code", "path")
"""The order of the corpus, then by code and path; ``TOLD`` has these columns."""
_COUNTS = "SELECT path, name, folded, {}count(*) AS n FROM {} WHERE {} GROUP BY ALL"


def begin(database: Database, files: Iterable[str]) -> None:
    """Complete a fresh index ``kept`` of a whole corpus."""
    database.run(f"CREATE TABLE kept.name_counts AS {_COUNTS.format('', 'kept.names', 'true')}")
    database.run("CREATE TABLE kept.files (file_no INTEGER, file VARCHAR)")
    database.connection.executemany("INSERT INTO kept.files VALUES (?, ?)", [*map(list, enumerate(files))])


def merge(database: Database, watched: Watched) -> None:
    """Put what was judged again, the index ``part``, into ``kept``; it stays there once the transaction that this begins is committed."""
    database.run(
        """
        CREATE TABLE again AS SELECT key FROM judged UNION SELECT key FROM part.items WHERE irregular AND key IS NOT NULL;
        CREATE TABLE anew AS SELECT key FROM changed UNION SELECT key FROM part.items WHERE key IS NOT NULL;
        CREATE TABLE counted AS
        """
        f"{_COUNTS.format('-', 'kept.names', 'key IS NULL OR key IN (FROM anew)')} UNION ALL {_COUNTS.format('', 'part.names', 'true')}"
    )
    database.run(
        """
        BEGIN;
        DELETE FROM kept.findings WHERE key IS NULL OR key IN (FROM again);
        INSERT INTO kept.findings SELECT * FROM part.findings WHERE key IS NULL OR key IN (FROM again);
        DELETE FROM kept.items WHERE key IS NULL OR irregular OR key IN (FROM anew);
        INSERT INTO kept.items FROM part.items;
        DELETE FROM kept.mentions WHERE key IN (FROM anew);
        INSERT INTO kept.mentions FROM part.mentions;
        DELETE FROM kept.edges WHERE key IN (FROM anew);
        INSERT INTO kept.edges FROM part.edges;
        DELETE FROM kept.prefixes WHERE key IN (FROM anew);
        INSERT INTO kept.prefixes FROM part.prefixes;
        DELETE FROM kept.names WHERE key IS NULL OR key IN (FROM anew);
        INSERT INTO kept.names FROM part.names;
        INSERT INTO kept.name_counts FROM counted;
        """
    )
    watched.keep(database)


def summarize(
    database: Database,
    registry: Registry,
    corpus: FileCorpus | StoreCorpus,
    id_form: str,
    entry_bytes: int,
    started: float,
) -> Summary:
    """The numbers of the whole corpus, from its index. Of a store only some entries were read, so many bytes."""
    rules, severities = counts(database, "kept.findings", registry)
    classes = dict.fromkeys(CLASSES, 0)
    classes.update(
        database.rows("SELECT class, count(*) FROM kept.items WHERE class IS NOT NULL AND NOT copy GROUP BY class")
    )
    lines, broken = database.rows("SELECT count(*), count(*) FILTER (broken) FROM kept.items")[0]
    safe, unsafe = changing(database, "kept.findings", "file_no, item, record")
    shards = corpus.shards if isinstance(corpus, FileCorpus) else ()
    read = sum(shard.size for shard in shards) if isinstance(corpus, FileCorpus) else entry_bytes
    return Summary(
        uri=corpus.uri, system="context-server", id_form=id_form, files=len(shards), bytes_read=read,
        lines=lines, records=lines - broken, broken_lines=broken, held=classes["held"], gaps=(), classes=classes, rules=rules, severities=severities,
        safe_records=safe, unsafe_records=unsafe, seconds=time.monotonic() - started,
    )  # fmt: skip
