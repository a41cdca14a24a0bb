"""The pages that are generated: rule pages, their index, the README's table, the command line reference.

``python -m migrate.reporting.documents [ROOT]`` writes them; a test compares them with what is there. This is a
tool of the repository and no view: it alone reaches for the registry and the commands, and only when it runs.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from migrate.reporting.rule_pages import RuleText, between_markers, page, table

_RULES = Path("docs", "rules")
_INDEX = """# Rules

Every rule has a stable code, a name and a page; `corpus-migrate rules CODE` prints the same text.
*Severity* is the worst that its findings can have; the page says what decides it. *Fix* lists the levels its findings can have: safe fixes are planned by default, unsafe ones with
`--unsafe-fixes`, manual and info findings are never written.

"""


def expected_documents(root: Path) -> Mapping[Path, str]:
    """Every generated page under ``root`` and the text it should have; the README only where there is one."""
    from migrate.cli.reference import reference
    from migrate.rules.registry import load

    return documents(root, load().rules, reference())


def documents(root: Path, rules: Sequence[RuleText], reference: str) -> Mapping[Path, str]:
    """The pages for these rules and this command line reference; ValueError for a README without markers."""
    pages = {root / _RULES / f"{rule.code}.md": page(rule) for rule in rules}
    pages[root / _RULES / "README.md"] = _INDEX + table(rules)
    pages[root / "docs" / "cli.md"] = reference
    readme = root / "README.md"
    if readme.exists():
        pages[readme] = between_markers(readme.read_text("utf-8"), table(rules, link="docs/rules/"))
    return pages


def stale_documents(root: Path, expected: Mapping[Path, str]) -> list[Path]:
    """Pages of rules that are no more."""
    return sorted(path for path in (root / _RULES).glob("*.md") if path not in expected)


def write_documents(root: Path) -> list[Path]:
    """Writes what differs, removes pages of rules that are no more, and returns the paths touched."""
    expected = expected_documents(root)
    touched = [path for path, text in expected.items() if not path.exists() or path.read_text("utf-8") != text]
    for path in touched:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(expected[path], "utf-8")
    stale = stale_documents(root, expected)
    for path in stale:
        path.unlink()
    return touched + stale


if __name__ == "__main__":
    for written in write_documents(Path(*sys.argv[1:2])):
        sys.stdout.write(f"{written}\n")
