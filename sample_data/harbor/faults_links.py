"""Faults of references and links: where ids stand, how they are spelled, and keys that nobody knows."""

from __future__ import annotations

from datetime import datetime

from harbor.book import MISSING, Book
from harbor.model import Entry, Ref

FOREIGN = "0199416c2d7f7a31b0c4d9e8f7a6b5c4"
"""The id of a record on another team's server, which issues UUIDs."""


def break_links(book: Book) -> None:
    """Break references of legacy records, then links of newer ones."""
    _references(book)
    _other_references(book)
    _shapes(book)
    _ids(book)


def _references(book: Book) -> None:
    fault = book.fault
    fault(
        "vat-rounding/report",
        "CS601/safe",
        "an id as a string",
        {"references.context_ids": [Ref("vat-rounding/research", "text")]},
    )
    fault(
        "rate-limit/report",
        "CS401/unsafe CS606/manual",
        "one of two ids is a word",
        {"references.context_ids": [Ref("rate-limit/ask"), "the incident log"]},
    )
    fault(
        "dock-map/report",
        "CS401/manual CS606/manual",
        "no element is an id",
        {"references.context_ids": [Ref("dock-map/research", "hash"), None]},
    )
    fault(
        "double-positions/report",
        "CS402/safe",
        "one id instead of a list",
        {"references.context_ids": Ref("double-positions/research")},
    )
    fault(
        "deploys/report",
        "CS402/manual",
        "two ids in one string",
        {"references.context_ids": "see the research, and the one before"},
    )
    fault(
        "flaky-tests/report",
        "CS404/manual",
        "a short commit id: its list stays",
        {"references.git_commits": ["9f3c2ab"]},
    )
    fault(
        "search-box/report",
        "CS404/manual CS407/info",
        "numbers in a list of addresses, and a list of files that has no place in `links`",
        {"references.github_issues": [118, 121], "references.changed_files": ["src/find/Box.tsx"]},
    )
    fault(
        "tide-gap/report",
        "CS403/unsafe CS607/manual",
        "an id that no record has; moves along",
        {"references.context_ids": [Ref("tide-gap/ask"), 871]},
    )
    fault(
        "utc/report",
        "CS505/safe",
        "already has `links`, with a double in them",
        {"links": {"derived_from": [Ref("utc/plan"), Ref("utc/plan")], "urls": ["https://example.org/tz#2025b"]}},
    )
    fault(
        "payments/research",
        "CS404/manual",
        "an address without a scheme",
        {"references": {"urls": ["docs.example.org/payments", "https://example.org/callbacks"]}},
    )
    fault(
        "erasure/review",
        "CS401/unsafe CS507/manual",
        "names itself among its sources",
        {"references.context_ids": [Ref("erasure/report"), Ref("erasure/review")]},
    )
    fault(
        "erasure/report",
        "CS503/safe",
        "an id wrapped in an object",
        {"references.context_ids": [Ref("erasure/plan", "object")]},
    )
    fault(
        "payments/review",
        "CS401/unsafe CS503/manual",
        "an id in an object that says more",
        {"references.context_ids": [Ref("payments/report"), Ref("payments/plan", "noted")]},
    )
    fault("audit-log/report", "CS404/safe", "an empty list of issues beside the ids", {"references.jira_issues": []})


def _other_references(book: Book) -> None:
    fault = book.fault
    fault("l1-answers", "CS408/manual", "ids under a key of the first weeks")
    fault("n-chart-datum", "CS407/info", "`references` is a sentence", {"references": "almanac 2026, page 12"})
    fault(
        "m-checksum",
        "CS406/info",
        "`references` deeper inside; never moved",
        {"history": [{"run": 1, "references": {"context_ids": [Ref("erasure/report")]}}]},
    )
    fault(
        "n-proxy",
        "CS408/manual",
        "a parent beside the metadata's own structure",
        {"parent_id": Ref("live-board/report")},
    )
    fault(
        "shore-power/plan",
        "CS401/safe CS404/safe",
        "schema v1, but still writes `references`",
        {
            "references": {"context_ids": [Ref("shore-power/research")], "urls": ["https://example.org/metering-act"]},
            "links.derived_from": MISSING,
        },
    )
    fault(
        "roles/report",
        "CS402/safe",
        "schema v1 with one id under `references`",
        {"references": {"context_ids": Ref("roles/plan")}},
    )


