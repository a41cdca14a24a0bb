"""Faults of single fields: versions, kinds, names, tags, titles, statuses, priorities, dates, types."""

from __future__ import annotations

from datetime import datetime

from harbor.book import MISSING, Book
from harbor.model import Entry, Number


def break_fields(book: Book) -> None:
    """Break fields of records that are otherwise as they should be."""
    _versions_and_kinds(book)
    _names(book)
    _tags_and_titles(book)
    _statuses(book)
    _types(book)
    _dates(book)
    _legacy(book)


def _versions_and_kinds(book: Book) -> None:
    fault = book.fault
    fault(
        "feed-retries/report",
        "CS103/safe CS105/safe",
        "version as a string, kind with a capital letter",
        {"schema_version": "1", "kind": "Report"},
    )
    fault(
        "ledger-export/review",
        "CS103/safe CS205/safe",
        "version `1.0`, `report_type` is a synonym",
        {"schema_version": Number("1.0"), "report_type": "review"},
    )
    fault(
        "calendar-feed/report",
        "CS103/manual",
        "version is `true`, so the record counts as legacy",
        {"schema_version": True},
    )
    fault(
        "p-night",
        "CS105/manual CS801/info",
        "a user message under another spelling of its kind; never written",
        {"kind": "User Message"},
    )
    fault("alerts/report", "CS115/manual", "schema v1 without a kind", {"kind": MISSING})
    book.add(
        Entry(
            "x-retro",
            datetime(2026, 9, 25, 16, 30, 8),
            "harbor-api",
            "agent",
            "## Retro, week 39\n\nGood: the export was finished four days early. Bad: three plans for one retry loop. "
            "To try: one plan a week that somebody else has read before the work starts.",
            {
                "schema_version": 1,
                "kind": "retro",
                "project": "harbor-api",
                "agent_name": "main-agent",
                "status": "Shared",
                "mood": {"good": 3, "bad": 1},
                "links": {"inspired_by": ["week 31"]},
            },
            ["retro"],
        ),
        Entry(
            "x-future",
            datetime(2026, 9, 30, 9, 14, 40),
            "harbor-infra",
            "agent",
            "Tried the preview of the next schema on one record to see what the old tools make of it. They should "
            "leave it alone.",
            {"schema_version": 2, "type": "report", "scope": {"project": "harbor-infra"}, "state": "DONE"},
            ["report"],
        ),
    )
    fault("x-retro", "CS106/info", "a kind that is in no registry; everything in it is left alone")
    fault("x-future", "CS104/info", "a later schema version; opaque")


def _names(book: Book) -> None:
    fault = book.fault
    fault(
        "festival/chunk1",
        "CS107/manual CS801/info",
        "a part of a long prompt, written by a hook that forgets `project`",
    )
    fault("festival/chunk2", "CS107/manual CS801/info", "the same, second part")
    fault(
        "late-positions/handoff",
        "CS107/unsafe CS108/unsafe CS202/manual",
        "no project, which all others of the thread name; no `agent_name`; a status of issues",
        {"project": MISSING, "agent_name": MISSING, "status": "todo"},
    )
    fault("i-ghost/c2", "CS107/manual", "no project, in a thread of many", {"project": MISSING})
    fault("i-hand", "CS109/manual", "filed by a person, names an agent", {"agent_name": "main-agent"})
    fault(
        "roles/plan",
        "CS115/manual CS303/safe",
        "`agent_name` is a list, `is_linked_worktree` a string",
        {
            "agent_name": ["developer", "reviewer"],
            "worktree_id": "harbor-api-roles",
            "worktree_path": "C:\\src\\harbor-api-roles",
            "is_linked_worktree": "True",
        },
    )
    fault("alerts/plan", "CS118/manual", "project with an underscore", {"project": "harbor_infra"})
    fault("m-search", "CS118/manual", "agent name with a capital letter, legacy", {"agent_name": "Tester"})


