"""The upstream-issues thread: defects of other people's software that harbor works around."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from harbor.model import Entry, Ref
from harbor.tracker import comment


@dataclass(frozen=True, slots=True)
class Upstream:
    """One upstream defect. ``number`` 0 means that nothing is filed upstream."""

    key: str
    at: str
    project: str
    title: str
    status: str
    repo: str
    component: str
    filing: str
    number: int
    affected: tuple[str, ...]
    why: str
    workaround: str
    until: str
    more: tuple[tuple[str, Any], ...] = ()
    links: tuple[tuple[str, Any], ...] = ()
    comments: tuple[tuple[int, str, str], ...] = ()


UPSTREAM = (
    Upstream(
        "u-subset",
        "2026-08-26 15:02",
        "harbor-api",
        "Letters outside the template are printed as boxes",
        "open",
        "paperfold/paperfold",
        "paperfold -- font subsetting",
        "filed",
        412,
        ("harbor-api",),
        "The font is subset by the glyphs of the template before the document is filled.",
        "Subsetting is switched off, files are 150 kB larger.",
        "a release after 3.4.1 subsets after filling",
        (
            ("upstream_state", "open"),
            ("recheck_on", ["paperfold"]),
            ("last_verified", "2026-09-20"),
            ("status_note", "confirmed by a maintainer, 2026-09-20"),
        ),
        comments=((75, "developer", "They answered: planned for 3.5, no date."),),
    ),
    Upstream(
        "u-pool",
        "2026-08-26 15:30",
        "harbor-api",
        "A pool that is exhausted waits for ever by default",
        "permanent",
        "pgroute/poolside",
        "poolside -- acquire()",
        "tracked",
        88,
        ("harbor-api", "harbor-sync"),
        "The default time-out for getting a connection is none; the maintainers want it that way.",
        "We set two seconds everywhere.",
        "never, it is meant",
        (("upstream_state", "closed_not_planned"), ("recheck_on", ["poolside"])),
    ),
    Upstream(
        "u-sse",
        "2026-08-27 09:11",
        "harbor-web",
        "Event streams are cut after 60 s behind the office's proxy",
        "resolved_for_us",
        "oldproxy/oldproxy",
        "oldproxy -- response buffering",
        "not_filed",
        0,
        ("harbor-web",),
        "The proxy buffers streams that send nothing for a minute.",
        "A comment line every 20 s.",
        "the marina replaces its proxy",
        (("status_note", "keep-alive lines are in since April, 2026-08-27"),),
    ),
    Upstream(
        "u-trailer",
        "2026-08-28 08:40",
        "harbor-sync",
        "The trailer of the tide file counts header lines",
        "open",
        "tideoffice/feed",
        "tideoffice -- yearly files",
        "commented",
        17,
        ("harbor-sync",),
        "The count in the trailer is higher by three, the number of header lines, since April.",
        "We subtract three, and refuse the file when that is wrong.",
        "the office answers or mends it",
        (("upstream_state", "open"), ("last_verified", "2026-08-28")),
    ),
    Upstream(
        "u-idb",
        "2026-08-31 11:50",
        "harbor-web",
        "Storage is emptied after seven days without a visit",
        "permanent",
        "webshell/webshell",
        "webshell -- storage eviction",
        "tracked",
        2201,
        ("harbor-web",),
        "The browser of the older phones empties IndexedDB of pages that were not visited for a week.",
        "The round is fetched again when the store is empty.",
        "those phones are gone",
        (("upstream_state", "locked"), ("recheck_on", ["webshell"])),
    ),
    Upstream(
        "u-grid",
        "2026-09-02 10:26",
        "harbor-web",
        "Focus is lost when a row of the grid is replaced",
        "resolved",
        "lumen-ui/gridkit",
        "gridkit -- roving focus",
        "filed",
        1033,
        ("harbor-web",),
        "Replacing a row dropped the focus to the page.",
        "We put the focus back after each event; removed on 25 September.",
        "done",
        (("upstream_state", "closed_completed"), ("fixed_in", "4.2.0"), ("last_verified", "2026-09-25")),
        (("github_prs", ["https://github.com/lumen-ui/gridkit/pull/1040"]),),
        comments=((540, "developer", "4.2.0 is in, the workaround is out, the keyboard tests are green."),),
    ),
    Upstream(
        "u-tagblock",
        "2026-09-03 16:17",
        "harbor-sync",
        "A tag block without a time is read as midnight",
        "open",
        "nmea-tools/aisparse",
        "aisparse -- tag blocks",
        "release_requested",
        59,
        ("harbor-sync",),
        "A missing time becomes zero and sorts before everything else.",
        "We stamp such lines on arrival.",
        "a release contains the fix that is on main",
        (("upstream_state", "merged"), ("fixed_in", "main"), ("recheck_on", ["aisparse"])),
        (("github_prs", ["https://github.com/nmea-tools/aisparse/pull/61"]),),
    ),
    Upstream(
        "u-ical",
        "2026-09-07 13:05",
        "harbor-web",
        "All-day events are shown a day short",
        "refuted",
        "calfeed/calfeed",
        "calfeed -- DTEND",
        "not_filed",
        0,
        ("harbor-web",),
        "The end of an all-day event is exclusive by the standard; we had sent the last day.",
        "None, our mistake.",
        "done",
    ),
    Upstream(
        "u-dial",
        "2026-09-01 10:12",
        "harbor-web",
        "A phone link with blanks dials only the first block",
        "open",
        "webshell/webshell",
        "webshell -- tel links",
        "tracked",
        2260,
        ("harbor-web",),
        "Blanks in a phone link end the number on the older phones.",
        "Numbers are written without blanks in links.",
        "those phones are gone",
        (("upstream_state", "open"), ("recheck_on", ["webshell"])),
    ),
    Upstream(
        "u-dump",
        "2026-08-17 09:40",
        "harbor-infra",
        "Restoring one schema leaves its sequences behind",
        "resolved_for_us",
        "pgroute/dumpling",
        "dumpling -- selective restore",
        "tracked",
        140,
        ("harbor-infra",),
        "A selective restore skips sequences owned by columns of other schemas.",
        "The anonymised copy restores everything and drops what it does not need.",
        "2.8 is out and tried",
        (("upstream_state", "open"), ("status_note", "not needed since 14 August")),
    ),
    Upstream(
        "u-cp1252",
        "2026-09-19 09:33",
        "harbor-api",
        "Import stops silently at a character outside the code page",
        "moot",
        "ledgerly/desk",
        "desk -- CSV import",
        "candidate",
        0,
        ("harbor-api",),
        "The accountant's program ends the import at the first such character and reports success.",
        "Names are folded before the export.",
        "the program says so or reads UTF-8",
        (("status_note", "no longer reaches us, names are folded, 2026-09-19"),),
    ),
)


def _body(item: Upstream) -> str:
    heading = f"# {item.title} ({item.repo}#{item.number})" if item.number else f"# {item.title}"
    return (
        f"{heading}\n\n**Why** {item.why}\n\n**Workaround** ({', '.join(item.affected)}): {item.workaround}\n\n"
        f"**Remove when** {item.until}"
    )


def _meta(item: Upstream) -> dict[str, Any]:
    meta: dict[str, Any] = {
        "schema_version": 1,
        "kind": "upstream_issue",
        "project": item.project,
        "agent_name": "main-agent",
        "title": item.title,
        "status": item.status,
        "upstream_repo": item.repo,
        "upstream_component": item.component,
        "filing": item.filing,
    }
    links: dict[str, Any] = {}
    if item.number:
        meta["upstream_ref"] = f"{item.repo}#{item.number}"
        links["github_issues"] = [f"https://github.com/{item.repo}/issues/{item.number}"]
    meta["affected_projects"] = list(item.affected)
    meta |= dict(item.more)
    links |= {key: [Ref(value) if key == "related" else value for value in values] for key, values in item.links}
    if links:
        meta["links"] = links
    return meta


def upstream_entries() -> list[Entry]:
    """Every upstream issue with its comments."""
    entries = []
    for number, item in enumerate(UPSTREAM):
        at = datetime.fromisoformat(item.at) + timedelta(seconds=17 * number % 60)
        entries.append(Entry(item.key, at, "upstream-issues", "agent", _body(item), _meta(item), ["upstream_issue"]))
        for turn, (hours, agent, text) in enumerate(item.comments, 1):
            later = at + timedelta(hours=hours, minutes=9)
            entries.append(
                comment(f"{item.key}/c{turn}", later, item.project, agent, item.key, text, thread="upstream-issues")
            )
    return entries
