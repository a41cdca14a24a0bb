"""The README of the sample, with the tables of what is wrong where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from harbor.model import Fault

_HEAD = """\
# Sample data

A made-up year of a small project: *harbor*, which replaces the paper book of a marina, with four repositories
(harbor-api, harbor-web, harbor-sync, harbor-infra). Written by `python sample_data/build.py`, always with the same
bytes; a test compares. All names of people, software and addresses in it are made up.

| file | what |
|---|---|
| `context_server/entries.jsonl` | {lines} lines, {records} records, integer ids, three exports one after the other |
| `context_server/entries_uuid.jsonl` | the same {twins} records after the server's migration to UUIDs |
| `context_server/id_map.json` | old integer id to new UUID of every record (for `--id-map`) |
| `context_server/clean.jsonl` | {clean} of the records before anything was broken: no finding but information |
| `kata/export.jsonl` | a kata export of the same people with every fault that a rule for kata knows |
| `kata/clean.jsonl` | a kata export without a finding |
| `repository_context/fleet.yml` | nine repositories with every fault of a `.context/`, one of them clean; `python sample_data/build_fleet.py FOLDER` makes them |

## How the year is told

| months | what records look like |
|---|---|
| October 2025 | sessions as threads, flat metadata (`agent_type` or `agent_name`, `task_type`), prompts without any |
| October to December | `completed` as boolean and string, `references` as a bare list, long prompts in parts |
| January to March 2026 | `status` active or completed, `report_type`, `references.context_ids` |
| March to July | `status` done or pending, `references` with ids, commits and pull requests, prompts with a project |
| August and September | schema v1: kinds, `links`, the threads `issues` and `upstream-issues` |

The first export escapes all but ASCII and has neither `summary` nor `images`, the second is compact, the third has both
members. Numbers such as `18.0`, `1E5`, `-0.0` and one of 30 digits stand in fields that no rule knows.

Legacy records are not listed below for what is ordinary about them: CS101 on each, CS102 (unsafe) where promotion is
possible, CS116 (info), CS204 for active and completed, CS401, CS402 and CS404 where references move safely, CS403 where
one of the sources is a prompt.

## Faults of `entries.jsonl`

The level is the part after the slash. `line N` stands where there is no record.

| record | codes | what |
|---|---|---|
"""

_ODD = """
## Unusual, and right

| record | what |
|---|---|
"""

_TWIN = """
## What the twin has besides

The move was on 22 September 2026 at noon. Integers in lists under `references.context_ids` became UUIDs, those in
`links` stayed integers: CS603 on every record with links from 1 August until the move, safe with the map; once they are
mended, comments name a parent that their text does not (CS717). Records from then on hold UUIDs in links. Broken lines,
copies and conflicts are gone, since a database has none; metadata went through Python's JSON, so doubled members and
number texts are gone too. A record whose time nobody can read has an id that begins with zeros.

| record | codes | what |
|---|---|---|
"""


def _rows(faults: Iterable[Fault], name: Callable[[str], str]) -> str:
    ordered = sorted(faults, key=lambda fault: (fault.codes, name(fault.key)))
    return "".join(
        f"| {name(fault.key)} | {' '.join(fault.codes)} | {fault.what} |\n"
        if fault.codes
        else f"| {name(fault.key)} | {fault.what} |\n"
        for fault in ordered
    )


def readme(
    faults: Sequence[Fault],
    twin_faults: Sequence[Fault],
    names: Mapping[str, str],
    twin_names: Mapping[str, str],
    counts: Mapping[str, int],
) -> str:
    """The whole text; ``names`` and ``twin_names`` say how a key is shown in the tables of either corpus."""
    broken = [fault for fault in faults if fault.codes]
    odd = [fault for fault in faults if not fault.codes]
    return "".join(
        (
            _HEAD.format(**counts),
            _rows(broken, names.__getitem__),
            _ODD,
            _rows(odd, names.__getitem__),
            _TWIN,
            _rows(twin_faults, twin_names.__getitem__),
        )
    )
