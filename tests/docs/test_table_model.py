"""The table model that custom rules are written against has what its page says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from migrate.engine.model import METADATA_FIELDS
from migrate.systems import examine
from migrate.types import Limits, Options

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tables.md").read_text("utf-8")
STABLE = ("records", "nodes", "edges", "cells", "ids", "link_members", "reference_members", "elements")


@pytest.fixture(scope="module")
def columns() -> Iterator[Mapping[str, Mapping[str, str]]]:
    """Table to column to type, in the database of a run."""
    options = Options(limits=Limits(memory="500MB", threads=1))
    with examine(str(ROOT / "docs/examples/custom-rules/entries.jsonl"), options) as examination:
        examination.plan()
        found: dict[str, dict[str, str]] = {}
        for table, column, kind in examination.database.rows(
            "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema IN ('safe', 'main')"
        ):
            found.setdefault(table, {})[column] = kind
        found["helpers"] = dict(
            examination.database.rows(
                "SELECT DISTINCT function_name, '' FROM duckdb_functions() WHERE schema_name = 'main'"
            )
        )
        yield found


def documented(table: str) -> Iterator[tuple[str, str]]:
    """Column and type (– where another table has it) of a table's section."""
    section = PAGE.partition(f"\n### `{table}`\n")[2].partition("\n##")[0]
    for names, kind in re.findall(r"^\| (`[^|]+) \| ([^|]+) \|", section, re.MULTILINE):
        for name in re.findall(r"`([^`]+)`", names):
            yield name, kind


@pytest.mark.parametrize("table", STABLE)
def test_a_stable_table_has_the_columns_of_the_page(columns: Mapping[str, Mapping[str, str]], table: str) -> None:
    rows = list(documented(table))
    assert rows
    for name, kind in rows:
        if name == "f_…":
            continue
        assert name in columns[table], f"{table}.{name}"
        elsewhere = columns["records" if table == "nodes" else "link_members"].get(name)
        assert columns[table][name] == (elsewhere if kind == "–" else kind), f"{table}.{name}"


def test_every_field_of_the_metadata_is_named(columns: Mapping[str, Mapping[str, str]]) -> None:
    section = PAGE.partition("There is an `f_…`")[2].partition("\n##")[0]
    assert re.findall(r"`(\w+)`", section) == list(METADATA_FIELDS)
    assert {f"f_{name}" for name in METADATA_FIELDS} <= set(columns["records"])


def test_the_helpers_are_there(columns: Mapping[str, Mapping[str, str]]) -> None:
    section = PAGE.partition("| helper | gives |")[2].partition("\n#")[0]
    helpers = re.findall(r"`(\w+)\(\w\)`", section)
    assert len(helpers) > 10
    assert set(helpers) <= set(columns["helpers"])


def test_the_tables_of_the_engine_are_there(columns: Mapping[str, Mapping[str, str]]) -> None:
    section = PAGE.partition("\n## The engine's own\n")[2]
    tables = [
        name for cell in re.findall(r"^\| (`[^|]*)", section, re.MULTILINE) for name in re.findall(r"`(\w+)`", cell)
    ]
    assert len(tables) > 10
    assert set(tables) <= set(columns)
