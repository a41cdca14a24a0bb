"""Reports for tests: one of every kind of content, and text that tries everything."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from migrate.results import Changes, Outcome, PlanPart, Portrait, Report, RuleReport, Run, Sample, Sweep, Tally, Where
from migrate.types import Finding, Gap, Level, RuleCount, Severity, Summary

HOSTILE = "<script>alert(1)</script>\x1b[31mred\x1b[0m\u202egnp\u2066|`a``b`%0A::error::x]]>\"'&\r\n# h\x00\x85\u200b[l](javascript:1)"


def finding(text: str = "Done", **changes: Any) -> Finding:
    plain = Finding(
        "CS201", "status-spelling", Level.SAFE, Severity.WARNING, json.dumps(text), f"/{text}", {"found": text, text: [text]}, text, 7,
        "0123456789abcdef", text, text, text, text, text, text, "2026-11", "new",
    )  # fmt: skip
    return replace(plain, **changes)


def sweep(number: int, errors: int = 1) -> Sweep:
    return Sweep(
        number, f"2026-11-{number:02}T02:00:00Z", "check", "0.1.0", True, True, 4, errors + 2, {"error": errors, "warning": 2, "info": 0},
        1, errors + 1, 0, 0, "sweep", {"CS201": 2, "CS703": errors}, "abcd", 1.5, 1,
    )  # fmt: skip


def report(text: str = "entries.jsonl", rules: int = 2, **changes: Any) -> Report:
    """A report whose every text is ``text``."""
    counts = [RuleCount(f"CS{200 + number}", f"slug-{number}", Severity.ERROR if number % 2 else Severity.WARNING, 9, 4, 3, 2, 0)
              for number in range(rules)]  # fmt: skip
    words = dict.fromkeys(("title", "what", "why", "fix", "safety"), text)
    line = json.dumps({"record": 7, "part": None, "unit": text, "level": "safe", "codes": ["CS201"], "requires": [
        {"record": text, "path": f"/{text}", "holds": text}], "changes": [
        {"path": f"/{text}", "from": text, "to": [text] * 30, "level": "safe", "codes": ["CS201"], "evidence": {"CS201": {text: text}}}]})  # fmt: skip
    header = {
        "plan_id": "3f2a9c51d0e4b687", "complete": False, "withheld": [text], "counts": {"records": 4, "patches": 2, "safe": 1, "unsafe": 1},
        "corpus": {"fingerprint": "sha256:00"}, "conservation": {"before": 9, "kept": 9, "after": 9, "removed": {text: 1}},
    }  # fmt: skip
    plain = Report(
        command="plan",
        summary=Summary(
            text, "context-server", "integer", 1, 2048, 5, 4, 1, 1, (Gap(text, text),), {"v1": 3, text: 1}, tuple(counts),
            {"error": 1, "warning": 2, "info": 0}, 2, 1, 0.25,
        ),
        outcome=Outcome(1, text),
        version="0.1.0",
        made_at="2026-11-30T10:00:00Z",
        options={"codes": ["CS201", "CS999"], "partial": True},
        rules=tuple(
            RuleReport(count, "up to error", family="fields", new=1, regressed=1, fixed=1, trend=(1, 4, 9), examples=(finding(text),) * 5, **words)
            for count in counts
        ),
        changes=Changes("baseline", "2026-11-29T02:00:00Z", 1, 1, 2, 1, {"error": 1}),
        history=tuple(sweep(number, number % 4) for number in range(1, 31)),
        where=Where((Tally(text, 3, 1),), (Tally(text, 3, 1),), (), (Tally("2026-11", 3, 1),), (text,), (text, "graph"), ((3,), (0,))),
        portrait=Portrait({text: (3, 3)}, {text: (1, 4)}),
        plan=PlanPart(header, {f"/{text}": 2}, (Sample("CS201", (line, line)),)),
        runs=(Run(text, "undo", text, 1, 0, 1, 0, False),),
        next_commands=(f"corpus-migrate show {text}",),
        fixed=(finding(text, state="fixed"),),
    )  # fmt: skip
    return replace(plain, **changes)
