"""Single files of a working tree, created, replaced or removed so that nothing else can be hit: never through a link, never over another file.

Every folder on the way is opened from the one above it and must be a real folder. Where the system has no such calls, each is
looked at before.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from migrate.corpora.repository.filesystem import LARGEST, kind_of, reason

_RELATIVE = {os.open, os.mkdir, os.unlink, os.link, os.rename, os.stat, os.rmdir} <= os.supports_dir_fd
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | _NO_LINK
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | _NO_LINK
_CANNOT_LINK = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV)


class Blocked(Exception):
    """A file that cannot be written as it should, in a few words that begin with its path."""


class ScopeFiles:
    """The files of one scope: ``base / scope``, whose folders exist and are none of ours to make.

    ``mark`` is part of the hidden names under which new bytes wait. Everything raises Blocked.
    """

    def __init__(self, base: Path, scope: str, mark: str) -> None:
        self._base = str(base)
        self._scope = [part for part in scope.split("/") if part not in ("", ".")]
        self._mark = mark

    def read(self, path: str) -> bytes | None:
        """The bytes of a regular file; None where there is nothing, not even a folder to hold it."""
        try:
            with self._folder(path) as (folder, name):
                return _bytes(folder, name, path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Blocked(f"{path}: {reason(error)}") from error

    def missing_folders(self, path: str) -> list[str]:
        """The folders that must be made for a file, from the top."""
        parts = path.split("/")[:-1]
        paths = ["/".join(parts[: depth + 1]) for depth in range(len(parts))]
        return [one for one in paths if not os.path.lexists(os.path.join(self._base, *self._scope, one))]

    def create(self, path: str, data: bytes) -> None:
        """Make a file that is not there: all of its bytes appear at once under its name, or none."""
        with self._blocked(path), self._folder(path, make=True) as (folder, name):
            waiting = self._write(folder, name, data, 0o666)
            try:
                _link(folder, waiting, name, data)
            finally:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(waiting, dir_fd=folder)
            _flush(folder)

    def replace(self, path: str, old: bytes, new: bytes) -> None:
        """Give a file that still has its old bytes new ones, all at once; its permissions stay."""
        with self._blocked(path), self._folder(path) as (folder, name):
            self._compare(folder, name, path, old)
            mode = stat.S_IMODE(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
            waiting = self._write(folder, name, new, mode)
            os.replace(waiting, name, src_dir_fd=folder, dst_dir_fd=folder)
            _flush(folder)

    def remove(self, path: str, data: bytes) -> None:
        """Remove a file that still has exactly these bytes."""
        with self._blocked(path), self._folder(path) as (folder, name):
            self._compare(folder, name, path, data)
            os.unlink(name, dir_fd=folder)
            _flush(folder)

    def remove_folders(self, paths: Sequence[str]) -> None:
        """Remove these folders, the deepest first, as far as they are empty."""
        for path in sorted(paths, key=len, reverse=True):
            with contextlib.suppress(OSError, Blocked), self._folder(path) as (folder, name):
                os.rmdir(name, dir_fd=folder)

    @contextlib.contextmanager
    def _blocked(self, path: str) -> Iterator[None]:
        try:
            yield
        except FileExistsError as error:
            raise Blocked(f"{path}: something has the name by now; nothing is ever written over it") from error
        except OSError as error:
            raise Blocked(f"{path}: {reason(error)}") from error

    @contextlib.contextmanager
    def _folder(self, path: str, *, make: bool = False) -> Iterator[tuple[int | None, str]]:
        """The open folder that holds a path, and the name in it; without folder handles None and the whole path."""
        *folders, name = path.split("/")
        opened = os.open(self._base, _FOLDER) if _RELATIVE else None
        place = self._base
        try:
            for depth, part in enumerate([*self._scope, *folders]):
                place = os.path.join(place, part)
                may_make = make and depth >= len(self._scope)
                below = _step(opened, part if _RELATIVE else place, may_make=may_make)
                if opened is not None:
                    os.close(opened)
                opened = below
            yield opened, name if _RELATIVE else os.path.join(place, name)
        finally:
            if opened is not None:
                os.close(opened)

    def _write(self, folder: int | None, name: str, data: bytes, mode: int) -> str:
        """The bytes in a new file beside ``name``, on the disk; what an earlier part of this run left there goes."""
        head, tail = os.path.split(name)
        waiting = os.path.join(head, f".{tail}.{self._mark}")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(waiting, dir_fd=folder)
        handle = os.open(waiting, _NEW, mode, dir_fd=folder)
        try:
            _put(handle, data)
        except OSError:
            os.unlink(waiting, dir_fd=folder)
            raise
        finally:
            os.close(handle)
        return waiting

    @staticmethod
    def _compare(folder: int | None, name: str, path: str, wanted: bytes) -> None:
        if _bytes(folder, name, path) != wanted:
            raise Blocked(f"{path}: it was changed meanwhile")


def _step(above: int | None, part: str, *, may_make: bool) -> int | None:
    """Open a folder in the one above, or make sure that it is one; made where it may be and is not there."""
    try:
        status = os.stat(part, dir_fd=above, follow_symlinks=False)
    except FileNotFoundError:
        if not may_make:
            raise
        os.mkdir(part, dir_fd=above)
        _flush(above)
        status = os.stat(part, dir_fd=above, follow_symlinks=False)
    if not stat.S_ISDIR(status.st_mode):
        raise Blocked(f"{os.path.basename(part)} is {kind_of(status)} on the way; nothing is written through it")
    return os.open(part, _FOLDER | _NO_LINK, dir_fd=above) if _RELATIVE else None


def _bytes(folder: int | None, name: str, path: str) -> bytes:
    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if not stat.S_ISREG(status.st_mode):
        raise Blocked(f"{path} is {kind_of(status)}, and nothing is written over it or through it")
    handle = os.open(name, _READ, dir_fd=folder)
    with os.fdopen(handle, "rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise Blocked(f"{path} has become very large")
    return data


def _put(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
    os.fsync(handle)


def _link(folder: int | None, waiting: str, name: str, data: bytes) -> None:
    """Give the waiting file its name, unless something has it: FileExistsError."""
    if os.name == "nt":
        os.rename(waiting, name)
        return
    try:
        os.link(waiting, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _CANNOT_LINK:
            raise
        # A file system without hard links: exclusive still, and whole unless the machine stops right here.
        handle = os.open(name, _NEW, 0o666, dir_fd=folder)
        try:
            _put(handle, data)
        except OSError:
            os.unlink(name, dir_fd=folder)
            raise
        finally:
            os.close(handle)


def _flush(folder: int | None) -> None:
    if folder is not None:
        with contextlib.suppress(OSError):
            os.fsync(folder)
