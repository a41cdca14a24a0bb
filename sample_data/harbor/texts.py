"""The texts of a work's records: a few ways to write each kind, filled from what the work says."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from harbor.model import Work

Template = Callable[[Work], str]


def _bullets(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _numbered(lines: Sequence[str]) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


def _changes(work: Work) -> str:
    return _bullets([f"`{path}`: {what}" for path, what in work.changes])


def _files(work: Work) -> str:
    return ", ".join(f"`{path}`" for path, _ in work.changes)


RESEARCH: tuple[Template, ...] = (
    lambda w: (
        f"## Research: {w.title}\n\n**Question.** {w.problem}\n\n**Finding.** {w.cause}\n\n**Options**\n"
        f"{_bullets(w.options)}\n\n**Recommendation.** {w.decision}"
    ),
    lambda w: (
        f"# What is behind “{w.title}”\n\n{w.problem} {w.cause}\n\n## Ways out\n{_numbered(w.options)}\n\n"
        f"I would take the last one. {w.decision}"
    ),
    lambda w: (
        f"{w.problem}\n\nRead {_files(w)} and measured where it was cheap to measure. {w.cause}\n\nConsidered:\n"
        f"{_bullets(w.options)}\n\nProposal: {w.decision} Nothing was changed in this session."
    ),
    lambda w: (
        f"## Summary\n{w.cause}\n\n## Details\n{w.problem}\n\n## Options\n{_numbered(w.options)}\n\n"
        f"## Proposal\n{w.decision}\n\n## Not looked at\n{w.left}"
    ),
)

PLAN: tuple[Template, ...] = (
    lambda w: (
        f"# Plan: {w.title}\n\nGoal: {w.goal}\n\n{_numbered([f'In `{p}`: {what}' for p, what in w.changes])}\n\n"
        f"{w.decision}"
    ),
    lambda w: (
        f"## {w.title}\n\n**Why.** {w.problem}\n\n**How.** {w.decision}\n\n**Steps**\n{_changes(w)}\n\n"
        f"**Done when.** {w.goal}"
    ),
    lambda w: (
        f"Plan for {w.project}: {w.title[0].lower()}{w.title[1:]}\n\n{_changes(w)}\n\nDone when: {w.goal}\n"
        f"Out of scope: {w.left}"
    ),
)

PLAN_AGAIN: tuple[Template, ...] = (
    lambda w: (
        f"# Plan, second version: {w.title}\n\nThe first plan missed something: {w.remark}\n\n"
        f"{_numbered([f'In `{p}`: {what}' for p, what in reversed(w.changes)])}\n\nGoal as before: {w.goal}"
    ),
    lambda w: (
        f"## {w.title} (revised after the checkpoint)\n\n{w.decision}\n\nNew in this version: {w.remark}\n\n"
        f"{_changes(w)}\n\nDone when: {w.goal}"
    ),
)

REPORT: tuple[Template, ...] = (
    lambda w: (
        f"## Summary\n{w.title}: done. {w.decision}\n\n## Changes\n{_changes(w)}\n\n## Verification\n{w.check}\n\n"
        f"## Open\n{w.left}"
    ),
    lambda w: f"# {w.title}\n\n{w.problem} That is over now.\n\n{_changes(w)}\n\n{w.check}\n\nStill open: {w.left}",
    lambda w: (
        f"Implemented as planned. {w.decision}\n\n### What changed\n{_changes(w)}\n\n### How I know\n{w.check}\n\n"
        f"### Worth knowing\n{w.remark}"
    ),
    lambda w: (
        f"## {w.project}: {w.title}\n\nCause: {w.cause}\n\nChange:\n{_changes(w)}\n\nResult: {w.check}\n\n"
        f"Left for later: {w.left}"
    ),
)

REVIEW: tuple[Template, ...] = (
    lambda w: (
        f"## Verdict: accepted with one remark\n\nReviewed “{w.title}” against its goal: {w.goal}\n\n{w.check}\n\n"
        f"Remark: {w.remark}"
    ),
    lambda w: (
        f"# Review of {w.title}\n\nRead {_files(w)}.\n\n- Goal met: yes. {w.check}\n- Found: {w.remark}\n"
        f"- Not covered: {w.left}"
    ),
    lambda w: f"Validation, {w.project}. {w.goal} Holds: {w.check}\n\nOne thing to mend: {w.remark}",
)

CHECKPOINT: tuple[Template, ...] = (
    lambda w: (
        f"## Checkpoint: {w.title}\n\nDone: `{w.changes[0][0]}`, {w.changes[0][1]}\n\nRemaining:\n"
        f"{_bullets([f'`{p}`: {what}' for p, what in w.changes[1:]]) or '- the write-up'}\n\nBlockers: none"
    ),
    lambda w: (
        f"Half way through “{w.title}”.\n\nWorks: {w.changes[0][1]}.\nNot yet: "
        f"{'; '.join(what for _, what in w.changes[1:])}.\n\nNoticed on the way: {w.remark}"
    ),
)

HANDOFF: tuple[Template, ...] = (
    lambda w: (
        f"# Handoff: {w.title}\n\n## Done\n{_changes(w)}\n\n## Decided\n{w.decision}\n\n## Unresolved\n{w.remark}\n\n"
        f"## Next\n{w.left}"
    ),
    lambda w: (
        f"## End of session, {w.project}\n\n{w.title} is in. {w.check}\n\nThe next session should know: {w.remark}\n\n"
        f"Next step: {w.left}"
    ),
)

NOTE: tuple[Template, ...] = (
    lambda w: f"## {w.project}: worth remembering\n\n{w.lesson}\n\nLearned while working on “{w.title}”.",
    lambda w: f"{w.lesson}\n\nApplies to {w.project}. Background: {w.problem}",
)

FIRST_REPORT: tuple[Template, ...] = (
    lambda w: f"## Summary\n{w.decision}\n\n{_changes(w)}\n\n{w.check}",
    lambda w: f"{w.title}: finished.\n\n{_changes(w)}\n\nChecked: {w.check}\nOpen: {w.left}",
)

TEMPLATES: dict[str, tuple[Template, ...]] = {
    "research": RESEARCH,
    "plan": PLAN,
    "plan2": PLAN_AGAIN,
    "report": REPORT,
    "review": REVIEW,
    "checkpoint": CHECKPOINT,
    "handoff": HANDOFF,
    "note": NOTE,
    "first-report": FIRST_REPORT,
}


def text_of(make: str, work: Work, turn: int) -> str:
    """The text of one record of ``work``; ``turn`` chooses among the ways to write its kind."""
    ways = TEMPLATES[make]
    return ways[turn % len(ways)](work)


CHUNKS = (
    (
        "Here is what the board has to show, in the order in which we look at it in the morning. First the arrivals: "
        "boat, length, berth, whether they have paid, whether they called. Then the departures, with the hour if we "
        "know it, because berth 7 can only be given again when the big Danish yacht is gone. Then everybody who stays "
        "on but has to change the berth today; that is where it goes wrong most of the time, because two people have "
        "to be told. After that the free berths, by length, with the depth at low water beside the length."
    ),
    (
        "Continued. In the afternoon we look at other things: who should have arrived and did not, who lies where he "
        "does not belong, which berth has a boat on it that nobody knows. The list for the round in the evening is "
        "made from these. In winter none of this matters and we want to see the whole season at once, one line a "
        "berth, to place the regulars. Regulars keep their berth unless they sell the boat or fall out with their "
        "neighbour, and the second reason is more frequent than you think."
    ),
    (
        "Last part. Colours: please not red and green, I can't tell them apart. Unpaid should be visible without "
        "opening anything. Moving a boat must be one movement and it must be possible to take it back. When two of us "
        "move the same boat the later one should be asked. And print: one page A4, landscape, for the harbour master, "
        "who does not want a screen on the jetty. That's all for the board. The guest's view is another matter and "
        "can wait."
    ),
)
