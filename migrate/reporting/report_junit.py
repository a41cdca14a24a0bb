"""``--format junit``: a suite a rule family, a case a rule, so that a CI server shows which rules fail."""

from __future__ import annotations

from collections import defaultdict
from xml.etree import ElementTree

from migrate.reporting.formats import Shown
from migrate.reporting.terminal import Screen, clean
from migrate.reporting.wording import counted, evidence, levels, loudest_first, place, record_label, rule_news
from migrate.results import Report, RuleReport
from migrate.types import Finding


def render(shown: Shown, screen: Screen) -> None:
    """Writes the document. Clean text has no character that XML forbids; a reader shows failures by their text alone."""
    root = document(shown.report)
    ElementTree.indent(root)
    screen.stream.write(
        "<?xml version='1.0' encoding='utf-8'?>\n" + ElementTree.tostring(root, encoding="unicode") + "\n"
    )


def document(report: Report) -> ElementTree.Element:
    """The element ``testsuites``. A rule with errors fails; one with warnings or infos alone passes and says them."""
    families: dict[str, list[RuleReport]] = defaultdict(list)
    for rule in loudest_first(report.rules):
        families[rule.family or "other"].append(rule)
    silent = sorted(set(report.options.get("codes", ())) - {rule.count.code for rule in report.rules})
    failing = sum(_fails(rule) for rule in report.rules)
    tests = len(report.rules) + len(silent) + len(report.summary.gaps)
    root = ElementTree.Element("testsuites", name=f"corpus-migrate {clean(report.summary.uri)}")
    root.set("tests", str(tests))
    root.set("failures", str(failing))
    root.set("errors", str(len(report.summary.gaps)))
    if report.summary.gaps:
        suite = _suite(root, "input", len(report.summary.gaps), 0, len(report.summary.gaps))
        for gap in report.summary.gaps:
            case = ElementTree.SubElement(suite, "testcase", name=clean(gap.file), classname="corpus-migrate.input")
            ElementTree.SubElement(case, "error", message=_text(gap.reason), type="incomplete").text = _text(gap.reason)
    for family, rules in sorted(families.items()):
        suite = _suite(root, family, len(rules), sum(map(_fails, rules)), 0)
        for rule in rules:
            _case(suite, family, rule, report)
    if silent:
        suite = _suite(root, "silent", len(silent), 0, 0)
        for code in silent:
            ElementTree.SubElement(suite, "testcase", name=clean(code), classname="corpus-migrate.silent")
    return root


def _suite(root: ElementTree.Element, name: str, tests: int, failures: int, errors: int) -> ElementTree.Element:
    numbers = {"tests": str(tests), "failures": str(failures), "errors": str(errors), "skipped": "0", "time": "0"}
    return ElementTree.SubElement(root, "testsuite", {"name": clean(name), **numbers})


def _fails(rule: RuleReport) -> bool:
    return rule.count.severity.value == "error"


def _case(suite: ElementTree.Element, family: str, rule: RuleReport, report: Report) -> None:
    name = f"{clean(rule.count.code)} {clean(rule.count.slug)}"
    case = ElementTree.SubElement(suite, "testcase", name=name, classname=f"corpus-migrate.{clean(family)}", time="0")
    news = rule_news(rule, report.changes)
    head = f"{counted(rule.count.findings, 'finding')}: {levels(rule.count)}" + (f"; {news}" if news else "")
    lines = [head, _text(rule.title), *(_example(finding) for finding in rule.examples)]
    rest = rule.count.findings - len(rule.examples)
    text = "\n".join(line for line in (*lines, f"… {rest:,} more" if rest > 0 else "") if line)
    if _fails(rule):
        ElementTree.SubElement(case, "failure", message=head, type=rule.count.severity.value).text = text
    else:
        ElementTree.SubElement(case, "system-out").text = text


def _example(finding: Finding) -> str:
    parts = (place(finding), record_label(finding.record), _text(finding.path), evidence(finding.evidence))
    return "  ".join(part for part in parts if part)


def _text(text: str) -> str:
    return clean(text)
