"""Killed, told to stop, out of space, at every moment of an apply and an undo: the old file or the new one is there whole, and the same command finishes."""

from __future__ import annotations

import gzip
import json
import random
import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from forker import Ended, Forker
from whole_way import options, plan_of

SAMPLE = Path(__file__).parents[2] / "sample_data" / "context_server" / "entries.jsonl"
pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="processes are forked and killed")


@pytest.fixture(scope="module")
def forker() -> Iterator[Forker]:
    with Forker() as server:
        yield server


@dataclass(frozen=True)
class Given:
    """A folder with a corpus and its plan, and the corpus as it is before and after."""

    folder: Path
    plan: str
    before: dict[str, bytes]
    after: dict[str, bytes]

    def again(self, parent: Path) -> Path:
        """A fresh copy of the folder."""
        here = parent / "work"
        shutil.rmtree(here, ignore_errors=True)
        shutil.copytree(self.folder, here)
        return here


def issue(own: int, **links: list[int]) -> bytes:
    """Of two that change together, the first and the last of the corpus."""
    metadata = {"schema_version": 1, "kind": "issue", "project": "p", "title": "t", "status": "todo", "links": links}
    record = {
        "id": own,
        "thread_id": "issues",
        "source": "agent",
        "text": "# t",
        "metadata": metadata,
        "tags": ["issue"],
    }
    return json.dumps(record).encode() + b"\n"


def made(folder: Path, forker: Forker, shards: int, packed: bool) -> Given:
    """A corpus in the folder ``corpus`` of one, planned; repaired once to know what comes of it."""
    lines = [issue(900001, blocked_by=[900002]), *SAMPLE.read_bytes().splitlines(keepends=True), issue(900002)]
    (folder / "corpus").mkdir(parents=True)
    size = len(lines) // shards + 1
    for number in range(shards):
        data = b"".join(lines[number * size : (number + 1) * size])
        name = f"part{number}.jsonl" + (".gz" if packed else "")
        (folder / "corpus" / name).write_bytes(gzip.compress(data, mtime=0) if packed else data)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        plan_of("corpus", folder, options(unsafe_fixes=True))
    before = contents(folder)
    trial = folder.with_name(folder.name + "-trial")
    shutil.copytree(folder, trial)
    assert forker.run(trial, "apply", "plan.jsonl", "--in-place", "--yes").code == 0
    after = contents(trial)
    assert all(before[name] != after[name] for name in before)
    return Given(folder, "plan.jsonl", before, after)


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory, forker: Forker) -> Given:
    return made(tmp_path_factory.mktemp("one") / "given", forker, 1, packed=False)


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory, forker: Forker) -> Given:
    return made(tmp_path_factory.mktemp("three") / "given", forker, 3, packed=True)


def plain(name: str, data: bytes) -> bytes:
    return gzip.decompress(data) if ".gz" in name else data


def contents(folder: Path, inside: str = "corpus") -> dict[str, bytes]:
    """What the files of the corpus say, by name."""
    return {path.name: plain(path.name, path.read_bytes()) for path in sorted((folder / inside).glob("part*")) if ".before-" not in path.name}  # fmt: skip


def kept(folder: Path) -> dict[str, set[bytes]]:
    found: dict[str, set[bytes]] = {}
    for path in (folder / "corpus").glob("part*.before-*"):
        found.setdefault(path.name.partition(".before-")[0], set()).add(plain(path.name, path.read_bytes()))
    return found


def hidden(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*.partial")]


def journals(folder: Path) -> list[list[dict[str, object]]]:
    """The whole lines of each."""
    runs = sorted(folder.glob("reports/*/runs/[!.]*/journal.jsonl"))
    return [[json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]] for path in runs]


def check_whole(given: Given, here: Path) -> None:
    """At any moment: each file is the old one or the new one, and where it is new the old one is kept."""
    for name, data in contents(here).items():
        assert data in (given.before[name], given.after[name]), name
        if data == given.after[name] != given.before[name]:
            assert given.before[name] in kept(here)[name]


def check_journal(journal: list[dict[str, object]]) -> None:
    """Complete, and with an outcome for each intent."""
    assert journal[-1]["complete"] is True
    intents = {str(line["intent"]) for line in journal if "intent" in line}
    applied = [str(line["record"]) for line in journal if line.get("outcome") == "applied"]
    assert set(applied) == intents
    assert len(applied) == len(set(applied)) == journal[-1]["applied"]


APPLY = ("apply", "plan.jsonl", "--in-place", "--yes")


def check_finishes(given: Given, here: Path, forker: Forker) -> None:
    """The same command makes it whole, one more changes nothing, and undo brings the source back."""
    assert forker.run(here, *APPLY).code == 0
    assert contents(here) == given.after
    assert hidden(here) == []
    assert len(journals(here)) == 1
    assert not list(here.glob("reports/*/runs/.*.part"))
    check_journal(journals(here)[0])
    again = forker.run(here, *APPLY)
    assert again.code == 0 and "nothing was written" in again.stdout


def run_id(here: Path) -> str:
    (folder,) = here.glob("reports/*/runs/2*")
    return folder.name


def moments(forker: Forker, given: Given, folder: Path, *arguments: str) -> int:
    ended = forker.run(given.again(folder), *arguments)
    assert ended.code == 0, ended.stderr
    assert ended.moments > 10
    return ended.moments


def walk(count: int, every: int) -> list[int]:
    """All moments, or some that are spread over them, first and last included."""
    return sorted({*range(1, count + 1, every), count})


