"""Rule cases as data: one YAML file a rule, run through the whole of reading, finding, planning and patching.

A file holds ``code`` and ``cases``; a case has ``name``, ``records`` (JSON lines), ``findings`` (all of this code, as
``[id, level, path]``) and, where it says what is written, ``safe`` and ``unsafe`` (id to the whole ``metadata`` and, if
they change, ``tags``; or ``unchanged: true``), with ``options`` (select, ignore, partial, id_map, status_map, safe_fixes,
unsafe_only). A case of repository contexts has a ``tree`` instead, see :mod:`migrate.rule_tree_cases`.
"""

from __future__ import annotations

import dataclasses
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from migrate import rule_tree_cases
from migrate.engine.json_text import JsonError, check, unquote
from migrate.engine.kata_lines import record_span
from migrate.planning.drafting import stored, value_at
from migrate.planning.merge_patch import Patch
from migrate.planning.spelling import respell
from migrate.planning.splice import splice
from migrate.rules.errors import RuleError
from migrate.systems import Examination, examine
from migrate.types import Limits, Options


@dataclass(frozen=True, slots=True)
class CaseReport:
    """How many cases held, and one sentence for each difference."""

    passed: int
    failures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """One case of a file."""

    file: Path
    code: str
    name: str
    facts: Mapping[str, Any]

    def __str__(self) -> str:
        return f"{self.code}-{self.name}"


def cases(folder: Path) -> Iterator[Case]:
    """Every case in the YAML files of a folder; RuleError names a file that holds none."""
    for file in sorted(folder.glob("*.yml")):
        try:
            text = yaml.load(file.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise RuleError(f"{file}: cannot be read as YAML: {str(error).splitlines()[0]}") from error
        if not isinstance(text, dict) or "cases" not in text:
            continue
        for facts in text["cases"]:
            if (
                not isinstance(facts, dict)
                or not {"name", "findings"} <= facts.keys()
                or not {"records", "tree"} & facts.keys()
            ):
                raise RuleError(f"{file}: a case has a name, records (or a tree) and findings")
            yield Case(file, str(text["code"]), str(facts["name"]), facts)


def run_cases(folder: Path, options: Options) -> CaseReport:
    """Run every case of a folder. RuleError where there is none."""
    passed, failures, any_case = 0, [], False
    for case in cases(folder):
        any_case = True
        found = list(differences(case, options))
        passed += not found
        failures += [f"{case}: {text}" for text in found]
    if not any_case:
        raise RuleError(f"{folder} holds no case file; one is a YAML file with `code` and `cases`")
    return CaseReport(passed, tuple(failures))


def differences(case: Case, options: Options | None = None) -> Iterator[str]:
    """One sentence for each thing that is not as the case says."""
    with tempfile.TemporaryDirectory(prefix="corpus-migrate-case-") as name:
        folder = Path(name)
        if "tree" in case.facts:
            yield from rule_tree_cases.differences(
                case.code, case.facts, _options(case, options or Options(), folder), folder
            )
            return
        source = folder / "records.jsonl"
        source.write_text(case.facts["records"], encoding="utf-8", newline="\n")
        chosen = _options(case, options or Options(), folder)
        with examine(str(source), chosen) as examination:
            yield from _findings(case, examination)
            # Findings do not depend on what may be written: both plans come from one examination.
            for mode in ("safe", "unsafe"):
                if mode in case.facts:
                    examination.options = dataclasses.replace(chosen, unsafe_fixes=mode == "unsafe")
                    yield from _written(case, examination, mode)


def _options(case: Case, base: Options, folder: Path) -> Options:
    given = dict(case.facts.get("options") or {})
    if "id_map" in given:
        path = folder / "map.json"
        path.write_text(json.dumps({str(old): new for old, new in given["id_map"].items()}), encoding="utf-8")
        given["id_map"] = path
    for name in ("select", "ignore", "safe_fixes", "unsafe_only"):
        if name in given:
            given[name] = tuple(given[name])
    limits = base.limits if base.limits != Limits() else Limits(memory="500MB", threads=1)
    return dataclasses.replace(base, limits=limits, **given)


def _findings(case: Case, examination: Examination) -> Iterator[str]:
    found = Counter(
        (finding.record or "null", str(finding.level), finding.path)
        for finding in examination.findings()
        if finding.code == case.code
    )
    wanted = Counter((_id(own), level, path) for own, level, path in case.facts["findings"])
    for record, level, path in sorted((wanted - found).elements()):
        yield f"misses the finding {record} {level} {path or '(record)'}"
    for record, level, path in sorted((found - wanted).elements()):
        yield f"has the finding {record} {level} {path or '(record)'}, which the case does not name"


def _written(case: Case, examination: Examination, mode: str) -> Iterator[str]:
    plan = examination.plan()
    if plan.withheld:
        yield f"{mode}: the patches of {', '.join(plan.withheld)} were withheld"
    corpus = plan.header["corpus"]
    text_encoded = bool(corpus.get("text_encoded"))
    patches: dict[str | None, list[Patch]] = {}
    for line in (raw.decode() for raw in plan.lines):
        patches.setdefault(value_at(line, "/record"), []).append(Patch.read(value_at(line, "/patch") or "{}"))
    lines = [line for line in case.facts["records"].split("\n") if _is_object(line)]
    if corpus["system"] == "kata":
        lines = [line[slice(*span)] for line in lines if (span := record_span(line)) is not None]
    records = {_own_id(line): line for line in lines}
    for own, wanted in case.facts[mode].items():
        record = records.get(_id(own))
        if record is None:
            yield f"{mode}: names {own!r}, which is no record of the case"
            continue
        new = record
        for patch in patches.get(_id(own), patches.get(_canonical(_id(own)), [])):
            new = splice(new, patch, text_encoded=text_encoded)
        if wanted.get("unchanged"):
            if new != record:
                yield f"{mode}: {own} was to stay as it is and has become {new}"
            continue
        now = stored(new)
        inner = (
            unquote(now.metadata)
            if text_encoded and now.metadata is not None and now.metadata.startswith('"')
            else now.metadata
        )
        for name, text in (("metadata", inner), ("tags", now.tags)):
            if name in wanted and _sorted(text) != _sorted(json.dumps(wanted[name])):
                yield f"{mode}: {name} of {own} is {text} and not {json.dumps(wanted[name], ensure_ascii=False)}"


def _sorted(text: str | None) -> str | None:
    return None if text is None else respell(text, ordered=True)


def _id(own: Any) -> str:
    return json.dumps(own)


def _canonical(own: str) -> str:
    return own.lower().replace("-", "") if own.startswith('"') else own


def _is_object(line: str) -> bool:
    try:
        check(line)
    except JsonError:
        return False
    return line.lstrip().startswith("{")


def _own_id(line: str) -> str | None:
    return value_at(line, "/uid") or value_at(line, "/id") or value_at(line, "/context_id")


__all__ = ["Case", "CaseReport", "cases", "differences", "run_cases"]
