"""The workspace: the one folder in which the tool keeps what it writes for itself."""

from __future__ import annotations

import contextlib
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from migrate.cli.errors import CommandError
from migrate.naming import corpus_name

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def plan_folder(workspace: Path, uri: str, plan_id: str) -> Path:
    """``reports/<corpus>/plans/<plan-id>``; the id is a name of our own making and safe as one."""
    return workspace / corpus_name(uri) / "plans" / _UNSAFE.sub("_", plan_id).lstrip(".")


@contextlib.contextmanager
def replaced(folder: Path) -> Iterator[Path]:
    """A new folder beside ``folder`` to write into, which takes its place when all is written; else nothing changes."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    except OSError as error:
        raise CommandError(f"the workspace cannot be written: {error.filename}: {error.strerror}") from error
    try:
        yield fresh
        fresh.chmod(0o755)
        if folder.exists():
            old = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
            folder.rename(old / "old")
            fresh.rename(folder)
            shutil.rmtree(old)
        else:
            fresh.rename(folder)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
