"""A plain file of lines copied by ranges of bytes: what changes, what does not, and that a wrong copy is found out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from migrate.corpora import ranges
from migrate.corpora.interface import CorpusError
from migrate.corpora.rewrite import stage
from migrate.corpora.shard import Shard
from migrate.corpora.spooled import Spooled
from migrate.engine.processes import Workers

MakeShard = Callable[..., Shard]


def spooled(changed: dict[int, bytes], folder: Path, parts: int = 2) -> Spooled:
    """The new items in several files, each after a byte of something else."""
    items = sorted(changed.items())
    paths, files, offsets = [], [], []
    for number in range(parts):
        paths.append(folder / f"spool{number}")
        paths[-1].write_bytes(b"#" + b"".join(item for place, (_, item) in enumerate(items) if place * parts // len(items) == number))  # fmt: skip
    at = dict.fromkeys(range(parts), 1)
    for place, (_, item) in enumerate(items):
        number = place * parts // len(items)
        files.append(number)
        offsets.append(at[number])
        at[number] += len(item)
    columns = [[index for index, _ in items], files, offsets, [len(item) for _, item in items]]
    indexes, which, where, lengths = (np.array(column, dtype=np.int64) for column in columns)
    return Spooled(indexes, paths, which, where, lengths)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranges and blocks of a few lines."""
    monkeypatch.setattr(ranges, "_RANGE", 64)
    monkeypatch.setattr(ranges, "_BLOCK", 24)


line = st.sampled_from([b"", b'{"a":1}', b"broken \xff", b"  [1] ", b"x" * 70])
files = st.tuples(st.lists(line, max_size=12), st.sampled_from([b"\n", b"\r\n"]), st.booleans())
new = st.sampled_from([b"{}", b'{"new":true}', b"y" * 90])


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(file=files, chosen=st.dictionaries(st.integers(0, 11), new))
def test_only_what_is_replaced_changes(
    file: tuple[list[bytes], bytes, bool], chosen: dict[int, bytes], make_shard: MakeShard
) -> None:
    lines, end, closed = file
    data = end.join(lines) + (end if closed else b"")
    shard = make_shard(data)
    places = shard.places()
    changed = {index: item for index, item in chosen.items() if index < places.count}
    expected, at = b"", 0
    for index in sorted(changed):
        expected += data[at : places.offset(index)] + changed[index]
        at = places.offset(index) + places.length(index)
    expected += data[at:]
    folder = shard.path.parent
    target = folder / "out"
    with stage(shard, target, spooled(changed, folder)) as staged:
        result = staged.verify()
        staged.commit()
    assert target.read_bytes() == expected
    assert (result.changed, result.records) == (len(changed), (places.count, places.count))
    assert result.untouched_bytes[1] == len(expected) - sum(map(len, changed.values()))
    assert not list(folder.glob(".corpus-migrate-*"))


LINES = b"".join(b'{"id":%d,"text":"%s"}\n' % (number, b"w" * number) for number in range(40))


def test_several_processes_give_the_same_file(make_shard: MakeShard, tmp_path: Path) -> None:
    changed = {index: b'{"id":%d,"new":1}' % index for index in range(0, 40, 3)}
    written = []
    for number in (1, 2):
        with (
            Workers(number) as workers,
            stage(make_shard(LINES), tmp_path / f"out{number}", spooled(changed, tmp_path), workers=workers) as staged,
        ):
            staged.verify()
            written.append(staged.commit().path.read_bytes())
    expected = [changed.get(index, text) for index, text in enumerate(LINES.splitlines())]
    assert written == [b"\n".join(expected) + b"\n"] * 2


@pytest.mark.parametrize("item", [b'{"a":\n1}', b" "])
def test_what_is_not_one_line_is_refused(item: bytes, make_shard: MakeShard, tmp_path: Path) -> None:
    shard = make_shard(LINES)
    with pytest.raises(CorpusError, match="is not one line"), Workers(2) as workers:
        stage(shard, tmp_path / "out", spooled({5: item}, tmp_path), workers=workers)
    assert not list(tmp_path.glob("*out*"))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b'"new":1', b'"new":2', "a changed record is not where or what it should be"),
        (b'"id":7,', b'"id":8,', "bytes that were not to change have changed"),
        (b"\n", b" ", "bytes that were not to change have changed"),
    ],
)
def test_a_wrong_copy_is_found_out(old: bytes, new: bytes, said: str, make_shard: MakeShard, tmp_path: Path) -> None:
    with stage(make_shard(LINES), tmp_path / "out", spooled({3: b'{"new":1}'}, tmp_path)) as staged:
        (hidden,) = tmp_path.glob(".corpus-migrate-*.partial")
        hidden.write_bytes(hidden.read_bytes().replace(old, new, 1))
        with pytest.raises(CorpusError, match=said):
            staged.verify()
    assert not list(tmp_path.glob("*out*"))


def test_a_copy_that_lost_its_end_is_found_out(make_shard: MakeShard, tmp_path: Path) -> None:
    with stage(make_shard(LINES), tmp_path / "out", spooled({3: b"{}"}, tmp_path)) as staged:
        (hidden,) = tmp_path.glob(".corpus-migrate-*.partial")
        hidden.write_bytes(hidden.read_bytes()[:-5])
        with pytest.raises(CorpusError, match="it became shorter"):
            staged.verify()


def halved(number: int) -> float:
    """Work for a process."""
    return 1 / number


def test_workers_give_all_results_and_the_first_error() -> None:
    told: list[tuple[str, int, int | None]] = []
    with Workers(2, lambda *said: told.append(said)) as workers:
        assert dict(workers.map("halving", halved, [(number,) for number in (1, 2, 4, 5)])) == {
            0: 1,
            1: 0.5,
            2: 0.25,
            3: 0.2,
        }
        assert told == [("halving", done, 4) for done in (1, 2, 3, 4)]
        with pytest.raises(ZeroDivisionError):
            dict(workers.map("halving", halved, [(1,), (0,), (2,)]))
