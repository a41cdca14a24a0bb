"""A rule as a page, and all of them as a table: one text for ``rules CODE``, ``docs/rules/`` and the README."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from migrate.reporting.tables import markdown_table
from migrate.reporting.terminal import Screen

TABLE_BEGIN = "<!-- rules:begin -->"
TABLE_END = "<!-- rules:end -->"


class RuleText(Protocol):
    """What a page needs of a rule; the registry's rules have it."""

    @property
    def code(self) -> str: ...
    @property
    def slug(self) -> str: ...
    @property
    def family(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def severity(self) -> Any: ...
    @property
    def levels(self) -> Sequence[Any]: ...
    @property
    def since(self) -> str: ...
    @property
    def what(self) -> str: ...
    @property
    def why(self) -> str: ...
    @property
    def before(self) -> Any: ...
    @property
    def after(self) -> Any: ...
    @property
    def fix(self) -> str: ...
    @property
    def safety(self) -> str: ...


def render(rules: Sequence[RuleText], screen: Screen) -> None:
    """Writes the page of a single rule, else the table."""
    text = page(rules[0]) if len(rules) == 1 else table(rules)
    screen.stream.write(text)


def page(rule: RuleText) -> str:
    """``docs/rules/<CODE>.md``: the facts, then the fixed headings."""
    since = f" · Since: {rule.since}" if rule.since else ""
    facts = f"Severity: {severity(rule)} · Fix: {levels(rule)} · Family: {rule.family}{since}"
    parts = [f"# {rule.code} {rule.slug}", rule.title.strip(), facts]
    parts += [f"## {heading}\n\n{text}" for heading, text in sections(rule)]
    return "\n\n".join(parts) + "\n"


def sections(rule: RuleText) -> list[tuple[str, str]]:
    """Headings and their Markdown, those without text left out."""
    named = [
        ("What it finds", rule.what.strip()),
        ("Why it matters", rule.why.strip()),
        ("Example", example(rule)),
        ("Fix", rule.fix.strip()),
        ("Fix safety", rule.safety.strip()),
    ]
    return [(heading, text) for heading, text in named if text]


def example(rule: RuleText) -> str:
    """Before and after, fenced; a rule that repairs nothing has no after."""
    parts = [_fenced(text) for text in (example_text(rule.before), example_text(rule.after)) if text]
    return "\n\nbecomes\n\n".join(parts)


def example_text(data: Any) -> str:
    """One side of an example: text as the rule has it, data as JSON."""
    if data is None or data == "":
        return ""
    return data.strip("\n") if isinstance(data, str) else json.dumps(data, ensure_ascii=False)


def _fenced(text: str) -> str:
    language = "json" if text[:1] in '{["' else "text"
    return f"```{language}\n{text}\n```"


_SEVERITIES = {
    "by-level": "error on current records where only a person can repair it, else warning",
    "manual-error": "error where only a person can repair it, else warning",
    "by-version": "error on current records, warning on legacy ones",
}


def severity(rule: RuleText) -> str:
    """The severity, or in words what decides it."""
    return _SEVERITIES.get(str(rule.severity), str(rule.severity))


def severity_word(rule: RuleText) -> str:
    """The severity in one word for a narrow table: the worst that it can be."""
    return "error" if str(rule.severity) in _SEVERITIES else str(rule.severity)


def levels(rule: RuleText) -> str:
    """``safe, manual``: the levels a finding of this rule can have."""
    return ", ".join(str(level) for level in rule.levels) or "none"


def table(rules: Iterable[RuleText], *, link: str = "") -> str:
    """All rules as one Markdown table, each with its worst severity. ``link`` is the folder of the pages as seen from where the table stands."""
    rows = [
        (f"[{rule.code}]({link}{rule.code}.md)", rule.slug, severity_word(rule), levels(rule), rule.title.strip())
        for rule in rules
    ]
    return "\n".join(markdown_table(("code", "rule", "severity", "fix", "finds"), rows, right=frozenset())) + "\n"


def between_markers(document: str, text: str) -> str:
    """A document with ``text`` between the table's markers; ValueError where it does not have both, in order."""
    head, begin, rest = document.partition(TABLE_BEGIN)
    _, end, tail = rest.partition(TABLE_END)
    if not begin or not end:
        raise ValueError(f"there is no {TABLE_BEGIN} followed by {TABLE_END}")
    return f"{head}{TABLE_BEGIN}\n{text}{TABLE_END}{tail}"
