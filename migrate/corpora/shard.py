"""One exported file: where its records are, their bytes, and the form in which DuckDB reads them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from migrate.corpora.compression import Reader
from migrate.corpora.interface import BOM, Compression, CorpusError, Form, Int64, Places, Prepared, spoiled
from migrate.corpora.lines import LineScanner
from migrate.corpora.parquet import UnreadableParquetError, write_lines
from migrate.corpora.sniff import Look, look, split_name
from migrate.corpora.spans import Cursor, read_spans
from migrate.types import Gap

_NOTHING: Int64 = np.empty(0, dtype=np.int64)
_NO_PLACES = Places(_NOTHING, _NOTHING, None, 0)


class Shard:
    """A file of a corpus. It is looked at when first asked, and what was learned is kept.

    A file that cannot be read, or not to its end, is no error here: :attr:`gaps` says what is missing and why.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stamp = _stamp(path)
        self.size = self._stamp[0]
        """Bytes on disk."""
        self._reason: str | None = None
        self._padded = False
        self._converted: Path | None = None
        self._places: Places | None = None

    def __repr__(self) -> str:
        return f"Shard({str(self.path)!r})"

    @cached_property
    def _look(self) -> Look:
        return look(self.path)

    @property
    def form(self) -> Form:
        """How the file holds its records, by its content."""
        return self._look.form

    @property
    def compression(self) -> Compression | None:
        """How the file is compressed, by its content."""
        return self._look.compression

    @property
    def written_name(self) -> str:
        """The file's name when it is written again: Parquet becomes JSON lines, all else keeps its name."""
        return f"{split_name(self.path.name)[0]}.jsonl" if self.form == "parquet" else self.path.name

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """What could not be read; of Parquet, known once it is prepared."""
        self.places()
        return () if self._reason is None else (Gap(str(self.path), self._reason),)

    @property
    def text(self) -> tuple[Path, Compression | None, int]:
        """The file whose decompressed bytes all places mean, its compression, and the first byte behind a BOM."""
        if self._converted is not None:
            return self._converted, None, 0
        return self.path, self._look.compression, self._look.start

    def places(self) -> Places:
        """Where the items are: one pass over the decompressed bytes, the first time.

        Raises:
            CorpusError: a Parquet file that was not prepared, or a file that changed meanwhile.
        """
        if self._places is None:
            self._places = self._find_places()
            self.check_unchanged()
        return self._places

    def prepare(self, temp_dir: Path) -> Prepared:
        """The shard as DuckDB reads it: the file itself where that is possible, else a new file in ``temp_dir``.

        A plain file of lines is not read for this, all others are read to their end.

        Raises:
            CorpusError: the temporary file cannot be written, or the source changed meanwhile.
        """
        if self.form == "lines" and self.compression is None and self._look.refusal is None and self._reason is None:
            self.check_unchanged()
            return Prepared(self.path, None)
        try:
            if self.form == "parquet" and self._look.refusal is None:
                self._convert(temp_dir)
            places, gaps = self.places(), self.gaps
            path, compression, _ = self.text
            if self.form in ("array", "results"):
                items = read_spans(path, compression, places.offsets, places.lengths)
                flat = (spoiled(item, ragged=i in places.ragged) + b"\n" for i, item in enumerate(items))
                return Prepared(_temporary(temp_dir, flat), None, gaps)
            if gaps or self._padded:
                readable = Cursor(Reader(path, compression)).take(places.size)
                return Prepared(_temporary(temp_dir, readable), None, gaps)
            return Prepared(path, compression)
        except OSError as error:
            raise CorpusError(f"{temp_dir}: no temporary file could be written: {error.strerror or error}") from error

    def read(self, indexes: Sequence[int] | Int64) -> Iterator[tuple[int, bytes]]:
        """The raw bytes of items, each once and in ascending order, however they were asked for.

        Raises:
            CorpusError: no such item, or the file changed since its places were found.
        """
        places = self.places()
        wanted = np.unique(np.asarray(indexes, dtype=np.int64))
        if len(wanted) and not 0 <= int(wanted[0]) <= int(wanted[-1]) < places.count:
            raise CorpusError(f"{self.path}: it has {places.count} records, and one beyond them was asked for")
        self.check_unchanged()
        path, compression, _ = self.text
        spans = read_spans(path, compression, places.offsets[wanted], places.lengths[wanted])
        for position, item in enumerate(spans):
            yield int(wanted[position]), item

    def clean_lines(self, temp_dir: Path, broken: Collection[int] | None = None) -> Path:
        """A new file of strictly valid UTF-8, item i on line i + 1, each line ended by one line feed.

        Items that are not UTF-8, and those named in ``broken``, become the line ``null``.

        Raises:
            CorpusError: the file cannot be written, or the source changed meanwhile.
        """
        places, (path, compression, _) = self.places(), self.text
        bad = frozenset(broken or ())

        def cleaned() -> Iterator[bytes]:
            for index, item in enumerate(read_spans(path, compression, places.offsets, places.lengths)):
                if index in bad or not item or item.startswith(BOM) or not _is_utf8(item):
                    yield b"null\n"
                else:
                    yield spoiled(item, ragged=index in places.ragged) + b"\n"

        try:
            return _temporary(temp_dir, cleaned())
        except OSError as error:
            raise CorpusError(f"{temp_dir}: no temporary file could be written: {error.strerror or error}") from error

    def check_unchanged(self) -> None:
        """Raises CorpusError where the file is no longer the one that was opened."""
        if self._look.refusal is None and _stamp(self.path) != self._stamp:
            raise CorpusError(
                f"{self.path}: it was changed while it was read; run the command again when it is at rest"
            )

    def _find_places(self) -> Places:
        found = self._look
        if found.refusal is not None or (found.form == "parquet" and self._reason is not None):
            self._reason = found.refusal or self._reason
            return _NO_PLACES
        if found.form == "parquet" and self._converted is None:
            raise CorpusError(f"{self.path}: a Parquet file must be prepared before its records can be found")
        if found.places is not None:
            if found.damage is not None:
                self._reason = f"{found.damage}; {found.places.count} whole records were read before that"
            return found.places
        path, compression, start = self.text
        reader, scanner = Reader(path, compression), LineScanner(start)
        skip = start
        for chunk in reader:
            if chunk := chunk[skip:]:
                scanner.feed(chunk)
            skip = 0
        places, rest = scanner.finish(cut=reader.damage is not None)
        self._padded = reader.padded
        if reader.damage is not None:
            left = f", and {rest} bytes of an unfinished line were left out" if rest else ""
            self._reason = f"{reader.damage}; {places.count} whole lines were read before that{left}"
        return places

    def _convert(self, temp_dir: Path) -> None:
        self._places, self._reason = None, None
        try:
            self._converted = _temporary(temp_dir, write_lines(self.path, self.compression, temp_dir))
        except UnreadableParquetError as error:
            self._converted, self._reason = None, str(error)


def _stamp(path: Path) -> tuple[int, int, int]:
    """Size, time and number of a file: what changes when it is written or replaced."""
    try:
        status = path.stat()
    except OSError:
        return 0, 0, 0
    return status.st_size, status.st_mtime_ns, status.st_ino


def _is_utf8(item: bytes) -> bool:
    try:
        item.decode()
    except UnicodeDecodeError:
        return False
    return True


def _temporary(temp_dir: Path, parts: Iterable[bytes | memoryview]) -> Path:
    """A new file of these parts, with a name that says nothing of the source; none is left after an error."""
    temp_dir.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix="shard-", suffix=".ndjson", dir=temp_dir)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(parts)
    except BaseException:
        Path(name).unlink()
        raise
    return Path(name)
