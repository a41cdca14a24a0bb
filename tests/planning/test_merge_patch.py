"""Patches from edits, and metadata texts patched: against RFC 7396 and a plain oracle on parsed values."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from migrate.planning.errors import PlanError
from migrate.planning.merge_patch import Edit, Patch, apply_patch, make_patch
from migrate.planning.pointer import pointer, tokens

names = st.sampled_from(["a", "b", "links", "x/y", "~", ""])
blanks = st.sampled_from(["", "", " ", "\n  "])
scalars = st.sampled_from(
    [
        "null",
        "true",
        "1",
        "1.0",
        "1e400",
        '"é"',
        '"\\u00e9"',
        '"\\ud800"',
        '"null"',
        "{}",
        "[ ]",
        "[1, null]",
        '[{"a": null}]',
    ]
)


def _spell(parts: dict[str, str], blank: str) -> str:
    inside = f"{blank},".join(f"{json.dumps(name)}:{blank}{value}" for name, value in parts.items())
    return "{" + blank + inside + blank + "}"


objects = st.builds(_spell, st.dictionaries(names, scalars, max_size=4), blanks)
for _ in range(2):
    objects = st.builds(_spell, st.dictionaries(names, scalars | objects, max_size=4), blanks)
paths = st.lists(names, min_size=1, max_size=3).map(pointer)
edits = st.lists(
    st.builds(Edit, paths | st.just(""), st.none() | scalars | objects).filter(lambda edit: edit.path or edit.value),
    max_size=4,
)


def exact(text: str | None) -> Any:
    """A parsed text that keeps number tokens apart."""
    if text is None:
        return None
    return json.loads(text, parse_int=lambda token: ("number", token), parse_float=lambda token: ("number", token))


def edited(metadata: Any, found: list[Edit]) -> Any:
    top = {} if metadata is None else {"": copy.deepcopy(metadata)}
    for edit in found:
        node = top
        path = ("", *tokens(edit.path))
        for step in path[:-1]:
            if not isinstance(node.get(step), dict):
                if edit.value is None:
                    break
                node[step] = {}
            node = node[step]
        else:
            if edit.value is None:
                node.pop(path[-1], None)
            else:
                node[path[-1]] = exact(edit.value)
    return top.get("")


def merged(target: Any, patch: Any) -> Any:
    """RFC 7396, section 2, to the letter."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result


@given(objects | st.sampled_from(["null", '"{}"', "7", "[1]"]) | st.none(), edits)
def test_the_patch_does_exactly_the_edits(metadata: str | None, found: list[Edit]) -> None:
    patch = make_patch(metadata, found, None)
    after = apply_patch(metadata, patch)
    nothing: dict[str, Any] = {}  # is also what absent and null metadata are
    assert (exact(after) or nothing) == (edited(exact(metadata), found) or nothing)
    assert make_patch(after, found, None).empty or len(found) > 1
    assert Patch.read(patch.text()) == patch


@given(objects, edits)
def test_what_is_not_replaced_is_a_merge_patch(metadata: str, found: list[Edit]) -> None:
    patch = make_patch(metadata, found, None)
    if not patch.replace:
        expected = edited(exact(metadata), found)
        assert merged(exact(metadata), exact(patch.metadata or "{}")) == expected


@given(objects, objects)
def test_any_merge_patch_gives_the_result_of_the_rfc(metadata: str, patch: str) -> None:
    after = apply_patch(metadata, Patch(metadata=patch))
    assert exact(after) == merged(exact(metadata), exact(patch))


@given(objects)
def test_no_edit_and_no_difference_make_no_patch(metadata: str) -> None:
    assert make_patch(metadata, [], None).empty
    same = [
        Edit(pointer([name]), json.dumps(value)) for name, value in json.loads(metadata.replace("1e400", "2")).items()
    ]
    assert make_patch(metadata.replace("1e400", "2"), same, None).empty
    assert apply_patch(metadata, Patch(tags="[]")) == metadata


