"""Compare before set: a record that nobody touched is never stale, however it is spelled."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from whole_way import applied, options, plan_of, scratch

from migrate.applying.apply import Copy, apply_plan
from migrate.applying.comparing import holds, own_key, reference_key
from migrate.applying.running import Settings

DIGITS = "1" * 32
OTHER = "0198c0ffee0000007a7b3c8d00000001"


def plan(own: int | str, **more: object) -> str:
    metadata = {"schema_version": 1, "kind": "plan", "project": "p", "agent_name": "a", "status": "pending", **more}
    return json.dumps({"id": own, "thread_id": "t", "source": "agent", "metadata": metadata, "tags": ["plan"]})


CORPORA = {
    "a version that is no plain integer": ['{"id":1,"version":1.50,"metadata":{"status":"Done"}}'],
    "a version that is a string": ['{"id":1,"version":"3","metadata":{"status":"Done"}}'],
    "a ground under another spelling of its key": [plan(1), plan(2, links={"Supersedes": [1]})],
    "a ground under a key with a hyphen": [plan(1), plan(2, links={"supersedes": [], " SUPERSEDES ": ["1"]})],
    "an id of digits among uuids": [plan(DIGITS, status="Done"), plan(OTHER)],
    "a ground on an id of digits": [plan(DIGITS), plan(OTHER, links={"supersedes": [DIGITS]})],
    "a decoded text with a change of spelling": [
        '{"id":1,"metadata":"{\\"links\\":{\\"related\\":[7.0]}}"}',
        '{"id":2,"metadata":{}}',
    ],
    "an escape beside a change of spelling": ['{"id":1,"metadata":{"links":{"related":["\\u001b",7.0]}}}'],
}


@pytest.mark.parametrize("lines", CORPORA.values(), ids=CORPORA)
def test_what_nobody_touched_is_applied_once(lines: list[str], tmp_path: Path) -> None:
    source, out = tmp_path / "entries.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(line + "\n" for line in lines), "utf-8")
    made = plan_of(source, tmp_path, options())
    assert made.lines
    assert applied(made, out).applied == len(made.lines)
    source.write_bytes(out.read_bytes())
    again = apply_plan(made.path, Copy(tmp_path / "again.jsonl"), Settings(scratch(tmp_path), options().limits))
    assert (again.applied, again.already, again.stale) == (0, len(made.lines), 0), again.problems


def test_who_rests_on_what_the_plan_makes_is_of_its_unit(tmp_path: Path) -> None:
    """3 is a duplicate of 2, 2 becomes one of 1 because 1 says so: 3 moves on to 1 together with them."""
    issue = {"schema_version": 1, "kind": "issue", "project": "p", "title": "t", "status": "duplicate"}

    def line(own: int, **links: list[int]) -> str:
        metadata = {**issue, "links": links, **({"status": "todo"} if own == 1 else {})}
        return json.dumps(
            {"id": own, "thread_id": "issues", "source": "agent", "metadata": metadata, "tags": ["issue"]}
        )

    source = tmp_path / "entries.jsonl"
    source.write_text("\n".join([line(1, duplicates=[2]), line(2), line(3, duplicate_of=[2])]), "utf-8")
    made = plan_of(source, tmp_path, options(unsafe_fixes=True))
    assert [(each["record"], each["unit"], each["requires"]) for each in made.lines if each["record"] == 3] == [
        (3, 1, [])
    ]
    assert {each["record"]: each["unit"] for each in made.lines} == {1: 1, 2: 1, 3: 1}
    applied(made, tmp_path / "out.jsonl")
    new = [json.loads(text)["metadata"]["links"] for text in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert new == [{}, {"duplicate_of": [1]}, {"duplicate_of": [1]}]


@pytest.mark.parametrize(
    ("token", "key"),
    [("7", "i7"), ("0", None), ("-7", None), ("7.0", None), ('"7"', None), (f'"{DIGITS}"', "h" + DIGITS),
     ('"0198C0FF-EE00-0000-7A7B-3C8D00000001"', "h" + OTHER)],
)  # fmt: skip
def test_the_key_of_an_own_id(token: str, key: str | None) -> None:
    assert own_key(token) == key


@pytest.mark.parametrize(
    ("token", "integer", "uuid"),
    [("7", "i7", "i7"), ("7.0", "i7", "i7"), ("1e3", "i1000", "i1000"), ('"7"', "i7", "i7"), ("-7", None, None), ("true", None, None),
     ('{"id": 7}', "i7", "i7"), ('"007"', None, None), (f'"{DIGITS}"', "i" + DIGITS, "h" + DIGITS), (f'" {OTHER} "', "h" + OTHER, "h" + OTHER)],
)  # fmt: skip
def test_the_key_of_a_reference_depends_on_the_form_of_the_corpus(token: str, integer: str, uuid: str) -> None:
    assert (reference_key(token, "integer"), reference_key(token, "uuid")) == (integer, uuid)


@pytest.mark.parametrize(
    ("metadata", "path", "token", "held"),
    [
        ('{"links":{"derivedFrom":[8],"derived-from":["7"]}}', "/links/derived_from", "7", True),
        ('{"links":{"DerivedFrom":[8]}}', "/links/derived_from", "7", False),
        ('{"links":{"related":{"id":7}}}', "/links/related", "7", True),
        ('{"links":[7]}', "/links/related", "7", False),
        ('{"kind":"User-Message"}', "/kind", '"user_message"', True),
        ('{"project":"\\u0070"}', "/project", '"p"', True),
        ('"{\\"project\\":\\"p\\"}"', "/project", '"p"', True),
        ("7", "/project", '"p"', False),
    ],
)
def test_what_a_record_holds(metadata: str, path: str, token: str, held: bool) -> None:
    assert holds(f'{{"id":1,"metadata":{metadata}}}', path, token, None, "integer") is held
