"""Follow-up prompts and durable notes: (key, time, project, …, text, …)."""

from __future__ import annotations

PROMPTS = (
    (
        "p-thanks",
        "2025-11-12 16:40",
        "harbor-api",
        "Good. Tobias's uncle sends his regards. Merge it and tell the office.",
    ),
    (
        "p-numbers",
        "2026-01-08 08:05",
        "harbor-api",
        "before you go on: does a cancelled draft burn a number? it must not",
    ),
    (
        "p-restore",
        "2026-02-15 09:12",
        "harbor-infra",
        "Tobias restores it on Sunday, don't help him. I want to see the page fail.",
    ),
    (
        "p-cash",
        "2026-03-20 08:15",
        "harbor-api",
        "One more thing about payments: cash stays. Don't let anybody remove the button.",
    ),
    ("p-boats", "2026-04-29 17:20", "harbor-web", "nice!! can the bar blink once when somebody else moves it?"),
    ("p-history", "2026-05-08 10:11", "harbor-api", "The guest was right, by the way. It was me who typed Saturday."),
    (
        "p-noon",
        "2026-07-11 13:02",
        "harbor-infra",
        "Nobody called. Well done. Now write it down so that Tobias can do it too.",
    ),
    ("p-close", "2026-08-06 12:30", "harbor-api", "Yes, that is what I meant by open. Leave the eight as they are."),
    (
        "p-heating",
        "2026-08-14 18:44",
        "harbor-api",
        "Boat on B12 used 61 kWh in three nights, is that a typo or a heater?",
    ),
    (
        "p-list",
        "2026-08-19 07:31",
        "harbor-web",
        "Round on flight mode worked, the list was two hours old and I did not notice. File it.",
    ),
    ("p-fonts", "2026-08-27 09:00", "harbor-api", "190 kB is fine. Mr Ødegård has his invoice and is happy."),
    ("p-students", "2026-09-02 11:20", "harbor-api", "the students say a button is missing. good!"),
    ("p-night", "2026-09-10 07:45", "harbor-infra", "Slept through. Three is the right number."),
    ("p-reading", "2026-09-21 19:02", "harbor-api", "Meter B7 was replaced on Friday. Which reading counts?"),
    ("p-mail", "2026-09-14 12:10", "harbor-sync", "They answered: “thank you, that was quick”. Close it."),
)

NOTES = (
    (
        "n-names",
        "2026-03-24 10:00",
        "harbor-api",
        "implementation-guide",
        (
            "How we name things: a *stay* is what is sold, an *assignment* is a berth for part of it, a *booking* is "
            "what the guest does on the page. Never “reservation”; the old code used it for all three."
        ),
        ("naming",),
    ),
    (
        "n-psql",
        "2026-04-14 15:45",
        "harbor-api",
        "developer",
        (
            "To look at production data use the read replica, `make psql-replica`. It is at most ten seconds behind. "
            "The primary refuses logins without the deploy key."
        ),
        ("database", "howto"),
    ),
    (
        "n-chart-datum",
        "2026-05-02 11:30",
        "harbor-sync",
        "researcher",
        (
            "Heights in the tide tables are over chart datum (LAT), depths of the berths are measured below it. Water "
            "under the keel is therefore height + depth minus draught; nobody subtracts twice any more."
        ),
        ("tides",),
    ),
    (
        "n-proxy",
        "2026-06-11 09:05",
        "harbor-web",
        "developer",
        (
            "The marina's proxy buffers answers until 4 kB or 60 s. Streams send 4 kB of padding first and a comment "
            "line every 20 s. Found with a packet dump, not by thinking."
        ),
        ("network",),
    ),
    (
        "n-whitsun",
        "2026-07-02 14:20",
        "harbor-api",
        "main-agent",
        (
            "Busy weekends for load tests: Whitsun, the regatta (third weekend of July), and the first weekend of the "
            "Danish holidays. The calendar of 2026 has 412 stays on the regatta Saturday."
        ),
        ("load",),
    ),
    (
        "n-release",
        "2026-08-05 09:30",
        "harbor-infra",
        "main-agent",
        (
            "Release days are Tuesday and Thursday, never before a weekend with more than 60 arrivals. Migrations that "
            "remove something wait for the next release."
        ),
        ("deploy",),
    ),
    (
        "n-test-berth",
        "2026-09-11 10:20",
        "harbor-infra",
        "developer",
        (
            "Berth 999 on jetty T is the probe's. It is left out of statistics, lists and the map. Do not book it by "
            "hand; the probe cancels whatever it finds there."
        ),
        ("monitoring",),
    ),
    (
        "n-receivers",
        "2026-08-21 16:00",
        "harbor-sync",
        "developer",
        (
            "Receiver A is on the office roof (UDP, no tag block), receiver B on the lighthouse (mobile data, tag "
            "block, up to 60 s late). Restarting B takes four minutes and a key for the lighthouse."
        ),
        ("ais", "hardware"),
    ),
    (
        "n-codepage",
        "2026-09-19 09:10",
        "harbor-api",
        "researcher",
        (
            "Windows-1252 has € and Ø but not č, ł or ő. Folding for the ledger export goes through the table in "
            "`api/ledger/fold.py`; add a line there, never call a library."
        ),
        ("accounting",),
    ),
    (
        "n-festival",
        "2026-09-26 11:15",
        "harbor-web",
        "researcher",
        (
            "Regatta 2025 in numbers, for the long message of the 16th: 140 entries, 110 boats, 64 of them rafted up, "
            "31 guests waiting outside at five o'clock, the last one in at half past nine."
        ),
        ("regatta",),
    ),
    (
        "n-screen-reader",
        "2026-09-25 13:37",
        "harbor-web",
        "tester",
        (
            "Screen readers read the name of a bar, not its title. Order of the parts: boat, berth, days, unpaid. Lene "
            "asked for the days to come third because she listens until she knows the boat."
        ),
        ("accessibility",),
    ),
)
