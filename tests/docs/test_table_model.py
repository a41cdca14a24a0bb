"""The table model that custom rules are written against has what its page says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from migrate.case_trees import build
from migrate.corpora.repository.trees import open_trees
from migrate.engine.model import METADATA_FIELDS
from migrate.systems import examine
from migrate.systems.repository_context import RepositoryContexts
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


@pytest.fixture(scope="module")
def context_columns(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Mapping[str, str]]]:
    """The same of a run over repository contexts."""
    root = build({"standard": ["."]}, tmp_path_factory.mktemp("contexts") / "tree")
    with RepositoryContexts(open_trees(str(root)), Options(limits=Limits(memory="200MB", threads=1))) as examination:
        found: dict[str, dict[str, str]] = {}
        for table, column, kind in examination.database.rows(
            "SELECT table_name, column_name, data_type FROM information_schema.columns"
        ):
            found.setdefault(table, {})[column] = kind
        yield found


@pytest.mark.parametrize("table", ["scopes", "standard_files", "documents", "document_references"])
def test_a_table_of_contexts_has_the_columns_of_the_page(
    context_columns: Mapping[str, Mapping[str, str]], table: str
) -> None:
    rows = dict(documented(table))
    assert rows
    private = {"manifest_text", "manifest_with_protocol"}
    assert rows == {name: kind for name, kind in context_columns[table].items() if name not in private}


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
