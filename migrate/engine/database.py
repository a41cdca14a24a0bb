"""The DuckDB database of one run: in memory, under a limit, spilling to a folder of its own."""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from types import TracebackType
from typing import Any

import duckdb

from migrate.engine.errors import EngineError
from migrate.engine.model import CONTEXT_SERVER, TableModel
from migrate.types import Limits

_PATIENCE = 30.0
"""Seconds to wait for a database file that another process has open."""


class Database:
    """One run's database and its temp folder; both go when the run is over.

    Raises EngineError where a limit is refused or DuckDB gives up, with its reason.
    """

    def __init__(self, limits: Limits, model: TableModel = CONTEXT_SERVER) -> None:
        self.model = model
        try:
            if limits.temp_dir is not None:
                limits.temp_dir.mkdir(parents=True, exist_ok=True)
            self.folder = Path(tempfile.mkdtemp(prefix="corpus-migrate-", dir=limits.temp_dir))
        except OSError as error:
            raise EngineError(f"the temp folder {limits.temp_dir} cannot be used: {error.strerror}") from error
        self.connection = duckdb.connect(":memory:")
        try:
            self._limit(limits)
        except duckdb.Error as error:
            self.close()
            raise EngineError(f"the engine refuses these limits: {first_line(error)}") from error

    def _limit(self, limits: Limits) -> None:
        self.connection.execute("SET enable_progress_bar = false")
        self.connection.execute("SET memory_limit = ?", [limits.memory])
        self.connection.execute("SET temp_directory = ?", [str(self.folder / "spill")])
        self.connection.execute("SET enable_external_file_cache = false")
        # Of an attached database: its log is worked in once in many runs, not at the end of each.
        self.connection.execute("SET checkpoint_threshold = '64MB'")
        self.connection.execute("PRAGMA disable_checkpoint_on_shutdown")
        self._optimize()
        if limits.threads is not None:
            self.connection.execute("SET threads = ?", [limits.threads])

    def _optimize(self, *without: str) -> None:
        # A list of words turned into a join would cost more than comparing, and the scan its order. What two branches of a
        # CASE share would be computed for all rows, also for those that reach neither.
        names = ",".join(("in_clause", "common_subexpressions", *without))
        self.connection.execute(f"SET disabled_optimizers = '{names}'")

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database and remove everything it spilled."""
        self.connection.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def attach(self, path: Path, name: str, *, read_only: bool = False) -> None:
        """Open a database file beside this one, or make it; waits while another process has it. Raises duckdb.Error."""
        mode = " (READ_ONLY)" if read_only else ""
        statement = f"ATTACH '{str(path).replace(chr(39), chr(39) * 2)}' AS {name}{mode}"
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                self.connection.execute(statement)
                return
            except duckdb.IOException as error:
                if "lock" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def run(self, sql: str, parameters: Sequence[Any] = ()) -> None:
        """Run statements whose result nobody reads."""
        self._execute(sql, parameters)

    def scan(self, sql: str) -> None:
        """Run a statement that filters by what it computes, without computing that twice."""
        self._optimize("filter_pushdown")
        try:
            self._execute(sql, ())
        finally:
            self._optimize()

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Every row of a query that has few."""
        return self._execute(sql, parameters).fetchall()

    def value(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        """The one value of a query with one row."""
        row = self._execute(sql, parameters).fetchone()
        return None if row is None else row[0]

    def columns(self, sql: str, parameters: Sequence[Any] = ()) -> dict[str, Any]:
        """Every row of a query, a NumPy array a column."""
        return dict(self._execute(sql, parameters).fetchnumpy())

    def column(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """The values of a query with one column."""
        return [row[0] for row in self.rows(sql, parameters)]

    def stream(self, sql: str, parameters: Sequence[Any] = ()) -> duckdb.DuckDBPyConnection:
        """A cursor of its own over a query with many rows: fetch from it in batches."""
        try:
            return self.connection.cursor().execute(sql, parameters)
        except duckdb.Error as error:
            raise EngineError(f"the engine gave up: {first_line(error)}") from error

    def lock(self) -> None:
        """From now on, SQL reads and writes nothing outside the run's own folder: a custom rule is a query and no more."""
        self.run(f"SET allowed_directories = ['{str(self.folder).replace(chr(39), chr(39) * 2)}']")
        self.run("SET enable_external_access = false")

    def set(self, name: str, value: Any) -> None:
        """Set a variable that the table model's SQL reads."""
        self._execute(f"SET VARIABLE {name} = ?", [value])

    def set_map(self, name: str, pairs: Mapping[str, str]) -> None:
        """Set a variable that holds a map of strings."""
        keys, values = (list(pairs), list(pairs.values())) if pairs else ([""], [""])
        self._execute(f"SET VARIABLE {name} = map(?::VARCHAR[], ?::VARCHAR[])", [keys, values])

    def script(self, name: str, **fragments: str) -> None:
        """Run a script file of the table model, with ``$NAME`` fragments put in."""
        self._execute(script_text(self.model.package, name, fragments), ())

    def _execute(self, sql: str, parameters: Sequence[Any]) -> duckdb.DuckDBPyConnection:
        try:
            return self.connection.execute(sql, parameters) if parameters else self.connection.execute(sql)
        except duckdb.IOException as error:
            raise EngineError(f"the engine could not read or write a file: {first_line(error)}") from error
        except (duckdb.OutOfMemoryException, duckdb.TransactionException, duckdb.FatalException) as error:
            raise EngineError(
                f"the memory limit is too small for this corpus, raise --memory-limit: {first_line(error)}"
            ) from error


def script_text(package: str, name: str, fragments: Mapping[str, str]) -> str:
    """The text of a script file, with its ``$NAME`` fragments put in."""
    text = resources.files(package).joinpath(name).read_text(encoding="utf-8")
    return re.sub(r"\$([A-Z]+)", lambda found: fragments[found[1]], text)


def first_line(error: BaseException) -> str:
    """What an error of DuckDB says first."""
    return str(error).strip().splitlines()[0]
