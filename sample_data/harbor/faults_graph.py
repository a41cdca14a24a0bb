"""Faults between records: supersession, cycles, comments, duplicates, threads, equal texts."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from harbor.book import MISSING, Book
from harbor.model import Entry, Ref


def break_graph(book: Book) -> None:
    """Break what only several records together can have wrong."""
    _supersession(book)
    _comments(book)
    _issues(book)
    _places(book)


def _plan(key: str, at: datetime, project: str, task: str, text: str, status: str, links: dict[str, Any]) -> Entry:
    meta = {
        "schema_version": 1,
        "kind": "plan",
        "project": project,
        "agent_name": "planner",
        "task_name": task,
        "status": status,
        "links": links,
    }
    return Entry(key, at, project, "agent", text, meta, ["plan"])


def _supersession(book: Book) -> None:
    fault = book.fault
    fault("pool/plan", "CS701/safe", "the second plan names it, the second write was lost", {"status": "done"})
    fault("feed-retries/plan", "CS701/safe", "the same, still `pending`", {"status": "pending"})
    third = book.entries["feed-retries/plan2"].at + timedelta(hours=2)
    book.add(
        _plan(
            "x-retries-3",
            third,
            "harbor-sync",
            "Wait properly when the tide feed is down",
            "# Plan, third version: wait properly\n\nOne place that retries, in the scheduler. The client gives up at "
            "once and says why. Everything else as in the second version.",
            "done",
            {"supersedes": [Ref("feed-retries/plan2")], "commissioned_by": [Ref("feed-retries/ask")]},
        ),
        _plan(
            "x-winter-plan",
            datetime(2026, 9, 17, 10, 2, 0),
            "harbor-api",
            "Plan winter storage",
            "# Plan: winter storage\n\n1. Cradles with numbers and places\n2. The list for the crane, both "
            "directions\n3. Prices by square metre\n\nReplaces the notes of the spring about the waiting list, which "
            "had storage in it.",
            "pending",
            {"supersedes": [Ref("waitlist/plan"), Ref("n-whitsun")]},
        ),
        _plan(
            "x-crane",
            datetime(2026, 9, 22, 9, 40, 0),
            "harbor-api",
            "List for the crane",
            "## List for the crane\n\nOne row a boat, in the order of lifting, twenty minutes each. The spring list "
            "is the same rows from the end.",
            "pending",
            {"supersedes": [Ref("x-crane-again")]},
        ),
        _plan(
            "x-crane-again",
            datetime(2026, 9, 22, 14, 5, 0),
            "harbor-api",
            "List for the crane",
            "## List for the crane, after talking to the office\n\nThe order is by where the cradle stands, not by "
            "the calendar. Spring is not the reverse: boats with an early season go first.",
            "pending",
            {"supersedes": [Ref("x-crane")]},
        ),
        _plan(
            "x-map-old",
            datetime(2026, 9, 8, 8, 15, 0),
            "harbor-web",
            "Print the map for each jetty",
            "# Plan: one page a jetty\n\nFive pages, the guest gets the one he needs. Same layout function, other "
            "scale.",
            "superseded",
            {"derived_from": [Ref("dock-map/report")]},
        ),
        _plan(
            "x-probe",
            datetime(2026, 9, 9, 18, 20, 0),
            "harbor-infra",
            "Write the booking probe",
            "## Booking probe\n\nBook and cancel on berth 999 every five minutes, alarm after the second failure. "
            "Replaces what the issue about the pool's alarm asked for.",
            "done",
            {"supersedes": [Ref("i-alarm"), Ref("x-probe-later")]},
        ),
        _plan(
            "x-probe-later",
            datetime(2026, 9, 10, 8, 20, 0),
            "harbor-infra",
            "Write the booking probe",
            "## Booking probe, the quiet version\n\nAs before, but silent between 01:00 and 04:00 when backups run.",
            "pending",
            {},
        ),
    )
    fault("feed-retries/plan2", "CS701/safe", "middle of a chain: replaced by a third plan")
    fault("waitlist/plan", "CS701/unsafe", "a legacy plan that a newer one replaces")
    fault("n-whitsun", "CS701/unsafe", "a legacy note that a plan replaces")
    fault("x-crane", "CS704/manual", "two plans replace each other")
    fault("x-crane-again", "CS704/manual", "the other one")
    fault("x-map-old", "CS702/manual", "`superseded`, and no record says by what")
    fault(
        "x-probe",
        "CS703/manual CS705/manual",
        "replaces an issue, which has no such status, and a plan younger than itself",
    )
    fault("x-probe-later", "CS701/unsafe", "replaced by an older plan only")
    fault("backups/handoff", "CS702/manual", "legacy and `superseded` without successor", {"status": "superseded"})


def _comments(book: Book) -> None:
    fault = book.fault
    fault("i-pool/c2", "CS706/manual", "a comment without parent", {"links": MISSING})
    fault("i-trigger/c2", "CS707/manual CS717/info", "a comment on a comment", {"links.parent": [Ref("i-trigger/c1")]})
    fault("i-timeout/c1", "CS708/manual", "a comment in the project's thread", thread="harbor-api")
    fault("i-hand/c1", "CS716/safe", "a comment without tags", tags=[])
    fault("i-power/c1", "CS716/manual", "a comment with a label", tags=["comment", "metering"])
    fault(
        "i-ferry/c1",
        "CS717/info",
        "does not say what it comments on",
        text="Ferries have no booking, so they are never announced. Nothing to do.",
    )


_TANGLED = (
    ("x-colours", 0, "Choose colours that everybody can tell apart", "todo", "parent", "x-theme",
     "Red and green bars look the same to two of the five people who read the board."),
    ("x-theme", 9, "Give the board one theme", "todo", "parent", "x-colours",
     "Every page of harbor-web brings its own greys and its own blue."),
    ("x-unpaid", 60, "Mark unpaid stays", "todo", "blocks", "x-legend",
     "Whether a stay is paid can be seen only after opening it."),
    ("x-legend", 127, "Draw a legend", "backlog", "blocks", "x-unpaid",
     "New people ask what a hatched bar means; a hatched bar means a berth change."),
    ("x-dup-free", 180, "Board shows departed boats", "duplicate", "", "",
     "Two boats that left at eight were still on the board at ten."),
    ("x-dup-open", 244, "Ghost bar after deleting", "triage", "duplicate_of", "i-ghost",
     "After deleting a stay its bar stays on the other screen, grey and dead."),
    ("x-dup-chain", 301, "Grey shape stays on the board", "duplicate", "duplicate_of", "x-dup-open",
     "A grey shape lies over berth 31 until the page is loaded again."),
    ("x-dup-a", 360, "Print cuts the last column", "duplicate", "duplicate_of", "x-dup-b",
     "On paper the last column of the evening list is missing."),
    ("x-dup-b", 422, "Last column missing on paper", "duplicate", "duplicate_of", "x-dup-a",
     "The printed list ends before the remarks."),
)  # fmt: skip
"""Issues of one Saturday: key, minutes after nine, title, status, link key and target, problem."""


def _tangled_issues() -> Iterator[Entry]:
    day = datetime(2026, 9, 12, 9, 0, 0)
    for key, minutes, title, status, link, target, problem in _TANGLED:
        meta = {
            "schema_version": 1,
            "kind": "issue",
            "project": "harbor-web",
            "source_project": "harbor-web",
            "agent_name": "main-agent",
            "title": title,
            "status": status,
            "priority": 3,
            "links": {link: [Ref(target)]} if link else {},
        }
        text = (
            f"# {title}\n\n## Problem\n{problem}\n\n## Context\nNoted at the counter during the Saturday of the 12th."
        )
        yield Entry(key, day + timedelta(minutes=minutes), "issues", "agent", text, meta, ["issue", "board"])


def _issues(book: Book) -> None:
    fault = book.fault
    book.add(*_tangled_issues())
    fault("x-colours", "CS709/manual", "two issues are each other's parent")
    fault("x-theme", "CS709/manual", "the other one")
    fault("x-unpaid", "CS710/manual", "two issues block each other")
    fault("x-legend", "CS710/manual", "the other one")
    fault("x-dup-free", "CS711/manual", "a duplicate of nothing")
    fault("x-dup-open", "CS712/unsafe", "names its original, status never changed")
    fault("x-dup-chain", "CS715/unsafe", "duplicate of a duplicate")
    fault("x-dup-a", "CS715/manual", "two duplicates of each other")
    fault("x-dup-b", "CS715/manual", "the other one")
    fault(
        "i-link-repair",
        "CS713/manual CS714/manual",
        "commissioned by a report, blocks a report",
        {"links.commissioned_by": [Ref("server-move/report")], "links.blocks": [Ref("server-move/report")]},
    )


def _places(book: Book) -> None:
    fault = book.fault
    for number, key in enumerate(("x-ack-1", "x-ack-2"), 1):
        book.add(
            Entry(
                key,
                datetime(2026, 8, 28, 9 + number, 4, 2),
                "harbor-web",
                "agent",
                "Checked, nothing to report.",
                {
                    "schema_version": 1,
                    "kind": "report",
                    "project": "harbor-web",
                    "agent_name": "tester",
                    "task_name": f"Nightly run {26 + number} August",
                    "status": "done",
                    "report_type": "validation",
                    "technologies": ["playwright"],
                },
                ["report", "nightly"],
            )
        )
        fault(key, "CS802/manual", "two records with the same text in one thread; the server would have merged them")
    fault("tracker/note", "CS803/manual", "a note in the issues thread", thread="issues")
    fault("i-alarm", "CS803/manual", "an issue in the project's thread", thread="harbor-infra")
    book.entries["i-alarm/c1"].thread = "harbor-infra"
    fault("u-ical", "CS803/manual", "an upstream issue among the issues", thread="issues")
    for key, at, title, with_title in (
        ("l-issue-1", datetime(2026, 7, 20, 9, 0, 10), "Sort the evening list by jetty", True),
        ("l-issue-2", datetime(2026, 7, 21, 14, 30, 0), "Remember the last search", False),
    ):
        meta: dict[str, Any] = {
            "agent_name": "main-agent",
            "project": "harbor-web",
            "source_project": "harbor-web",
            "status": "backlog",
            "priority": 3,
        }
        if with_title:
            meta["title"] = title
        book.add(
            Entry(
                key,
                at,
                "issues",
                "agent",
                f"# {title}\n\nTried out the tracker before its rules were written.",
                meta,
                ["issue"],
            )
        )
    book.add(
        Entry(
            "l-comment",
            datetime(2026, 7, 22, 8, 10, 0),
            "issues",
            "agent",
            "Re issue [[l-issue-1]]: jetty, then berth.",
            {"agent_name": "developer", "project": "harbor-web", "links": {"parent": [Ref("l-issue-1")]}},
            [],
        )
    )
    fault("l-issue-1", "CS102/unsafe", "an issue from before schema v1")
    fault("l-issue-2", "CS113/unsafe", "the same without `title`")
    fault("l-comment", "CS102/unsafe", "its comment, known by thread and parent")