@pytest.mark.parametrize(
    ("target", "patch", "result"),
    [  # RFC 7396, appendix A, those whose target and result are objects
        ('{"a":"b"}', '{"a":"c"}', '{"a":"c"}'),
        ('{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'),
        ('{"a":"b"}', '{"a":null}', "{}"),
        ('{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'),
        ('{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'),
        ('{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'),
        ('{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'),
        ('{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'),
        ('{"e":null}', '{"a":1}', '{"e":null,"a":1}'),
        ("{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'),
    ],
)
def test_rfc_examples(target: str, patch: str, result: str) -> None:
    assert apply_patch(target, Patch(metadata=patch)) == result


@pytest.mark.parametrize(
    ("metadata", "found", "patch"),
    [
        ('{"status":"Done"}', [("/status", '"done"')], '{"metadata":{"status":"done"}}'),
        ('{"status":"Done"}', [("/status", None), ("/none", None), ("/a/b", None)], '{"metadata":{"status":null}}'),
        ('{"a":1.0}', [("/a", "1")], '{"metadata":{"a":1}}'),
        ('{"a":[ 1 ,2]}', [("/a", "[1,2]")], "{}"),
        ('{"a":"\\u00e9"}', [("/a", '"é"')], "{}"),
        (
            '{"references":{"context_ids":[2]}}',
            [("/references", None), ("/links/derived_from", "[2]")],
            '{"metadata":{"references":null,"links":{"derived_from":[2]}}}',
        ),
        (
            '{"links":{"x":1,"derivedFrom":["2"]}}',
            [("/links/derivedFrom", None), ("/links/derived_from", "[ 2 ]")],
            '{"metadata":{"links":{"derivedFrom":null,"derived_from":[2]}}}',
        ),
        ('{"links":{"a":1,"b":2}}', [("/links", '{"a":1,"c":3}')], '{"metadata":{"links":{"b":null,"c":3}}}'),
        ('{"a":{"b":1}}', [("/a", "{}")], '{"metadata":{"a":{"b":null}}}'),
        ('{"a":[1]}', [("/a", "{}")], '{"metadata":{"a":{}}}'),
        ('{"a":1}', [("/a", "null")], '{"replace":{"/a":null}}'),
        (
            '{"a":1,"c":2}',
            [("/b", '{"x":{"y":null}}'), ("/c", "3")],
            '{"metadata":{"c":3},"replace":{"/b":{"x":{"y":null}}}}',
        ),
        ('{"a":{"b":1}}', [("/a/x~1y", "null")], '{"replace":{"/a/x~1y":null}}'),
        ('{"a":1}', [("/b", '[null,{"c":null}]')], '{"metadata":{"b":[null,{"c":null}]}}'),
        ('{"a":5}', [("/a/b/c", "1")], '{"metadata":{"a":{"b":{"c":1}}}}'),
        (None, [("/a", "1")], '{"metadata":{"a":1}}'),
        ("null", [("/a/b", "null")], '{"replace":{"/a":{"b":null}}}'),
        (
            '"{\\"s\\":\\"Done\\"}"',
            [("", '{"s":"Done", "n":null}'), ("/s", '"done"')],
            '{"replace":{"":{"s":"done","n":null}}}',
        ),
        ('{"a":1}', [("", '{"b":2}')], '{"metadata":{"a":null,"b":2}}'),
        ('{"a":1}', [("", None)], '{"replace":{"":null}}'),
        (None, [("", None)], "{}"),
    ],
)
def test_make_patch(metadata: str | None, found: list[tuple[str, str | None]], patch: str) -> None:
    assert make_patch(metadata, [Edit(*edit) for edit in found], None).text() == patch


def test_tags_are_the_whole_list() -> None:
    assert make_patch("{}", [], '[ "a" , "\\u00e9" ]') == Patch(tags='["a","é"]')


@pytest.mark.parametrize("path", ["a", "/a~2", "/a~", "tags"])
def test_a_bad_pointer_is_refused(path: str) -> None:
    with pytest.raises(PlanError, match="is no JSON pointer"):
        make_patch("{}", [Edit(path, "1")], None)


def test_a_doubled_member_is_refused() -> None:
    with pytest.raises(PlanError, match="twice"):
        make_patch('{"a":1,"\\u0061":2}', [Edit("/b", "1")], None)
    with pytest.raises(PlanError, match="twice"):
        apply_patch('{"a":1,"a":2}', Patch(metadata='{"b":1}'))


@pytest.mark.parametrize(
    ("metadata", "patch"),
    [
        ("7", Patch(metadata='{"a":1}')),
        ("{}", Patch(replace={"/a/b": "null"})),
        ('{"a":1}', Patch(replace={"/a/b": "null"})),
        ('{"a":{}}', Patch(metadata='{"a":1}', replace={"/a/b": "null"})),
        ('{"a":{}}', Patch(metadata='{"a":{"b":1}}', replace={"/a/b": "null"})),
        ('{"a":{}}', Patch(metadata='{"a":{}}', replace={"/a": "null"})),
        ("{}", Patch(metadata='{"a":{}}', replace={"": "{}"})),
        ("null", Patch(metadata='{"a":{}}', replace={"": "{}"})),
        ("{}", Patch(replace={"/a": "1", "/a/b": "2"})),
        ("{}", Patch(replace={"/a/b": "2", "/a": "1"})),
    ],
)
def test_a_patch_that_does_not_fit_is_refused(metadata: str, patch: Patch) -> None:
    with pytest.raises(PlanError) as caught:
        apply_patch(metadata, patch)
    assert caught.value.sentence.endswith("make the plan anew.")


@pytest.mark.parametrize("text", ['{"metadata":[]}', '{"tags":{}}', '{"replace":7}', '{"metadata":"x"}'])
def test_a_patch_of_the_wrong_shape_is_not_read(text: str) -> None:
    with pytest.raises(PlanError, match="make the plan anew"):
        Patch.read(text)


def test_patches_are_read_exactly() -> None:
    text = '{"metadata":{"a":1E2,"b":123456789012345678901234567890},"tags":["\\ud800"],"replace":{"/x":1e400}}'
    patch = Patch.read(' {"other":1,' + text[1:] + " ")
    assert patch.text() == text
    assert patch.replace == {"/x": "1e400"}


def test_touched_members_alone_change() -> None:
    metadata = '{ "z" : 1E2, "a":1.10, "s" : "Done" ,"o":{ "k":[ 1 , 2 ]} }'
    patch = make_patch(metadata, [Edit("/s", '"done"'), Edit("/o/n", '{"x": 1}'), Edit("/a", None)], None)
    assert apply_patch(metadata, patch) == '{ "z" : 1E2, "s" : "done" ,"o":{ "k":[ 1 , 2 ],"n":{"x":1}} }'


def test_verbatim_puts_an_old_text_back() -> None:
    patch = Patch(replace={"/a": '[ 1, "\\u00e9" ]'})
    assert apply_patch('{"a":1}', patch) == '{"a":[1,"é"]}'
    assert apply_patch('{"a":1}', patch, verbatim=True) == '{"a":[ 1, "\\u00e9" ]}'


def test_deep_values_and_deep_paths() -> None:
    deep = '{"a":' * 3000 + "1.0" + "}" * 3000
    patch = make_patch(deep, [Edit("/a" * 200, "1"), Edit("/b", deep)], None)
    assert apply_patch(deep, patch) == '{"a":' * 200 + "1" + "}" * 199 + ',"b":' + deep + "}"
    patch = make_patch(deep, [Edit("/b/" + "c/" * 3000, "1")], None)
    assert apply_patch(deep, patch) == deep[:-1] + ',"b":{' + '"c":{' * 3000 + '"":1' + "}" * 3002
    nulls = make_patch("{}", [Edit("/b", deep.replace("1.0", "null"))], None)
    assert list(nulls.replace) == ["/b"]
