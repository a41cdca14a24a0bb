"""The whole way through the real rooms: examine, plan, write, apply to a file; and what came out of it."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from migrate.applying.apply import Copy, apply_plan
from migrate.applying.running import RunResult, Settings
from migrate.engine.json_text import members
from migrate.planning.plan_file import Plan, write
from migrate.systems import examine
from migrate.types import Finding, Limits, Options, Summary

LIMITS = Limits(memory="500MB", threads=1)

Triple = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan as it lies on the disk, and what the run found."""

    path: Path
    text: bytes
    withheld: tuple[str, ...]
    findings: tuple[Finding, ...]
    summary: Summary

    @property
    def header(self) -> dict[str, Any]:
        """The first line."""
        found: dict[str, Any] = json.loads(self.text.split(b"\n", 1)[0])
        return found

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The lines of the records."""
        return [json.loads(line) for line in self.text.split(b"\n")[1:-1]]

    @property
    def line_texts(self) -> list[bytes]:
        """The lines of the records as they stand."""
        return self.text.split(b"\n")[1:-1]

    @property
    def triples(self) -> Counter[Triple]:
        """Id as JSON text (``null`` for none), code and level of every finding."""
        return Counter((finding.record or "null", finding.code, str(finding.level)) for finding in self.findings)


def options(**given: Any) -> Options:
    """Options with small limits."""
    return dataclasses.replace(Options(limits=LIMITS), **given)


def plan_of(corpus: Path | str, folder: Path, chosen: Options) -> Planned:
    """Examine, plan and write the plan into the folder."""
    with examine(str(corpus), chosen) as examination:
        made: Plan = examination.plan()
        path = write(made, folder / "plan.jsonl")
        found = tuple(examination.findings())
        return Planned(path, path.read_bytes(), made.withheld, found, examination.summary)


def applied(plan: Planned, out: Path) -> RunResult:
    """Apply to a new file; every planned record must have been in the state that the plan saw."""
    result = apply_plan(plan.path, Copy(out), Settings(out.parent / "reports", LIMITS))
    assert (result.complete, result.stale, result.failed, result.problems) == (True, 0, 0, ()), result
    assert result.applied + result.already == plan.header["counts"]["patches"] == len(plan.lines), result
    return result


def scratch(parent: Path) -> Path:
    """A new folder for one pass."""
    return Path(tempfile.mkdtemp(dir=parent))


def id_of(token: str) -> str:
    """The canonical JSON text of a valid id's token."""
    return token.lower().replace("-", "") if token[0] == '"' else token


def own_id(line: str) -> str | None:
    """The record's own id as canonical JSON text; None for a line that is no record, or has none."""
    try:
        found = {member.key: line[member.start : member.end] for member in members(line, line.index("{"))}
    except ValueError:
        return None
    token = found.get("id", found.get("context_id"))
    return None if token is None else id_of(token)


def without_touchable(line: str) -> tuple[list[str], dict[str, str]]:
    """A record in pieces: its members other than metadata and tags with all between, and those two apart."""
    pieces, apart, at = [], {}, 0
    for member in members(line, line.index("{")):
        if member.key in ("metadata", "tags"):
            pieces.append(line[at : member.start])
            apart[member.key] = line[member.start : member.end]
            at = member.end
    return [*pieces, line[at:]], apart


def texts_of(value: str) -> Iterator[tuple[str, str]]:
    """Names and value texts of an object's members."""
    for member in members(value, value.index("{")):
        yield member.key, value[member.start : member.end]
