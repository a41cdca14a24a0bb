"""Compressed files: all members and frames are read, and what is wrong with a stream is said."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
import zstandard

from migrate.corpora.compression import CHUNK, Reader, by_magic, packer
from migrate.corpora.interface import Compression

TEXT = b"".join(b'{"id":%d,"t":"%s"}\n' % (number, b"word " * 20) for number in range(20_000))
SKIPPABLE = b"\x50\x2a\x4d\x18\x04\0\0\0skip"


def zst(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_checksum=True).compress(data)


def read(path: Path, data: bytes, compression: Compression | None) -> tuple[bytes, Reader]:
    path.write_bytes(data)
    reader = Reader(path, compression)
    return b"".join(reader), reader


@pytest.mark.parametrize(
    ("compression", "data", "text"),
    [
        (None, TEXT, TEXT),
        (None, b"", b""),
        ("gz", gzip.compress(TEXT, mtime=0), TEXT),
        (
            "gz",
            gzip.compress(TEXT, mtime=0) + gzip.compress(b"", mtime=0) + gzip.compress(b"end", mtime=0),
            TEXT + b"end",
        ),
        ("gz", gzip.compress(b"", mtime=0), b""),
        ("zst", zst(TEXT), TEXT),
        ("zst", zst(TEXT) + SKIPPABLE + zst(b"") + zst(b"end"), TEXT + b"end"),
        ("zst", SKIPPABLE + zst(TEXT), TEXT),
    ],
)
def test_a_whole_stream_is_read_to_its_end(
    tmp_path: Path, compression: Compression | None, data: bytes, text: bytes
) -> None:
    found, reader = read(tmp_path / "a", data, compression)
    assert found == text
    assert reader.damage is None
    assert not reader.padded


def test_zero_bytes_behind_a_member_are_no_damage(tmp_path: Path) -> None:
    found, reader = read(
        tmp_path / "a", gzip.compress(TEXT, mtime=0) + bytes(70_000) + gzip.compress(b"end", mtime=0), "gz"
    )
    assert found == TEXT + b"end"
    assert reader.damage is None
    assert reader.padded


@pytest.mark.parametrize("compression", ["gz", "zst"])
@pytest.mark.parametrize("kept", [0, 1, 5, 200, -1, -5])
def test_a_cut_stream_gives_what_it_held(tmp_path: Path, compression: Compression, kept: int) -> None:
    packed = gzip.compress(TEXT, mtime=0) if compression == "gz" else zst(TEXT)
    found, reader = read(tmp_path / "a", packed[:kept], compression)
    assert TEXT.startswith(found)
    assert reader.damage is not None
    assert "ends early" in reader.damage


def test_a_cut_in_the_last_member_keeps_the_first(tmp_path: Path) -> None:
    found, reader = read(tmp_path / "a", gzip.compress(TEXT, mtime=0) + gzip.compress(b"end", mtime=0)[:12], "gz")
    assert found.startswith(TEXT)
    assert reader.damage == "the gzip stream ends early"


def test_a_wrong_checksum_costs_no_text(tmp_path: Path) -> None:
    packed = gzip.compress(b"some text\n", mtime=0)
    found, reader = read(tmp_path / "a", packed[:-8] + b"wrong" + packed[-3:], "gz")
    assert found == b"some text\n"
    assert reader.damage is not None
    assert "damaged" in reader.damage


@pytest.mark.parametrize(
    ("compression", "packed"), [("gz", gzip.compress(b"text\n", mtime=0)), ("zst", zst(b"text\n"))], ids=["gz", "zst"]
)
def test_bytes_of_another_kind_behind_the_stream_are_damage(
    tmp_path: Path, compression: Compression, packed: bytes
) -> None:
    found, reader = read(tmp_path / "a", packed + b"garbage, and more of it", compression)
    assert found == b"text\n"
    assert reader.damage is not None
    assert "after 1 whole part" in reader.damage


def test_a_file_that_cannot_be_read_is_damage(tmp_path: Path) -> None:
    reader = Reader(tmp_path / "missing", None)
    assert list(reader) == []
    assert reader.damage == "it could not be read: No such file or directory"


@pytest.mark.parametrize("compression", [None, "gz", "zst"])
def test_chunks_are_neither_empty_nor_large(tmp_path: Path, compression: Compression | None) -> None:
    data = b"0" * (64 * CHUNK)
    stream = packer(compression)
    path = tmp_path / "a"
    path.write_bytes(stream.compress(bytearray(data)) + stream.flush())
    sizes = [len(chunk) for chunk in Reader(path, compression)]
    assert sum(sizes) == len(data)
    assert min(sizes) > 0
    assert max(sizes) < 2 * CHUNK or compression == "zst", "zeros are all of zstd's bytes, and it gives all it has"


@pytest.mark.parametrize("compression", [None, "gz", "zst"])
def test_packing_twice_gives_the_same_bytes(compression: Compression | None) -> None:
    def packed() -> bytes:
        stream = packer(compression)
        return b"".join([stream.compress(bytearray(TEXT)), stream.compress(bytearray(b"more")), stream.flush()])

    assert packed() == packed()
    assert by_magic(packed()) == compression
    if compression == "gz":
        assert packed()[3:8] == b"\0" * 5, "no name, no time"
        assert gzip.decompress(packed()) == TEXT + b"more"
    if compression == "zst":
        assert zstandard.ZstdDecompressor().decompressobj().decompress(packed()) == TEXT + b"more"
