"""The journal of a run: what was meant, line by line before it is done, and what came of it."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from migrate.applying.errors import ApplyError, Unwritable
from migrate.corpora.rewrite import flush_folder
from migrate.engine.json_walk import string_end

FORMAT = "corpus-migrate.journal/1"
NAME = "journal.jsonl"
_INTENT = b'{"intent":'
_WRITES = b'{"writes":'
_BLOCK = 1 << 20


def new_run_id() -> str:
    """A name for a run: its second and four random bytes."""
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()) + "-" + secrets.token_hex(4)


class Journal:
    """An append-only file; :meth:`flush` has everything on the disk when it returns. A context manager."""

    def __init__(self, path: Path, file: int) -> None:
        self.path = path
        self._file = file
        self._gathered = bytearray()

    @classmethod
    def begin(cls, folder: Path, header: dict[str, Any]) -> Journal:
        """A new journal in a new folder, which appears with the whole header in it. Raises Unwritable where that cannot be."""
        path, part = folder / NAME, folder.with_name(f".{folder.name}.part")
        try:
            for stray in folder.parent.glob(".*.part"):  # of a process that was killed just here
                shutil.rmtree(stray)
            part.mkdir(parents=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | _BINARY
            journal = cls(path, os.open(part / NAME, flags, 0o644))
            journal.write({"format": FORMAT, **header})
            journal.flush()
            flush_folder(part)
            part.rename(folder)
            flush_folder(folder.parent)
        except (OSError, ApplyError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise Unwritable(f"the journal {path} cannot be written: {reason}; name another --workspace") from error
        return journal

    @classmethod
    def go_on(cls, path: Path) -> Journal:
        """The journal of an unfinished run, without what a crash left of a last line."""
        try:
            whole = _whole_lines(path)
            with path.open("r+b") as file:
                file.truncate(whole)
            return cls(path, os.open(path, os.O_WRONLY | os.O_APPEND | _BINARY))
        except OSError as error:
            raise Unwritable(f"the journal {path} cannot be written: {error.strerror}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)

    def write(self, line: dict[str, Any]) -> None:
        """Add a line."""
        self.write_lines(json.dumps(line, separators=(",", ":")).encode() + b"\n")

    def write_lines(self, lines: bytes) -> None:
        """Add lines whose JSON is made already, each with its line feed."""
        self._gathered += lines
        if len(self._gathered) >= _BLOCK:
            self._put()

    def outcomes(self, outcome: str, ids: Iterable[tuple[str, str]]) -> None:
        """Add the same outcome for many records: id as JSON text, and reason."""
        for own_id, reason in ids:
            why = json.dumps(reason) if reason else "null"
            self.write_lines(f'{{"outcome":"{outcome}","record":{own_id},"reason":{why}}}\n'.encode())

    def flush(self) -> None:
        """Put every line on the disk."""
        self._put()
        try:
            os.fsync(self._file)
        except OSError as error:
            raise self._unwritten(error) from error

    def _put(self) -> None:
        gathered, self._gathered = self._gathered, bytearray()
        view = memoryview(gathered)
        try:
            while view:
                view = view[os.write(self._file, view) :]
        except OSError as error:
            raise self._unwritten(error) from error

    def _unwritten(self, error: OSError) -> ApplyError:
        return ApplyError(f"the journal {self.path} cannot be written: {error.strerror}")


_BINARY = getattr(os, "O_BINARY", 0)


def _whole_lines(path: Path) -> int:
    """Bytes of the lines that are whole: a crash can leave part of one, or zeros."""
    size = 0
    with path.open("rb") as file:
        for raw in file:
            if not (raw.endswith(b"}\n") and raw.startswith(b"{")):
                break
            size += len(raw)
    return size


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run that was begun before, as its journal tells."""

    folder: Path
    header: dict[str, Any]
    complete: bool

    @property
    def run_id(self) -> str:
        """Its name."""
        return str(self.header["run_id"])

    @property
    def path(self) -> Path:
        """Its journal."""
        return self.folder / NAME

    def intents(self) -> set[str]:
        """Ids, as JSON texts, of the records that it meant to change."""
        return {_id(raw, _INTENT) for raw in self._lines() if raw.startswith(_INTENT)}

    def outcomes(self, *wanted: str) -> set[str]:
        """Ids, as JSON texts, of the records with one of these outcomes."""
        starts = tuple(f'{{"outcome":"{outcome}","record":'.encode() for outcome in wanted)
        return {_id(raw, next(start for start in starts if raw.startswith(start))) for raw in self._lines() if raw.startswith(starts)}  # fmt: skip

    def written(self) -> dict[str, int]:
        """Files that it was about to give their names, and their bytes."""
        found = [json.loads(raw) for raw in self._lines() if raw.startswith(_WRITES)]
        return {line["writes"]: line["size"] for line in found}

    def _lines(self) -> Iterator[bytes]:
        with self.path.open("rb") as file:
            yield from (raw for raw in file if raw.endswith(b"}\n"))


def _id(raw: bytes, start: bytes) -> str:
    """Of a line of ours, the id behind its start."""
    text = raw[len(start) : len(start) + 20_000].decode("utf-8", "replace")
    if text[:1] == '"':
        return text[: string_end(text, 0)]
    return text[: text.index(",")]


def past_run(folder: Path) -> PastRun | None:
    """The run of a folder; None where its journal has no readable header."""
    try:
        with (folder / NAME).open("rb") as file:
            header = json.loads(file.readline())
            file.seek(max(0, file.seek(0, os.SEEK_END) - 4096))
            last = file.read().rpartition(b"\n{")[2]
            complete = last.startswith(b'"complete":true') and last.endswith(b"}\n")
    except (OSError, ValueError):
        return None
    if not isinstance(header, dict) or header.get("format") != FORMAT or "run_id" not in header:
        return None
    return PastRun(folder, header, complete)


def past_runs(runs: Path) -> list[PastRun]:
    """All runs of a corpus, the oldest first."""
    folders = sorted(path for path in runs.glob("[!.]*") if (path / NAME).is_file())
    return [run for folder in folders if (run := past_run(folder)) is not None]


def write_result(folder: Path, result: dict[str, Any]) -> None:
    """``result.json`` beside the journal, whole or not at all."""
    path, part = folder / "result.json", folder / ".result.json.part"
    try:
        part.write_text(
            json.dumps(result, ensure_ascii=False, indent=2) + "\n", encoding="utf-8", errors="backslashreplace"
        )
        os.replace(part, path)
    except OSError as error:
        raise ApplyError(f"the result {path} cannot be written: {error.strerror}") from error
