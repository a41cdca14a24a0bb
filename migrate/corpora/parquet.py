"""Turns a Parquet file into JSON lines: a row a record, a column a member.

Text stays text, also where it holds JSON, and keeps every character; a column that Parquet itself calls JSON goes in
as it is spelled. Inside a struct null means that the member is absent: the column has a place for every member that
any of its rows has.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from migrate.corpora.compression import Reader
from migrate.corpora.interface import Compression, Prepared

if TYPE_CHECKING:
    from duckdb.sqltypes import DuckDBPyType

_ROWS = 256
_SPELLED_ALIKE = {
    "tinyint", "smallint", "integer", "bigint", "hugeint", "bignum", "decimal", "boolean",
    "utinyint", "usmallint", "uinteger", "ubigint", "uhugeint",
}  # fmt: skip
"""Types whose SQL text is their JSON text."""


class UnreadableParquetError(Exception):
    """Why the file cannot be read as Parquet."""


def write_lines(path: Path, compression: Compression | None, temp_dir: Path) -> Iterator[bytes]:
    """The lines of the file, each with its line feed, in the order of its rows.

    Raises:
        UnreadableParquetError: perhaps late, when the file turns out to be damaged.
    """
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": "1GB",
        "temp_directory": str(temp_dir),
        "autoinstall_known_extensions": False,
        "threads": 1,
    }
    with _unpacked(path, compression, temp_dir) as plain, duckdb.connect(config=config) as connection:
        connection.execute("SET enable_progress_bar = false")
        pattern = Prepared(plain, None).pattern
        source = "read_parquet(?, hive_partitioning = false)"
        try:
            columns = connection.execute(f"SELECT * FROM {source} LIMIT 0", [pattern]).description or []
            members = (f"{_key(name)} || coalesce({_json(kind, _name(name))}, 'null')" for name, kind, *_ in columns)
            rows = connection.execute(
                f"SELECT '{{' || concat_ws(',', {', '.join(members)}) || '}}' FROM {source}", [pattern]
            )
            while batch := rows.fetchmany(_ROWS):
                yield "".join(f"{line}\n" for (line,) in batch).encode()
        except duckdb.Error as error:
            reason = str(error).partition("\n")[0].replace(str(plain), path.name)
            raise UnreadableParquetError(f"it cannot be read as Parquet ({reason})") from error


@contextmanager
def _unpacked(path: Path, compression: Compression | None, temp_dir: Path) -> Iterator[Path]:
    """The file without its compression, in ``temp_dir`` for a while where it has one."""
    if compression is None:
        yield path
        return
    reader = Reader(path, compression)
    with tempfile.NamedTemporaryFile(suffix=".parquet", dir=temp_dir) as file:
        file.writelines(reader)
        file.flush()
        if reader.damage is not None:
            raise UnreadableParquetError(reader.damage)
        yield Path(file.name)


def _text(value: str) -> str:
    """A text as SQL."""
    return "'" + value.replace("'", "''") + "'"


def _name(value: str) -> str:
    """A column as SQL."""
    return '"' + value.replace('"', '""') + '"'


def _key(value: str) -> str:
    """A member's name and colon, as an SQL text."""
    return _text(json.dumps(value, ensure_ascii=False) + ":")


def _json(kind: DuckDBPyType, value: str, depth: int = 0) -> str:
    """The SQL of a value's JSON text, which is NULL where the value is."""
    item = f"item{depth}"
    match kind.id:
        case "float" | "double":
            return f"CASE WHEN isfinite({value}) THEN CAST({value} AS VARCHAR) END"
        case "varchar" if str(kind) == "JSON":
            return f"replace(CAST({value} AS VARCHAR), chr(10), ' ')"
        case "timestamp with time zone":
            return f"""'"' || replace(CAST(make_timestamp(epoch_us({value})) AS VARCHAR), ' ', 'T') || 'Z"'"""
        case "blob":
            return f"CAST(to_json(coalesce(TRY(decode({value})), base64({value}))) AS VARCHAR)"
        case "struct":
            fields = (
                f"{_key(name)} || {_json(child, f'struct_extract({value}, {_text(name)})', depth)}"
                for name, child in _children(kind)
            )
            return f"CASE WHEN {value} IS NOT NULL THEN '{{' || concat_ws(',', {', '.join(fields)}) || '}}' END"
        case "list" | "array":
            element = f"coalesce({_json(_children(kind)[0][1], item, depth + 1)}, 'null')"
            return _joined(value, "[]", f"list_transform({value}, lambda {item}: {element})")
        case "map":
            of_value = _children(kind)[1][1]
            key = f"CAST(to_json(CAST({item}.key AS VARCHAR)) AS VARCHAR)"
            member = f"{key} || ':' || coalesce({_json(of_value, f'{item}.value', depth + 1)}, 'null')"
            return _joined(value, "{}", f"list_transform(map_entries({value}), lambda {item}: {member})")
        case number if number in _SPELLED_ALIKE:
            return f"CAST({value} AS VARCHAR)"
        case _:
            return f"CAST(to_json(CAST({value} AS VARCHAR)) AS VARCHAR)"


def _children(kind: DuckDBPyType) -> list[tuple[str, DuckDBPyType]]:
    """The types within a type; an array's also names its length, which is no type."""
    return [(name, child) for name, child in kind.children if not isinstance(child, int | list)]


def _joined(value: str, ends: str, parts: str) -> str:
    inner = f"coalesce(array_to_string({parts}, ','), '')"
    return f"CASE WHEN {value} IS NOT NULL THEN '{ends[0]}' || {inner} || '{ends[1]}' END"
