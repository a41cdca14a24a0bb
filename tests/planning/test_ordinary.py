"""The quick way to draft a record says what the exact way says, to the byte."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from migrate.planning.canonical import canonical
from migrate.planning.drafting import Grounds, Wanted, draft
from migrate.planning.ordinary import ordinary_draft

NAMES = ("status", "kind", "priority", "references", "ünïcode", "project")
LINKS = ("derived_from", "related", "blocks", "x_y")
CODES = ("CS201", "CS401", "CS505", "CS601")

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=6) | st.sampled_from(
    ['a"b', "\\", "\x1b", "-0", "null", "2026-01-05"]
)
scalars = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=5
)
ids = st.lists(st.integers(1, 9), max_size=4)
metadata = st.fixed_dictionaries(
    {},
    optional={**dict.fromkeys(NAMES, values), "links": st.dictionaries(st.sampled_from(LINKS), ids, max_size=3) | values, "ratio": st.floats(allow_nan=False, allow_infinity=False)},
)  # fmt: skip
tags = st.lists(texts, max_size=3)
edits = st.lists(
    st.tuples(st.sampled_from([*(f"/{name}" for name in NAMES)]), st.none() | values)
    | st.tuples(st.sampled_from([f"/links/{name}" for name in LINKS]), st.none() | ids)
    | st.tuples(st.just("tags"), tags),
    max_size=4,
)


def record(stored: Any, tagged: Any, *, spaced: bool) -> str:
    body: dict[str, Any] = {"id": 7, "metadata": stored, "tags": tagged, "version": 3}
    return json.dumps(body, ensure_ascii=spaced) if spaced else orjson.dumps(body).decode()


@settings(max_examples=300, deadline=None)
@given(stored=st.none() | metadata, tagged=st.none() | tags, changes=edits, spaced=st.booleans(), unsafe=st.booleans())
def test_both_ways_say_the_same(
    stored: Any, tagged: Any, changes: list[tuple[str, Any]], spaced: bool, unsafe: bool
) -> None:
    wanted = [
        Wanted(path, CODES[place % 4], "unsafe" if unsafe and place else "safe", None if value is None else orjson.dumps(value).decode(), place)
        for place, (path, value) in enumerate(dict(changes).items())
    ]  # fmt: skip
    grounds = Grounds(
        "7", {"CS201": {"/status": '{"found":"x"}'}}, [("CS401", "8", "/kind", '"user_message"', None)], None
    )
    text = record(stored, tagged, spaced=spaced)
    quick = ordinary_draft(text, wanted, grounds, text_encoded=False)
    exact = draft(text, wanted, grounds, text_encoded=False)
    if quick is False:
        return
    if quick is None or exact is None:
        assert quick is exact
        return
    assert quick.line == exact.line
    assert (quick.identity, quick.before, quick.level, quick.books) == (
        exact.identity,
        exact.before,
        exact.level,
        exact.books,
    )
    for one, other in ((quick.metadata, exact.metadata), (quick.tags, exact.tags)):
        assert canonical(one or "null") == canonical(other or "null")


@pytest.mark.parametrize(
    ("text", "ordinary"),
    [
        ('{"id":7,"metadata":{"status":"Done"}}', True),
        ('{"id": 7, "metadata": {"status": "Done", "at": "2026-01-05"}, "text_content": "-0"}', True),
        ('{"id":7,"metadata":{"status":"Done","ratio":1.0}}', False),
        ('{"id":7,"metadata":{"status":"Done","count":-0}}', False),
        ('{"id":7,"metadata":{"status":"Done","count":123456789012345678901}}', False),
        ('{"id":7,"metadata":{"status":"Done","note":"\\ud800"}}', False),
        ('{"id":7,"version":"3","metadata":{"status":"Done"}}', False),
        ('{"id":8,"metadata":{"status":"Done"}}', False),
    ],
)
def test_what_parsing_could_respell_is_not_ordinary(text: str, ordinary: bool) -> None:
    wanted = [Wanted("/status", "CS201", "safe", '"done"', 1)]
    found = ordinary_draft(text, wanted, Grounds("7", {}, [], None), text_encoded=False)
    assert (found is not False) is ordinary
