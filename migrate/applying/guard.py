"""One process at a time works on the runs of a corpus."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from migrate.applying.errors import Refused, Unwritable


@contextlib.contextmanager
def alone(runs: Path) -> Iterator[None]:
    """Holds the lock of a folder of runs; it goes with the process, however that ends. Raises Refused where another has it."""
    try:
        runs.mkdir(parents=True, exist_ok=True)
        handle = os.open(runs / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise Unwritable(
            f"the workspace {runs} cannot be written: {error.strerror}; name another --workspace"
        ) from error
    try:
        try:
            _lock(handle)
        except OSError as error:
            raise Refused(
                f"another process is at work on this corpus (its lock is {runs / '.lock'}); wait for it"
            ) from error
        yield
    finally:
        os.close(handle)


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
