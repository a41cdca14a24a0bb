"""A report of very many findings: its numbers are those of the table, and it stays small and quick."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import polars
import pytest
import report_model
from click.testing import CliRunner

from migrate.cli.main import cli
from migrate.reporting import aggregates, findings_table, report_html

SAMPLE = Path(__file__).parents[2] / "sample_data" / "context_server" / "entries.jsonl"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the sample's plan."""
    place = tmp_path_factory.mktemp("scale")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        assert CliRunner().invoke(cli, ["plan", str(SAMPLE), "-q"]).exit_code == 0
    (made,) = place.glob("reports/*/plans/*")
    return made


def test_the_numbers_are_those_of_the_table(folder: Path) -> None:
    table = polars.read_parquet(folder / "findings.parquet")
    report = json.loads((folder / "report.json").read_bytes())
    levels = ("safe", "unsafe", "manual", "info")
    for rule in report["rules"]:
        rows = table.filter(polars.col("code") == rule["code"])
        assert rule["findings"] == len(rows)
        assert [rule[level] for level in levels] == [int((rows["level"] == level).sum()) for level in levels]
        assert rule["new"] == int((rows["state"] == "new").sum())
    assert {rule["code"] for rule in report["rules"]} == set(table["code"])
    assert report["counts"]["findings"] == len(table) == sum(map(sum, report["where"]["heat"]))
    for name, column in (("threads", "thread"), ("projects", "project"), ("agents", "agent"), ("eras", "era")):
        for tally in report["where"][name]:
            rows = table.filter(polars.col(column).fill_null("(none)") == tally["name"])
            assert tally["findings"] == len(rows)
            assert tally["errors"] == int((rows["severity"] == "error").sum())


@pytest.mark.slow
def test_nearly_a_million_findings(folder: Path, tmp_path: Path) -> None:
    one = polars.read_parquet(folder / "findings.parquet")
    path = tmp_path / "findings.parquet"
    copies = [one.with_columns(fingerprint=polars.col("fingerprint") + f"{number:x}") for number in range(2_000)]
    polars.concat(copies).write_parquet(path)
    started = time.process_time()
    where = aggregates.where(path, {})
    assert len(findings_table.examples(path, 5)) > 100
    text = report_html.page(replace(report_model.report(rules=90), where=where, table=path))
    assert time.process_time() - started < 3
    assert len(text.encode()) < report_html.LIMIT
