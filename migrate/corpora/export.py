"""A store's entries into a file of lines: the same lines that a plan of the store is made from."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from migrate.corpora.compression import packer
from migrate.corpora.interface import Compression, CorpusError
from migrate.corpora.rewrite import flush_folder, name_too
from migrate.corpora.sniff import split_name
from migrate.corpora.spool import CutShort, Store, told
from migrate.types import Progress

_PACKINGS: dict[str, Compression] = {".gz": "gz", ".zst": "zst"}


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written."""

    entries: int
    size: int
    """Bytes of the lines, before compression."""


def export(store: Store, out: Path, progress: Progress | None = None) -> Exported:
    """Write every entry of a store to a new file; a name that ends in .gz or .zst is compressed.

    The file is there when it is complete, and not before. Raises CorpusError, with nothing left, where the store cannot be
    read to its end or the file cannot be written.
    """
    entries = size = 0
    try:
        with appearing(out) as file:
            packed = packer(_PACKINGS.get(split_name(out.name)[2].lower()))
            for piece in told(store, store.lines(out.parent), progress):
                file.write(packed.compress(bytearray(piece)))
                entries, size = entries + piece.count(b"\n"), size + len(piece)
            file.write(packed.flush())
    except CutShort as error:
        raise CorpusError(
            f"{store.uri}: {error}; {entries} entries were read before that, and no file was written"
        ) from error
    except OSError as error:
        raise CorpusError(f"{out} cannot be written: {error.strerror or error}") from error
    return Exported(entries, size)


@contextmanager
def appearing(out: Path) -> Iterator[BinaryIO]:
    """A new file that gets its name when all is written and on the disk, and is gone after an error."""
    handle, name = tempfile.mkstemp(prefix=f".{out.name}.", suffix=".part", dir=out.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)
        # A second name and no rename: a file that came meanwhile is not replaced.
        name_too(Path(name), out)
        flush_folder(out.parent)
    finally:
        Path(name).unlink(missing_ok=True)
