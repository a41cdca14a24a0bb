"""``rules --format json``: one document for one rule or all of them."""

from __future__ import annotations

import json
from collections.abc import Sequence

from migrate.reporting.rule_pages import RuleText
from migrate.reporting.terminal import Screen

FORMAT = "corpus-migrate.rules/1"


def render(rules: Sequence[RuleText], screen: Screen) -> None:
    """Writes the rules with their whole text."""
    document = {
        "format": FORMAT,
        "rules": [
            {
                "code": rule.code,
                "slug": rule.slug,
                "family": rule.family,
                "title": rule.title,
                "severity": str(rule.severity),
                "levels": [str(level) for level in rule.levels],
                "since": rule.since,
                "what": rule.what,
                "why": rule.why,
                "before": rule.before,
                "after": rule.after,
                "fix": rule.fix,
                "safety": rule.safety,
            }
            for rule in rules
        ],
    }
    screen.line(json.dumps(document, indent=1))
