"""Every rule there is, of every system: read once from its file, checked, and chosen by code or prefix.

A folder a system (``context_server``, ``repository_context``), in it a folder a family, in it a file a rule.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import yaml

from migrate.engine.compile import LEVELS, RowRule, SetRule
from migrate.engine.tracks import RuleSet
from migrate.rules.errors import RuleError

WAVES = {"input": 0, "fields": 1, "references": 2, "graph": 3, "last": 4}
"""When a rule runs: each wave on what the one before it normalised."""

SEVERITIES = ("error", "warning", "info", "by-level", "manual-error", "by-version")
"""Fixed, or decided for each finding.

``by-level``: a manual finding on a v1 or held record is an error, anything else a warning; ``manual-error``: a manual one is an
error; ``by-version``: an error on v1 records, a warning on legacy ones. A finding of level info is always of severity info.
"""

DEFAULT_SYSTEM = "context-server"
"""The system of a rule file that names none."""

SYSTEMS = (DEFAULT_SYSTEM, "kata", "repository-context")

CUSTOM = "custom"
"""The family of the user's own rules."""

_code = re.compile(r"[A-Z]{2,8}[0-9]{3}").fullmatch
_slug = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*").fullmatch
_loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: what a person reads of it, and the SQL that decides."""

    code: str
    slug: str
    family: str
    title: str
    severity: str
    levels: tuple[str, ...]
    since: str
    what: str
    why: str
    before: str
    after: str | None
    fix: str
    safety: str
    wave: int
    rows: tuple[RowRule, ...]
    query: SetRule | None
    system: str = DEFAULT_SYSTEM
    custom: bool = False
    urgent: bool = False
    """Whether one finding harms more than its own record: reports show it before all others."""


@dataclass(frozen=True, slots=True)
class Registry:
    """The rules of one system or of all, sorted by code."""

    rules: tuple[Rule, ...]
    elsewhere: tuple[str, ...] = ()
    """Codes of the other systems: to name one is no mistake, and chooses nothing here."""

    def __getitem__(self, code: str) -> Rule:
        for rule in self.rules:
            if rule.code == code.upper():
                return rule
        raise RuleError(self._unknown(code))

    @property
    def codes(self) -> tuple[str, ...]:
        """Every code, sorted."""
        return tuple(rule.code for rule in self.rules)

    def matching(self, words: Iterable[str]) -> frozenset[str]:
        """The codes that some code or prefix names; RuleError for one that names none."""
        chosen: set[str] = set()
        for word in words:
            known = [code for code in (*self.codes, *self.elsewhere) if code.startswith(word.upper())] if word else []
            if not known:
                raise RuleError(self._unknown(word))
            chosen.update(known)
        return frozenset(chosen.intersection(self.codes))

    def chosen(self, select: Sequence[str], ignore: Sequence[str]) -> tuple[str, ...]:
        """What ``--select`` and ``--ignore`` leave; the longer of two prefixes that fit a code decides, then ``ignore``."""
        self.matching([*select, *ignore])
        wanted = []
        for code in self.codes:
            on = max((len(word) for word in select if code.startswith(word.upper())), default=-1 if select else 0)
            off = max((len(word) for word in ignore if code.startswith(word.upper())), default=-1)
            if on > off:
                wanted.append(code)
        return tuple(wanted)

    def rule_set(self, selected: Sequence[str]) -> RuleSet:
        """The rules as the engine takes them. All of them run: what is not selected may still be needed."""
        return RuleSet(
            rows=tuple(row for rule in self.rules for row in rule.rows),
            sets=tuple(
                sorted(
                    (rule.query for rule in self.rules if rule.query is not None and rule.wave < WAVES["last"]),
                    key=lambda r: r.wave,
                )
            ),
            selected=tuple(selected),
            waves={rule.code: rule.wave for rule in self.rules},
        )

    def _unknown(self, word: str) -> str:
        near = difflib.get_close_matches(word.upper(), self.codes, n=3, cutoff=0.6)
        hint = f"; did you mean {' or '.join(near)}?" if near else "; `corpus-migrate rules` lists them"
        return f"there is no rule {word!r}{hint}"


def load(custom: Sequence[Path] = (), *, system: str | None = None) -> Registry:
    """The built-in rules and those in the user's folders: of one system, or of all. RuleError names the file that is wrong."""
    built_in = _built_in()
    rules = {**built_in, **_gathered(_users(custom), frozenset(code.rstrip("0123456789") for code in built_in))}
    codes = sorted(rules)
    here = [code for code in codes if system in (None, rules[code].system)]
    return Registry(tuple(rules[code] for code in here), tuple(sorted(set(codes).difference(here))))


@cache
def _built_in() -> Mapping[str, Rule]:
    """The rules of this package, which do not change while it runs."""
    return _gathered(_package_files(), frozenset())


