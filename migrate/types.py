"""The values that travel between the rooms: options in, findings and summaries out.

Everything here is frozen data without behaviour that touches a file or a database, so that
reporting can depend on results alone.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol


@enum.unique
class Level(enum.StrEnum):
    """Who may apply the repair of a finding, from the safest to none."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    MANUAL = "manual"
    INFO = "info"


@enum.unique
class Severity(enum.StrEnum):
    """How bad a finding is; ``--fail-on`` looks at it."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@enum.unique
class Evidence(enum.StrEnum):
    """How much corpus text a finding may carry."""

    NONE = "none"
    HASH = "hash"
    EXCERPT = "excerpt"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Limits:
    """What the engine may use. ``memory`` is a DuckDB size such as ``1GB``."""

    memory: str = "1GB"
    threads: int | None = None
    temp_dir: Path | None = None


@dataclass(frozen=True, slots=True)
class Options:
    """Everything that changes what a run finds or proposes, and what it may use."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    unsafe_fixes: bool = False
    partial: bool = False
    init_absent: bool = False
    """Create the standard layout in repositories that have no context at all."""
    id_map: Path | None = None
    safe_fixes: tuple[str, ...] = ()
    """Codes whose unsafe fixes the user promoted to safe (``extend-safe-fixes``)."""
    unsafe_only: tuple[str, ...] = ()
    """Codes whose safe fixes the user demoted to unsafe (``extend-unsafe-fixes``)."""
    status_map: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Kind (or ``any``) to folded status to the status it means; makes CS204 safe."""
    custom_rules: tuple[Path, ...] = ()
    evidence: Evidence = Evidence.EXCERPT
    system: str | None = None
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Gap:
    """Input of unknown extent that was lost: the run is incomplete because of it."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding: a record (or line), a code and a path.

    ``record`` is the id as JSON text (``7``, ``"0198…"``) or None for a line without one; ``path`` a JSON pointer
    into the metadata, ``tags``, or empty for the whole record; ``line`` counts from 1.
    """

    code: str
    slug: str
    level: Level
    severity: Severity
    record: str | None
    path: str
    evidence: Mapping[str, Any]
    file: str | None
    line: int | None
    fingerprint: str
    record_class: str | None
    kind: str | None
    thread: str | None
    project: str | None
    agent: str | None = None
    source: str | None = None
    era: str | None = None
    """The month its record was made in: ``2026-11``."""
    state: str | None = None
    """Against the last sweep or the baseline: new, known or regressed; None before it is compared."""
    scope: str | None = None
    """Of a repository context: its directory relative to the Git root, ``.`` for the root; ``file`` is relative to it."""
    repository: str | None = None
    """Where the corpus is a folder of many: the repository's path in it."""


@dataclass(frozen=True, slots=True)
class ScopeState:
    """One repository context among those of a run."""

    repository: str | None
    scope: str
    context_class: str
    findings: int
    severities: Mapping[str, int]
    """error, warning, info to the number of findings."""
    documents: int
    references: int
    state_days: int | None
    """Days since the last commit that touched the state file; None where none did."""


@dataclass(frozen=True, slots=True)
class RuleCount:
    """How often one rule spoke, by level."""

    code: str
    slug: str
    severity: Severity
    """The worst severity among its findings."""
    findings: int
    safe: int
    unsafe: int
    manual: int
    info: int
    urgent: bool = False
    """Whether one of its findings harms more than its own record: it stands before all others."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What one run read and found; every number a person is shown comes from here."""

    uri: str
    system: str
    id_form: str
    files: int
    bytes_read: int
    lines: int
    """Non-blank lines (or array elements) met."""
    records: int
    """Records among them: lines that are JSON objects, copies included."""
    broken_lines: int
    held: int
    gaps: tuple[Gap, ...]
    classes: Mapping[str, int]
    """user_message, v1, legacy, newer, held."""
    rules: tuple[RuleCount, ...]
    severities: Mapping[str, int]
    """error, warning, info to the number of findings."""
    safe_records: int
    """Records that would change with safe fixes."""
    unsafe_records: int
    """Further records that would change with ``--unsafe-fixes``."""
    seconds: float
    scopes: tuple[ScopeState, ...] = ()
    """Of repository contexts: each of them, in corpus order."""
    unsupported: int = 0
    """Of repository contexts: those whose schema version this tool does not know, as far as they are reported."""

    @property
    def complete(self) -> bool:
        """Whether everything that was named could be read."""
        return not self.gaps

    @property
    def findings(self) -> int:
        """All findings together."""
        return sum(rule.findings for rule in self.rules)


class Progress(Protocol):
    """Called as a phase goes on; ``total`` is None where the extent is unknown."""

    def __call__(self, phase: str, done: int, total: int | None) -> None:
        """Tell how far ``phase`` has come."""
