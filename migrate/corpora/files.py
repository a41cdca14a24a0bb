"""Opens exported files: one, a folder of them, or a glob; each file is a shard of one corpus."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from migrate.corpora.interface import CorpusError
from migrate.corpora.shard import Shard
from migrate.corpora.sniff import COMPRESSIONS, SUFFIXES, is_export, is_sqlite
from migrate.corpora.source import ShardSource
from migrate.types import Progress

_WANTED = f"{', '.join(SUFFIXES)}, each also {' or '.join(COMPRESSIONS)}"
_KINDS = (
    f"a file, a folder or a glob of {_WANTED}, or a store: sqlite:///PATH, a database file, postgresql://…, mcp+stdio:COMMAND,"
    " http(s)://…/mcp"
)
_SCHEME = re.compile(r"(mcp\+stdio)(?=:)|([a-z][a-z0-9+.-]*)(?=://)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FileCorpus:
    """Exported files that are one corpus, in the order in which their records count."""

    uri: str
    """As it was typed."""
    shards: tuple[Shard, ...]
    jsonb: ClassVar[bool] = False

    def sources(self, folder: Path, progress: Progress | None = None, threads: int | None = None) -> list[ShardSource]:
        """What the engine scans: one source a file; forms it does not read are rewritten into ``folder``."""
        return [ShardSource(shard, folder) for shard in self.shards]


def open_files(uri: str) -> FileCorpus:
    """The corpus of a path, a folder (its own files, not those of folders in it) or a glob; no record is read yet.

    Raises:
        CorpusError: the path is missing, is no exported file, or holds none; or the URI names another kind of corpus.
    """
    if not uri:
        raise CorpusError("no corpus was named; give a file, a folder or a glob")
    if match := _SCHEME.match(uri):
        # Of a URI nothing but the scheme is said: it may hold a password.
        raise CorpusError(f"{match[0].lower()}: this is no kind of corpus; give {_KINDS}")
    try:
        paths = _paths(uri)
    except OSError as error:
        raise CorpusError(f"{uri}: this could not be looked at: {error.strerror or error}") from error
    for path in paths:
        if is_sqlite(path):
            raise CorpusError(
                f"{path}: this is an SQLite database among exported files; name it alone, as a corpus of its own"
            )
    return FileCorpus(uri, tuple(Shard(path) for path in paths))


def _paths(uri: str) -> list[Path]:
    """The files that a path, a folder or a glob stands for; a name that exists is no glob."""
    path = Path(uri)
    if path.is_dir():
        found = _exports(child for child in path.iterdir() if not child.name.startswith("."))
        nothing = f"the folder itself holds no exported files ({_WANTED}); a glob such as **/*.jsonl reaches further"
    elif path.exists():
        if not path.is_file():
            raise CorpusError(f"{uri}: this is no regular file; save what it gives in a file first")
        found = _exports([path])
        nothing = f"the name is not that of an exported file, which ends in {_WANTED}"
    elif glob.has_magic(uri):
        found = _exports(Path(name) for name in glob.iglob(uri, recursive=True))  # noqa: PTH207 - a glob may be absolute
        nothing = f"the glob matches no exported file ({_WANTED})"
    else:
        raise CorpusError(f"{uri}: there is no such file or folder")
    if not found:
        raise CorpusError(f"{uri}: {nothing}")
    return found


def _exports(paths: Iterable[Path]) -> list[Path]:
    """The exported files among the paths, sorted; a link to nowhere is one, so that its loss is seen."""
    return sorted(path for path in paths if is_export(path.name) and not path.is_dir())
