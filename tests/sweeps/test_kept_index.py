"""The index that ``--since-last`` goes by: what is wrong with it costs a full sweep, and no sweep that died leaves a wrong one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest
from nights import Corpus
from test_thirty_nights import SAMPLES, check, last_sweep

DIES = """
import os, sys
from migrate.cli.main import cli
from migrate.systems import merging

whole = merging.{function}

def dying(*arguments):
    {before}
    os._exit(9)

merging.{function} = dying
cli(["check", "corpus.jsonl", "--workspace", "part", "--since-last", "-q", "--fail-on", "never"])
"""


@dataclass(frozen=True)
class Nights:
    """A small corpus as it was in the first night, which was swept, and in two more; and what full sweeps of these say."""

    folder: Path
    texts: list[str]
    found: list[list[dict[str, Any]]]

    def falls(self, night: int) -> None:
        """The corpus is that of a night."""
        Path("corpus.jsonl").write_text(self.texts[night])

    def agrees(self, night: int) -> bool:
        """Whether a sweep by the index says the same; whether it was a full one, says the history."""
        return check("corpus.jsonl", "--workspace", "part", "--since-last") == self.found[night]


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Nights:
    corpus = Corpus((SAMPLES / "entries.jsonl").read_text("utf-8").split("\n")[:300], 11)
    nights = Nights(tmp_path_factory.mktemp("swept"), [], [])
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(nights.folder)
        for night in range(3):
            corpus.night(4 * night)
            nights.texts.append("\n".join(corpus.lines) + "\n")
            nights.falls(night)
            nights.found.append(check("corpus.jsonl", "--workspace", "whole"))
            if not night:
                check("corpus.jsonl", "--workspace", "part", "--since-last")
    return nights


@pytest.fixture
def nights(swept: Nights, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Nights:
    """In a folder of its own, in the second night."""
    shutil.copytree(swept.folder, tmp_path / "own")
    monkeypatch.chdir(tmp_path / "own")
    swept.falls(1)
    return swept


def index() -> Path:
    (place,) = Path("part").glob("*/state/index.duckdb")
    return place


def of_another_format(place: Path) -> None:
    with duckdb.connect(str(place)) as database:
        database.execute("UPDATE facts SET facts = replace(facts, 'corpus-migrate.index/', 'corpus-migrate.index/0')")


def without_a_table(place: Path) -> None:
    with duckdb.connect(str(place)) as database:
        database.execute("DROP TABLE facts")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda place: place.write_bytes(b""),
        lambda place: place.write_bytes(b"no database" * 1000),
        lambda place: os.truncate(place, 4096),
        of_another_format,
        without_a_table,
        lambda place: place.unlink(),
    ],
    ids=["empty", "other bytes", "cut", "other format", "no facts", "gone"],
)
def test_an_index_that_cannot_be_used_costs_a_full_sweep(nights: Nights, spoil: Callable[[Path], None]) -> None:
    spoil(index())
    assert nights.agrees(1)
    assert last_sweep("part")["full"]
    nights.falls(2)
    assert nights.agrees(2)
    assert not last_sweep("part")["full"]


@pytest.mark.parametrize(
    ("function", "before"),
    [("merge", "pass"), ("merge", "whole(*arguments)"), ("summarize", "pass")],
    ids=["before the index is changed", "before it is committed", "after it was"],
)
def test_a_sweep_that_dies_leaves_an_index_to_go_by(nights: Nights, function: str, before: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(SAMPLES.parents[1])}
    script = DIES.format(function=function, before=before)
    died = subprocess.run([sys.executable, "-c", script], env=environment, check=False)
    assert died.returncode == 9
    for night in (1, 2):
        nights.falls(night)
        assert nights.agrees(night)
        assert not last_sweep("part")["full"]
