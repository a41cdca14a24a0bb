"""Reads a file through its compression, to its true end, and says what was wrong with it.

Every member of a ``.gz`` and every frame of a ``.zst`` is read. What DuckDB lets pass silently (a cut zstd frame, a
wrong gzip checksum) is damage here.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

import zstandard

from migrate.corpora.interface import Compression

CHUNK = 1 << 20
"""Bytes handed on at once: small enough for the processor's cache, large enough for vectors."""

_GZ = b"\x1f\x8b"
_ZST = b"\x28\xb5\x2f\xfd"
_GZ_FEED = 1 << 16
_ZST_FEED = 1 << 12
"""zstd unpacks all it is given; one byte can make 32 KiB, so little is given at once."""


def by_magic(head: bytes) -> Compression | None:
    """The compression that the first bytes of a file announce, whatever its name says."""
    if head.startswith(_GZ):
        return "gz"
    if head.startswith(_ZST) or (head[1:4] == b"\x2a\x4d\x18" and head[0] & 0xF0 == 0x50):
        return "zst"
    return None


class Reader:
    """The decompressed bytes of a file, in chunks of about :data:`CHUNK`.

    Iterating never raises: :attr:`damage` says afterwards why the bytes ended too early, or is None. A reader
    is read once.
    """

    def __init__(self, path: Path, compression: Compression | None) -> None:
        self.path = path
        self.compression = compression
        self.damage: str | None = None
        self.padded = False
        """Whether zero bytes follow a gzip member: no fault, but DuckDB refuses them."""

    def __iter__(self) -> Iterator[bytes]:
        try:
            with self.path.open("rb", buffering=0) as file:
                if self.compression is None:
                    while chunk := file.read(CHUNK):
                        yield chunk
                else:
                    yield from _gathered(self._gz(file) if self.compression == "gz" else self._zst(file))
        except OSError as error:
            self.damage = f"it could not be read: {error.strerror or error}"

    def _gz(self, file: BinaryIO) -> Iterator[bytes]:
        member = zlib.decompressobj(31)
        members, fed = 0, False
        while raw := file.read(_GZ_FEED):
            while raw:
                if not fed and members and not (raw := self._after_padding(raw)):
                    break
                fed, before = True, member.copy()
                try:
                    yield member.decompress(raw, CHUNK)
                except zlib.error as error:
                    yield from _last_words(before, raw)
                    self.damage = _damage("gzip", members, error)
                    return
                raw = member.unconsumed_tail
                if member.eof:
                    raw, member = member.unused_data, zlib.decompressobj(31)
                    members, fed = members + 1, False
        if fed or not members:
            yield member.flush()
            self.damage = None if member.eof else "the gzip stream ends early"

    def _after_padding(self, raw: bytes) -> bytes:
        rest = raw.lstrip(b"\0")
        self.padded = self.padded or len(rest) < len(raw)
        return rest

    def _zst(self, file: BinaryIO) -> Iterator[bytes]:
        frame = zstandard.ZstdDecompressor().decompressobj()
        frames, fed = 0, False
        while raw := file.read(_ZST_FEED):
            while raw:
                fed = True
                try:
                    yield frame.decompress(raw)
                except zstandard.ZstdError as error:
                    self.damage = _damage("zstd", frames, error)
                    return
                raw = b""
                if frame.eof:
                    raw, frame = frame.unused_data, zstandard.ZstdDecompressor().decompressobj()
                    frames, fed = frames + 1, False
        if fed or not frames:
            self.damage = "the zstd stream ends early"


def _damage(name: str, finished: int, error: Exception) -> str:
    where = f" after {finished} whole parts" if finished else ""
    return f"the {name} stream is damaged{where} ({error})"


def _last_words(member: zlib._Decompress, raw: bytes) -> Iterator[bytes]:
    """What a damaged member still gives: bytes before the fault, or all of them where only the checksum is wrong."""
    for at in range(len(raw)):
        try:
            yield member.decompress(raw[at : at + 1])
        except zlib.error:
            return


def _gathered(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes in larger pieces."""
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= CHUNK:
            yield b"".join(held)
            held.clear()
            size = 0
    if size:
        yield b"".join(held)


class Packer(Protocol):
    """Compresses one stream."""

    def compress(self, data: bytearray, /) -> bytes | bytearray:
        """What the next bytes add to the stream."""

    def flush(self) -> bytes:
        """The end of the stream."""


class _Plain:
    def compress(self, data: bytearray, /) -> bytearray:
        return data

    def flush(self) -> bytes:
        return b""


def packer(compression: Compression | None) -> Packer:
    """A new stream. The same bytes always make the same stream: gzip gets neither a time nor a name."""
    match compression:
        case "gz":
            return zlib.compressobj(wbits=31)
        case "zst":
            return zstandard.ZstdCompressor(write_checksum=True).compressobj()
        case None:
            return _Plain()
