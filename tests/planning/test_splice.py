"""Patches put into the text of records: the touched members change, and nothing else by a single character."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from migrate.engine.json_text import JsonError, members, quote
from migrate.planning.canonical import record_hash
from migrate.planning.errors import PlanError
from migrate.planning.merge_patch import Edit, Patch, apply_patch, make_patch
from migrate.planning.pointer import pointer
from migrate.planning.splice import splice

names = st.sampled_from(["a", "b", "links", "é", "\\u00e9x", "x/y", "status"]).map(lambda name: f'"{name}"')
blanks = st.sampled_from(["", "", " ", "  ", "\n    ", "\r\n\t"])
scalars = st.sampled_from(
    ["null", "true", "1.0", "1E2", "1e400", '"\\u00e9\\/"', '"é\\""', '"\\ud800"', "[ 1 ,2]", "{ }"]
)


def _spell(parts: list[tuple[str, str]], before: str, after: str, colon: str) -> str:
    inside = (after + "," + before).join(name + colon + value for name, value in parts)
    return "{" + before + inside + after + "}"


def _objects(values: st.SearchStrategy[str], keys: st.SearchStrategy[str] = names) -> st.SearchStrategy[str]:
    members_ = st.lists(st.tuples(keys, values), max_size=4, unique_by=lambda one: json.loads(one[0]))
    return st.builds(_spell, members_, blanks, blanks, st.sampled_from([":", ": ", " : "]))


metadatas = _objects(scalars | _objects(scalars))
tags = st.sampled_from(['"tags"']), st.sampled_from(["null", "[]", '[ "a" , "\\u00e9"]'])
edits = st.lists(
    st.builds(
        Edit,
        st.lists(names.map(json.loads), min_size=1, max_size=2).map(pointer),
        st.none() | st.sampled_from(['"done"', "[2, 3]", '{"é": "\\ud800"}', "null", '{"n": null}']),
    ),
    max_size=3,
)


@st.composite
def records(draw: st.DrawFn, metadata: st.SearchStrategy[str]) -> str:
    parts = [('"id"', "7"), ('"text"', draw(scalars)), ('"\\u006detadata"', draw(metadata)), ('"tags"', draw(tags[1]))]
    kept = [part for part in draw(st.permutations(parts)) if part[0] in ('"id"', '"text"') or draw(st.booleans())]
    around = draw(blanks)
    return around + _spell(kept, draw(blanks), draw(blanks), draw(st.sampled_from([":", ": "]))) + around


def exact(text: str) -> Any:
    return json.loads(text, parse_int=lambda token: ("number", token), parse_float=lambda token: ("number", token))


def part(record: str, name: str) -> str | None:
    start = record.index("{")
    return next((record[one.start : one.end] for one in members(record, start) if one.key == name), None)


def rest(record: str) -> list[str]:
    """Everything but the values of metadata and tags; members that a patch added are left out."""
    start = record.index("{")
    found = members(record, start)
    pieces = [record[:start]]
    place = start
    for one in found:
        if one.key in ("metadata", "tags"):
            pieces.append(record[place : one.start])
            place = one.end
    return [*pieces, record[place:]]


@given(records(metadatas), st.booleans())
def test_an_empty_patch_is_identity(record: str, text_encoded: bool) -> None:
    assert splice(record, Patch(), text_encoded=text_encoded) == record


@given(records(metadatas | st.just("null")), edits, st.none() | st.just('["x", "é"]'))
def test_the_result_is_the_patched_metadata_and_nothing_else_moves(
    record: str, found: list[Edit], new_tags: str | None
) -> None:
    metadata = part(record, "metadata")
    patch = make_patch(metadata, found, new_tags)
    after = splice(record, patch, text_encoded=False)
    expected = exact(record)
    if patch.metadata is not None or patch.replace:
        text = apply_patch(metadata, patch)
        assert text is not None
        expected["metadata"] = exact(text)
        if metadata not in (None, "null", "{ }"):  # else only the record knows how an empty object is spelled
            assert record_hash(part(after, "metadata"), None) == record_hash(text, None)
    if new_tags is not None:
        expected["tags"] = ["x", "é"]
        assert part(after, "tags") == '["x","é"]'
    assert exact(after) == expected
    assert list(exact(after)) == list(expected)
    if list(exact(after)) == list(exact(record)):
        assert rest(after) == rest(record)
    else:
        assert after.startswith("".join(rest(record)[:1]))


@given(
    metadatas,
    edits,
    st.booleans(),
    st.sampled_from(['{{"id":1,"metadata":{0},"z":1.0}}', '{{ "id": 1, "metadata": {0} }}']),
)
def test_text_inside_a_string_is_patched_as_an_object_is(
    metadata: str, found: list[Edit], ascii_only: bool, record: str
) -> None:
    patch = make_patch(metadata, found, None)
    stored = quote(metadata, ascii=ascii_only)
    after = splice(record.format(stored), patch, text_encoded=True)
    token = part(after, "metadata")
    assert token is not None
    assert exact(json.loads(token)) == exact(apply_patch(metadata, patch) or "{}")
    assert rest(after) == rest(record.format(stored))
    if patch.empty:
        assert token == stored
    if ascii_only and not stored.isascii():
        assert token.isascii()


@given(metadatas, edits)
def test_untouched_members_keep_every_character(metadata: str, found: list[Edit]) -> None:
    record = '{"metadata":' + metadata + "}"
    after = part(splice(record, make_patch(metadata, found, None), text_encoded=False), "metadata")
    assert after is not None
    touched = {edit.path.split("/")[1].replace("~1", "/") for edit in found}
    before = {one.key: metadata[one.key_start : one.end] for one in members(metadata, 0) if one.key not in touched}
    assert {one.key: after[one.key_start : one.end] for one in members(after, 0) if one.key not in touched} == before


LINKS = Patch(metadata='{"references":null,"links":{"derived_from":[2]}}')
STATUS = Patch(metadata='{"status":"done"}')


@pytest.mark.parametrize(
    ("before", "patch", "after"),
    [
        pytest.param(
            '{ "zz" : 1 , "id":1, "metadata":{"z":"\\u00e9\\/","references":{"context_ids":[2]},"a":"é"},"source":"agent" }',
            LINKS,
            '{ "zz" : 1 , "id":1, "metadata":{"z":"\\u00e9\\/","a":"é","links":{"derived_from":[2]}},"source":"agent" }',
            id="spacing-and-escapes",
        ),
        pytest.param(
            '{"id":1,"metadata":{"a":1.0,"b":1E2,"c":-0.0,"f":123456789012345678901234567890,"references":{"context_ids":[2]}}}',
            LINKS,
            '{"id":1,"metadata":{"a":1.0,"b":1E2,"c":-0.0,"f":123456789012345678901234567890,"links":{"derived_from":[2]}}}',
            id="number-text",
        ),
        pytest.param(
            '{"id": 1 , "metadata": { "z" : 1E2, "n":null,"h":1e400, "status" : "Done" ,"o":{ "k":[ 1 , 2 ]} },"x":"keep"}',
            STATUS,
            '{"id": 1 , "metadata": { "z" : 1E2, "n":null,"h":1e400, "status" : "done" ,"o":{ "k":[ 1 , 2 ]} },"x":"keep"}',
            id="one-value",
        ),
        pytest.param(
            '{"id": 1, "metadata": {"references": {"context_ids": [2]}}}',
            LINKS,
            '{"id": 1, "metadata": {"links": {"derived_from":[2]}}}',
            id="all-go-one-comes",
        ),
        pytest.param(
            '{"id": 1, "metadata": { "references": [] }}',
            Patch(metadata='{"references":null}'),
            '{"id": 1, "metadata": {}}',
            id="all-go",
        ),
        pytest.param(
            '{"m":1,"metadata":{"a":1, "b":2 ,"c":3,  "d":4}}',
            Patch(metadata='{"a":null,"c":null,"d":null}'),
            '{"m":1,"metadata":{"b":2}}',
            id="first-and-last-go",
        ),
        pytest.param(
            '{"id": 1, "metadata": {"links": {"related": [ 3 ], "x": null}, "a": 1}}',
            Patch(metadata='{"links":{"derived_from":[2]}}'),
            '{"id": 1, "metadata": {"links": {"related": [ 3 ], "x": null, "derived_from": [2]}, "a": 1}}',
            id="links-keep-their-members",
        ),
        pytest.param(
            '{"id": 1, "metadata": {}}',
            Patch(metadata='{"a":1,"b":{"c":"\\u00e9\\ud800"}}'),
            '{"id": 1, "metadata": {"a": 1, "b": {"c":"é\\ud800"}}}',
            id="empty-follows-the-record",
        ),
        pytest.param(
            '{"id":1,"metadata":null,"x":1}', STATUS, '{"id":1,"metadata":{"status":"done"},"x":1}', id="null-in-place"
        ),
        pytest.param(
            '{"id": 1, "x": 1}',
            Patch(metadata='{"a":1}', tags='["b", "c"]'),
            '{"id": 1, "x": 1, "metadata": {"a":1}, "tags": ["b","c"]}',
            id="missing-come-last",
        ),
        pytest.param(
            '{"tags": null, "id":1}', Patch(tags='["report"]'), '{"tags": ["report"], "id":1}', id="tags-in-place"
        ),
        pytest.param("{ }", Patch(tags='["report"]'), '{"tags":["report"]}', id="empty-record"),
        pytest.param(
            '[\n  {\n    "id": 1,\n    "metadata": {\n      "a": 1,\n      "b": 2\n    }\n  }\n]'[4:-2],
            Patch(metadata='{"b":null,"c":3}', tags="[]"),
            '{\n    "id": 1,\n    "metadata": {\n      "a": 1,\n      "c": 3\n    },\n    "tags": []\n  }',
            id="lines",
        ),
        pytest.param(
            '{\n  "id": 1,\n  "metadata": {}\n}',
            Patch(metadata='{"a":1,"b":2}'),
            '{\n  "id": 1,\n  "metadata": {\n    "a": 1,\n    "b": 2\n  }\n}',
            id="empty-in-lines",
        ),
        pytest.param(
            '{\r\n\t"metadata": {\r\n\t\t"links": { }\r\n\t}\r\n}',
            Patch(metadata='{"links":{"a":1},"b":2}'),
            '{\r\n\t"metadata": {\r\n\t\t"links": {\r\n\t\t\t"a": 1\r\n\t\t},\r\n\t\t"b": 2\r\n\t}\r\n}',
            id="carriage-returns",
        ),
        pytest.param(
            '{"id":1\n,"metadata":{"a":1}\n,"x":2\n}',
            Patch(tags="[]"),
            '{"id":1\n,"metadata":{"a":1}\n,"x":2\n,"tags":[]\n}',
            id="commas-first",
        ),
        pytest.param(
            '{"id": 1, "metadata": {"a":1}}',
            Patch(metadata='{"b":2}'),
            '{"id": 1, "metadata": {"a":1,"b":2}}',
            id="one-member-shows-its-colon",
        ),
        pytest.param(
            '{"id": 1, "metadata": "{\\"s\\": \\"Done\\"}", "x": 1}',
            Patch(replace={"": '{"s":"done"}'}),
            '{"id": 1, "metadata": {"s":"done"}, "x": 1}',
            id="decoded-once",
        ),
        pytest.param(
            '{"metadata":{"a":{"b":1}}}',
            Patch(metadata='{"a":{"b":2}}', replace={"/a/c": "null", "/d": '{ "e": null }'}),
            '{"metadata":{"a":{"b":2,"c":null},"d":{"e":null}}}',
            id="nulls",
        ),
    ],
)
def test_examples(before: str, patch: Patch, after: str) -> None:
    assert splice(before, patch, text_encoded=False) == after


@pytest.mark.parametrize(
    ("before", "patch", "after"),
    [
        (
            r'{"id": 1, "metadata": "{\"status\": \"Done\", \"n\": 1.5}"}',
            STATUS,
            r'{"id": 1, "metadata": "{\"status\": \"done\", \"n\": 1.5}"}',
        ),
        (
            r'{"metadata":"{\"references\": {\"context_ids\": [1]}}"}',
            LINKS,
            r'{"metadata":"{\"links\": {\"derived_from\":[2]}}"}',
        ),
        ('{"metadata":null}', STATUS, r'{"metadata":"{\"status\":\"done\"}"}'),
        ('{"id":1}', STATUS, r'{"id":1,"metadata":"{\"status\":\"done\"}"}'),
        ('{"metadata": "{}"}', STATUS, r'{"metadata": "{\"status\": \"done\"}"}'),
        ('{\n "metadata": "{}"\n}', STATUS, '{\n "metadata": "{\\"status\\": \\"done\\"}"\n}'),
        # Everything around the change is spelled in an unusual way, and stays so.
        (
            r'{"metadata":"\u007b\"a\":\"\/\ud83d\ude00\ud800\\u00e9\",\u0022status\"\u003a\"Done\",\"z\":1E2}"}',
            STATUS,
            r'{"metadata":"\u007b\"a\":\"\/\ud83d\ude00\ud800\\u00e9\",\u0022status\"\u003a\"done\",\"z\":1E2}"}',
        ),
        (
            r'{"metadata":"{\"a\":\"\u00e9\"}"}',
            Patch(metadata='{"b":"ü😀"}'),
            r'{"metadata":"{\"a\":\"\u00e9\",\"b\":\"\u00fc\ud83d\ude00\"}"}',
        ),
        (r'{"metadata":"{\"a\":\"é\"}"}', Patch(metadata='{"b":"ü"}'), r'{"metadata":"{\"a\":\"é\",\"b\":\"ü\"}"}'),
        (
            r'{"metadata":"{\"a\":\"\\u00e9\"}"}',
            Patch(metadata='{"b":"ü"}'),
            r'{"metadata":"{\"a\":\"\\u00e9\",\"b\":\"ü\"}"}',
        ),
        (r'{"metadata":"{\"a\":1}"}', Patch(metadata='{"b":"\\ud800"}'), r'{"metadata":"{\"a\":1,\"b\":\"\\ud800\"}"}'),
        (r'{"metadata":"{\"a\":1}"}', Patch(replace={"": '{"b":null}'}), r'{"metadata":"{\"b\":null}"}'),
    ],
)
def test_text_encoded_examples(before: str, patch: Patch, after: str) -> None:
    assert splice(before, patch, text_encoded=True) == after


def test_an_object_in_a_text_encoded_corpus_stays_one() -> None:
    assert splice('{"metadata":{}}', STATUS, text_encoded=True) == '{"metadata":{"status":"done"}}'


def test_old_text_is_put_back_verbatim() -> None:
    patch = Patch(tags='[ "a" ]', replace={"/status": '"D\\u006fne"'})
    after = splice('{"metadata":{"status":"done"},"tags":[]}', patch, text_encoded=False, verbatim=True)
    assert after == '{"metadata":{"status":"D\\u006fne"},"tags":[ "a" ]}'


@pytest.mark.parametrize(
    ("record", "patch", "text_encoded", "sentence"),
    [
        ('{"metadata":{},"metadata":{}}', STATUS, False, "twice"),
        ('{"tags":[],"\\u0074ags":[]}', Patch(tags="[]"), False, "twice"),
        ('{"metadata":{"a":1,"a":2}}', STATUS, False, "twice"),
        ('{"metadata":"text"}', STATUS, False, "no object"),
        ('{"metadata":"text"}', STATUS, True, "holds no object"),
        ('{"metadata":[1]}', STATUS, True, "no object"),
    ],
)
def test_records_that_a_patch_does_not_fit(record: str, patch: Patch, text_encoded: bool, sentence: str) -> None:
    with pytest.raises(PlanError, match=sentence):
        splice(record, patch, text_encoded=text_encoded)


@pytest.mark.parametrize("record", ["", "[1]", '{"metadata":{}', '{"metadata":{},}', '"x"'])
def test_what_is_no_record_is_refused(record: str) -> None:
    with pytest.raises(JsonError):
        splice(record, STATUS, text_encoded=False)


def test_large_and_deep_records() -> None:
    large = "x\\n" * 3_000_000
    deep = "[" * 3000 + "1.0" + "]" * 3000
    record = f'{{"text": "{large}", "metadata": {{"deep": {deep}, "status": "Done"}}, "also": {deep}}}'
    assert splice(record, STATUS, text_encoded=False) == record.replace('"Done"', '"done"')
    stored = record[record.index('{"deep"') : record.index(', "also"')]
    encoded = '{"metadata": ' + json.dumps(stored) + "}"
    assert splice(encoded, STATUS, text_encoded=True) == encoded.replace("Done", "done")
