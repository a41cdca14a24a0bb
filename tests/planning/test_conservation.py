"""The books of changed records balance when every difference lies on a changed path, and only then."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from migrate.engine.json_text import JsonError
from migrate.planning.conservation import Books, books, held
from migrate.planning.leaves import count_leaves
from migrate.planning.merge_patch import Edit, apply_patch, make_patch
from migrate.planning.pointer import pointer

names = st.sampled_from(["a", "b", "links", "x/y"])
values: st.SearchStrategy[object] = st.recursive(
    st.sampled_from([None, True, 1, 2, 1.5, "1", "é", [], {}]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)
metadatas = st.dictionaries(names, values, max_size=4)
edits = st.lists(
    st.builds(
        Edit,
        st.lists(names, min_size=1, max_size=2).map(pointer),
        st.none() | values.map(json.dumps),
    ),
    max_size=3,
    unique_by=lambda edit: edit.path.split("/")[1],
)


def leaves(value: object) -> int:
    if isinstance(value, dict) and value:
        return sum(leaves(one) for one in value.values())
    if isinstance(value, list) and value:
        return sum(leaves(one) for one in value)
    return 1


@given(metadatas, edits)
def test_edited_metadata_balances(metadata: dict[str, object], found: list[Edit]) -> None:
    before = json.dumps(metadata)
    after = apply_patch(before, make_patch(before, found, None))
    assert after is not None
    # A path below a scalar or an array replaces it: then the change is at the top.
    nothing: tuple[object, ...] = (None, {}, [])
    tops = {edit.path: edit.path.split("/")[1].replace("~1", "/") for edit in found}
    paths = [
        path if isinstance(metadata.get(top), dict) or metadata.get(top) in nothing else pointer([top])
        for path, top in tops.items()
    ]
    result = books(before, after, dict.fromkeys(paths, ("CS999",)))
    assert result.balanced
    assert result.before == (leaves(metadata) if metadata else 0)
    assert result.after == (leaves(json.loads(after)) if json.loads(after) else 0)
    assert result.before == result.kept + result.moved + result.rewritten + result.removed
    assert result.after == result.kept + result.moved + result.rewritten + result.added


@given(metadatas, metadatas)
def test_a_difference_without_a_path_never_balances(one: dict[str, object], other: dict[str, object]) -> None:
    before, after = json.dumps(one), json.dumps(other)
    result = books(before, after, {})
    differs = json.dumps(one, sort_keys=True) != json.dumps(other, sort_keys=True)
    assert result.balanced == (not differs)
    assert bool(result.unexplained) == differs
    assert books(before, after, {"": ("CS999",)}).balanced
    assert not differs or not books(before, after, {"": ()}).balanced


@given(metadatas)
def test_order_blanks_and_escapes_are_no_difference(metadata: dict[str, object]) -> None:
    before = json.dumps(metadata)
    after = json.dumps(dict(reversed(metadata.items())), ensure_ascii=False, indent=2)
    result = books(before, after, {})
    assert result == Books(before=result.before, after=result.before, kept=result.before)
    assert result.balanced


@pytest.mark.parametrize(
    ("before", "after", "changed", "expected"),
    [
        pytest.param(
            '{"references":{"context_ids":[2,"3"]},"links":{"derived_from":[1,2]},"z":1}',
            '{"links":{"derived_from":[1,2,3]},"z":1}',
            {"/references": ("CS401",), "/links/derived_from": ("CS401", "CS505")},
            Books(before=5, after=4, kept=3, removed=2, added=1, removed_by={"CS401": 2}, added_by={"CS401": 1}),
            id="references-join-links",
        ),
        pytest.param(
            '{"references":{"context_ids":[2,3]}}',
            '{"links":{"derived_from":[2,3]}}',
            {"/references": ("CS401",), "/links/derived_from": ("CS401",)},
            Books(before=2, after=2, moved=2),
            id="moved",
        ),
        pytest.param(
            '{"status":"Done","n":1.0}',
            '{"status":"done","n":1}',
            {"/status": ("CS201",), "/n": ("CS304",)},
            Books(before=2, after=2, rewritten=2),
            id="rewritten",
        ),
        pytest.param(
            '{"links":{"related":[1,2,1,3]}}',
            '{"links":{"related":[1,2,3]}}',
            {"/links/related": ("CS601", "CS505")},
            Books(before=4, after=3, kept=3, removed=1, removed_by={"CS505": 1}),
            id="doubles",
        ),
        pytest.param(
            '{"links":{"related":[5,1,5]}}',
            '{"links":{"related":[1]}}',
            {"/links/related": ("CS601", "CS505")},
            Books(before=3, after=1, kept=1, removed=2, removed_by={"CS601": 2}),
            id="no-double-if-none-is-left",
        ),
        pytest.param(
            '{"links":{}}',
            '{"links":{"related":[1]}}',
            {"/links/related": ("CS513",)},
            Books(before=1, after=1, removed=1, added=1, removed_by={"CS513": 1}, added_by={"CS513": 1}),
            id="an-empty-container-is-filled",
        ),
        pytest.param(
            '{"technologies":"sql"}',
            '{"technologies":["sql"]}',
            {"/technologies": ("CS301",)},
            Books(before=1, after=1, moved=1),
            id="wrapped",
        ),
        pytest.param(
            '{"a":{"b":[{"id":1},{"id":2}]}}',
            '{"a":{"b":[{"id":2}]}}',
            {"/a": ("X",)},
            Books(before=2, after=1, kept=1, removed=1, removed_by={"X": 1}),
            id="elements-close-ranks",
        ),
        pytest.param(
            '{"a":{"b":1,"c":2}}',
            '{"a":{"b":3,"d":2}}',
            {"/a": ("X",), "/a/c": ("Y",)},
            Books(before=2, after=2, moved=1, rewritten=1),
            id="the-deepest-path-counts",
        ),
        pytest.param(None, '{"a":1}', {"/a": ("X",)}, Books(after=1, added=1, added_by={"X": 1}), id="new-metadata"),
        pytest.param(
            '"{\\"a\\":1}"',
            '{"a":1}',
            {"": ("CS004",)},
            Books(before=1, after=1, removed=1, added=1, removed_by={"CS004": 1}, added_by={"CS004": 1}),
            id="decoded",
        ),
    ],
)
def test_examples(before: str | None, after: str, changed: dict[str, tuple[str, ...]], expected: Books) -> None:
    result = books(before, after, changed)
    assert result == expected
    assert result.balanced


@pytest.mark.parametrize(
    ("before", "after", "changed", "unexplained"),
    [
        ('{"a":1,"b":2}', '{"a":3}', {"/a": ("X",)}, ("/b",)),
        ('{"a":1}', '{"a":1,"c":{"d":1}}', {"/a": ("X",)}, ("/c/d",)),
        ('{"a":1}', '{"a":1.0}', {"/ab": ("X",)}, ("/a",)),
        ('{"l":[1,2]}', '{"l":[2,1]}', {}, ("/l/0", "/l/1")),
        ('{"l":[[1],[2]]}', '{"l":[[2],[1]]}', {}, ("/l/0/0", "/l/1/0")),
        ('{"a":1}', '{"a":2}', {"/a": ()}, ("/a",)),
        ('{"a":{}}', '{"a":[]}', {"/b": ("X",)}, ("/a",)),
        ('{"a":1,"b":1}', '{"b":1,"c":1}', {"/c": ("X",)}, ("/a",)),
        (json.dumps({str(n): n for n in range(20)}), "{}", {}, tuple(f"/{n}" for n in range(20))),
    ],
)
def test_what_no_path_explains(
    before: str, after: str, changed: dict[str, tuple[str, ...]], unexplained: tuple[str, ...]
) -> None:
    result = books(before, after, changed)
    assert not result.balanced
    assert set(result.unexplained) <= set(unexplained)
    assert len(result.unexplained) == min(10, len(unexplained))


def test_tags_have_books_of_their_own() -> None:
    result = books("{}", None, {"tags": ("CS111",)}, tags=('["Report","x","x"]', '["report","x"]'))
    assert result == Books(before=3, after=2, kept=1, rewritten=1, removed=1, removed_by={"CS111": 1})
    assert books(None, None, {"/tags": ("X",)}, tags=(None, '["a"]')).unexplained == ("tags/0",)
    assert books(None, None, {}, tags=("null", " [ ] ")) == Books()
    assert books(None, None, {}, tags=('["a", "b"]', '["a","b"]')).balanced


def test_a_value_moves_between_metadata_and_tags() -> None:
    result = books('{"labels":["x"]}', "{}", {"/labels": ("CS112",), "tags": ("CS112",)}, tags=("[]", '["x"]'))
    assert result == Books(before=1, after=1, moved=1)


def test_books_add_up() -> None:
    one = books('{"a":1,"b":1}', '{"a":2}', {"/a": ("X",), "/b": ("Y",)})
    other = books('{"b":1}', "{}", {"/b": ("Y",)})
    total = one + other + held('{"a":[1,{}],"b":null}', '["x"]')
    assert total == Books(before=7, after=1, rewritten=1, removed=2, held=4, removed_by={"Y": 2})
    assert total.balanced
    assert not (total + books('{"a":1}', "{}", {})).balanced
    assert sum([one, other], Books()) == one + other


def test_wrong_sums_do_not_balance() -> None:
    assert Books().balanced
    assert not Books(before=1).balanced
    assert not Books(after=1).balanced
    assert not Books(before=1, removed=1).balanced
    assert not Books(after=1, added=1, removed_by={"X": 1}).balanced


@pytest.mark.parametrize(
    ("text", "count"), [(None, 0), ("7", 1), ("{}", 1), (' {"a":[1,[],{"b":"}"}],"c":{ }} ', 4), ('{"a":null}', 1)]
)
def test_count_leaves(text: str | None, count: int) -> None:
    assert count_leaves(text) == count


def test_depth_has_no_limit() -> None:
    deep = '{"a":[1,' * 50_000 + "1" + "]}" * 50_000
    result = books(
        '{"x":' + deep + "}", '{"y":' + deep + ',"z":' + deep[:-1] + ',"b":2}}', {"/x": ("X",), "/y": ("X",)}
    )
    assert result.moved == 50_001
    assert result.unexplained[0].startswith("/z")
    assert not result.balanced


@pytest.mark.parametrize("text", ['{"a":', "{", "", '{"a":[1,}'])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(JsonError):
        books(text, "{}", {})
    with pytest.raises(JsonError):
        books('{"b":1}', text, {})
