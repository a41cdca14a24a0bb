"""The plan's file: the same whatever the machine, the folder and the form of the corpus; and what stands in it."""

from __future__ import annotations

import dataclasses
import gzip
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from whole_way import Planned, applied, options, plan_of

from migrate.types import Limits

SAMPLES = Path(__file__).parents[2] / "sample_data" / "context_server"
NAMES = ["entries.jsonl", "entries_uuid.jsonl"]

Plans = Callable[[str, bool], Planned]


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> Plans:
    """The plan for a sample corpus, made once, as ``entries.jsonl`` in its folder."""
    made: dict[tuple[str, bool], Planned] = {}

    def plan(name: str, unsafe: bool) -> Planned:
        if (name, unsafe) not in made:
            made[name, unsafe] = planned(SAMPLES / name, tmp_path_factory.mktemp("given"), unsafe=unsafe)
        return made[name, unsafe]

    return plan


def planned(source: Path | bytes, folder: Path, *, unsafe: bool, **limits: Any) -> Planned:
    """The plan for a copy in another folder, where it is named as it is typed: by its name alone."""
    data = source if isinstance(source, bytes) else source.read_bytes()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("entries.jsonl").write_bytes(data)
        chosen = options(unsafe_fixes=unsafe)
        return plan_of(
            "entries.jsonl", folder, dataclasses.replace(chosen, limits=Limits(**limits)) if limits else chosen
        )


def timeless(plan: Planned) -> bytes:
    """The file, but for the one member that may differ."""
    text, found = re.subn(
        rb'"created_at":"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z"', b"", plan.text, count=1
    )
    assert found == 1
    return text


def of_itself(plan: Planned) -> dict[str, Any]:
    """What the header says of the plan, and not of where the corpus lies."""
    header = plan.header
    del header["created_at"], header["corpus"]["uri"]
    return header


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("unsafe", [False, True])
def test_the_same_bytes_whatever_the_limits_and_the_folder(
    plans: Plans, name: str, unsafe: bool, tmp_path: Path
) -> None:
    given = plans(name, unsafe)
    assert len(given.lines) > 20
    for memory, threads in (("200MB", 2), ("1GB", 1)):
        folder = tmp_path / f"other {memory}"
        folder.mkdir()
        assert timeless(planned(SAMPLES / name, folder, unsafe=unsafe, memory=memory, threads=threads)) == timeless(
            given
        )


def by_record(plan: Planned) -> dict[str, bytes]:
    lines = {json.dumps(json.loads(text)["record"]): text for text in plan.line_texts}
    assert len(lines) == len(plan.line_texts)
    return lines


def shuffled(data: bytes) -> bytes:
    lines = data.split(b"\n")
    assert lines.pop() == b""
    Random(7).shuffle(lines)
    return b"".join(line + b"\n" for line in lines)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_patches_whatever_the_order(plans: Plans, name: str, tmp_path: Path) -> None:
    given, other = plans(name, True), planned(shuffled((SAMPLES / name).read_bytes()), tmp_path, unsafe=True)
    assert by_record(other) == by_record(given)
    assert [line["record"] for line in other.lines] != [line["record"] for line in given.lines]
    assert other.triples == given.triples
    for same in ("counts", "conservation", "options"):
        assert other.header[same] == given.header[same]


def in_shards(folder: Path, lines: list[bytes]) -> Path:
    shards = folder / "shards"
    shards.mkdir()
    third = len(lines) // 3
    for number, part in enumerate((lines[:third], lines[third : 2 * third], lines[2 * third :])):
        (shards / f"entries.{number}.jsonl").write_bytes(b"".join(part))
    return shards


def packed(folder: Path, lines: list[bytes]) -> Path:
    path = folder / "entries.jsonl.gz"
    path.write_bytes(gzip.compress(b"".join(lines[:50])) + gzip.compress(b"".join(lines[50:])))
    return path


def array(folder: Path, lines: list[bytes]) -> Path:
    path = folder / "entries.json"
    path.write_bytes(b"[\n" + b",\n".join(line.rstrip(b"\n") for line in lines) + b"\n]\n")
    return path


def answer(folder: Path, lines: list[bytes]) -> Path:
    path = folder / "answer.json"
    path.write_bytes(b'{"count": 1, "results": [' + b",".join(line.rstrip(b"\n") for line in lines) + b"]}")
    return path


def objects(name: str) -> list[bytes]:
    """The lines of a sample that are JSON objects, without byte order mark and blank lines; an array holds no others."""
    found = []
    for line in (SAMPLES / name).read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        try:
            if isinstance(json.loads(line, parse_constant=refuse), dict):
                found.append(line.strip() + b"\n")
        except ValueError:
            continue
    return found


def refuse(token: str) -> None:
    raise ValueError(token)


