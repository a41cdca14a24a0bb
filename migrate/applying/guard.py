"""One process at a time works on the runs of a corpus."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from migrate.applying.errors import Refused, Unwritable

_LOCK = ".lock"


@contextlib.contextmanager
def alone(runs: Path) -> Iterator[None]:
    """Holds the lock of a folder of runs; it goes with the process, however that ends. Raises Refused where another has it.

    Where no run was begun, nothing of it is left.
    """
    made = [folder for folder in (runs, *runs.parents) if not folder.exists()]
    try:
        runs.mkdir(parents=True, exist_ok=True)
        handle = _opened(runs / _LOCK)
    except OSError as error:
        raise Unwritable(
            f"the workspace {runs} cannot be written: {error.strerror}; name another --workspace"
        ) from error
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            if [path.name for path in runs.iterdir()] == [_LOCK]:
                (runs / _LOCK).unlink()
                for folder in made:
                    folder.rmdir()
        os.close(handle)


def _opened(path: Path) -> int:
    """The lock, held. One that its last holder removed meanwhile is none."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _lock(handle)
        except OSError as error:
            os.close(handle)
            raise Refused(f"another process is at work on this corpus (its lock is {path}); wait for it") from error
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(handle), path.stat()):
                return handle
        os.close(handle)


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
