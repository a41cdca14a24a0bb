"""Which files a corpus is made of, and the sentence for what is none."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from migrate.corpora.files import open_files
from migrate.corpora.interface import CorpusError
from migrate.corpora.stores import is_store, open_corpus
from migrate.naming import without_secrets

LINE = b'{"id":1}\n'


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(LINE)


def names(uri: str) -> list[str]:
    return [shard.path.name for shard in open_files(uri).shards]


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".ndjson", ".parquet", ".JSONL"])
@pytest.mark.parametrize("packed", ["", ".gz", ".zst"])
def test_one_file_is_a_corpus_of_one_shard(tmp_path: Path, suffix: str, packed: str) -> None:
    write(tmp_path, f"a{suffix}{packed}")
    corpus = open_files(str(tmp_path / f"a{suffix}{packed}"))
    assert corpus.uri == str(tmp_path / f"a{suffix}{packed}")
    assert [shard.size for shard in corpus.shards] == [len(LINE)]


def test_a_folder_gives_its_own_exports_in_order(tmp_path: Path) -> None:
    write(tmp_path, "b.jsonl", "a.json.gz", "c.ndjson", "README.md", ".hidden.jsonl", "c.jsonl.before-1", "sub/d.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    assert names(str(tmp_path)) == ["a.json.gz", "b.jsonl", "c.ndjson"]


def test_a_link_to_nowhere_is_a_shard_with_a_gap(tmp_path: Path) -> None:
    write(tmp_path, "a.jsonl")
    (tmp_path / "b.jsonl").symlink_to(tmp_path / "gone.jsonl")
    whole, lost = open_files(str(tmp_path)).shards
    assert whole.gaps == ()
    assert lost.gaps[0].file == str(tmp_path / "b.jsonl")
    assert "could not be read" in lost.gaps[0].reason


def test_a_glob_gives_what_it_matches(tmp_path: Path) -> None:
    write(tmp_path, "a.jsonl", "b.jsonl", "b.txt", "deep/er/c.jsonl")
    assert names(str(tmp_path / "*")) == ["a.jsonl", "b.jsonl"]
    assert names(f"{tmp_path}/**/*.jsonl") == ["a.jsonl", "b.jsonl", "c.jsonl"]


def test_a_name_that_exists_is_no_glob(tmp_path: Path) -> None:
    write(tmp_path, "a[1].jsonl", "a1.jsonl")
    assert names(str(tmp_path / "a[1].jsonl")) == ["a[1].jsonl"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing.jsonl", "there is no such file or folder"),
        ("*.jsonl", "the glob matches no exported file"),
        ("notes.txt", "the name is not that of an exported file"),
        ("empty", "the folder itself holds no exported files"),
        ("n" * 300 + ".jsonl", "could not be looked at"),
    ],
)
def test_what_is_no_corpus_is_said_in_one_sentence(tmp_path: Path, name: str, said: str) -> None:
    write(tmp_path, "notes.txt", "empty/README.md")
    with pytest.raises(CorpusError, match=said) as caught:
        open_files(str(tmp_path / name))
    assert caught.value.sentence.startswith(str(tmp_path / name))
    assert "\n" not in caught.value.sentence


def test_no_name_is_no_corpus() -> None:
    with pytest.raises(CorpusError, match="no corpus was named"):
        open_files("")


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.jsonl")
    with pytest.raises(CorpusError, match="no regular file"):
        open_files(str(tmp_path / "a.jsonl"))


@pytest.mark.parametrize(
    "uri",
    [
        "sqlite:///store.db",
        "postgresql://me:secret@host/store",
        "POSTGRES://me:secret@host/store",
        "mcp+stdio:uvx server --token secret",
        "https://secret@host/mcp",
    ],
)
def test_a_store_among_files_is_refused_and_nothing_of_its_address_is_said(uri: str) -> None:
    assert is_store(uri)
    with pytest.raises(CorpusError, match="no kind of corpus") as caught:
        open_files(uri)
    assert "secret" not in caught.value.sentence
    assert "secret" not in without_secrets(uri)


def test_an_unknown_scheme_is_refused() -> None:
    with pytest.raises(CorpusError, match="no kind of corpus"):
        open_files("ftp://host/a.jsonl")


@pytest.mark.parametrize("name", ["store.db", "store.jsonl"])
@pytest.mark.parametrize("through", ["path", "folder"])
def test_an_sqlite_file_is_known_by_its_content(tmp_path: Path, name: str, through: str) -> None:
    with sqlite3.connect(tmp_path / name) as connection:
        connection.execute("CREATE TABLE entries (id INTEGER)")
    connection.close()
    if through == "folder" and name == "store.db":
        write(tmp_path, "a.jsonl")
        assert names(str(tmp_path)) == ["a.jsonl"]
        return
    assert is_store(str(tmp_path / name))
    if through == "folder":
        with pytest.raises(CorpusError, match="an SQLite database among exported files"):
            open_files(str(tmp_path))
    with pytest.raises(CorpusError, match="has no table context_entries"):
        open_corpus(str(tmp_path / name))
