"""Every exit code, what it means, and how a check arrives at its own."""

from __future__ import annotations

import enum

from migrate.reporting.wording import counted
from migrate.results import Changes
from migrate.types import Severity, Summary


@enum.unique
class ExitCode(enum.IntEnum):
    """What the process tells its caller. The numbers are a contract and never change their meaning."""

    OK = 0
    FINDINGS = 1
    USAGE = 2
    INCOMPLETE = 3
    REFUSED = 4
    PARTIAL = 5
    BUG = 70
    INTERRUPTED = 130

    @property
    def meaning(self) -> str:
        """One line for the reference page."""
        return _MEANINGS[self]


_MEANINGS = {
    ExitCode.OK: "nothing at or above `--fail-on`; the plan is written; apply or undo is complete",
    ExitCode.FINDINGS: (
        "`check`: findings at or above `--fail-on`, with a baseline new or regressed ones; `plan --detailed-exitcode`: the plan has changes; "
        "`rules test`: a case failed"
    ),
    ExitCode.USAGE: (
        "usage: unknown option, rule or corpus kind; bad config; a rule of your own that cannot be loaded or whose SQL fails; "
        "a path that is missing or cannot be what it should"
    ),
    ExitCode.INCOMPLETE: (
        "incomplete: input of unknown extent was lost, and what; or a repository context of a schema version that this "
        "version does not know; outranks 1"
    ),
    ExitCode.REFUSED: (
        "refused, nothing written: incomplete plan, plan for another store, output exists, a record that moved since a complete run, "
        "a question without a terminal"
    ),
    ExitCode.PARTIAL: "partial: apply or undo ended with stale, conflicting or failed records; the journal says which",
    ExitCode.BUG: "a bug: where the log is, what to attach",
    ExitCode.INTERRUPTED: "interrupted by a signal; the same command again starts over, or goes on with `apply` and `undo`",
}

FAIL_ON = ("error", "warning", "info", "never")
"""Values of ``--fail-on``, from the strictest severity to none."""

_WORST_FIRST = (Severity.ERROR, Severity.WARNING, Severity.INFO)


def of_check(summary: Summary, fail_on: str, changes: Changes | None = None) -> tuple[ExitCode, str]:
    """The code of a check and its reason in words. ``fail_on`` is one of FAIL_ON; a lost input outranks findings.

    Against a baseline only new and regressed findings count.
    """
    if not summary.complete:
        return ExitCode.INCOMPLETE, f"incomplete: {counted(len(summary.gaps), 'input')} could not be read to the end"
    if summary.unsupported:
        return ExitCode.INCOMPLETE, _unsupported(summary)
    if fail_on == "never":
        return ExitCode.OK, "--fail-on never"
    counting = _WORST_FIRST[: FAIL_ON.index(fail_on) + 1]
    accepted = changes is not None and changes.reference == "baseline"
    numbers = changes.counting if changes is not None else summary.severities
    failing = sum(numbers.get(severity.value, 0) for severity in counting)
    kind = "new or regressed finding" if accepted else "finding"
    if failing:
        return ExitCode.FINDINGS, f"{counted(failing, kind)} at or above --fail-on {fail_on}"
    return ExitCode.OK, f"no {kind} at or above --fail-on {fail_on}"


def of_plan(summary: Summary, patches: int, detailed: bool) -> tuple[ExitCode, str]:
    """The code of a written plan. An incomplete one is 3 whatever was asked: ``apply`` would refuse it.

    So is one that leaves out contexts of an unsupported schema; what it holds can be applied.
    """
    if not summary.complete:
        return ExitCode.INCOMPLETE, f"incomplete: {counted(len(summary.gaps), 'input')} could not be read to the end"
    if summary.unsupported:
        return ExitCode.INCOMPLETE, _unsupported(summary)
    if detailed and patches:
        return ExitCode.FINDINGS, f"the plan has {counted(patches, 'patch', 'patches')} (--detailed-exitcode)"
    return ExitCode.OK, "the plan is written"


def _unsupported(summary: Summary) -> str:
    return f"{counted(summary.unsupported, 'context')} of a schema version that this version does not know"
