"""What the tests of contexts look at: findings of a run, and a picture of a whole tree."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from click.testing import Result

Run = Callable[..., Result]
Tree = Callable[..., Path]


def found(result: Result) -> list[tuple[str, str, str | None, int | None]]:
    """Scope, code, file and line of each finding in ``--format jsonl``."""
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    return [(line["scope"], line["code"], line["file"], line["line"]) for line in lines]


def picture(root: Path) -> Mapping[str, tuple[Any, ...]]:
    """Every path below a folder with its kind, mode, content and time of change; Git's index, refs and objects are among them."""
    taken: dict[str, tuple[Any, ...]] = {}
    for folder, names, files in os.walk(root):
        for name in (*names, *files):
            path = Path(folder, name)
            status = path.lstat()
            content: Any = None
            if stat.S_ISREG(status.st_mode):
                content = hashlib.sha256(path.read_bytes()).hexdigest()
            elif stat.S_ISLNK(status.st_mode):
                content = path.readlink()
            taken[str(path)] = (status.st_mode, content, status.st_mtime_ns)
    return taken
