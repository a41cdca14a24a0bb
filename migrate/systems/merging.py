"""The findings of the last sweep and those of a part judged again, as one table; and the numbers of both together."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from migrate.corpora.files import FileCorpus
from migrate.engine.database import Database
from migrate.systems.closure import pattern
from migrate.types import Finding, Level, Limits, RuleCount, Severity, Summary

_FINDING = (
    "code", "slug", "level", "severity", "record", "path", "evidence", "file", "line", "fingerprint", "class", "kind", "thread", "project",
    "agent", "source", "era",
)  # fmt: skip
_COLUMNS = ", ".join(f'"{name}"' for name in _FINDING)
_BATCH = 10_000


@dataclass(frozen=True, slots=True)
class Merged:
    """Findings in a table of our own making."""

    table: Path
    limits: Limits

    def __iter__(self) -> Iterator[Finding]:
        with Database(self.limits) as database:
            cursor = database.stream(
                f"SELECT {_COLUMNS} FROM read_parquet('{pattern(self.table)}') ORDER BY file_no, item, code, path"
            )
            while batch := cursor.fetchmany(_BATCH):
                for code, slug, level, severity, record, path, evidence, *rest in batch:
                    yield Finding(
                        code, slug, Level(level), Severity(severity), record, path, json.loads(evidence), *rest
                    )

    def write_parquet(self, path: Path) -> None:
        """Write all of them to a new table."""
        with Database(self.limits) as database:
            database.run(
                f"COPY (SELECT {_COLUMNS} FROM read_parquet('{pattern(self.table)}') ORDER BY file_no, item, code, path)"
                f" TO '{_quoted(path)}' (FORMAT parquet, COMPRESSION zstd)"
            )


def merge(database: Database, kept: Path, part: Path, now: Path, files: Sequence[str]) -> None:
    """Write the state of the whole corpus to ``now``: what was judged again from ``part``, all else from ``kept``."""
    database.run(
        """
        CREATE TABLE again AS SELECT key FROM judged UNION SELECT key FROM new_items WHERE irregular AND key IS NOT NULL;
        CREATE TABLE placed AS
        SELECT hash(id_key) AS key, any_value(file_no) AS file_no, any_value(item) AS item, any_value(line) AS line FROM seen WHERE id_key IS NOT NULL GROUP BY ALL HAVING count(*) = 1
        """
    )
    _save(
        database,
        now / "items.parquet",
        """
        SELECT o.* REPLACE (p.file_no AS file_no, p.item AS item)
        FROM old_items o JOIN placed p USING (key) WHERE NOT o.irregular AND o.key NOT IN (SELECT key FROM new_items WHERE key IS NOT NULL)
        UNION ALL BY NAME SELECT * FROM new_items
        """,
    )
    for name in ("mentions", "edges", "prefixes", "names"):
        _save(
            database,
            now / f"{name}.parquet",
            f"""
            SELECT o.* FROM old_{name} o
            WHERE o.key IN (SELECT key FROM placed) AND o.key NOT IN (SELECT key FROM new_items WHERE key IS NOT NULL)
            UNION ALL BY NAME SELECT * FROM new_{name}
            """,
        )
    database.run("CREATE TABLE names (file_no INTEGER, file VARCHAR)")
    database.connection.executemany(
        "INSERT INTO names VALUES (?, ?)", [[number, name] for number, name in enumerate(files)]
    )
    _save(
        database,
        now / "told.parquet",
        f"""
        SELECT t.* REPLACE (p.file_no AS file_no, p.item AS item, n.file AS file, p.line AS line)
        FROM read_parquet('{pattern(kept / "told.parquet")}') t JOIN placed p USING (key) JOIN names n ON n.file_no = p.file_no
        WHERE t.key NOT IN (SELECT key FROM again)
        UNION ALL BY NAME
        SELECT * FROM read_parquet('{pattern(part / "told.parquet")}') WHERE key IS NULL OR key IN (SELECT key FROM again)
        """,
    )


def summarize(
    database: Database, now: Path, corpus: FileCorpus, id_form: str, slugs: Mapping[str, str], started: float
) -> Summary:
    """The numbers of the whole corpus, from its state."""
    told, items = (f"read_parquet('{pattern(now / name)}.parquet')" for name in ("told", "items"))
    rules = tuple(
        RuleCount(
            code,
            slugs.get(code, ""),
            (Severity.ERROR, Severity.WARNING, Severity.INFO)[worst - 1],
            n,
            safe,
            unsafe,
            manual,
            info,
        )
        for code, n, safe, unsafe, manual, info, worst in database.rows(
            f"""
            SELECT code, count(*), count(*) FILTER (level = 'safe'), count(*) FILTER (level = 'unsafe'), count(*) FILTER (level = 'manual'),
                   count(*) FILTER (level = 'info'), min(array_position(['error', 'warning', 'info'], severity))
            FROM {told} GROUP BY code ORDER BY code
            """
        )
    )
    severities = dict.fromkeys((str(severity) for severity in Severity), 0)
    severities.update(database.rows(f"SELECT severity, count(*) FROM {told} GROUP BY severity"))
    classes = dict.fromkeys(("user_message", "v1", "legacy", "newer", "held"), 0)
    classes.update(
        database.rows(f"SELECT class, count(*) FROM {items} WHERE class IS NOT NULL AND NOT copy GROUP BY class")
    )
    lines, broken = database.rows(f"SELECT count(*), count(*) FILTER (broken) FROM {items}")[0]
    safe, unsafe = database.rows(
        f"""
        SELECT count(*) FILTER (safe), count(*) FILTER (unsafe AND NOT safe) FROM (
            SELECT bool_or(level = 'safe') AS safe, bool_or(level = 'unsafe') AS unsafe FROM {told} GROUP BY file_no, item)
        """
    )[0]
    return Summary(
        uri=corpus.uri, system="context-server", id_form=id_form, files=len(corpus.shards), bytes_read=sum(shard.size for shard in corpus.shards),
        lines=lines, records=lines - broken, broken_lines=broken, held=classes["held"], gaps=(), classes=classes, rules=rules, severities=severities,
        safe_records=safe, unsafe_records=unsafe, seconds=time.monotonic() - started,
    )  # fmt: skip


def _save(database: Database, path: Path, query: str) -> None:
    database.run(f"COPY ({query}) TO '{_quoted(path)}' (FORMAT parquet)")


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
