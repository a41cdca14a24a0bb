"""Writing a shard again: what changes, what does not, and that nothing half-done is ever seen."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from migrate.corpora.compression import Reader
from migrate.corpora.files import open_files
from migrate.corpora.interface import BOM, CorpusError
from migrate.corpora.rewrite import rewrite, stage
from migrate.corpora.shard import Shard

MakeShard = Callable[..., Shard]

FORMS = Path(__file__).parents[1] / "data" / "input_forms"
LINES = BOM + b'{"id":1}\r\n\n  {"id":2} \nbroken \xff\n\t\n{"id":3}'
PACK: dict[str, Callable[[bytes], bytes]] = {
    "": lambda data: data,
    ".gz": gzip.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}


def unpacked(path: Path) -> bytes:
    data = path.read_bytes()
    if data.startswith(b"\x1f\x8b"):
        return gzip.decompress(data)
    if data.startswith(b"\x28\xb5\x2f\xfd"):
        return zstandard.ZstdDecompressor().decompressobj().decompress(data)
    return data


blank = st.text(" \t\r", max_size=2).map(str.encode)
line = st.tuples(
    blank, st.sampled_from([b"", b'{"a":1}', b'{"a": "\xc3\xa9"}', b"broken", b"\xff", b"[1]"]), blank
).map(b"".join)
documents = st.builds(
    lambda mark, lines, end: mark + end.join(lines),
    st.sampled_from([b"", BOM]),
    st.lists(line, max_size=8),
    st.sampled_from([b"\n", b"\r\n"]),
) | st.builds(
    lambda before, elements, after: before + b"[" + b",".join(elements) + b"]" + after,
    st.sampled_from([b"", BOM, b"\n"]),
    st.lists(st.tuples(blank, line, st.sampled_from([b"", b"\n"])).map(b"".join), max_size=6),
    st.sampled_from([b"", b"\n\n"]),
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=documents, answer=st.booleans(), packed=st.sampled_from(list(PACK)), chosen=st.sets(st.integers(0, 7)))
def test_only_what_is_replaced_changes(
    data: bytes, answer: bool, packed: str, chosen: set[int], make_shard: MakeShard
) -> None:
    if answer and data.startswith(b"["):
        data = b'{"count": 1, "results":' + data + b', "more": {}\n}\n'
    shard = make_shard(PACK[packed](data), "a.json" + packed)
    places = shard.places()
    chosen = {index for index in chosen if index < places.count}
    expected, at = b"", 0
    for index in sorted(chosen):
        expected += data[at : places.offset(index)] + b'{"new":%d}' % index
        at = places.offset(index) + places.length(index)
    expected += data[at:]
    target = shard.path.with_name("out")
    result = rewrite(shard, target, ((index, b'{"new":%d}' % index) for index in sorted(chosen)))
    assert unpacked(target) == expected
    assert result.changed == len(chosen)
    assert result.records == (places.count, places.count)
    assert result.untouched_bytes[0] == result.untouched_bytes[1]
    assert result.untouched_bytes[0] + sum(len(b'{"new":%d}' % index) for index in chosen) == len(expected)
    assert result.untouched_digest[0] == result.untouched_digest[1]
    assert result.size == target.stat().st_size
    assert sorted(path.name for path in target.parent.iterdir()) == sorted([shard.path.name, "out"])


@pytest.mark.parametrize("packed", list(PACK))
def test_the_same_change_gives_the_same_file(packed: str, make_shard: MakeShard, tmp_path: Path) -> None:
    shard = make_shard(PACK[packed](LINES), "a.jsonl" + packed)
    for name in ("one", "two"):
        rewrite(shard, tmp_path / name, [(0, b"{}"), (3, b"[]")])
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert unpacked(tmp_path / "one") == BOM + b'{}\r\n\n  {"id":2} \nbroken \xff\n\t\n[]'
    (again,) = open_files(str(shard.path)).shards
    assert again.compression == (packed.lstrip(".") or None)


@pytest.mark.parametrize("name", ["pretty_array.json", "two_members.jsonl.gz", "two_frames.jsonl.zst", "latin1.jsonl"])
def test_given_forms_come_back_whole(name: str, tmp_path: Path) -> None:
    (shard,) = open_files(str(FORMS / name)).shards
    result = rewrite(shard, tmp_path / name, [])
    assert unpacked(tmp_path / name) == b"".join(Reader(FORMS / name, shard.compression))
    assert result.untouched_bytes[0] == shard.places().size
    (again,) = open_files(str(tmp_path / name)).shards
    assert (again.form, again.compression) == (shard.form, shard.compression)


def test_many_scattered_changes_in_many_chunks(make_shard: MakeShard, tmp_path: Path) -> None:
    lines = [b'{"id":%d,"t":"%s"}' % (number, b"w" * (number % 700)) for number in range(20_000)]
    shard = make_shard(b"\n".join(lines) + b"\n")
    changed = {index: b'{"id":%d,"new":true}' % index for index in range(0, 20_000, 3)}
    result = rewrite(shard, tmp_path / "out.jsonl", changed.items())
    expected = [changed.get(index, line) for index, line in enumerate(lines)]
    assert (tmp_path / "out.jsonl").read_bytes() == b"\n".join(expected) + b"\n"
    assert result.changed == len(changed)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ([(1, b"{}"), (1, b"{}")], "cannot be written after record 1"),
        ([(2, b"{}"), (1, b"{}")], "cannot be written after record 2"),
        ([(4, b"{}")], "record 4 of 4"),
        ([(-1, b"{}")], "record -1 of 4"),
        ([(0, b'{"a":\n1}')], "the new text of record 0 is not one line"),
        ([(0, b" ")], "the new text of record 0 is not one line"),
        ([(1, b"{}\r")], "a changed record is not where or what it should be"),
    ],
)
def test_a_wrong_change_leaves_nothing(
    changed: list[tuple[int, bytes]], said: str, make_shard: MakeShard, tmp_path: Path
) -> None:
    with pytest.raises(CorpusError, match=said):
        rewrite(make_shard(LINES), tmp_path / "out.jsonl", changed)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("element", [b'{"a":1},{"b":2}', b'{"a":[1}', b'{"a":1}]'])
def test_an_element_that_breaks_the_array_leaves_nothing(element: bytes, make_shard: MakeShard, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="is not what was meant"):
        rewrite(make_shard(b"[1,\n2]", "a.json"), tmp_path / "out.json", [(0, element)])
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_leaves_nothing(make_shard: MakeShard, tmp_path: Path) -> None:
    def changes() -> Iterator[tuple[int, bytes]]:
        yield 0, b"{}"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rewrite(make_shard(LINES), tmp_path / "out.jsonl", changes())
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_nothing(make_shard: MakeShard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CorpusError, match="No space left on device"):
        rewrite(make_shard(LINES), tmp_path / "out.jsonl", [])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b'"new":1', b'"new":2', "a changed record is not where or what"),
        (b'"new":1', b'"new":11', "a changed record is not where or what"),
        (b"broken", b"Broken", "bytes that were not to change have changed"),
        (b'{"id":3}', b'{"id":3} ', "bytes that were not to change have changed"),
        (b'{"id":3}', b'{"id":3}\n1', "it holds 5 records and not 4"),
        (b"broken \xff", b"", "it holds 3 records and not 4"),
    ],
)
def test_a_file_that_changed_on_the_disk_is_not_let_through(
    old: bytes, new: bytes, said: str, make_shard: MakeShard, tmp_path: Path
) -> None:
    with stage(make_shard(LINES), tmp_path / "out.jsonl", [(0, b'{"new":1}')]) as staged:
        (hidden,) = tmp_path.iterdir()
        assert old in hidden.read_bytes()
        hidden.write_bytes(hidden.read_bytes().replace(old, new))
        with pytest.raises(CorpusError, match=said):
            staged.commit()
    assert list(tmp_path.iterdir()) == []


def test_the_destination_must_be_new(make_shard: MakeShard, tmp_path: Path) -> None:
    shard = make_shard(LINES)
    (tmp_path / "there").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name, said in (
        ("there", "exists already"),
        ("link", "exists already"),
        (".", "folder"),
        ("no/out", "its folder"),
    ):
        with pytest.raises(CorpusError, match=said):
            rewrite(shard, tmp_path / name, [])
    assert (tmp_path / "there").read_bytes() == b"old"


def test_a_destination_that_appears_meanwhile_is_kept(make_shard: MakeShard, tmp_path: Path) -> None:
    with stage(make_shard(LINES), tmp_path / "out.jsonl", []) as staged:
        staged.verify()
        (tmp_path / "out.jsonl").write_bytes(b"someone else's")
        with pytest.raises(CorpusError, match="exists already"):
            staged.commit()
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"someone else's"]


def test_without_hard_links_the_file_is_copied(
    make_shard: MakeShard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    rewrite(make_shard(LINES), tmp_path / "out.jsonl", [])
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [LINES]


def test_all_shards_are_verified_before_the_first_appears(make_shard: MakeShard, tmp_path: Path) -> None:
    shards = [make_shard(LINES), make_shard(b"[1]", "b.json")]
    staged = [stage(shard, tmp_path / shard.path.name, []) for shard in shards]
    assert [step.verify().records for step in staged] == [(4, 4), (1, 1)]
    assert all(path.name.startswith(".") for path in tmp_path.iterdir())
    for step in staged:
        step.commit()
        step.discard()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.json", "entries.jsonl"]


def test_in_place_keeps_the_old_file_and_its_mode(make_shard: MakeShard) -> None:
    shard = make_shard(LINES)
    shard.path.chmod(0o640)
    link = shard.path.with_name("link.jsonl")
    link.symlink_to(shard.path)
    kept = shard.path.with_name("entries.jsonl.before-7")
    with stage(shard, link, [(0, b"{}")], replace=True) as staged:
        staged.commit(keep=kept)
    assert shard.path.read_bytes() == LINES.replace(b'{"id":1}', b"{}")
    assert kept.read_bytes() == LINES
    assert link.is_symlink()
    assert shard.path.stat().st_mode & 0o777 == 0o640
    assert len(list(shard.path.parent.iterdir())) == 3


def test_in_place_stops_where_a_kept_file_or_a_change_is_in_the_way(make_shard: MakeShard) -> None:
    shard = make_shard(LINES)
    kept = shard.path.with_name("kept")
    kept.write_bytes(b"older")
    with stage(shard, shard.path, [], replace=True) as staged, pytest.raises(CorpusError, match="kept: this exists"):
        staged.commit(keep=kept)
    with stage(shard, shard.path, [(0, b"{}")], replace=True) as staged:
        staged.verify()
        shard.path.write_bytes(LINES + b"\n")
        with pytest.raises(CorpusError, match="was changed while it was read"):
            staged.commit()
    assert (shard.path.read_bytes(), kept.read_bytes()) == (LINES + b"\n", b"older")
    with pytest.raises(CorpusError, match="no such file to replace"):
        stage(shard, shard.path.with_name("other"), [], replace=True)


def test_a_shard_with_a_gap_is_not_written(tmp_path: Path) -> None:
    (shard,) = open_files(str(FORMS / "cut.jsonl.gz")).shards
    with pytest.raises(CorpusError, match="not all of it was read: the gzip stream ends early"):
        rewrite(shard, tmp_path / "out.jsonl.gz", [])
    assert list(tmp_path.iterdir()) == []


def test_the_mode_of_the_source_is_kept(make_shard: MakeShard, tmp_path: Path) -> None:
    shard = make_shard(LINES)
    shard.path.chmod(0o600)
    rewrite(shard, tmp_path / "out.jsonl", [])
    assert (tmp_path / "out.jsonl").stat().st_mode & 0o777 == 0o600


MEASURE = """
import resource, sys
from pathlib import Path
from migrate.corpora.files import open_files
from migrate.corpora.rewrite import rewrite
shard = open_files(sys.argv[1]).shards[0]
count = shard.places().count
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
rewrite(shard, Path(sys.argv[2]), ((index, b'{"x":1}') for index in range(0, count, 3)))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def test_many_changes_cost_little_memory(make_shard: MakeShard, tmp_path: Path) -> None:
    shard = make_shard(b'{"id":1,"text":"%s"}\n' % (b"word " * 300) * 70_000)
    run = [sys.executable, "-c", MEASURE, str(shard.path), str(tmp_path / "out.jsonl")]
    result = subprocess.run(run, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    assert int(result.stdout) < 40, "MiB, of a file of 100"
