"""Where output goes: stdout, or a file that appears only when it is complete."""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from migrate.cli.errors import CommandError, mute_stdout
from migrate.cli.exit_codes import ExitCode

STDOUT = Path("-")


def refuse_bad_target(path: Path | None, corpus: str | None = None) -> None:
    """Raises CommandError for an output that cannot be written or must not be; done before the work, not after it.

    A folder, or a file in a folder that is not there, is a usage error; the corpus itself is refused.
    """
    if path is None or path == STDOUT:
        return
    if path.is_dir():
        raise CommandError(f"-o {path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise CommandError(f"-o {path} cannot be written: there is no folder {path.parent}")
    if corpus and is_corpus(path, corpus):
        raise CommandError(f"-o {path} is a file of the corpus itself; name another", ExitCode.REFUSED)


def refuse_existing(path: Path) -> None:
    """Raises CommandError for a file that is there: data is never written over data."""
    if path == STDOUT:
        raise CommandError("-o names a new file; this is not written to stdout")
    if path.exists() or path.is_symlink():
        raise CommandError(f"-o {path} exists already; name a new file", ExitCode.REFUSED)


def is_corpus(path: Path, corpus: str) -> bool:
    """Whether a path is the file of a corpus, or one of its files, under whatever name."""
    source = Path(corpus.removeprefix("sqlite:///"))
    try:
        if not path.exists():
            return False
        if source.is_dir():
            return source.resolve() in path.resolve().parents
        sources = [source] if source.exists() else map(Path, glob.iglob(corpus, recursive=True))  # noqa: PTH207 - may be absolute
        return any(path.samefile(file) for file in sources)
    except OSError:
        return False


@contextlib.contextmanager
def opened(path: Path | None) -> Iterator[TextIO]:
    """A text stream to stdout (None or ``-``) or to a file.

    A regular file is written beside its place, flushed to disk and renamed; after an error it is as it was. A
    device or a pipe is written to as it is. A reader of stdout that goes away ends the output and nothing else.
    """
    if path is None or path == STDOUT:
        try:
            yield sys.stdout
            sys.stdout.flush()
        except BrokenPipeError:
            mute_stdout()
        return
    target = path.resolve()
    with _full_disk_named(path):
        if target.exists() and not target.is_file():
            with target.open("w", encoding="utf-8") as stream:
                yield stream
        else:
            with _replacing(target) as stream:
                yield stream


@contextlib.contextmanager
def _replacing(target: Path) -> Iterator[TextIO]:
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    except OSError as error:
        raise CommandError(f"{target} cannot be written: {error.strerror}") from error
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as stream:
            yield stream
            stream.flush()
            os.fchmod(stream.fileno(), _mode(target))
            os.fsync(stream.fileno())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _mode(target: Path) -> int:
    """The mode of the file that is replaced, or what a new file would have got."""
    if target.exists():
        return target.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


@contextlib.contextmanager
def _full_disk_named(path: Path) -> Iterator[None]:
    """A full disk is a sentence with the name of the file; the errors of whoever makes the output pass."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        raise CommandError(f"{path} cannot be written: {error.strerror}") from error
