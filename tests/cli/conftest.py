"""A stand-in for the rooms behind the command line, so that its own behaviour is tested and nothing else."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

from migrate.cli.main import cli
from migrate.results import Portrait
from migrate.types import Finding, Gap, Level, Options, RuleCount, Severity, Summary

HEADER = {
    "format": "corpus-migrate.plan/1",
    "plan_id": "3f2a9c51d0e4b687",
    "complete": True,
    "tool": {"name": "corpus-migrate", "version": "0.1.0"},
    "corpus": {
        "system": "context-server",
        "uri": "entries.jsonl",
        "id_form": "integer",
        "records": 4,
        "fingerprint": "sha256:00",
    },
    "options": {"select": [], "unsafe_fixes": False},
    "counts": {"records": 4, "patches": 2, "safe": 1, "unsafe": 1, "findings": {"CS201": 2, "CS701": 1}},
    "conservation": {
        "before": 9,
        "kept": 6,
        "moved": 1,
        "rewritten": 1,
        "removed": {"CS505": 1},
        "held": 0,
        "after": 9,
        "added": {"CS102": 1},
    },
    "created_at": "2026-11-30T10:00:00Z",
}

RECORDS: list[dict[str, Any]] = [
    {
        "record": 27210,
        "part": None,
        "unit": None,
        "level": "safe",
        "codes": ["CS701"],
        "before": {"hash": "sha256:aa", "version": 3},
        "after": {"hash": "sha256:bb"},
        "requires": [{"record": 27250, "path": "/links/supersedes", "holds": 27210}],
        "patch": {"metadata": {"status": "superseded"}},
        "changes": [
            {
                "path": "/status",
                "from": "done",
                "to": "superseded",
                "level": "safe",
                "codes": ["CS701"],
                "evidence": {"CS701": {"superseded_by": [27250]}},
            }
        ],
    },
    {
        "record": 27250,
        "part": None,
        "unit": 27210,
        "level": "unsafe",
        "codes": ["CS201", "CS505"],
        "before": {"hash": "sha256:cc", "version": None},
        "after": {"hash": "sha256:dd"},
        "requires": [],
        "patch": {"metadata": {"status": "done", "links": {"related": list(range(100, 140))}}},
        "changes": [
            {
                "path": "/links/related",
                "from": [*range(100, 120), 100, *range(120, 140)],
                "to": list(range(100, 140)),
                "level": "safe",
                "codes": ["CS505"],
                "evidence": {},
            },
            {
                "path": "/status",
                "from": "Done\u202e",
                "to": "done",
                "level": "unsafe",
                "codes": ["CS201"],
                "evidence": {"CS201": {"found": "Done\u202e"}},
            },
        ],
    },
]


def a_finding(**changes: Any) -> Finding:
    """A finding like any other, but for what a test says."""
    plain = Finding(
        code="CS201",
        slug="status-spelling",
        level=Level.SAFE,
        severity=Severity.WARNING,
        record="27210",
        path="/status",
        evidence={"found": "Done"},
        file="entries.jsonl",
        line=12,
        fingerprint="f00d",
        record_class="v1",
        kind="report",
        thread="t-1",
        project="alpha",
    )
    return replace(plain, **changes)


def a_summary(**changes: Any) -> Summary:
    """A summary of four records with three findings, but for what a test says."""
    plain = Summary(
        uri="entries.jsonl",
        system="context-server",
        id_form="integer",
        files=1,
        bytes_read=2048,
        lines=5,
        records=4,
        broken_lines=1,
        held=1,
        gaps=(),
        classes={"v1": 2, "legacy": 1, "user_message": 1, "newer": 0, "held": 0},
        rules=(
            RuleCount("CS201", "status-spelling", Severity.WARNING, 2, 2, 0, 0, 0),
            RuleCount("CS703", "supersedes-an-issue", Severity.ERROR, 1, 0, 0, 1, 0),
        ),
        severities={"error": 1, "warning": 2, "info": 0},
        safe_records=2,
        unsafe_records=1,
        seconds=0.25,
    )
    return replace(plain, **changes)


FINDINGS = (
    a_finding(),
    a_finding(record='"0198c0ffee00000000000000000000aa"', line=14, fingerprint="f00e"),
    a_finding(
        code="CS703",
        slug="supersedes-an-issue",
        level=Level.MANUAL,
        severity=Severity.ERROR,
        path="",
        line=15,
        fingerprint="f00f",
    ),
)
CLEAN = {"rules": (), "severities": {"error": 0, "warning": 0, "info": 0}, "safe_records": 0, "unsafe_records": 0}
GAP = Gap("shard-2.jsonl.gz", "the stream is cut after 10 lines")


class RuleError(Exception):
    """As the rules' room raises it."""


