"""``rules`` for people: the table of rules, or one rule explained."""

from __future__ import annotations

from collections.abc import Sequence

from migrate.reporting.rule_pages import RuleText, example_text, levels, severity, severity_word
from migrate.reporting.summary import wrapped
from migrate.reporting.tables import table
from migrate.reporting.terminal import Screen, clean


def render(rules: Sequence[RuleText], screen: Screen) -> None:
    """Writes the explanation of a single rule, else the table."""
    if len(rules) == 1:
        _explain(rules[0], screen)
        return
    rows = [(clean(rule.code), clean(rule.slug), severity_word(rule), levels(rule)) for rule in rules]
    table(screen, ("code", "rule", "severity", "fix"), rows, right=frozenset())


def _explain(rule: RuleText, screen: Screen) -> None:
    screen.line(f"{screen.style(clean(rule.code), 'bold')} {clean(rule.slug)}")
    since = f", since {clean(rule.since)}" if rule.since else ""
    for line in (f"severity: {severity(rule)}", f"fix: {levels(rule)}", f"family: {clean(rule.family)}{since}"):
        _prose(line, screen, "")
    screen.line()
    _prose(rule.title, screen, "")
    for heading, text in (("What it finds", rule.what), ("Why it matters", rule.why)):
        _section(heading, text, screen)
    _example("Before", rule.before, screen)
    _example("After", rule.after, screen)
    for heading, text in (("Fix", rule.fix), ("Fix safety", rule.safety)):
        _section(heading, text, screen)


def _section(heading: str, text: str, screen: Screen) -> None:
    if text.strip():
        screen.line()
        screen.line(screen.style(heading, "bold"))
        _prose(text, screen, "  ")


def _prose(text: str, screen: Screen, indent: str) -> None:
    """Paragraphs filled to the width; the line breaks inside one are the author's and mean nothing."""
    for index, paragraph in enumerate(text.strip().split("\n\n")):
        if index:
            screen.line()
        for line in wrapped(clean(" ".join(paragraph.split())), screen.width - len(indent)):
            screen.line(indent + line)


def _example(heading: str, data: object, screen: Screen) -> None:
    text = example_text(data)
    if text:
        screen.line()
        screen.line(screen.style(heading, "bold"))
        for line in text.splitlines():
            screen.line(f"  {clean(line)}")
