"""Dates, zones and keys of any spelling against a reference of their own."""

from __future__ import annotations

import base64
import datetime
import json
import re
import tempfile
from pathlib import Path

from exports import examined, found, issue, rows, standard, uid
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

DIGIT = "[0-9]"
DATE = re.compile(rf"({DIGIT}{{4}})-({DIGIT}{{2}})-({DIGIT}{{2}})")
CLOCK = re.compile(rf"T({DIGIT}{{1,2}}):({DIGIT}{{2}})(?::({DIGIT}{{2}})([.,]{DIGIT}+)?)?(Z?)")
SETTINGS = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def form(text: str) -> str | None:
    """What the daemon makes of a date: written from its documentation, and with Python's calendar."""
    match = DATE.match(text)
    if match is None or not is_day(*map(int, match.groups())):
        return None
    rest = text[10:]
    if not rest:
        return "date"
    clock = CLOCK.fullmatch(rest)
    if clock is None or int(clock[1]) > 23 or int(clock[2]) > 59 or int(clock[3] or 0) > 59:
        return None
    if clock[5]:
        return "instant" if clock[3] else None
    return "unresolvable" if len(clock[1]) == 1 or clock[4] else "local"


def is_day(year: int, month: int, day: int) -> bool:
    try:
        datetime.date(year or 2000, month, day)  # the year 0 is a leap year, and Python has none
    except ValueError:
        return False
    return True


number = st.integers(0, 99).map(lambda n: f"{n:02}") | st.integers(0, 9).map(str)
near = st.builds(
    lambda left, year, sep, month, day, clock, right: f"{left}{year:04}{sep}{month}{sep}{day}{clock}{right}",
    st.sampled_from(["", "", "", " ", "\t"]), st.integers(0, 9999), st.sampled_from(["-", "-", "-", "/", ""]), number, number,
    st.just("") | st.builds(
        lambda t, hour, minute, second, fraction, zone: f"{t}{hour}:{minute}{second}{fraction}{zone}",
        st.sampled_from(["T", "T", "t", " "]), number, number, st.just("") | number.map(":{}".format),
        st.sampled_from(["", "", ".5", ",25"]), st.sampled_from(["", "", "Z", "z", "+02:00", "-0730", "+24:00"]),
    ), st.sampled_from(["", "", "", " ", "\n"]),
)  # fmt: skip
plausible = st.datetimes(datetime.datetime(1, 1, 2), datetime.datetime(9999, 12, 30)).flatmap(
    lambda moment: st.sampled_from([
        moment.strftime("%Y-%m-%d").zfill(10), f"{moment.isoformat(timespec='seconds')}+05:45", f"{moment.isoformat(timespec='seconds')}-07:00",
        f" {moment.isoformat(timespec='minutes')}", f"{moment.isoformat(' ', 'seconds')}", f"{moment.isoformat(timespec='seconds')}z",
    ])
)  # fmt: skip


@SETTINGS
@given(st.lists(near | plausible | st.text(max_size=12), min_size=1, max_size=60))
@example(
    ["2026-02-29", "0000-02-29", "2028-02-29T24:00", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "1"]
)
def test_dates_are_judged_and_repaired_as_the_reference_says(dates: list[str]) -> None:
    texts = [date.encode("utf-8", "replace").decode() for date in dates]
    with tempfile.TemporaryDirectory() as name:
        text = standard(issue(n, json.dumps({"scheduled_on": date})) for n, date in enumerate(texts, 1))
        with examined(text, Path(name)) as examination:
            codes = {(json.loads(f.record or "null"), f.code): f.level.value for f in examination.findings()}
            patches = {line["record"]: line for line in map(json.loads, examination.plan().lines)}
    for place, date in enumerate(texts, 1):
        judged = form(date)
        assert ((uid(place), "KT101") in codes) == (judged is None), date
        assert ((uid(place), "KT102") in codes) == (judged == "unresolvable"), date
        assert ((uid(place), "KT108") in codes) == (judged in (None, "unresolvable")), date
        if uid(place) in patches:
            new = patches[uid(place)]["patch"]["metadata"]["scheduled_on"]
            assert form(new) in ("date", "local", "instant"), (date, new)
            if re.search(r"[+-]\d\d:?\d\d\s*$", date[11:]):
                assert same_instant(date, new), (date, new)


def same_instant(old: str, new: str) -> bool:
    tidy = re.sub(r"([.,])(\d+)", "", old.strip().upper().replace(" ", "T"))
    tidy = re.sub(r"T(\d):", r"T0\1:", tidy)
    return datetime.datetime.fromisoformat(tidy) == datetime.datetime.fromisoformat(re.sub(r"[.,]\d+", "", new))


@SETTINGS
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=40), min_size=1, max_size=40, unique=True))
def test_a_recipient_is_read_from_its_canonical_key_and_from_a_padded_one(names: list[str]) -> None:
    blanks = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
    kept = [name for name in names if name.strip(blanks) and len(base64.b64encode(name.encode()).rstrip(b"=")) % 4]
    metadata = [
        json.dumps({"notify." + base64.b64encode(name.encode()).decode(): {"from": "a", "message": "m"}})
        for name in kept
    ]
    if not kept:
        return
    with (
        tempfile.TemporaryDirectory() as name,
        examined(standard(issue(n, m) for n, m in enumerate(metadata, 1)), Path(name)) as examination,
    ):
        odd = {json.loads(f.record or "null") for f in examination.findings() if f.code == "KT201"}
        patches = {line["record"]: line["patch"]["metadata"] for line in map(json.loads, examination.plan().lines)}
        impossible = {json.loads(f.record or "null") for f in examination.findings() if f.code == "KT203"}
    for place, recipient in enumerate(kept, 1):
        assert uid(place) in odd
        wanted = "notify." + base64.urlsafe_b64encode(recipient.strip(blanks).encode()).decode().rstrip("=")
        if uid(place) in patches:
            assert [key for key, value in patches[uid(place)].items() if value is not None] == [wanted]
        else:
            assert uid(place) in impossible


def test_the_reference_is_that_of_the_vectors() -> None:
    for registry, key, raw, _, verdict in rows("vectors.tsv"):
        if registry == "issue" and key in ("scheduled_on", "deadline_on") and raw.startswith('"'):
            assert (form(json.loads(raw)) is not None) == (verdict == "accept"), raw


def test_the_sample_has_every_fault_and_its_clean_twin_none() -> None:
    sample = Path(__file__).parents[2] / "sample_data" / "kata"
    from migrate.rules.registry import load

    with tempfile.TemporaryDirectory() as name:
        findings = found((sample / "export.jsonl").read_text("utf-8"), Path(name))
        assert {finding.code for finding in findings} == set(load(system="kata").codes)
        assert found((sample / "clean.jsonl").read_text("utf-8"), Path(name)) == []
