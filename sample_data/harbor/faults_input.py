"""Faults of the file itself: broken lines, copies, conflicts, metadata that is no object, ids that are none."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from harbor.book import Book
from harbor.encode import EXPORTS, line_of
from harbor.model import Encoded, Entry, Members

FIRST_EXPORT, SECOND_EXPORT, _ = (style for _, style in EXPORTS)


def break_records(book: Book) -> None:
    """Break records in ways that show in one line."""
    fault = book.fault
    _encoded(book, "csv-import/plan", "CS004/safe CS116/info", "metadata is JSON inside a string", 1)
    _encoded(book, "waitlist/review", "CS004/safe", "metadata with references is JSON inside a string", 1)
    _encoded(book, "ais/handoff", "CS004/manual", "encoded twice; held", 2)
    fault("l3-setup", "CS005/manual", "metadata is a list; held", meta=["setup"])
    fault("login/plan", "CS005/manual", "metadata is an empty string; held", meta="")
    fault(
        "availability/research",
        "CS006/manual",
        "the same member twice in the metadata; held",
        meta=Members((*book.entries["availability/research"].meta.items(), ("status", "superseded"))),
    )
    for key, bad_id, text in (
        (
            "x-string-id",
            "1187",
            (
                "Found while cleaning up: the import of the owners ran twice on 3 December, the second run was rolled "
                "back by hand. The counter of owners starts at 1 941 since then."
            ),
        ),
        (
            "x-no-id",
            None,
            (
                "Draft of the seasonal letter to the owners: cranes, prices, the new meters. Mara wants it shorter and "
                "without the word “digital”."
            ),
        ),
    ):
        meta = {"agent_name": "main-agent", "project": "harbor-api", "status": "Done"}
        book.add(
            Entry(
                key,
                datetime(2026, 3, 10, 8, 30 + len(key), 0),
                "harbor-api",
                "agent",
                text,
                meta,
                ["letter"],
                top={"id": bad_id},
            )
        )
    fault("x-string-id", "CS008/manual", "went through a spreadsheet: the id is a string; held")
    fault("x-no-id", "CS008/manual", "the id is null; held")
    fault("phone/checkpoint", "CS010/manual", "`created_at` with slashes", top={"created_at": "2026/03/05 14:31"})
    for key in ("n-names", "payments/plan"):
        fault(
            key,
            "CS011/manual",
            "copied from a search result: the text is cut",
            text=book.entries[key].text[:120].rstrip() + "…",
            top={"is_text_content_truncated": True},
        )
    fault(
        "p-boats",
        "",
        "ends in half an emoji, as a client cut it (a lone surrogate; only PostgreSQL minds: CS012)",
        text="nice!! can the bar blink once when somebody else moves it? \ud83d",
    )
    fault(
        "double-positions/ask",
        "",
        "holds a NUL as an escape, from a pasted log (only PostgreSQL minds: CS012)",
        text="the board announced 'Seeadler' three times in one evening. she came once. log: 'SEEADLER\u0000\u0000' x3",
    )
    for key in ("p-cash", "vat-rounding/ask", "tide-gap/ask"):
        fault(
            key,
            "",
            "written by another tool: `context_id` and `text` instead of `id` and `text_content`",
            top={"names": {"id": "context_id", "text_content": "text"}},
        )


def _encoded(book: Book, key: str, codes: str, what: str, times: int) -> None:
    book.fault(key, codes, what, meta=Encoded(book.entries[key].meta, times))


def lines_of(book: Book, ids: Mapping[str, int]) -> list[tuple[str, str]]:
    """The lines of the corpus with the key each came from, and the faults that only a file can have."""
    lines = [(entry.key, line_of(entry, ids)) for entry in book.in_order()]
    places = {key: number for number, (key, _) in enumerate(lines)}
    inserts: list[tuple[int, str, str]] = []
    records = book.entries

    seam = places["payments/ask"]
    conflict = copy.deepcopy(records["phone/report"])
    conflict.meta["status"] = "done"
    conflict.updated = conflict.at + timedelta(days=14)
    inserts += [
        (seam, "#log", "-- exported 2026-03-18T02:00:01Z: all rows up to 2026-03-17, next export continues here --"),
        (seam, "#blank", ""),
        (seam, "phone/ask", lines[places["phone/ask"]][1]),
        (seam, "phone/report", line_of(conflict, ids, SECOND_EXPORT)),
    ]
    seam = places["tracker/ask"]
    whole = lines[places["search-box/review"]][1]
    inserts += [(seam, "#cut", whole[: len(whole) * 2 // 3]), (seam, "search-box/review", whole)]
    double = places["deploys/research"]
    lines[double] = (lines[double][0], lines[double][1][:-1] + ',"tags":["report","docker","deploy"]}')
    by_hand = Entry(
        "#comma",
        datetime(2026, 5, 12, 9, 0, 0),
        "harbor-api",
        "agent",
        "Numbers of the audit table after a week: 4 100 rows, 1.2 MB, 96 % of them from the board.",
        {"agent_name": "developer", "task_name": "Size of the audit table", "status": "done", "project": "harbor-api"},
        ["report"],
    )
    line = line_of(by_hand, ids, SECOND_EXPORT)
    inserts.append((places["rate-limit/ask"], "#comma", line.replace('"status":"done",', '"status":"done",,')))
    script = line_of(
        Entry(
            "#nan",
            datetime(2026, 9, 8, 3, 0, 0),
            "harbor-api",
            "agent",
            "Nightly benchmark, no baseline for two of three.",
            {
                "schema_version": 1,
                "kind": "report",
                "project": "harbor-api",
                "agent_name": "tester",
                "task_name": "Nightly benchmark",
                "status": "done",
                "ratio": "@",
            },
            ["report", "nightly"],
        ),
        ids,
    )
    inserts.append((places["alerts/ask"], "#nan", script.replace('"@"', "NaN")))
    return list(_merged(lines, inserts))


def _merged(lines: list[tuple[str, str]], inserts: list[tuple[int, str, str]]) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(lines):
        yield from ((key, text) for place, key, text in inserts if place == number)
        yield line


FILE_FAULTS = (
    ("#log", "CS001/manual", "a line of the export's log between the records"),
    ("#cut", "CS001/manual", "a record cut in the middle; the whole one follows"),
    ("#comma", "CS001/manual", "edited by hand, one comma too many"),
    ("#nan", "CS001/manual", "`NaN`, as a script wrote it"),
    ("phone/ask", "CS002/manual", "exported twice, the same bytes"),
    ("search-box/review", "CS002/manual", "exported twice, the same bytes"),
    ("phone/report", "CS003/manual", "exported twice, changed in between; both held"),
    ("deploys/research", "CS006/manual", "`tags` twice in the record; held"),
)
"""Faults that :func:`lines_of` makes: key or mark, codes, and the sentence."""
