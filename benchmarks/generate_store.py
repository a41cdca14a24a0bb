"""Fills a context server's database with the entries of an exported corpus, such as ``generate.py`` makes.

    python benchmarks/generate.py corpus.jsonl --records 1000000
    python benchmarks/generate_store.py corpus.jsonl sqlite:///corpus.db
    python benchmarks/generate_store.py corpus.jsonl postgresql://user@host/database

The tables are those of a 2.x server, made anew; entries that no server would have stored (broken lines, ids that stand twice) are left
out. The same corpus gives the same store.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg

from migrate.engine.json_text import members

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "stores"))

from databases import NAMES, POSTGRES, SQLITE, Row, storable

_BATCH = 5_000


def rows(corpus: Path) -> Iterator[Row]:
    """The entries that a 2.x server could hold."""
    seen: set[int] = set()
    with corpus.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                found = json.loads(line)
                text = {member.key: line[member.start : member.end] for member in members(line, 0)}
                own = found["id"]
            except (ValueError, TypeError, KeyError):
                continue
            metadata = text.get("metadata", "null")
            if type(own) is not int or own < 1 or own in seen or not isinstance(found.get("text_content"), str):
                continue
            seen.add(own)
            row = Row(
                own, None if metadata == "null" else metadata,
                [tag for tag in found.get("tags") or () if isinstance(tag, str)], found["text_content"],
                str(found.get("thread_id")), "user" if found.get("source") == "user" else "agent",
                str(found.get("created_at") or "2026-01-01 00:00:00").replace("T", " ")[:19],
            )  # fmt: skip
            if storable(row):
                yield row


def fill_sqlite(path: Path, corpus: Path) -> int:
    """A new file, in the journal mode of the server."""
    number = 0
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.executescript(SQLITE["2.x"])
        connection.execute("BEGIN")
        for row in rows(corpus):
            try:
                connection.execute(f"INSERT INTO context_entries ({NAMES}) VALUES ({', '.join('?' * 10)})", row.values)
            except sqlite3.OperationalError:
                continue  # malformed JSON, which the server's indexes do not let in
            connection.executemany(
                "INSERT INTO tags (context_entry_id, tag) VALUES (?, ?)", [(row.id, tag) for tag in row.tags]
            )
            number += 1
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return number


def fill_postgres(uri: str, corpus: Path) -> int:
    """New tables in a database that has none of that name."""
    number = 0
    with psycopg.connect(uri) as connection, connection.cursor() as cursor:
        cursor.execute(POSTGRES["2.x"])
        batch: list[Row] = []

        def put() -> None:
            with cursor.copy(f"COPY context_entries ({NAMES}) FROM STDIN") as copy:
                for row in batch:
                    copy.write_row([*row.values[:-2], f"{row.created}+00", f"{row.created}+00"])
            with cursor.copy("COPY tags (context_entry_id, tag) FROM STDIN") as copy:
                for row in batch:
                    for tag in row.tags:
                        copy.write_row([row.id, tag])
            batch.clear()

        for row in rows(corpus):
            batch.append(row)
            number += 1
            if len(batch) == _BATCH:
                put()
        put()
        cursor.execute("SELECT setval('context_entries_id_seq', (SELECT max(id) FROM context_entries))")
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute("ANALYZE")
    return number


def main() -> None:
    """Fill the store that is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("store")
    chosen: Any = parser.parse_args()
    if chosen.store.startswith("sqlite:///"):
        number = fill_sqlite(Path(chosen.store.removeprefix("sqlite:///")), chosen.corpus)
    else:
        number = fill_postgres(chosen.store, chosen.corpus)
    print(f"{number:,} entries")


if __name__ == "__main__":
    main()
