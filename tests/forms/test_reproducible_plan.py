"""The same corpus and options make the same plan, byte for byte, whatever the machine gives and however the corpus is stored."""

from __future__ import annotations

import gzip
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from migrate.planning import jobs
from migrate.planning.plan_file import write
from migrate.systems import examine
from migrate.types import Limits, Options

SAMPLE = Path(__file__).parents[2] / "sample_data" / "context_server" / "entries.jsonl"
CREATED = re.compile(rb'"created_at": ?"[^"]*"')


def own_lines() -> bytes:
    """A corpus of every wave: words, references, a superseded record, a dangling link, a broken line, a doubled record."""

    def line(own: int, metadata: dict[str, Any], tags: list[str]) -> str:
        times = {"created_at": f"2026-03-21 10:{own:02}:00", "updated_at": f"2026-03-21 10:{own:02}:00"}
        members = {
            "id": own,
            "thread_id": "t",
            "source": "agent",
            "text_content": f"entry {own}",
            "metadata": metadata,
            "tags": tags,
        }
        return json.dumps({**members, **times})

    lines = [
        line(1, {"status": "Done", "references": {"context_ids": [2, "3"]}}, ["B", "a"]),
        line(2, {"schema_version": 1, "kind": "plan", "project": "p", "agent_name": "a", "status": "done"}, ["plan"]),
        line(3, {"schema_version": 1, "kind": "plan", "project": "p", "agent_name": "a", "status": "done", "links": {"supersedes": [2]}}, ["plan"]),
        line(4, {"links": {"related": ["1", 2.0, 99]}, "completed": True}, []),
        '{"id": 5, "metadata": {',
        line(6, {"references": {"context_ids": [1]}}, []),
        line(6, {"references": {"context_ids": [1]}}, []),
        line(7, {"priority": "2", "technologies": "python"}, []),
    ]  # fmt: skip
    return ("\n".join(lines) + "\n").encode()


CORPORA = {"own": own_lines(), "sample": SAMPLE.read_bytes()}

Planned = tuple[dict[str, Any], bytes, list[bytes]]
"""The header, its text without the time, and the lines of the records."""


def plan(folder: Path, corpus: str, memory: str = "1GB", threads: int = 1) -> Planned:
    """The plan of a corpus that is named from this folder."""
    options = Options(unsafe_fixes=True, limits=Limits(memory=memory, threads=threads))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        with examine(corpus, options) as examination:
            text = write(examination.plan(), folder / "plan.jsonl").read_bytes()
    header, *lines = text.splitlines(keepends=True)
    timeless, found = CREATED.subn(b"", header)
    assert found == 1
    assert lines
    return json.loads(header), timeless, lines


@pytest.fixture(scope="module", params=sorted(CORPORA))
def entries(request: pytest.FixtureRequest) -> bytes:
    """The corpus as one plain file."""
    return CORPORA[request.param]


@pytest.fixture(scope="module")
def first(entries: bytes, tmp_path_factory: pytest.TempPathFactory) -> Planned:
    """The plan of that file, all others are compared with."""
    folder = tmp_path_factory.mktemp("first")
    (folder / "entries.jsonl").write_bytes(entries)
    return plan(folder, "entries.jsonl")


def same(header: dict[str, Any], *differing: str) -> dict[str, Any]:
    """A header without its time, the corpus's name and these members."""
    left = {name: value for name, value in header.items() if name not in {"created_at", *differing}}
    left["corpus"] = {name: value for name, value in header["corpus"].items() if name not in {"uri", *differing}}
    return left


def test_neither_memory_nor_threads_nor_the_folder_show(entries: bytes, first: Planned, tmp_path: Path) -> None:
    folder = tmp_path / "another folder"
    folder.mkdir()
    (folder / "entries.jsonl").write_bytes(entries)
    assert plan(folder, "entries.jsonl", memory="150MB")[1:] == first[1:]
    assert plan(folder, "entries.jsonl", threads=2)[1:] == first[1:]


def test_how_many_processes_draft_does_not_show(
    entries: bytes, first: Planned, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "entries.jsonl").write_bytes(entries)
    monkeypatch.setattr(jobs, "_PORTION", 5)
    assert plan(tmp_path, "entries.jsonl", threads=2)[1:] == first[1:]
    (tmp_path / "entries.jsonl.gz").write_bytes(gzip.compress(entries))
    assert plan(tmp_path, "entries.jsonl.gz", threads=2)[2] == first[2]


def test_a_compressed_copy_has_the_same_plan(entries: bytes, first: Planned, tmp_path: Path) -> None:
    (tmp_path / "entries.jsonl.gz").write_bytes(gzip.compress(entries))
    header, _, lines = plan(tmp_path, "entries.jsonl.gz")
    assert lines == first[2]
    assert (header["corpus"]["uri"], first[0]["corpus"]["uri"]) == ("entries.jsonl.gz", "entries.jsonl")
    assert same(header) == same(first[0])


def test_the_order_of_the_lines_does_not_show_in_what_is_planned(
    entries: bytes, first: Planned, tmp_path: Path
) -> None:
    shuffled = entries.splitlines(keepends=True)
    random.Random(1).shuffle(shuffled)
    (tmp_path / "entries.jsonl").write_bytes(b"".join(shuffled))
    header, _, lines = plan(tmp_path, "entries.jsonl")
    assert sorted(lines) == sorted(first[2])
    # These marks are taken over the lines in the order of the corpus.
    marks = ("plan_id", "fingerprint", "body")
    assert same(header, *marks) == same(first[0], *marks)


def test_shards_have_the_plan_of_the_whole(entries: bytes, first: Planned, tmp_path: Path) -> None:
    lines = entries.splitlines(keepends=True)
    parts = tmp_path / "parts"
    parts.mkdir()
    third = len(lines) // 3
    (parts / "1.jsonl").write_bytes(b"".join(lines[:third]))
    (parts / "2.jsonl.gz").write_bytes(gzip.compress(b"".join(lines[third : 2 * third])))
    (parts / "3.jsonl").write_bytes(b"".join(lines[2 * third :]))
    sharded = plan(tmp_path, "parts")
    assert sharded[2] == first[2]
    assert same(sharded[0]) == same(first[0])
