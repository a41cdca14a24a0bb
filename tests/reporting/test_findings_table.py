"""findings.parquet: the columns, the values, and more findings than fit a part."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import polars
import pytest

from migrate.reporting import findings_table
from migrate.types import Finding, Level, Severity


def findings(number: int) -> Iterator[Finding]:
    for index in range(number):
        yield Finding(
            "CS201",
            "status-spelling",
            Level.SAFE,
            Severity.WARNING,
            str(index),
            "/status",
            {"found": "Done\ud800"},
            "e.jsonl",
            index + 1,
            f"{index:x}",
            None,
            None,
            "thread \udc80 ü",
            None,
        )


def test_the_columns_are_the_members(tmp_path: Path) -> None:
    assert findings_table.write(findings(2), tmp_path / "f.parquet") == 2
    frame = polars.read_parquet(tmp_path / "f.parquet")
    assert tuple(frame.columns) == findings_table.COLUMNS
    assert frame.schema["line"] == polars.Int64
    row = frame.row(1, named=True)
    assert (row["record"], row["line"], row["class"], row["level"]) == ("1", 2, None, "safe")
    assert json.loads(row["evidence"]) == {"found": "Done\ud800"}
    assert row["thread"] == "thread \\udc80 ü"


def test_no_finding_is_a_table_without_rows(tmp_path: Path) -> None:
    assert findings_table.write([], tmp_path / "f.parquet") == 0
    frame = polars.read_parquet(tmp_path / "f.parquet")
    assert frame.shape == (0, len(findings_table.COLUMNS))
    assert frame.schema["code"] == polars.String


@pytest.mark.parametrize("number", [9, 10, 11, 35])
def test_parts_are_joined_in_order_and_leave_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setattr(findings_table, "ROWS_A_PART", 10)
    findings_table.write(findings(number), tmp_path / "f.parquet")
    frame = polars.read_parquet(tmp_path / "f.parquet")
    assert frame["record"].to_list() == [str(index) for index in range(number)]
    assert [path.name for path in tmp_path.iterdir()] == ["f.parquet"]


def test_the_same_findings_are_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        findings_table.write(findings(50), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
