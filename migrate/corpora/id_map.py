"""Which entry of an old store became which of a new one: by rank where the ranks prove themselves, else by content.

The server's own migration keeps no map. Into an SQLite file it writes the entries in the order of ``(created_at, id)``, so
that an entry's rank is its ``rowid_int``; elsewhere only thread, source, text and time of creation are left to tell.
"""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from migrate.corpora.export import appearing
from migrate.corpora.identity import Identity
from migrate.corpora.interface import CorpusError
from migrate.corpora.spool import Layout, Store
from migrate.engine.database import Database
from migrate.types import Limits, Progress

_STEP = 5_000
_MICROSECOND = datetime.timedelta(microseconds=1)
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_SHAPES = (".json", ".jsonl", ".ndjson", ".csv")

_SAME = "o.context = n.context AND o.text = n.text"


@runtime_checkable
class Identified(Protocol):
    """A database, whose entries can be told one by one."""

    uri: str
    layout: Layout

    def identities(self) -> Iterator[Identity]:
        """Every entry of one state: of the layout 2.x in the order of a migration, of 3.x in any."""


@dataclass(frozen=True, slots=True)
class Matched:
    """What a map holds, and the old ids (as text) that it does not."""

    by: Literal["rank", "content"]
    mapped: int
    entries: int
    edited: tuple[str, ...]
    tied: tuple[str, ...]
    missing: tuple[str, ...]
    added: int


def matched(old: Store, new: Store, out: Path, limits: Limits, progress: Progress | None = None) -> Matched:
    """Write the map of two stores to a new file, in the shape its suffix names. Raises CorpusError, with nothing written."""
    if out.suffix.lower() not in _SHAPES:
        raise CorpusError(f"{out}: name the map {', '.join(_SHAPES[:-1])} or {_SHAPES[-1]}")
    for store, layout, what in ((old, "2.x", "old"), (new, "3.x", "new")):
        if not isinstance(store, Identified):
            raise CorpusError(f"{store.uri}: a map is made from two databases, and this is none")
        if store.layout != layout:
            raise CorpusError(
                f"{store.uri}: the {what} store has the layout {store.layout}, and a map goes from 2.x to 3.x"
            )
    with Database(limits) as database:
        for name, store in (("old", old), ("new", new)):
            assert isinstance(store, Identified)
            _load(database, name, store, progress)
        by = _match(database)
        result = _result(database, by)
        if not result.mapped and result.entries:
            raise CorpusError(
                f"{new.uri}: none of the {result.entries} entries of {old.uri} is in it, so it is not what that became"
            )
        _write(database, out)
    return result


def _load(database: Database, name: str, store: Identified, progress: Progress | None) -> None:
    path = database.folder / f"{name}.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(_told(store.identities(), name, progress))
    database.run(
        f"CREATE TABLE {name} AS SELECT * FROM read_csv(?, header = false, auto_detect = false, delim = ',', columns ="
        " {'id': 'VARCHAR', 'place': 'BIGINT', 'context': 'VARCHAR', 'text': 'VARCHAR'})",
        [str(path)],
    )
    path.unlink()


def _told(identities: Iterable[Identity], name: str, progress: Progress | None) -> Iterator[str]:
    for number, entry in enumerate(identities):
        if progress is not None and number % _STEP == 0:
            progress(f"reading the {name} store", number, None)
        context = _digest(entry.thread, entry.source, _moment(entry.created))
        yield f"{entry.id},{'' if entry.place is None else entry.place},{context},{_digest(entry.text)}\n"


def _digest(*values: Any) -> str:
    told = hashlib.blake2b(digest_size=16)
    for value in values:
        raw = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
        told.update(b"%d:%b" % (len(raw), raw))
    return told.hexdigest()


def _moment(value: Any) -> Any:
    """Microseconds since 1970 where a time can be read, so that both backends tell it alike."""
    if isinstance(value, str):
        try:
            value = datetime.datetime.fromisoformat(value)
        except ValueError:
            return value
    if isinstance(value, datetime.datetime):
        aware = value if value.tzinfo else value.replace(tzinfo=datetime.UTC)
        return (aware - _EPOCH) // _MICROSECOND
    return value


def _match(database: Database) -> Literal["rank", "content"]:
    """Fill ``pairs`` (old, new). Ranks count only where every pair they make is of one thread, source and time."""
    both, alike = database.rows(
        "SELECT count(*), count(*) FILTER (o.context = n.context) FROM old o JOIN new n USING (place)"
    )[0]
    if both and both == alike:
        database.run(
            "CREATE TABLE ranked AS SELECT o.id AS old, n.id AS new, o.text = n.text AS same FROM old o JOIN new n USING (place)"
        )
        database.run("CREATE TABLE pairs AS SELECT old, new FROM ranked WHERE same")
        return "rank"
    database.run("CREATE TABLE ranked (old VARCHAR, new VARCHAR, same BOOLEAN)")
    once = "GROUP BY context, text HAVING count(*) = 1"
    database.run(
        f"""
        CREATE TABLE pairs AS SELECT o.id AS old, n.id AS new
        FROM (SELECT any_value(id) AS id, context, text FROM old {once}) o JOIN (SELECT any_value(id) AS id, context, text FROM new {once}) n
        ON {_SAME}
        """
    )
    return "content"


def _result(database: Database, by: Literal["rank", "content"]) -> Matched:
    database.run("CREATE TABLE alone AS SELECT * FROM old WHERE id NOT IN (SELECT old FROM pairs)")
    edited = "id IN (SELECT old FROM ranked WHERE NOT same)"
    tied = f"EXISTS (SELECT 1 FROM new n WHERE {_SAME})"

    def ids(condition: str) -> tuple[str, ...]:
        query = f"SELECT id FROM alone o WHERE {condition} ORDER BY id::BIGINT"
        return tuple(row[0] for row in database.rows(query))

    return Matched(
        by,
        int(database.value("SELECT count(*) FROM pairs")),
        int(database.value("SELECT count(*) FROM old")),
        ids(edited),
        ids(f"NOT {edited} AND {tied}") if by == "content" else (),
        ids(f"NOT {edited} AND NOT {tied}") if by == "content" else ids(f"NOT {edited}"),
        int(
            database.value(
                "SELECT count(*) FROM new WHERE id NOT IN (SELECT new FROM pairs UNION ALL SELECT new FROM ranked)"
            )
        ),
    )


def _write(database: Database, out: Path) -> None:
    cursor = database.stream("SELECT old, new FROM pairs ORDER BY old::BIGINT")
    shape = out.suffix.lower()
    with appearing(out) as raw:
        if shape == ".csv":
            raw.write(b"old,new\n")
        elif shape == ".json":
            raw.write(b"{")
        first = True
        while rows := cursor.fetchmany(_STEP):
            for old, new in rows:
                if shape == ".csv":
                    raw.write(f"{old},{new}\n".encode())
                elif shape == ".json":
                    raw.write(f'{"" if first else ","}\n"{old}": "{new}"'.encode())
                else:
                    raw.write(f'{{"old":{old},"new":"{new}"}}\n'.encode())
                first = False
        if shape == ".json":
            raw.write(b"\n}\n")
