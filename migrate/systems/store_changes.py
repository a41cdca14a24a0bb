"""What changed in a database: it is asked for that, and only those entries are read."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from migrate.corpora.interface import CorpusError
from migrate.corpora.spool import StoreSource
from migrate.corpora.sqlite_store import SqliteStore
from migrate.engine.database import Database
from migrate.engine.processes import Aside, available
from migrate.naming import without_secrets
from migrate.systems.changes import prepare, scan
from migrate.systems.index import item_of
from migrate.types import Limits

if TYPE_CHECKING:
    from migrate.corpora.postgres_store import PostgresStore

_BEFORE = "before.duckdb"
_MORE_TAGS = """
    SELECT coalesce((SELECT sum(tags) FROM new_weights), 0)
         - coalesce((SELECT sum(tags) FROM kept.weights WHERE key IN (SELECT key FROM new_weights UNION SELECT key FROM gone)), 0)
"""
"""How many tags more than before the entries have that were looked at."""


class Asked(Protocol):
    """How a kind of store is asked: :mod:`~migrate.corpora.sqlite_changes` or :mod:`~migrate.corpora.postgres_changes`."""

    Failure: type[Exception]
    """What ``sums`` raises."""

    def place(self, store: Any) -> str:
        """What another process connects with."""

    def sums(self, place: str, columns: tuple[str, ...]) -> Generator[tuple[int, int]]:
        """Yields number and newest id of all tags, then number and weight of all entries."""

    def count(self, store: Any) -> int:
        """The number of entries."""

    def newest_change(self, store: Any) -> str:
        """The last time of change, or now where that lies ahead."""

    def changed_since(self, store: Any, newest: str, newest_tag: int) -> tuple[set[Any], str]:
        """The ids of entries that may have been changed since, and the newest change now."""

    def ids(self, store: Any) -> Iterator[list[tuple[Any]]]:
        """The ids of all entries, in batches."""

    def weights(self, store: Any, some: Sequence[Any] | None = None) -> Iterator[Sequence[tuple[Any, ...]]]:
        """The weight of each entry without its tags, of all or of some, in batches."""

    def tag_weights(self, store: Any, some: Sequence[Any] | None = None) -> Iterator[Sequence[tuple[Any, ...]]]:
        """Entry, weight and number, of each tag or of all tags of an entry, of all entries or of some, in batches."""


class Entries:
    """The entries of a database: the index has the weight of every entry and of its tags, and what the last look saw as the newest.

    What was changed since then is read. Sums of weights, taken meanwhile, confirm that nothing else was.
    """

    def __init__(self, store: SqliteStore | PostgresStore, asked: Asked, limits: Limits) -> None:
        self.store = store
        self._asked = asked
        self._limits = limits
        self._kind = "i" if store.layout == "2.x" else "h"
        self._newest: tuple[str, int, int] = ("", 0, 0)
        """Time of the newest change, id of the newest tag, number of all tags."""
        self._strays = 0
        self._sums: Aside | Generator[tuple[int, int]] | None = None

    @property
    def names(self) -> list[str]:
        """The store."""
        return [self.store.uri]

    def begin(self, folder: Path) -> None:
        """Weigh the entries before they are read: what changes meanwhile will differ from its weight the next time."""
        number, tag = self._next_sums()
        self._newest = self._asked.newest_change(self.store), tag, number
        with Database(self._limits) as database:
            database.attach(folder / _BEFORE, "before")
            database.run(f"CREATE TABLE before.weights AS {self._weighed(database)}")
            # Tags of entries that are not there weigh too.
            self._strays = self._next_sums()[1] - int(
                database.value("SELECT coalesce(sum(weight), 0) FROM before.weights")
            )
            database.run("CHECKPOINT before; DETACH before")
        self.close()

    def note(self, database: Database, folder: Path) -> bool:
        """The weights; not where entries are not told by their ids alone."""
        database.attach(folder / _BEFORE, "before", read_only=True)
        database.run("CREATE TABLE kept.weights AS FROM before.weights; DETACH before")
        database.run("CREATE TABLE kept.newest (time VARCHAR, tag BIGINT, tags BIGINT)")
        database.run("INSERT INTO kept.newest VALUES (?, ?, ?)", self._newest)
        database.run(f"CREATE TABLE kept.strays AS SELECT {self._strays}::HUGEINT AS weight")
        strange = "SELECT count(*) FROM kept.items WHERE irregular OR item IS NULL OR key NOT IN (SELECT key FROM kept.weights)"
        return not database.value(strange)

    def look(self, database: Database) -> bool:
        """The entries that were changed since the last look, or have other tags, and those that are gone."""
        self._begin_sums()
        ((time, tag, known),) = database.rows("SELECT time, tag, tags FROM kept.newest")
        changed, time = self._asked.changed_since(self.store, time, tag)
        prepare(database)
        number, tag = self._next_sums()
        self._newest = time, tag, number
        database.run(f"CREATE TABLE new_weights AS {self._weighed(database, list(changed))}")
        changed |= self._come_and_gone(database)
        if number != known + int(database.value(_MORE_TAGS)):
            changed |= self._tagged(database)
        database.run("CREATE TABLE looked AS SELECT key FROM new_weights UNION SELECT key FROM gone")
        source = StoreSource(self.store, database.folder, self.store.lines_of(list(changed)))
        if source.prepared.gaps or not scan(database, 0, source):
            return False
        database.run(f"UPDATE seen SET line = NULL, item = {item_of('id_key')}")
        # Not where an entry came or went meanwhile, or is not told by its id alone.
        return not database.value(
            """
            SELECT (SELECT count(*) FROM seen WHERE item IS NULL OR key NOT IN (SELECT key FROM new_weights))
                 + (SELECT count(*) FROM new_weights WHERE key NOT IN (SELECT key FROM seen WHERE key IS NOT NULL))
            """
        )

    def _come_and_gone(self, database: Database) -> set[Any]:
        """Fill ``gone``, and add entries that came without the time of a change: their ids."""
        database.run("CREATE TABLE gone (key UBIGINT)")
        known = database.value(
            "SELECT (SELECT count(*) FROM kept.weights) + (SELECT count(*) FROM new_weights WHERE key NOT IN (SELECT key FROM kept.weights))"
        )
        if known == self._asked.count(self.store):
            return set()
        database.run("CREATE TABLE ids (id VARCHAR)")
        for batch in self._asked.ids(self.store):
            database.run("INSERT INTO ids SELECT unnest(?::VARCHAR[])", [[str(own) for (own,) in batch]])
        database.run(
            f"INSERT INTO gone SELECT key FROM kept.weights WHERE key NOT IN (SELECT hash('{self._kind}' || id) FROM ids)"
        )
        return self._more(
            database,
            f"SELECT id FROM ids WHERE hash('{self._kind}' || id) NOT IN (SELECT key FROM kept.weights UNION SELECT key FROM new_weights)",
        )

    def _tagged(self, database: Database) -> set[Any]:
        """Add entries whose tags are others although no time tells of it: their ids."""
        self._weigh_tags(database)
        return self._more(
            database,
            f"""
            SELECT n.id FROM tag_weights n JOIN kept.weights k ON k.key = hash('{self._kind}' || n.id)
            WHERE n.tags <> k.tags AND k.key NOT IN (SELECT key FROM new_weights)
            UNION ALL
            SELECT i.id_key[2:] FROM kept.weights k JOIN kept.items i USING (key)
            WHERE k.tags <> 0 AND key NOT IN (SELECT hash('{self._kind}' || id) FROM tag_weights)
                  AND key NOT IN (SELECT key FROM new_weights UNION SELECT key FROM gone)
            """,
        )

    def _more(self, database: Database, query: str) -> set[Any]:
        ids = {self._id(own) for own in database.column(query)}
        database.run(f"INSERT INTO new_weights {self._weighed(database, list(ids))}")
        return ids

    def confirm(self, database: Database) -> bool:
        """By the sums over all entries: whoever left the time of a change alone must have left everything alone."""
        known = database.rows(
            "SELECT count(*), coalesce(sum(weight), 0) + (SELECT weight FROM kept.strays) FROM kept.weights"
        )
        return [self._next_sums()] == [(count, int(weight)) for count, weight in known]

    def close(self) -> None:
        """End the process that takes the sums."""
        if isinstance(self._sums, Aside):
            self._sums.stop()
        self._sums = None

    def _begin_sums(self) -> None:
        given = self._asked.place(self.store), self.store.columns
        several = available(self._limits.threads) > 1
        self._sums = Aside(self._asked.sums, *given) if several else self._asked.sums(*given)

    def _next_sums(self) -> tuple[int, int]:
        """What the process that takes the sums says next."""
        if self._sums is None:
            self._begin_sums()
        try:
            if isinstance(self._sums, Aside):
                found: tuple[int, int] = self._sums.receive()
                self._sums.send(None)
                return found
            assert self._sums is not None
            return next(self._sums)
        except (self._asked.Failure, ChildProcessError) as error:
            said = without_secrets((str(error).strip() or type(error).__name__).splitlines()[0])
            raise CorpusError(f"{self.store.uri}: the database cannot be read: {said}") from error

    def keep(self, database: Database) -> None:
        """The weights of what was looked at."""
        database.run(
            """
            DELETE FROM kept.weights WHERE key IN (FROM looked);
            INSERT INTO kept.weights FROM new_weights;
            DELETE FROM kept.newest;
            """
        )
        database.run("INSERT INTO kept.newest VALUES (?, ?, ?)", self._newest)

    def items(self, rows: Iterable[tuple[int, int, str | None]]) -> tuple[tuple[Any, ...], ...]:
        """The ids of the entries."""
        return (tuple(self._id(key[1:]) for _, _, key in rows if key is not None),)

    def _id(self, text: str) -> int | str:
        return int(text) if self._kind == "i" else text

    def _weighed(self, database: Database, ids: Sequence[Any] | None = None) -> str:
        """Weigh all entries or some; a query for what came out."""
        _fill(database, "entry_weights (id VARCHAR, weight BIGINT)", self._asked.weights(self.store, ids))
        self._weigh_tags(database, ids)
        return (
            f"SELECT hash('{self._kind}' || e.id) AS key, e.weight::HUGEINT + coalesce(t.weight, 0) AS weight, coalesce(t.tags, 0) AS tags"
            " FROM entry_weights e LEFT JOIN tag_weights t ON t.id = e.id"
        )

    def _weigh_tags(self, database: Database, ids: Sequence[Any] | None = None) -> None:
        """Fill ``tag_weights`` with one row an entry that has tags."""
        _fill(database, "one_tag (id VARCHAR, weight BIGINT, tags BIGINT)", self._asked.tag_weights(self.store, ids))
        database.run(
            "CREATE OR REPLACE TABLE tag_weights AS SELECT id, sum(weight) AS weight, sum(tags)::BIGINT AS tags FROM one_tag GROUP BY id"
        )


def _fill(database: Database, table: str, batches: Iterable[Sequence[tuple[Any, ...]]]) -> None:
    """A new table of what is told of entries: their ids, then numbers."""
    database.run(f"CREATE OR REPLACE TABLE {table}")
    for batch in batches:
        own, *numbers = zip(*batch, strict=True)
        places = ", ".join(["unnest(?::VARCHAR[])", *["unnest(?::BIGINT[])"] * len(numbers)])
        columns = [[str(one) for one in own], *map(list, numbers)]
        database.run(f"INSERT INTO {table.partition(' ')[0]} SELECT {places}", columns)
