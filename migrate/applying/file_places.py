"""Which files a run writes: copies beside an untouched source, or the files themselves, each old one kept under another name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from migrate.applying.errors import Refused, Unwritable
from migrate.applying.file_target import ShardPlace
from migrate.applying.journal import PastRun
from migrate.corpora.files import FileCorpus
from migrate.corpora.interface import CorpusError
from migrate.corpora.shard import Shard


def copies(corpus: FileCorpus, out: Path, past: PastRun | None) -> list[ShardPlace]:
    """New files: ``out`` itself, or one in the folder ``out`` for each shard. What ``past``, this run's unfinished part, wrote counts.

    Raises Refused where something else has a name already, CorpusError where a folder stands in the way of a file.
    """
    several = len(corpus.shards) > 1
    if not several and out.is_dir():
        raise CorpusError(f"{out} is a folder; name a new file for the output")
    if (out.exists() or out.is_symlink()) and past is None:
        raise Refused(f"{out} exists already; name a new file for the output")
    written = past.written() if past is not None else {}
    places = []
    for shard in corpus.shards:
        target = out / shard.written_name if several else out
        if not target.exists():
            places.append(ShardPlace(shard, target, None))
        elif target.is_file() and written.get(str(target.resolve())) == target.stat().st_size:
            places.append(ShardPlace(Shard(target), target, None, done=True))
        else:
            raise Refused(f"{target} exists already, and is not what the unfinished run wrote; move it away")
    return places


def originals(shards: Sequence[Shard], run_id: str) -> list[ShardPlace]:
    """The files themselves. Raises Unwritable for what cannot be replaced by a repaired file of its kind."""
    places: list[ShardPlace] = []
    for shard in shards:
        path = shard.path.resolve()
        if shard.form == "parquet":
            raise Unwritable(f"{shard.path}: a Parquet file is only repaired into JSON lines; name a new file with -o")
        if any(path == place.destination for place in places):
            raise Unwritable(
                f"{shard.path}: this is the same file as another one of the corpus; name the files one by one"
            )
        places.append(ShardPlace(shard, path, _kept(path, run_id)))
    return places


def _kept(path: Path, run_id: str) -> Path:
    """A name for the old file. What has it already is the file itself, or something that an unfinished run left: both stay."""
    base = f"{path.name}.before-{run_id}"
    number = 1
    while True:
        name = path.with_name(base if number == 1 else f"{base}.{number}")
        if not name.exists() or name.samefile(path):
            return name
        number += 1
