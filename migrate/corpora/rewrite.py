"""Writes a shard again with some of its items replaced and every other byte as it was.

Three steps, so that all shards of a corpus can be written and checked before the first appears: :func:`stage` writes
a hidden file beside the destination, :meth:`Staged.verify` reads it back, :meth:`Staged.commit` gives it its name.
"""

from __future__ import annotations

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
from migrate.corpora.shard import Shard


def rewrite(shard: Shard, destination: Path, changed: Iterable[tuple[int, bytes]]) -> Rewritten:
    """Writes the shard to a new file: each item of ``changed`` (ascending indexes) with its new bytes, verified.

    The file is compressed as the source is (Parquet becomes JSON lines), and appears whole or not at all.

    Raises:
        CorpusError: as :func:`stage`, :meth:`Staged.verify` and :meth:`Staged.commit` do.
    """
    with stage(shard, destination, changed) as staged:
        staged.verify()
        return staged.commit()


def stage(shard: Shard, destination: Path, changed: Iterable[tuple[int, bytes]], *, replace: bool = False) -> Staged:
    """Writes the shard, flushed to disk, under a hidden name beside the destination.

    ``changed`` gives the new bytes of items in ascending order and is taken one by one. The destination must be a new
    name or, with ``replace``, an existing file, which may be the source.

    Raises:
        CorpusError: the destination is not so, the shard has gaps or was changed, the disk is full, an index is out
            of order, or new bytes are not one item. Nothing is left then.
    """
    destination = _checked(destination, replace=replace)
    if gaps := shard.gaps:
        raise CorpusError(f"{gaps[0].file}: this cannot be written again, for not all of it was read: {gaps[0].reason}")
    hidden: Path | None = None
    try:
        handle, name = tempfile.mkstemp(prefix=".corpus-migrate-", suffix=".partial", dir=destination.parent)
        hidden = Path(name)
        with os.fdopen(handle, "wb") as file:
            shard.check_unchanged()
            copied = copy_changed(shard, file, changed)
            shard.check_unchanged()
            file.flush()
            hidden.chmod(stat.S_IMODE(shard.path.stat().st_mode) & 0o777)
            os.fsync(file.fileno())
        return Staged(shard, destination, hidden, copied, replace=replace)
    except BaseException as error:
        if hidden is not None:
            hidden.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _not_written(destination, error) from error
        raise


class Staged:
    """A shard written beside its destination under a hidden name. Leaving the ``with`` block removes what is left."""

    def __init__(self, shard: Shard, destination: Path, hidden: Path, copied: Copied, *, replace: bool) -> None:
        self.shard = shard
        self.destination = destination
        self._hidden = hidden
        self._copied = copied
        self._replace = replace
        self._rewritten: Rewritten | None = None

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
        meant, source = self._copied, self.shard.places()
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
        self._rewritten = Rewritten(
            path=self.destination,
            changed=len(meant.indexes),
            records=(source.count, found.count),
            untouched_bytes=(meant.untouched[0], back.untouched[0]),
            untouched_digest=(meant.untouched[1], back.untouched[1]),
            size=self._hidden.stat().st_size,
        )
        return self._rewritten

    def commit(self, keep: Path | None = None) -> Rewritten:
        """Gives the file its name, in one step and for good; one that was not verified is verified first.

        ``keep`` is a new name for the file that is replaced, if one is.

        Raises:
            CorpusError: the destination or ``keep`` appeared meanwhile or cannot be written, or a source that is to be
                replaced was changed. Nothing has changed then.
        """
        rewritten = self._rewritten or self.verify()
        try:
            if self._replace:
                self.shard.check_unchanged()
                if keep is not None:
                    _name_too(self.destination, keep)
                self._hidden.replace(self.destination)
            else:
                _name_too(self._hidden, self.destination)
                self._hidden.unlink()
            _flush_folder(self.destination.parent)
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


def _name_too(path: Path, name: Path) -> None:
    """Gives a file a second name, which must be new: a link never replaces, as a rename would.

    Where there are no links the file is copied.
    """
    try:
        os.link(path, name)
    except FileExistsError:
        raise
    except OSError:
        with path.open("rb") as source, name.open("xb") as target:
            shutil.copyfileobj(source, target)
            target.flush()
            os.fsync(target.fileno())
        shutil.copystat(path, name)


def _flush_folder(folder: Path) -> None:
    """Makes the new name last, where folders can be opened."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _not_written(destination: Path, error: OSError) -> CorpusError:
    return CorpusError(f"{destination}: this could not be written ({error.strerror or error}), and is as it was before")