def killed_and_finished(forker: Forker, given: Given, folder: Path, every: int) -> None:
    for at in walk(moments(forker, given, folder, *APPLY), every):
        here = given.again(folder)
        ended = forker.run(here, *APPLY, at=at)
        assert ended.killed, (at, ended)
        check_whole(given, here)
        check_finishes(given, here, forker)


def test_killed_while_it_replaces_a_file(forker: Forker, one: Given, tmp_path: Path) -> None:
    killed_and_finished(forker, one, tmp_path, every=4)


@pytest.mark.slow
def test_killed_at_every_moment(forker: Forker, one: Given, three: Given, tmp_path: Path) -> None:
    killed_and_finished(forker, one, tmp_path, every=1)
    killed_and_finished(forker, three, tmp_path, every=1)


def undone_and_finished(forker: Forker, given: Given, folder: Path, every: int) -> None:
    applied = given.again(folder)
    assert forker.run(applied, *APPLY).code == 0
    done = folder / "applied"
    shutil.rmtree(done, ignore_errors=True)
    applied.rename(done)
    undo = ("undo", run_id(done), "--yes")

    def again() -> Path:
        here = folder / "work"
        shutil.rmtree(here, ignore_errors=True)
        shutil.copytree(done, here)
        for path in here.glob("reports/*/runs/*/journal.jsonl"):  # the header names the files by their places
            path.write_bytes(path.read_bytes().replace(bytes(done), bytes(here)))
        return here

    ended = forker.run(again(), *undo)
    assert ended.code == 0, ended.stderr
    for at in walk(ended.moments, every):
        here = again()
        assert forker.run(here, *undo, at=at).killed
        check_whole(Given(here, "", given.after, given.before), here)
        assert forker.run(here, *undo).code == 0
        assert contents(here) == given.before
        assert hidden(here) == []
        check_journal(journals(here)[1])
        assert "nothing was written" in forker.run(here, *undo).stdout


def test_killed_while_it_undoes(forker: Forker, one: Given, tmp_path: Path) -> None:
    undone_and_finished(forker, one, tmp_path, every=5)


@pytest.mark.slow
def test_killed_at_every_moment_of_an_undo(forker: Forker, three: Given, tmp_path: Path) -> None:
    undone_and_finished(forker, three, tmp_path, every=1)


def copied_and_finished(forker: Forker, given: Given, folder: Path, every: int) -> None:
    copy = ("apply", "plan.jsonl", "-o", "out")
    single = len(given.before) == 1

    def written(here: Path) -> dict[str, bytes]:
        if single:
            return {name: (here / "out").read_bytes() for name in given.before if (here / "out").exists()}
        return contents(here, "out")

    for at in walk(moments(forker, given, folder, *copy), every):
        here = given.again(folder)
        assert forker.run(here, *copy, at=at).killed
        assert contents(here) == given.before
        for name, data in written(here).items():
            assert data == given.after[name]
        finished = written(here) == given.after and "complete" in journals(here)[0][-1]
        ended = forker.run(here, *copy)
        assert ended.code == (4 if finished else 0), (at, ended)
        assert written(here) == given.after
        assert contents(here) == given.before
        assert hidden(here) == []
        check_journal(journals(here)[0])
        assert forker.run(here, *copy).code == 4


def test_killed_while_it_writes_a_copy(forker: Forker, one: Given, tmp_path: Path) -> None:
    copied_and_finished(forker, one, tmp_path, every=5)


@pytest.mark.slow
def test_killed_at_every_moment_of_a_copy(forker: Forker, one: Given, three: Given, tmp_path: Path) -> None:
    copied_and_finished(forker, one, tmp_path, every=1)
    copied_and_finished(forker, three, tmp_path, every=1)


@pytest.mark.parametrize("rounds", [3, pytest.param(60, marks=pytest.mark.slow)])
def test_killed_again_and_again(rounds: int, forker: Forker, three: Given, tmp_path: Path) -> None:
    chance = random.Random(rounds)
    count = moments(forker, three, tmp_path, *APPLY)
    for _ in range(rounds):
        here = three.again(tmp_path)
        for _ in range(4):
            if not forker.run(here, *APPLY, at=chance.randint(1, count)).killed:
                break
            check_whole(three, here)
        check_finishes(three, here, forker)


def stopped(ended: Ended) -> None:
    assert ended.code == 130, ended
    assert "Traceback" not in ended.stderr
    lines = ended.stderr.splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("error: interrupted: ")
    assert lines[0].endswith("to finish, type: corpus-migrate apply plan.jsonl --in-place")


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_told_to_stop(sign: int, every: int, forker: Forker, three: Given, tmp_path: Path) -> None:
    for at in walk(moments(forker, three, tmp_path, *APPLY), every):
        here = three.again(tmp_path)
        ended = forker.run(here, *APPLY, at=at, sign=sign)
        stopped(ended)
        check_whole(three, here)
        check_finishes(three, here, forker)


@pytest.mark.parametrize("steps", [4, pytest.param(40, marks=pytest.mark.slow)])
def test_a_full_disk(steps: int, forker: Forker, one: Given, tmp_path: Path) -> None:
    """No file may grow beyond a limit, from next to nothing up to what is needed."""
    (size,) = (len(data) for data in one.after.values())
    for step in range(steps):
        here = one.again(tmp_path)
        ended = forker.run(here, *APPLY, limit=2000 + size * step // steps)
        assert ended.code in (2, 5), ended
        assert "Traceback" not in ended.stderr
        assert len(ended.stderr.splitlines()) == 1, ended.stderr
        assert "too large" in ended.stderr.lower(), ended.stderr
        assert contents(here) == one.before
        assert hidden(here) == []
        check_finishes(one, here, forker)