def _shapes(book: Book) -> None:
    fault = book.fault
    fault(
        "i-power-tariff",
        "CS502/safe CS502/safe",
        "one id and one address instead of lists",
        {"links": {"parent": Ref("i-power"), "urls": "https://example.org/tariff"}},
    )
    fault("late-positions/handoff", "CS501/safe", "`links` is null", {"links": None})
    fault("n-receivers", "CS501/manual", "`links` is a list", {"links": [Ref("late-positions/report")]})
    fault(
        "ledger-export/plan",
        "CS513/safe CS505/safe",
        "`derivedFrom` beside `derived_from`",
        {"links.derivedFrom": [Ref("ledger-export/research")]},
    )
    fault(
        "alerts/plan",
        "CS503/safe",
        "an id wrapped in an object",
        {"links.derived_from": [Ref("alerts/research", "object")]},
    )
    fault(
        "feed-retries/checkpoint",
        "CS503/manual",
        "an id in an object that says more",
        {"links.derived_from": [Ref("feed-retries/plan", "noted")]},
    )
    fault(
        "calendar-feed/report",
        "CS507/manual",
        "names itself among its sources",
        {"links.derived_from": [Ref("calendar-feed/research"), Ref("calendar-feed/report")]},
    )
    fault(
        "i-payments-export",
        "CS508/manual",
        "an issue with two parents",
        {"links.parent": [Ref("i-credit"), Ref("i-refunds")]},
    )
    fault(
        "n-codepage",
        "CS509/manual CS510/manual",
        "an address without a scheme, a short commit id",
        {"links": {"urls": ["www.example.org/cp1252"], "git_commits": ["1a2b3c4"]}},
    )
    fault(
        "server-move/report",
        "CS509/manual CS510/safe",
        "a number among pull requests, a commit id in capitals",
        {"links.github_prs": [41], "links.git_commits": ["EEE9C851706CAC5200ABFBE1AA8ABD28DA77C12C"]},
    )
    fault(
        "i-refunds",
        "CS504/safe",
        "a passive key; the other issue says the same",
        {"links.blocked_by": [Ref("i-credit")]},
    )
    fault(
        "i-power",
        "CS504/unsafe",
        "a passive key; one of the two children has no parent yet",
        {"links.subissues": [Ref("i-third-reading"), Ref("i-power-display")]},
    )
    book.add(
        Entry(
            "i-power-display",
            datetime(2026, 8, 14, 9, 12, 31),
            "issues",
            "agent",
            "# Show the guest his reading\n\n## Problem\nThe law wants a display that the guest can read.\n\n## "
            "Context\nResearch of 11 August.\n\n## Acceptance criteria\n- the reading is on the guest's page",
            {
                "schema_version": 1,
                "kind": "issue",
                "project": "harbor-web",
                "source_project": "harbor-api",
                "agent_name": "main-agent",
                "title": "Show the guest his reading",
                "status": "backlog",
                "priority": 3,
            },
            ["issue", "metering"],
        ),
    )
    fault("i-help", "CS504/manual", "a passive key that names no record", {"links.blocked_by": [388]})


def _ids(book: Book) -> None:
    fault = book.fault
    fault(
        "pool/handoff",
        "CS601/safe",
        "ids as a string and as a decimal number",
        {"links.derived_from": [Ref("pool/report", "text"), Ref("pool/review", "float")]},
    )
    fault("n-screen-reader", "CS603/manual", "an id of another server", {"links": {"related": [FOREIGN]}})
    fault(
        "keyboard/note",
        "CS603/manual CS604/manual",
        "integers and an id of another server in one list",
        {"links.related": [Ref("n-screen-reader"), FOREIGN]},
    )
    fault(
        "n-test-berth",
        "CS606/manual",
        "ids with a zero before and a sign before",
        {"links": {"related": [Ref("alerts/report", "padded"), Ref("alerts/plan", "hash")]}},
    )
    fault("shore-power/research", "CS607/manual", "two ids that no record has", {"links.related": [412, 413]})
    book.add(
        Entry(
            "x-imported",
            datetime(2026, 9, 15, 8, 0, 0),
            "harbor-sync",
            "agent",
            "Copied from the tide office's own server because we need it every spring: their files are replaced on "
            "the first Monday of a month, between 02:00 and 04:00 UTC.",
            {"schema_version": 1, "kind": "note", "project": "harbor-sync", "agent_name": "researcher"},
            ["note", "tides"],
            top={"id": FOREIGN},
        ),
    )
    fault("x-imported", "CS009/manual", "copied from another server: its own id has the other form")
