"""Rule codes as people type them: whole, or a beginning that stands for all that begin so."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from migrate.cli.errors import CommandError
from migrate.cli.settings import CODE_KEYS, Settings
from migrate.types import Severity

if TYPE_CHECKING:
    from migrate.engine.tracks import RuleSet
    from migrate.rules.registry import Rule

_SUGGESTIONS = 3
_FIXED = frozenset(severity.value for severity in Severity)


def check_codes(settings: Settings) -> None:
    """Raises CommandError for a code in a setting that no rule has or begins with; loads no rules without one."""
    given = [(setting, value, code) for setting, value in settings if setting.key in CODE_KEYS for code in value.value]
    if not given:
        return
    codes = [rule.code for rule in load_rules(settings)]
    for setting, value, code in given:
        if not any(known.startswith(code) for known in codes):
            raise CommandError(f"{value.where(setting)}: {unknown(code, codes)}")


def load_rules(settings: Settings) -> Sequence[Rule]:
    """All rules, the user's own included, sorted by code."""
    from migrate.rules.registry import load

    rules: Sequence[Rule] = load(settings["custom-rules"]).rules
    return rules


def by_finding(rules: RuleSet) -> frozenset[str]:
    """The codes of a run whose findings can be of more than one severity, those of level info aside."""
    severities: dict[str, set[str]] = {}
    parts = [(row.code, row.severity) for row in rules.rows] + [(rule.code, rule.severity) for rule in rules.sets]
    for code, severity in parts:
        severities.setdefault(code, set()).add(severity)
    return frozenset(code for code, known in severities.items() if len(known) > 1 or not known <= _FIXED)


def chosen(wanted: str, rules: Sequence[Rule]) -> Sequence[Rule]:
    """The rule of that code or name, else all that begin with it; CommandError where there is none."""
    code = wanted.upper()
    exact = [rule for rule in rules if rule.code == code or rule.slug == wanted.lower()]
    found = exact or [rule for rule in rules if rule.code.startswith(code)]
    if not found:
        raise CommandError(unknown(wanted, [name for rule in rules for name in (rule.code, rule.slug)]))
    return found


def unknown(wanted: str, known: Iterable[str]) -> str:
    """``no rule is or begins with CS999; the nearest are CS909``."""
    names = list(known)
    near = difflib.get_close_matches(wanted.upper(), names, _SUGGESTIONS)
    near += difflib.get_close_matches(wanted.lower(), names, _SUGGESTIONS)
    hint = f"; the nearest are {', '.join(dict.fromkeys(near))}" if near else "; corpus-migrate rules lists them"
    return f"no rule is or begins with {wanted}{hint}"
