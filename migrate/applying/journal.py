"""The journal of a run: what was meant, line by line before it is done, and what came of it."""

from __future__ import annotations

import json
import os
import secrets
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from migrate.applying.errors import ApplyError, Unwritable

FORMAT = "corpus-migrate.journal/1"


def new_run_id() -> str:
    """A name for a run: its second and four random bytes."""
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()) + "-" + secrets.token_hex(4)


class Journal:
    """An append-only file; :meth:`flush` has everything on the disk when it returns."""

    def __init__(self, folder: Path, header: dict[str, Any]) -> None:
        self.path = folder / "journal.jsonl"
        try:
            folder.mkdir(parents=True, exist_ok=False)
            self._file = self.path.open("x", encoding="utf-8", newline="\n")
        except OSError as error:
            raise Unwritable(
                f"the journal {self.path} cannot be written: {error.strerror}; name another --workspace"
            ) from error
        self.write({"format": FORMAT, **header})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def write(self, line: dict[str, Any]) -> None:
        """Add a line."""
        self.write_text(json.dumps(line, ensure_ascii=False, separators=(",", ":")))

    def write_text(self, line: str) -> None:
        """Add a line whose JSON is made already."""
        try:
            self._file.write(line.encode("utf-8", "backslashreplace").decode() + "\n")
        except OSError as error:
            raise ApplyError(f"the journal {self.path} cannot be written: {error.strerror}") from error

    def flush(self) -> None:
        """Put every line on the disk."""
        try:
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise ApplyError(f"the journal {self.path} cannot be written: {error.strerror}") from error


def write_result(folder: Path, result: dict[str, Any]) -> None:
    """``result.json`` beside the journal, whole or not at all."""
    path = folder / "result.json"
    part = folder / ".result.json.part"
    try:
        part.write_text(json.dumps(result, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        os.replace(part, path)
    except OSError as error:
        raise ApplyError(f"the result {path} cannot be written: {error.strerror}") from error