class CorpusError(Exception):
    """As the corpora's room raises it."""


class PlanError(Exception):
    """As the planning room raises it."""


class Refused(Exception):
    """As the applying room raises it."""


CorpusError.__module__ = "migrate.corpora.interface"
RuleError.__module__ = "migrate.rules.errors"
PlanError.__module__ = "migrate.planning.errors"
Refused.__module__ = "migrate.applying.errors"
ERRORS = SimpleNamespace(corpus=CorpusError, rule=RuleError, plan=PlanError, refused=Refused)


def rule(code: str, slug: str, **changes: Any) -> SimpleNamespace:
    """A rule of the registry."""
    plain = {
        "code": code,
        "slug": slug,
        "family": "graph",
        "title": "A superseded record does not say so.",
        "severity": Severity.WARNING,
        "levels": (Level.SAFE, Level.UNSAFE),
        "since": "0.1.0",
        "what": "The newer record names it in `links.supersedes`.",
        "why": "Readers filter by status.",
        "before": '{"status": "done"}',
        "after": '{"status": "superseded"}',
        "fix": "The status becomes `superseded`.",
        "safety": "Safe where every superseding record is newer.",
    }
    return SimpleNamespace(**{**plain, **changes})


RULES = (
    rule("CS101", "promotion", severity=Severity.INFO, levels=(Level.INFO,)),
    rule("CS201", "status-spelling"),
    rule("CS202", "status-of-another-kind", after="", levels=(Level.MANUAL,), severity=Severity.ERROR),
    rule("CS701", "superseded-but-not-marked"),
)


@dataclass
class SimpleSettings:
    """As ``migrate.applying.running.Settings``."""

    workspace: Path
    limits: Any
    said: Callable[[str], None]
    progress: Any