def _tags_and_titles(book: Book) -> None:
    fault = book.fault
    fault(
        "alerts/research",
        "CS111/safe",
        "tags with capitals, blanks and a double",
        tags=["report", "Monitoring", "monitoring ", ""],
    )
    fault("p-heating", "CS111/manual CS801/info", "tags of a user message; never written", tags=["Power", "power"])
    fault("alerts/handoff", "CS112/unsafe", "labels in the metadata", {"labels": ["ops", "Night"]})
    fault("server-move/plan", "CS112/manual", "labels that are no list of strings", {"labels": {"area": "ops"}})
    fault("i-help", "CS113/safe", "issue without `title`, the text has a heading", {"title": MISSING})
    fault(
        "i-feed-changes",
        "CS113/manual CS117/info",
        "issue with neither `title` nor heading",
        {"title": MISSING},
        text="The calendar shows the first berth only. It should show all of them with their dates, as the "
        "confirmation mail does. Left over from the feed, nobody has complained yet.",
    )
    fault("u-ical", "CS113/unsafe", "upstream issue without `title`", {"title": MISSING})


def _statuses(book: Book) -> None:
    fault = book.fault
    fault(
        "u-trailer",
        "CS201/safe CS309/manual",
        "`filing` in other words, `upstream_ref` is an address",
        {"filing": "Commented", "upstream_ref": "https://github.com/tideoffice/feed/issues/17"},
    )
    fault(
        "i-drain",
        "CS201/safe CS209/manual",
        "status in other words; priority of the old scale",
        {"status": "In Progress", "priority": 8},
    )
    fault(
        "i-third-reading",
        "CS202/manual CS115/manual",
        "a status of reports on an issue, no priority",
        {"status": "pending", "priority": MISSING},
    )
    fault(
        "roles/review",
        "CS203/info CS303/manual",
        "a status that no vocabulary knows; `is_linked_worktree` is a word",
        {"status": "paused", "is_linked_worktree": "linked"},
    )
    fault(
        "u-cp1252",
        "CS203/info",
        "status and filing of a newer vocabulary",
        {"status": "unsubstantiated", "filing": "not_applicable"},
    )
    fault(
        "shore-power/report",
        "CS204/unsafe CS110/safe",
        "a synonym of `done`; no kind token",
        {"status": "completed"},
        tags=["metering", "python"],
    )
    fault("offline/checkpoint", "CS204/unsafe", "a synonym of `pending`", {"status": "in progress"})
    fault(
        "i-ferry",
        "CS204/unsafe CS308/manual",
        "British spelling of `canceled`, so `completed_at` stands beside an unknown status",
        {"status": "cancelled"},
    )
    fault(
        "pdf-fonts/review",
        "CS207/manual CS118/manual",
        "no status where one is required; project with capitals",
        {"status": MISSING, "project": "Harbor-API"},
    )
    fault(
        "i-credit",
        "CS209/safe CS304/manual",
        "priority as a string; estimate is a range",
        {"priority": "2", "estimate": "5-8"},
    )
    fault("i-refunds", "CS209/unsafe", "priority as a word", {"priority": "medium"})


def _types(book: Book) -> None:
    fault = book.fault
    fault(
        "pool/report",
        "CS302/safe",
        "technologies with capitals and a double",
        {"technologies": ["Python", "FastAPI", "python", "postgresql"]},
    )
    fault(
        "roles/report",
        "CS303/unsafe",
        "`is_linked_worktree` is 1",
        {"worktree_id": "harbor-api-roles", "is_linked_worktree": 1},
    )
    fault(
        "i-power",
        "CS304/safe CS305/unsafe",
        "estimate as a string, date with slashes",
        {"estimate": "8", "due_date": "2026/12/01"},
    )
    fault("i-power-tariff", "CS115/unsafe", "no `source_project`", {"source_project": MISSING})


