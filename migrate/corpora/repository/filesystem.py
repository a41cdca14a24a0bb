"""Looking at files that may be anything: links, pipes, devices, names in no encoding. Nothing here blocks or follows by surprise."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

LARGEST = 64 * 1024 * 1024
"""Bytes of the largest file that is read; a context is prose."""

_MISSING = frozenset((errno.ENOENT,))
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class Unreadable(Exception):
    """A file or folder that cannot be looked at: which, relative to the scope, and why."""

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(f"{file}: {reason}")
        self.file = file
        self.reason = reason


def shown(name: str | bytes) -> str:
    """A name as text: bytes that are no UTF-8 as ``\\xNN``."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def reason(error: OSError) -> str:
    """What the system says, without the path."""
    return (error.strerror or str(error)).lower()


def looked_at(folder: Path, name: str) -> os.stat_result | None:
    """``lstat`` of a relative path; None where there is nothing. Raises Unreadable for any other answer."""
    try:
        return (folder / name).lstat()
    except OSError as error:
        if error.errno in _MISSING:
            return None
        raise Unreadable(name, reason(error)) from error


def is_regular(status: os.stat_result | None) -> bool:
    """Whether something is there, and is a file and no link."""
    return status is not None and stat.S_ISREG(status.st_mode)


def is_folder(status: os.stat_result | None) -> bool:
    """Whether something is there, and is a folder and no link."""
    return status is not None and stat.S_ISDIR(status.st_mode)


def kind_of(status: os.stat_result) -> str:
    """``a folder``, ``a link``: what stands where a file should."""
    named = (
        (stat.S_ISREG, "a file"),
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISLNK, "a symbolic link"),
        (stat.S_ISFIFO, "a pipe"),
    )
    return next((what for test, what in named if test(status.st_mode)), "no regular file")


def read_regular(path: str, name: str, *, follow: bool = False) -> bytes:
    """All bytes of a regular file, which is opened without waiting and looked at again once it is open.

    Raises Unreadable, FileNotFoundError among its causes, for anything else.
    """
    flags = _FLAGS if follow else _FLAGS | getattr(os, "O_NOFOLLOW", 0)
    try:
        handle = os.open(path, flags)
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise Unreadable(name, f"it is {kind_of(status)}, no file")
            if status.st_size > LARGEST:
                raise Unreadable(
                    name, f"it has more than {LARGEST // (1024 * 1024)} MiB, too many for a context document"
                )
            return _read_all(handle, status.st_size)
        finally:
            os.close(handle)
    except OSError as error:
        raise Unreadable(name, reason(error)) from error


def _read_all(handle: int, size: int) -> bytes:
    """The file in one read where it kept its size; a growing one only up to the limit."""
    first = os.read(handle, size + 1)
    if len(first) == size:
        return first
    parts, total = [first], len(first)
    while total <= LARGEST and (part := os.read(handle, 1 << 20)):
        parts.append(part)
        total += len(part)
    return b"".join(parts)