@dataclass
class Engine:
    """What the rooms will do, and what they were asked for."""

    summary: Summary = field(default_factory=a_summary)
    findings: tuple[Finding, ...] = FINDINGS
    header: dict[str, Any] = field(default_factory=lambda: json.loads(json.dumps(HEADER)))
    records: list[dict[str, Any]] = field(default_factory=lambda: RECORDS)
    error: BaseException | None = None
    """Raised on entry to whatever is called first."""
    write_error: Exception | None = None
    applied: dict[str, Any] = field(default_factory=dict)
    cases: tuple[int, tuple[str, ...]] = (3, ())
    options: Options = field(default_factory=Options)
    """What the last run was asked for."""
    calls: list[str] = field(default_factory=list)

    errors = ERRORS
    finding = staticmethod(a_finding)
    make_summary = staticmethod(a_summary)
    gap = GAP
    clean: Any = field(default_factory=lambda: a_summary(**CLEAN))

    def _called(self, name: str) -> None:
        self.calls.append(name)
        if self.error:
            raise self.error

    def examine(self, corpus: str, options: Options, *, progress: Any = None) -> Any:
        """As ``migrate.systems.examine``: a context manager."""
        self._called(f"examine {corpus}")
        self.options = options
        engine = self

        class Examination:
            summary = engine.summary
            rules = SimpleNamespace(
                rows=(SimpleNamespace(code="CS201", severity="by-level"),),
                sets=(SimpleNamespace(code="CS703", severity="error"),),
                selected=("CS201", "CS703"),
            )

            def findings(self) -> Iterator[Finding]:
                yield from engine.findings

            def portrait(self) -> Portrait:
                return Portrait({"report": (2, 2)}, {"references": (3, 0), "derived_from": (1, 4)})

            def plan(self) -> Any:
                return engine.plan()

            def __enter__(self) -> Any:
                return self

            def __exit__(self, *error: object) -> None:
                engine.calls.append("closed")

        return Examination()

    def plan(self) -> Any:
        """As ``migrate.systems.Examination.plan``."""
        lines = [json.dumps(line).encode() + b"\n" for line in (self.header, *self.records)]
        return SimpleNamespace(header=self.header, lines=lines)

    def write(self, plan: Any, path: Path) -> Path:
        """As ``migrate.planning.plan_file.write``."""
        if self.write_error:
            raise self.write_error
        path.write_bytes(b"".join(plan.lines))
        return path

    def read_plan(self, path: Path) -> Any:
        """As ``migrate.planning.plan_file.read_plan``."""
        self._called(f"read {path}")
        header, *lines = path.read_bytes().splitlines()
        return SimpleNamespace(header=json.loads(header), lines=lambda: iter(lines))

    def apply_plan(self, plan: Path, destination: Any, settings: Any) -> Any:
        """As ``migrate.applying.apply.apply_plan``."""
        self._called(f"apply {plan} {destination}")
        return self._ran(destination, settings)

    def find_run(self, workspace: Path, name: str) -> Any:
        """As ``migrate.applying.undo.find_run``."""
        return SimpleNamespace(
            run_id=name, header={"target": "entries.jsonl"}, path=workspace / "run-1" / "journal.jsonl"
        )

    def undo_run(self, run: Any, at: str | None, settings: Any) -> Any:
        """As ``migrate.applying.undo.undo_run``."""
        self._called(f"undo {run.run_id} {at}")
        return self._ran(at or run.header["target"], settings)

    def _ran(self, target: str, settings: Any) -> Any:
        plain = {
            "applied": 2,
            "already": 0,
            "stale": 0,
            "failed": 0,
            "records": 4,
            "untouched_bytes": 1900,
            "target": target,
            "run_id": "run-1",
            "journal": settings.workspace / "journal.jsonl",
            "kept": (),
            "resumed": False,
            "problems": (),
        }
        return SimpleNamespace(**{**plain, **self.applied})

    def run_cases(self, folder: Path, options: Options) -> Any:
        """As ``migrate.rule_cases.run_cases``."""
        self.options = options
        return SimpleNamespace(passed=self.cases[0], failures=self.cases[1])


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Engine:
    """The stand-in, in place of the rooms; the working directory is an empty folder without an environment."""
    made = Engine()
    modules = {
        "migrate.systems": {"examine": made.examine},
        "migrate.rules.registry": {"load": lambda custom=(): SimpleNamespace(rules=RULES)},
        "migrate.rule_cases": {"run_cases": made.run_cases},
        "migrate.planning.plan_file": {"read_plan": made.read_plan, "write": made.write},
        "migrate.applying.apply": {
            "Copy": str,
            "Daemon": "{} as {}".format,
            "InPlace": lambda: "in place",
            "Destination": object,
            "apply_plan": made.apply_plan,
        },
        "migrate.applying.context_target": {"InTrees": lambda: "in trees"},
        "migrate.applying.undo": {"find_run": made.find_run, "undo_run": made.undo_run},
        "migrate.applying.running": {"Settings": SimpleSettings},
    }
    for name, members in modules.items():
        module = ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.chdir(tmp_path)
    for variable in ("CI", "NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(variable, raising=False)
    return made


Call = Callable[..., Result]


@pytest.fixture
def call(engine: Engine) -> Call:
    """Runs the command line with the stand-in behind it: ``call("check", "entries.jsonl")``."""

    def run(*arguments: str, **keywords: Any) -> Result:
        result = CliRunner().invoke(cli, list(arguments), prog_name="corpus-migrate", **keywords)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


@pytest.fixture
def plan_file(engine: Engine, tmp_path: Path) -> Path:
    """A saved plan of the stand-in."""
    path = tmp_path / "saved.jsonl"
    engine.write(engine.plan(), path)
    return path


@pytest.fixture
def one_sentence() -> Callable[[Result, int], str]:
    """Asserts an error as users are promised it, and returns the sentence."""

    def check(result: Result, code: int) -> str:
        assert result.exit_code == code, result.output
        lines = result.stderr.splitlines()
        assert len(lines) == 1, result.stderr
        assert lines[0].startswith("error: ")
        assert result.stdout == ""
        return lines[0].removeprefix("error: ")

    return check