@pytest.mark.parametrize("form", [in_shards, packed, array, answer])
def test_the_same_plan_for_every_form_of_the_corpus(
    form: Callable[[Path, list[bytes]], Path], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    lines = objects("entries.jsonl")
    plain = tmp_path / "plain.jsonl"
    plain.write_bytes(b"".join(lines))
    given = plan_of(plain, tmp_path_factory.mktemp("plan"), options(unsafe_fixes=True))
    other = plan_of(form(tmp_path, lines), tmp_path, options(unsafe_fixes=True))
    assert other.line_texts == given.line_texts
    assert of_itself(other) == of_itself(given)
    assert other.triples == given.triples

    out, plain_out = tmp_path / "out", tmp_path / "out.jsonl"
    applied(given, plain_out)
    applied(other, out if form is in_shards else out.with_suffix(".gz" if form is packed else ".json"))
    if form is in_shards:
        assert b"".join(path.read_bytes() for path in sorted(out.iterdir())) == plain_out.read_bytes()
    elif form is packed:
        assert gzip.decompress(out.with_suffix(".gz").read_bytes()) == plain_out.read_bytes()
    else:
        document = json.loads(out.with_suffix(".json").read_text())
        written = document["results"] if form is answer else document
        assert written == [json.loads(line) for line in plain_out.read_text().splitlines()]


def test_one_plan_for_metadata_as_text_and_as_objects(tmp_path: Path) -> None:
    """The same hashes and patches, so that a plan made from an export fits the database it came from."""
    records = [json.loads(line) for line in objects("clean.jsonl")]
    faults = [
        {"status": "Done"},
        {"report_type": "Audit"},
        {"technologies": "Python"},
        {"note": "\u2028é\\/", "priority": "2"},
    ]
    for place, record in enumerate(records):
        if record["metadata"] is not None and record["source"] == "agent":
            record["metadata"] |= faults[place % len(faults)]
    texts = [{**record, "metadata": as_text(record["metadata"])} for record in records]
    made = []
    for name, corpus in (("objects", records), ("texts", texts)):
        (tmp_path / name).mkdir()
        path = tmp_path / name / "entries.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in corpus))
        made.append(plan_of(path, tmp_path / name, options(unsafe_fixes=True)))
        applied(made[-1], tmp_path / name / "out.jsonl")
    assert len(made[0].lines) > 30
    assert made[0].line_texts == made[1].line_texts
    assert [plan.header["corpus"]["text_encoded"] for plan in made] == [False, True]
    outs = [(tmp_path / name / "out.jsonl").read_text().splitlines() for name in ("objects", "texts")]
    for whole, text in zip(*(map(json.loads, lines) for lines in outs), strict=True):
        assert (whole["metadata"] is None) == (text["metadata"] is None)
        assert text["metadata"] is None or json.loads(text["metadata"]) == whole["metadata"]


def as_text(metadata: Any) -> str | None:
    return None if metadata is None else json.dumps(metadata, ensure_ascii=False)


HASH = re.compile(r"sha256:[0-9a-f]{64}").fullmatch


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("unsafe", [False, True])
def test_what_stands_in_it(plans: Plans, name: str, unsafe: bool) -> None:
    plan = plans(name, unsafe)
    header, lines = plan.header, plan.lines
    assert {
        "format", "plan_id", "complete", "tool", "corpus", "options", "counts", "conservation", "created_at",
    } <= header.keys()  # fmt: skip
    assert header["format"] == "corpus-migrate.plan/1"
    assert re.fullmatch(r"[0-9a-f]{16,64}", header["plan_id"])
    assert header["complete"] is True
    assert header["tool"].keys() == {"name", "version"}
    corpus = header["corpus"]
    assert (corpus["system"], corpus["uri"]) == ("context-server", "entries.jsonl")
    assert corpus["id_form"] == ("uuid" if "uuid" in name else "integer")
    assert HASH(corpus["fingerprint"])
    assert header["options"]["unsafe_fixes"] is unsafe

    counts = header["counts"]
    assert counts["records"] == corpus["records"] == plan.summary.records
    levels = Counter(line["level"] for line in lines)
    assert (counts["patches"], counts["safe"], counts["unsafe"]) == (len(lines), levels["safe"], levels["unsafe"])
    assert counts["findings"] == Counter(finding.code for finding in plan.findings)
    assert counts["safe"] == plan.summary.safe_records or unsafe
    assert levels["unsafe"] > 5 if unsafe else not levels["unsafe"]
    for line in lines:
        check_line(line)


def check_line(line: dict[str, Any]) -> None:
    """The members of a plan line, and that they agree with one another."""
    members = ["record", "part", "unit", "level", "codes", "before", "after", "requires", "patch", "changes"]
    assert list(line) == members
    assert line["part"] is None
    assert line["before"].keys() == {"hash", "version"}
    assert HASH(line["before"]["hash"])
    assert line["after"].keys() == {"hash"}
    assert HASH(line["after"]["hash"])
    assert line["patch"]
    assert line["patch"].keys() <= {"metadata", "tags", "replace"}
    paths = [change["path"] for change in line["changes"]]
    assert len(set(paths)) == len(paths) > 0
    for change in line["changes"]:
        assert change.keys() <= {"path", "from", "to", "level", "codes", "evidence"}
        assert {"from", "to"} & change.keys()
        assert "from" not in change or "to" not in change or json.dumps(change["from"]) != json.dumps(change["to"])
        assert change["codes"]
        assert change["evidence"].keys() <= set(change["codes"])
    assert set(line["codes"]) == {code for change in line["changes"] for code in change["codes"]}
    assert line["level"] == ("unsafe" if any(change["level"] == "unsafe" for change in line["changes"]) else "safe")
    assert ("tags" in line["patch"]) == ("tags" in paths)
    for need in line["requires"]:
        assert need.keys() - {"as"} == {"record", "path", "holds"}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("unsafe", [False, True])
def test_its_books_balance(plans: Plans, name: str, unsafe: bool) -> None:
    plan = plans(name, unsafe)
    books = plan.header["conservation"]
    stayed = books["kept"] + books["moved"] + books["rewritten"]
    assert books["before"] == stayed + books["removed"] + books["held"]
    assert books["after"] == stayed + books["added"]
    assert books["removed"] == sum(books["removed_by"].values())
    assert books["added"] == sum(books["added_by"].values())
    codes = {code for line in plan.lines for code in line["codes"]}
    assert books["removed_by"].keys() | books["added_by"].keys() <= codes | {"CS505"}
    assert (books["before"], books["after"]) == leaves_of(plan, SAMPLES / name)


def leaves_of(plan: Planned, source: Path) -> tuple[int, int]:
    """Leaf members of the planned records before and after, counted anew from source and patch."""
    patches = {json.dumps(line["record"]): line["patch"] for line in plan.lines}
    before = after = 0
    for text in source.read_bytes().split(b"\n"):
        try:
            record = json.loads(text)
            own = record.get("id", record.get("context_id"))
        except (ValueError, AttributeError):
            continue
        key = json.dumps(own if isinstance(own, int) else str(own).lower().replace("-", ""))
        patch = patches.pop(key, None)
        if patch is None:
            continue
        metadata, tags = record.get("metadata"), record.get("tags")
        before += leaves(metadata or {}, top=True) + leaves(tags or [], top=True)
        metadata = json.loads(metadata) if isinstance(metadata, str) else metadata
        for pointer, value in patch.get("replace", {}).items():
            assert pointer == ""
            metadata = value
        after += leaves(merged(metadata or {}, patch.get("metadata", {})), top=True)
        after += leaves(patch.get("tags", tags) or [], top=True)
    assert not patches
    return before, after


def leaves(value: Any, *, top: bool = False) -> int:
    """Scalars and empty containers; nothing for metadata or tags that are empty as a whole."""
    if isinstance(value, (dict, list)):
        inner = value.values() if isinstance(value, dict) else value
        return sum(map(leaves, inner)) if value else int(not top)
    return 1


def merged(target: Any, patch: Any) -> Any:
    """RFC 7396, to the letter."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result


@pytest.mark.parametrize("name", NAMES)
def test_its_merge_patches_make_what_is_written(plans: Plans, name: str, tmp_path: Path) -> None:
    plan = planned(SAMPLES / name, tmp_path, unsafe=True)
    patches = {json.dumps(line["record"]): line["patch"] for line in plan.lines}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        applied(plan, Path("out.jsonl"))
    lines = ((SAMPLES / name).read_bytes().split(b"\n"), (tmp_path / "out.jsonl").read_bytes().split(b"\n"))
    checked = 0
    for old, new in zip(*lines, strict=True):
        if old == new:
            continue
        before, after = json.loads(old), json.loads(new)
        own = after.get("id", after.get("context_id"))
        change = patches[json.dumps(own if isinstance(own, int) else own.lower().replace("-", ""))]
        if "replace" not in change and not isinstance(before.get("metadata"), str):
            assert after.get("metadata") == (merged(before.get("metadata"), change["metadata"]) if "metadata" in change else before.get("metadata"))  # fmt: skip
        assert after.get("tags") == change.get("tags", before.get("tags"))
        checked += 1
    assert checked >= len(patches)


def record(own: int, metadata: dict[str, Any], **members: Any) -> dict[str, Any]:
    base = {"id": own, "thread_id": "t", "source": "agent", "text_content": f"# {own}\n", "metadata": metadata}
    return {**base, "tags": [metadata.get("kind", "x")], "created_at": f"2026-08-{own:02} 10:00:00", **members}


WORK = {"schema_version": 1, "project": "p", "agent_name": "a", "status": "pending"}
ISSUE = {**WORK, "kind": "issue", "source_project": "p", "status": "todo", "priority": 1}
RESTING = [
    record(1, {**WORK, "kind": "plan"}, version=3),
    record(2, {**WORK, "kind": "plan", "links": {"supersedes": ["1"]}}, version=7),
    record(3, {**WORK, "kind": "report"}),
    record(4, {**WORK, "kind": "report", "links": {"Supersedes": [3]}}),
    record(5, {**ISSUE, "title": "5", "links": {"blocks": [6]}}, thread_id="issues"),
    record(6, {**ISSUE, "title": "6", "links": {"blocked_by": [5]}}, thread_id="issues"),
    record(7, {**ISSUE, "title": "7", "links": {"blocked_by": [8], "subissues": [9]}}, thread_id="issues"),
    record(8, {**ISSUE, "title": "8"}, thread_id="issues"),
    record(9, {**ISSUE, "title": "9"}, thread_id="issues"),
    record(10, {"references": {"context_ids": [11, 1]}}),
    record(11, {"schema_version": 1, "kind": "user_message", "project": "p"}, source="user", tags=[]),
    record(12, {**ISSUE, "status": "duplicate", "title": "12", "links": {"duplicate_of": [13]}}, thread_id="issues"),
    record(13, {**ISSUE, "status": "duplicate", "title": "13", "links": {"duplicate_of": [8]}}, thread_id="issues"),
]


@pytest.fixture
def resting(tmp_path: Path) -> tuple[Path, dict[int, dict[str, Any]]]:
    """A corpus whose changes rest on other records, and its plan lines by record."""
    source = tmp_path / "entries.jsonl"
    source.write_text("".join(json.dumps(each) + "\n" for each in RESTING))
    plan = plan_of(source, tmp_path, options(unsafe_fixes=True))
    return tmp_path, {line["record"]: line for line in plan.lines}


def test_what_a_change_rests_on_and_what_must_change_together(resting: tuple[Path, dict[int, dict[str, Any]]]) -> None:
    _, lines = resting

    def needs(own: int) -> list[tuple[int, str, Any]]:
        return [(need["record"], need["path"], need["holds"]) for need in lines[own]["requires"]]

    assert needs(1) == [(2, "/links/supersedes", 1)]
    assert needs(3) == [(4, "/links/supersedes", 3)]
    assert needs(6) == [(5, "/links/blocks", 6)]
    assert needs(10) == [(11, "/kind", "user_message")]
    assert needs(12) == [(13, "/links/duplicate_of", 8)]
    assert needs(8) == [(7, "/links/blocked_by", 8)]
    assert needs(9) == [(7, "/links/subissues", 9)]
    assert needs(2) == []
    assert {own for own, line in lines.items() if line["unit"] is not None} == {7, 8, 9}
    assert {lines[own]["unit"] for own in (7, 8, 9)} == {7}
    assert [lines[own]["before"]["version"] for own in (1, 2, 3)] == [3, 7, None]
    assert lines[1]["changes"] == [{
        "path": "/status", "from": "pending", "to": "superseded", "level": "safe", "codes": ["CS701"],
        "evidence": {"CS701": {"superseded_by": [2]}},
    }]  # fmt: skip


def test_a_plan_whose_grounds_stand_is_applied_whole(resting: tuple[Path, dict[int, dict[str, Any]]]) -> None:
    folder, _ = resting
    source = folder / "entries.jsonl"
    applied(plan_of(source, folder, options(unsafe_fixes=True)), folder / "out.jsonl")
    new = {each["id"]: each["metadata"] for each in map(json.loads, (folder / "out.jsonl").read_text().splitlines())}
    assert new[1]["status"] == new[3]["status"] == "superseded"
    assert new[6]["links"] == new[7]["links"] == {}
    assert (new[8]["links"], new[9]["links"]) == ({"blocks": [7]}, {"parent": [7]})
    assert new[10]["links"] == {"derived_from": [1], "commissioned_by": [11]}
    assert new[12]["links"] == {"duplicate_of": [8]}


def test_its_id_comes_from_patches_and_options(tmp_path: Path) -> None:
    source = tmp_path / "entries.jsonl"
    ids = []
    for status, chosen in (
        ("Done", options()), ("Done", options()), ("DONE", options()), ("Done", options(partial=True)), ("Done", options(ignore=("CS802",))),
    ):  # fmt: skip
        source.write_text(json.dumps(record(1, {"status": status})) + "\n")
        ids.append(plan_of(source, tmp_path, chosen).header["plan_id"])
    assert ids[0] == ids[1]
    assert len(set(ids)) == 4
