"""``history.jsonl``: one line a sweep, only ever appended to."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from migrate.results import Sweep
from migrate.sweeps.errors import SweepError

FORMAT = "corpus-migrate.sweep/1"
NAME = "history.jsonl"
_MEMBERS = tuple(field.name for field in fields(Sweep))


def append(folder: Path, sweep: Sweep) -> None:
    """Add a sweep's line to the history in a corpus's folder. SweepError where the folder does not take it."""
    text = json.dumps({"format": FORMAT, **asdict(sweep)}) + "\n"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / NAME).open("a+b") as file:
            if file.tell():
                file.seek(-1, os.SEEK_END)
                # A line that a crash cut short stays alone on its own.
                text = text if file.read(1) == b"\n" else "\n" + text
            file.write(text.encode())
    except OSError as error:
        raise SweepError(
            f"the history cannot be written to {folder / NAME}: {error.strerror}; name another --workspace"
        ) from error


def read(folder: Path, number: int | None = None) -> tuple[Sweep, ...]:
    """The sweeps of a corpus, oldest first, at most the last ``number``; lines that are none are passed over."""
    try:
        lines = (folder / NAME).read_bytes().splitlines()
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise SweepError(f"the history {folder / NAME} cannot be read: {error.strerror}") from error
    found = [sweep for line in lines if (sweep := _sweep(line)) is not None]
    return tuple(found if number is None else found[-number:])


def _sweep(line: bytes) -> Sweep | None:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or data.get("format") != FORMAT or not data.keys() >= set(_MEMBERS):
        return None
    return sweep_of(data)


def sweep_of(data: dict[str, Any]) -> Sweep:
    """A sweep from the members of its line; members this version does not know are left out."""
    return Sweep(**{name: data[name] for name in _MEMBERS})
