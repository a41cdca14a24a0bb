"""A finished plan: written whole, read back line by line."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from migrate.planning.errors import PlanError

FORMAT = "corpus-migrate.plan/1"


def plan_options(options: Any, id_form: Any) -> bytes:
    """What the options give to a plan's id, after its lines."""
    return orjson.dumps([options, id_form], option=orjson.OPT_SORT_KEYS)


@dataclass(frozen=True, slots=True)
class Plan:
    """A finished plan: its header, and its lines as they will stand in the file."""

    header: dict[str, Any]
    path: Path
    """The lines, in a file that goes with the examination."""
    withheld: tuple[str, ...]
    """Ids, as JSON texts, of the records whose patch the re-check withheld."""

    @property
    def lines(self) -> Iterator[bytes]:
        """One line a changed record, in corpus order, each with its line feed."""
        with self.path.open("rb") as file:
            yield from file


@dataclass(frozen=True, slots=True)
class PlanFile:
    """A plan file: the header is read, the lines are read as they are asked for."""

    path: Path
    header: dict[str, Any]

    def lines(self) -> Iterator[bytes]:
        """The lines of the records, as they stand."""
        with self.path.open("rb") as file:
            next(file, b"")
            for line in file:
                if line.strip():
                    yield line

    def records(self) -> Iterator[dict[str, Any]]:
        """The lines of the records, parsed; PlanError names the line that is none."""
        for number, line in enumerate(self.lines(), 2):
            try:
                record = orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise PlanError(f"{self.path}:{number}: is no plan line ({error}); make the plan anew") from error
            if not isinstance(record, dict) or "patch" not in record or "record" not in record:
                raise PlanError(f"{self.path}:{number}: is no plan line; make the plan anew")
            yield record


def write(plan: Plan, path: Path) -> Path:
    """Write the plan where it shall be, whole or not at all. Raises PlanError where the folder does not take it."""
    if path.is_dir():
        raise PlanError(f"{path} is a folder; name a file for the plan")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise PlanError(f"the plan cannot be written to {path}: {error.strerror}") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(orjson.dumps(plan.header) + b"\n")
            for line in plan.lines:
                file.write(line)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)
        os.replace(name, path)
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        raise PlanError(f"the plan cannot be written to {path}: {error.strerror}") from error
    return path


def read_plan(path: Path) -> PlanFile:
    """Open a plan. Raises PlanError for a file that is none, or is of a format this version does not know."""
    if path.is_dir():
        path = path / "plan.jsonl"
    try:
        with path.open("rb") as file:
            first = file.readline()
    except OSError as error:
        raise PlanError(f"the plan {path} cannot be read: {error.strerror}") from error
    try:
        header = orjson.loads(first)
    except orjson.JSONDecodeError as error:
        raise PlanError(f"{path} is no plan: its first line is no JSON") from error
    if not isinstance(header, dict) or not str(header.get("format", "")).startswith("corpus-migrate.plan/"):
        raise PlanError(f"{path} is no plan: its first line does not say so")
    if header["format"] != FORMAT:
        raise PlanError(
            f"{path} is of the format {header['format']}, this version reads {FORMAT}; use the version that wrote it"
        )
    for name in ("corpus", "counts", "options"):
        if not isinstance(header.get(name), dict):
            raise PlanError(f"{path} is no plan: its header has no {name}")
    if not isinstance(header["corpus"].get("uri"), str) or not all(
        isinstance(header["counts"].get(n), int) for n in ("records", "patches")
    ):
        raise PlanError(f"{path} is no plan: its header does not say of which corpus, or how many changes it holds")
    return PlanFile(path, header)