def _gathered(files: Iterable[tuple[Traversable | Path, str, str]], reserved: frozenset[str]) -> Mapping[str, Rule]:
    """The rules of these files (with family and system) by their codes, of which none begins as a reserved one."""
    rules: dict[str, Rule] = {}
    for file, family, system in files:
        rule = _read(file, family, system, reserved)
        if rule is None:
            continue
        if rule.code in rules:
            raise RuleError(f"{file}: the code {rule.code} belongs to another rule already; take one that is free")
        rules[rule.code] = rule
    return rules


def _package_files() -> Iterator[tuple[Traversable | Path, str, str]]:
    """File, family and system of each built-in rule."""
    for folder in _folders(resources.files("migrate.rules")):
        for family in _folders(folder):
            for file in family.iterdir():
                if file.name.endswith(".yml"):
                    yield file, family.name, folder.name.replace("_", "-")


def _folders(root: Traversable) -> list[Traversable]:
    return sorted(
        (entry for entry in root.iterdir() if entry.is_dir() and not entry.name.startswith("_")), key=lambda e: e.name
    )


def _users(folders: Sequence[Path]) -> Iterator[tuple[Traversable | Path, str, str]]:
    """The same of each file in the user's folders, whose system stands in the file."""
    for folder in folders:
        if not folder.is_dir():
            raise RuleError(f"the folder of custom rules {folder} does not exist")
        for file in sorted(folder.glob("*.yml")):
            if not file.name.endswith(".cases.yml"):
                yield file, CUSTOM, ""


def _read(file: Traversable | Path, family: str, system: str, reserved: frozenset[str]) -> Rule | None:
    try:
        text = yaml.load(file.read_text(encoding="utf-8"), Loader=_loader)  # noqa: S506 - a safe loader
    except (yaml.YAMLError, OSError, UnicodeDecodeError) as error:
        raise RuleError(f"{file}: cannot be read as YAML: {str(error).splitlines()[0]}") from error
    if family == CUSTOM and isinstance(text, dict) and "cases" in text:
        return None
    try:
        return _rule(text, family, system or str(text.get("system", DEFAULT_SYSTEM)), reserved)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        reason = f"the member {error} is missing" if isinstance(error, KeyError) else str(error)
        raise RuleError(f"{file}: is no rule: {reason}") from error


def _rule(text: dict[str, Any], family: str, system: str, reserved: frozenset[str]) -> Rule:
    code, slug, severity, wave = (
        str(text["code"]),
        str(text["slug"]),
        str(text.get("severity", "warning")),
        str(text.get("wave", "fields")),
    )
    for value, fits, what in (
        (code, bool(_code(code)), "a code is two to eight capitals and three digits"),
        (slug, bool(_slug(slug)), "a slug is lower-case words with hyphens"),
        (severity, severity in SEVERITIES, f"a severity is one of {', '.join(SEVERITIES)}"),
        (wave, wave in WAVES, f"a wave is one of {', '.join(WAVES)}"),
        (system, system in SYSTEMS, f"a system is one of {', '.join(SYSTEMS)}"),
    ):
        if not fits:
            raise ValueError(f"{what}, not {value!r}")
    custom = family == CUSTOM
    if custom and (taken := [letters for letters in reserved if code.startswith(letters)]):
        raise ValueError(
            f"codes that begin with {taken[0]} belong to the built-in rules, take another prefix for {code}"
        )
    if system == "repository-context":
        if "query" not in text or "rows" in text or (custom and "edits" in text):
            raise ValueError("a rule of repository contexts has a `query`, no `rows`, and if it is your own no `edits`")
        if severity not in SEVERITIES[:3]:
            raise ValueError(
                f"a severity of repository contexts is one of {', '.join(SEVERITIES[:3])}, not {severity!r}"
            )
    if "rows" not in text and "query" not in text:
        raise ValueError("it has `rows`, a `query`, or both")
    levels = tuple(text.get("levels", ("manual",)))
    if not levels or any(level not in LEVELS for level in levels):
        raise ValueError(f"levels are some of {', '.join(LEVELS)}")
    number = WAVES[wave]
    rows = tuple(
        RowRule(
            code,
            number,
            str(row["when"]).strip(),
            str(row.get("path", "")),
            str(row.get("level", "manual")).strip(),
            str(row.get("severity", severity)),
            row.get("evidence"),
            tuple(row.get("needs") or ()),
            dict(row.get("edits") or {}),
            tuple(row.get("classes") or ()),
        )
        for row in text.get("rows", ())
    )
    query = (
        SetRule(code, number, severity, str(text["query"]).strip().rstrip(";"), text.get("edits"))
        if "query" in text
        else None
    )
    example = text.get("example") or {}
    texts = {name: str(text.get(name, "")).strip() for name in ("what", "why", "fix", "safety")}
    after = str(example["after"]).strip() if example.get("after") else None
    return Rule(
        code=code, slug=slug, family=family, title=str(text["title"]), severity=severity, levels=levels, since=str(text.get("since", "")),
        before=str(example.get("before", "")).strip(), after=after, wave=number, rows=rows, query=query, system=system,
        custom=custom, urgent=bool(text.get("urgent", False)), **texts,
    )  # fmt: skip
