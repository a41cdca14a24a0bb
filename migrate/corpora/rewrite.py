"""Writes a shard again with some of its items replaced and every other byte as it was.

Three steps, so that all shards of a corpus can be written and checked before the first appears: :func:`stage` writes
a hidden file beside the destination, :meth:`Staged.verify` reads it back, :meth:`Staged.commit` gives it its name.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from migrate.corpora.copying import Copied, copy_changed, read_back
from migrate.corpora.interface import CorpusError, Rewritten
from migrate.corpora.ranges import Range, copy_ranges, prove_ranges, split
from migrate.corpora.shard import Shard
from migrate.corpora.spooled import Spooled
from migrate.engine.processes import Workers


def rewrite(shard: Shard, destination: Path, changed: Iterable[tuple[int, bytes]]) -> Rewritten:
    """Writes the shard to a new file: each item of ``changed`` (ascending indexes) with its new bytes, verified.

    The file is compressed as the source is (Parquet becomes JSON lines), and appears whole or not at all.

    Raises:
        CorpusError: as :func:`stage`, :meth:`Staged.verify` and :meth:`Staged.commit` do.
    """
    with stage(shard, destination, changed) as staged:
        staged.verify()
        return staged.commit()


def stage(
    shard: Shard,
    destination: Path,
    changed: Iterable[tuple[int, bytes]],
    *,
    replace: bool = False,
    mark: str | None = None,
    workers: Workers | None = None,
) -> Staged:
    """Writes the shard, flushed to disk, under a hidden name beside the destination.

    ``changed`` gives the new bytes of items in ascending order and is taken one by one; where it is :class:`Spooled` and
    the shard a plain file of lines, ``workers`` share the work. The destination must be a new name or, with ``replace``, an
    existing file, which may be the source. ``mark`` makes the hidden name one that can be told again: one that is left
    of a process that was killed is written anew.

    Raises:
        CorpusError: the destination is not so, the shard has gaps or was changed, the disk is full, an index is out
            of order, or new bytes are not one item. Nothing is left then.
    """
    destination = _checked(destination, replace=replace)
    if gaps := shard.gaps:
        raise CorpusError(f"{gaps[0].file}: this cannot be written again, for not all of it was read: {gaps[0].reason}")
    hidden: Path | None = None
    try:
        hidden = _hidden(destination, mark)
        shard.check_unchanged()
        with hidden.open("r+b") as file:
            copied: Copied | list[Range]
            if isinstance(changed, Spooled) and shard.form == "lines" and shard.compression is None:
                copied = split(shard.path, hidden, shard.places(), changed)
                copy_ranges(copied, workers or Workers(1))
            else:
                copied = copy_changed(shard, file, changed)
            shard.check_unchanged()
            file.flush()
            hidden.chmod(stat.S_IMODE(shard.path.stat().st_mode) & 0o777)
            os.fsync(file.fileno())
        return Staged(shard, destination, hidden, copied, replace=replace, workers=workers or Workers(1))
    except BaseException as error:
        if hidden is not None:
            hidden.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _not_written(destination, error) from error
        raise


def discard_leftover(destination: Path, mark: str) -> None:
    """Removes the hidden file of this mark that a killed process may have left."""
    _marked(destination.resolve(), mark).unlink(missing_ok=True)


def probe(destination: Path) -> None:
    """Raises CorpusError where no file can be made beside the destination."""
    try:
        _hidden(destination.resolve(), "probe").unlink()
    except OSError as error:
        raise CorpusError(
            f"{destination}: nothing can be written to its folder ({error.strerror or error}); nothing was changed"
        ) from error


def _marked(destination: Path, mark: str) -> Path:
    return destination.with_name(f".corpus-migrate-{mark}-{destination.name}.partial")


def _hidden(destination: Path, mark: str | None) -> Path:
    """A new, empty file beside the destination."""
    if mark is None:
        handle, name = tempfile.mkstemp(prefix=".corpus-migrate-", suffix=".partial", dir=destination.parent)
    else:
        discard_leftover(destination, mark)
        name = str(_marked(destination, mark))
        handle = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    os.close(handle)
    return Path(name)


class Staged:
    """A shard written beside its destination under a hidden name. Leaving the ``with`` block removes what is left."""

    def __init__(
        self,
        shard: Shard,
        destination: Path,
        hidden: Path,
        copied: Copied | list[Range],
        *,
        replace: bool,
        workers: Workers,
    ) -> None:
        self.shard = shard
        self.destination = destination
        self._hidden = hidden
        self._copied = copied
        self._replace = replace
        self._workers = workers
        self._rewritten: Rewritten | None = None

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._hidden.stat().st_size

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.discard()

    def discard(self) -> None:
        """Removes the hidden file where it was not committed."""
        self._hidden.unlink(missing_ok=True)

    def verify(self) -> Rewritten:
        """Reads the hidden file back as if it were any corpus, and compares.

        Raises:
            CorpusError: the number of items, the place or bytes of a replaced one, or a byte elsewhere is not as meant.
        """
        meant = self._copied
        self._rewritten = self._compared(meant) if isinstance(meant, list) else self._read_back(meant)
        return self._rewritten

    def _compared(self, ranges: list[Range]) -> Rewritten:
        count = self.shard.places().count
        proof = prove_ranges(ranges, self._workers)
        if proof.fault is not None:
            raise self._differs(proof.fault)
        changed = sum(len(part.new) for part in ranges)
        untouched = (proof.untouched, proof.untouched)
        return Rewritten(self.destination, changed, (count, count), untouched, ("", ""), self.size)

    def _read_back(self, meant: Copied) -> Rewritten:
        source = self.shard.places()
        back = read_back(self.shard, self._hidden, meant)
        found = back.places
        if back.damage is not None or found is None:
            raise self._differs(back.damage or "it is no longer one document")
        if found.count != source.count:
            raise self._differs(f"it holds {found.count} records and not {source.count}")
        in_place = np.array_equal(found.offsets[meant.indexes], meant.offsets)
        in_place &= np.array_equal(found.lengths[meant.indexes], meant.lengths)
        if not in_place or back.replaced != meant.replaced:
            raise self._differs("a changed record is not where or what it should be")
        if back.untouched != meant.untouched:
            raise self._differs("bytes that were not to change have changed")
        return Rewritten(
            path=self.destination,
            changed=len(meant.indexes),
            records=(source.count, found.count),
            untouched_bytes=(meant.untouched[0], back.untouched[0]),
            untouched_digest=(meant.untouched[1], back.untouched[1]),
            size=self.size,
        )

    def commit(self, keep: Path | None = None) -> Rewritten:
        """Gives the file its name, in one step and for good; one that was not verified is verified first.

        ``keep`` is a new name for the file that is replaced, if one is; the file may have it already.

        Raises:
            CorpusError: the destination or ``keep`` appeared meanwhile or cannot be written, or a source that is to be
                replaced was changed. Nothing has changed then.
        """
        rewritten = self._rewritten or self.verify()
        try:
            if self._replace:
                self.shard.check_unchanged()
                if keep is not None:
                    _keep(self.destination, keep)
                self._hidden.replace(self.destination)
            else:
                name_too(self._hidden, self.destination)
                self._hidden.unlink()
            flush_folder(self.destination.parent)
        except FileExistsError as error:
            name = keep if self._replace else self.destination
            raise CorpusError(f"{name}: this exists already; name a new file") from error
        except OSError as error:
            raise _not_written(self.destination, error) from error
        return rewritten

    def _differs(self, why: str) -> CorpusError:
        return CorpusError(f"{self.destination}: the file as written is not what was meant ({why}), so it was dropped")


def _checked(destination: Path, *, replace: bool) -> Path:
    if destination.is_dir():
        raise CorpusError(f"{destination}: this is a folder; name a file")
    if replace:
        if not destination.is_file():
            raise CorpusError(f"{destination}: there is no such file to replace")
        return destination.resolve()
    if os.path.lexists(destination):
        raise CorpusError(f"{destination}: this exists already; name a new file")
    if not destination.parent.is_dir():
        raise CorpusError(f"{destination}: its folder does not exist; make it first")
    return destination


def _keep(path: Path, name: Path) -> None:
    """Gives a file a second name, on the disk before this returns."""
    if not (name.exists() and name.samefile(path)):
        name_too(path, name)
    flush_folder(name.parent)


def name_too(path: Path, name: Path) -> None:
    """Gives a file a second name, which must be new: a link never replaces, as a rename would.

    Where there are no links the file is copied.
    """
    try:
        os.link(path, name)
    except FileExistsError:
        raise
    except OSError:
        if name.exists():
            raise FileExistsError(errno.EEXIST, "it exists already") from None
        part = _hidden(name, None)
        with path.open("rb") as source, part.open("r+b") as target:
            shutil.copyfileobj(source, target)
            target.flush()
            os.fsync(target.fileno())
        shutil.copystat(path, part)
        part.rename(name)


def flush_folder(folder: Path) -> None:
    """Makes the new name last, where folders can be opened."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _not_written(destination: Path, error: OSError) -> CorpusError:
    return CorpusError(f"{destination}: this could not be written ({error.strerror or error}), and is as it was before")
