"""Looks at a file's bytes to learn what it is; names decide only where bytes cannot."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path

from migrate.corpora.compression import Reader, by_magic
from migrate.corpora.document import DocumentScanner
from migrate.corpora.interface import BOM, Compression, Form, Places

SUFFIXES = (".jsonl", ".json", ".ndjson", ".parquet")
COMPRESSIONS = (".gz", ".zst")
_SQLITE = b"SQLite format 3\0"
_PARQUET = b"PAR1"
_WIDE_MARKS = (
    (b"\xff\xfe\0\0", "UTF-32, byte order mark FF FE 00 00"),
    (b"\0\0\xfe\xff", "UTF-32, byte order mark 00 00 FE FF"),
    (b"\xff\xfe", "UTF-16, byte order mark FF FE"),
    (b"\xfe\xff", "UTF-16, byte order mark FE FF"),
)


@dataclass(frozen=True, slots=True)
class Look:
    """What the bytes of one file say."""

    compression: Compression | None = None
    form: Form = "lines"
    start: int = 0
    """The first byte behind a byte-order mark."""
    places: Places | None = None
    """Of an array or an answer, which had to be read to its end to be known."""
    damage: str | None = None
    """Why the stream ended too early, where :attr:`places` is known."""
    refusal: str | None = None
    """Why nothing of the file can be read."""


def split_name(name: str) -> tuple[str, str, str]:
    """A file name as stem, suffix and compression suffix, both as they are spelled and perhaps empty."""
    packed = next((end for end in COMPRESSIONS if name.lower().endswith(end)), "")
    rest = name[: len(name) - len(packed)]
    suffix = next((end for end in SUFFIXES if rest.lower().endswith(end)), "")
    stem = rest[: len(rest) - len(suffix)]
    return stem, rest[len(stem) :], name[len(rest) :]


def is_export(name: str) -> bool:
    """Whether a file name is that of an exported file."""
    return bool(split_name(name)[1])


def is_sqlite(path: Path) -> bool:
    """Whether a regular file is an SQLite database; a pipe would be waited for."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False


def look(path: Path) -> Look:
    """Reads as much of a file as it takes: a chunk of a file of lines, all of a document."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return Look(refusal="it is no regular file")
        with path.open("rb") as file:
            magic = file.read(8)
    except OSError as error:
        return Look(refusal=f"it could not be read: {error.strerror or error}")
    compression = by_magic(magic)
    if not magic and split_name(path.name)[2]:
        return Look(refusal="it is empty, which no compressed file is")
    reader = Reader(path, compression)
    chunks = iter(reader)
    head = next(chunks, b"")
    if head.startswith(_PARQUET) or split_name(path.name)[1].lower() == ".parquet":
        return Look(compression, "parquet")
    if not head:
        return Look(compression, refusal=reader.damage)
    if encoding := _wide(head):
        return Look(compression, refusal=f"it is not UTF-8 but {encoding}; save it as UTF-8")
    start = len(BOM) if head.startswith(BOM) else 0
    scanner = DocumentScanner(start)
    chunk: bytes | None = head[start:]
    while chunk is not None:
        if chunk and not scanner.feed(chunk):
            return Look(compression, start=start)
        chunk = next(chunks, None)
    places = scanner.finish(cut=reader.damage is not None)
    if places is None:
        return Look(compression, start=start)
    return Look(compression, scanner.form, start, places, reader.damage)


def _wide(head: bytes) -> str | None:
    """The encoding of a text that is not UTF-8, by its mark or by the zero bytes between its first characters."""
    for mark, name in _WIDE_MARKS:
        if head.startswith(mark):
            return name
    zeros = tuple(byte == 0 for byte in head[:4])
    if zeros in ((False, True, True, True), (True, True, True, False)):
        return "UTF-32 without a byte order mark"
    if zeros in ((False, True, False, True), (True, False, True, False)):
        return "UTF-16 without a byte order mark"
    return None