def _dates(book: Book) -> None:
    fault = book.fault
    fault("i-gloves", "CS306/manual", "closed on a date without a time", {"completed_at": "2026-08-10"})
    fault("i-eszett", "CS306/info", "closed at a time without offset", {"completed_at": "2026-08-24T07:04:56"})
    fault("i-second-source", "CS307/unsafe", "done, but not since when", {"completed_at": MISSING})
    fault(
        "i-roles-names",
        "CS307/info CS010/manual",
        "done without `completed_at`, and `updated_at` is unreadable",
        {"completed_at": MISSING},
        top={"updated_at": "06.09.2026 22:00"},
    )
    fault(
        "i-payments-export",
        "CS308/manual CS114/manual",
        "`completed_at` on an open issue; `title` and heading differ",
        {"completed_at": "2026-09-20T10:00:00Z", "title": "Payments for the accountant"},
    )
    fault(
        "u-idb",
        "CS309/manual CS310/manual",
        "tracked upstream, but no reference; `fixed_in` is a number",
        {"upstream_ref": MISSING, "fixed_in": Number("17.40")},
    )
    fault(
        "u-tagblock",
        "CS311/manual CS302/safe CS305/manual",
        "the address in `links` is that of another item; repository with capitals; a German date",
        {
            "upstream_repo": "NMEA-Tools/aisparse",
            "last_verified": "20.09.2026",
            "links.github_issues": ["https://github.com/nmea-tools/aisparse/issues/60"],
        },
    )


def _legacy(book: Book) -> None:
    fault = book.fault
    for key in ("l3-reading", "l3-questions"):
        fault(key, "CS116/unsafe", "`agent_type`, as `agent_name` was called in the first weeks")
    fault(
        "utc/research",
        "CS201/safe CS205/safe",
        "status and `report_type` in older words",
        {"status": "DONE", "report_type": "Synthesis"},
    )
    fault(
        "live-board/checkpoint",
        "CS102/manual",
        "tags say checkpoint, `report_type` says report",
        {"report_type": "implementation"},
    )
    fault(
        "dock-map/research",
        "CS206/manual",
        "a progress report; kind unknown without its tag",
        {"report_type": "status-report"},
        tags=["map"],
    )
    fault(
        "flaky-tests/research",
        "CS102/unsafe CS116/info",
        "the template's own words as `report_type`",
        {"report_type": "research | implementation | validation"},
    )
    fault(
        "audit-log/plan",
        "CS116/info CS102/unsafe",
        "project left as in the template",
        {"project": "[current directory name]"},
    )
    fault(
        "rate-limit/review",
        "CS102/unsafe CS118/manual",
        "project named after the folder, not the remote",
        {"project": "harbor_api"},
    )
    fault("double-positions/research", "CS102/unsafe CS301/safe", "technologies as one string", {"technologies": "go"})
    fault(
        "erasure/research",
        "CS301/manual CS102/unsafe",
        "technologies as one string with commas",
        {"technologies": "python, postgresql, privacy"},
    )
    fault("tide-gap/handoff", "CS202/manual", "a status of issues on a handoff", {"status": "in_review"})
    fault("deploys/handoff", "CS203/info", "a status that no vocabulary knows", {"status": "handed over"})
    fault("search-box/plan", "CS112/unsafe CS102/unsafe", "tags in the metadata", {"tags": ["search", "umlauts"]})
    fault("n-psql", "CS111/safe", "tags with capitals and a double", tags=["note", "Database", "howto", "database"])
    fault(
        "tariffs/plan",
        "CS102/unsafe CS105/safe",
        "a kind before there were kinds, with a capital letter",
        {"kind": "Plan"},
    )
    fault("t-printer", "CS201/safe", "status with a capital letter", {"status": "Resolved"})
    fault("t-scans", "CS203/info", "“active” means nothing without a kind", {"status": "Active"})
