"""A plan's lines against a target: what each asks, found again by its place in the file, and what came of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from migrate.applying.comparing import State, own_key
from migrate.applying.errors import Refused
from migrate.engine.json_text import JsonError, elements, members, unquote
from migrate.planning.drafting import value_at
from migrate.planning.errors import PlanError
from migrate.planning.plan_file import PlanFile, plan_options

MISSING = "no record of the target has its id"


@dataclass(frozen=True, slots=True)
class Requirement:
    """What another record must still hold; ids and values as JSON texts."""

    record: str
    path: str
    holds: str
    spelled: str | None
    key: str
    """The key of the planned record that rests on it."""


@dataclass(slots=True)
class Planned:
    """One plan line: where it stands, what it compares, and the state of its record in the target."""

    key: str
    offset: int
    size: int
    unit: str | None
    before: str
    after: str
    version: str | None
    rests: bool
    """Whether it rests on what other records hold."""
    state: State | None = None
    reason: str = MISSING


class PlanIndex:
    """The lines of a plan by the key of their record. A context manager: it keeps the file open.

    Raises PlanError for a line that is none of a plan.
    """

    def __init__(self, plan: PlanFile) -> None:
        self.plan = plan
        self.entries: dict[str, Planned] = {}
        self._file: BinaryIO = plan.path.open("rb")
        offset = len(self._file.readline())
        body, identity = hashlib.sha256(), hashlib.sha256()
        for raw in self._file:
            body.update(raw)
            if raw.strip():
                identity.update(self._add(raw, offset))
            offset += len(raw)
        header = plan.header
        identity.update(plan_options(header["options"], header["corpus"].get("id_form")))
        if (
            header.get("body") != f"sha256:{body.hexdigest()}"
            or header.get("plan_id") != identity.hexdigest()[:16]
            or header["counts"]["patches"] != len(self.entries)
        ):
            self._file.close()
            raise Refused(f"{plan.path} is not as it was written: it was cut or edited; make the plan anew")

    def __enter__(self) -> PlanIndex:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _add(self, raw: bytes, offset: int) -> bytes:
        """Keep a line; what it gives to the plan's id."""
        try:
            text = raw.decode("utf-8")
            parts = {member.key: text[member.start : member.end] for member in members(text, 0)}
            key = own_key(parts["record"])
            before, after = json.loads(parts["before"]), json.loads(parts["after"])
            version = value_at(parts["before"], "/version")
            entry = Planned(
                key or "", offset, len(raw), None if parts["unit"] == "null" else parts["unit"], before["hash"], after["hash"],
                None if version == "null" else version, parts["requires"] != "[]",
            )  # fmt: skip
        except (UnicodeDecodeError, JsonError, KeyError, TypeError, ValueError) as error:
            raise PlanError(
                f"{self.plan.path}: has a line that is none of a plan ({error}); make the plan anew"
            ) from error
        if key is None or key in self.entries:
            raise PlanError(f"{self.plan.path}: has a line without a record of its own; make the plan anew")
        self.entries[key] = entry
        return f"{parts['record']}\t{entry.before}\t{parts['patch']}\n".encode()

    def line(self, entry: Planned) -> str:
        """The text of a line."""
        self._file.seek(entry.offset)
        return self._file.read(entry.size).decode("utf-8").rstrip("\n")

    def requirements(self, entry: Planned) -> Iterator[Requirement]:
        """What a line says that other records must hold."""
        text = value_at(self.line(entry), "/requires") or "[]"
        for start, end in elements(text, 0):
            one = text[start:end]
            record, path, held = (value_at(one, name) or "null" for name in ("/record", "/path", "/holds"))
            yield Requirement(record, unquote(path), held, value_at(one, "/as"), entry.key)
