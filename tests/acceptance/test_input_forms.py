"""Every form of input, from the command line to the bytes of the output."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard
from click.testing import Result

import migrate

Run = Callable[..., Result]

FORMS = Path(__file__).parents[1] / "data" / "cases" / "input_forms"
BEFORE = '"metadata":{"references":{"context_ids":[2]}}'
AFTER = '"metadata":{"links":{"derived_from":[2]}}'

gunzip, gzipped = gzip.decompress, gzip.compress


def unzstd(data: bytes) -> bytes:
    """All frames."""
    with zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True) as stream:
        return stream.read()


def line(own: Any, metadata: str = "{}", **members: Any) -> str:
    """A record as the exporter of these files writes it."""
    text = f"entry {own}"
    more = "".join(f',"{name}":{value}' for name, value in members.items())
    return (
        f'{{"id":{own},"thread_id":"t","source":"agent","text_content":"{text}","metadata":{metadata},"tags":[]{more}}}'
    )


def given(run: Run, name: str) -> bytes:
    """A given file, put where the command runs."""
    data = (FORMS / name).read_bytes()
    Path(name).write_bytes(data)
    return data


def checked(run: Run, corpus: str, code: int, *flags: str) -> list[dict[str, Any]]:
    """The findings of a check that ends in this code."""
    result = run("check", corpus, "--format", "jsonl", *flags)
    assert result.exit_code == code, result.stderr
    return [json.loads(text) for text in result.stdout.splitlines()]


def triples(findings: list[dict[str, Any]]) -> Counter[tuple[Any, str, str]]:
    return Counter((each["record"], each["code"], each["level"]) for each in findings)


def repaired(run: Run, corpus: str, out: str, *, patches: int, code: int = 0) -> bytes:
    """Plan and apply; the source stays, the plan changes that many records, and a second plan none."""
    before = Path(corpus).read_bytes()
    planned = run("plan", corpus, "-o", "plan.jsonl")
    assert planned.exit_code == code, planned.stderr
    header = json.loads(Path("plan.jsonl").read_text("utf-8").partition("\n")[0])
    assert (header["complete"], header["counts"]["patches"], header["withheld"]) == (True, patches, [])
    applied = run("apply", "plan.jsonl", "-o", out, "--format", "json")
    assert applied.exit_code == 0, applied.stderr
    assert json.loads(applied.stdout)["applied"] == patches
    assert Path(corpus).read_bytes() == before
    assert run("plan", out, "--detailed-exitcode").exit_code == 0
    return Path(out).read_bytes()


REFERENCE = {(1, "CS401", "safe"): 1, (1, "CS101", "info"): 1, (2, "CS101", "info"): 1}


def test_a_pretty_array_stays_one(run: Run) -> None:
    source = given(run, "pretty_array.json").decode()
    assert triples(checked(run, "pretty_array.json", 0)) == REFERENCE
    out = repaired(run, "pretty_array.json", "out.json", patches=1).decode()
    start, end = source.index('"references"'), source.index('    "tags"')
    assert out.startswith(source[:start])
    assert out.endswith(source[end:])
    assert '"links"' in out[start:]
    assert json.loads(out)[0]["metadata"] == {"links": {"derived_from": [2]}}
    assert json.loads(out)[1] == json.loads(source)[1]


@pytest.mark.parametrize(("name", "unpack"), [("two_members.jsonl.gz", gunzip), ("two_frames.jsonl.zst", unzstd)])
def test_every_member_of_a_compressed_file_is_read(run: Run, name: str, unpack: Callable[[bytes], bytes]) -> None:
    source = unpack(given(run, name)).decode()
    assert source.count("\n") == 2
    assert triples(checked(run, name, 0)) == REFERENCE
    out = repaired(run, name, f"out.{name}", patches=1)
    assert out[:4] == (FORMS / name).read_bytes()[:4]
    assert unpack(out).decode() == source.replace(BEFORE, AFTER, 1) != source


def test_a_cut_stream_is_incomplete_and_no_plan_of_it_is_applied(run: Run) -> None:
    given(run, "cut.jsonl.gz")
    found = checked(run, "cut.jsonl.gz", 3)
    assert triples(found) == REFERENCE
    shown = run("check", "cut.jsonl.gz", "--format", "json")
    document = json.loads(shown.stdout)
    assert (shown.exit_code, document["exit_code"], document["read"]["records"]) == (3, 3, 2)
    planned = run("plan", "cut.jsonl.gz", "-o", "plan.jsonl")
    assert planned.exit_code == 3
    header = json.loads(Path("plan.jsonl").read_text("utf-8").partition("\n")[0])
    assert header["complete"] is False
    assert [gap["file"] for gap in header["gaps"]] == ["cut.jsonl.gz"]
    refused = run("apply", "plan.jsonl", "-o", "out.jsonl.gz")
    assert (refused.exit_code, refused.stdout) == (4, "")
    assert "incomplete" in refused.stderr
    assert not Path("out.jsonl.gz").exists()


def test_two_objects_on_a_line_are_a_broken_line_and_the_others_are_processed(run: Run) -> None:
    glued = given(run, "glued_objects.jsonl").decode()
    assert triples(checked(run, "glued_objects.jsonl", 1)) == {(None, "CS001", "manual"): 2}
    Path("more.jsonl").write_text(line(7, '{"references":{"context_ids":[8]}}') + "\n" + glued + line(8) + "\n")
    found = checked(run, "more.jsonl", 1)
    assert triples(found) == {
        (7, "CS401", "safe"): 1, (7, "CS101", "info"): 1, (8, "CS101", "info"): 1, (None, "CS001", "manual"): 2,
    }  # fmt: skip
    assert [each["line"] for each in found if each["code"] == "CS001"] == [2, 3]
    out = repaired(run, "more.jsonl", "out.jsonl", patches=1).decode()
    assert out == line(7, '{"links":{"derived_from":[8]}}') + "\n" + glued + line(8) + "\n"


def test_another_encoding_is_refused_by_its_name(run: Run) -> None:
    given(run, "utf16.jsonl")
    result = run("check", "utf16.jsonl")
    assert result.exit_code == 3
    assert "UTF-16" in result.stdout
    assert "FF FE" in result.stdout
    assert "0 records" in result.stdout
    assert run("plan", "utf16.jsonl", "-o", "plan.jsonl").exit_code == 3
    assert run("apply", "plan.jsonl", "-o", "out.jsonl").exit_code == 4
    assert not Path("out.jsonl").exists()


def test_a_line_that_is_not_utf_8_is_named_by_its_byte_and_never_mended(run: Run) -> None:
    data = given(run, "latin1.jsonl")
    (found,) = checked(run, "latin1.jsonl", 1)
    wrong = next(place for place, byte in enumerate(data) if byte > 0x7F)
    assert (found["code"], found["record"], found["line"], found["level"]) == ("CS001", None, 1, "manual")
    assert found["evidence"]["byte"] == wrong
    mixed = line(7, '{"status":"Done"}').encode() + b"\n" + data
    Path("mixed.jsonl").write_bytes(mixed)
    out = repaired(run, "mixed.jsonl", "out.jsonl", patches=1)
    assert out == mixed.replace(b'"Done"', b'"done"')
    assert "\ufffd".encode() not in out + Path("plan.jsonl").read_bytes()


PEAK = """
import sys
from migrate.cli.main import cli
code = cli.main(sys.argv[1:], standalone_mode=False)
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
sys.stderr.write(f"\\npeak {code} {peak}")
"""


def measured(*arguments: str) -> tuple[int, int, str]:
    """Exit code, peak memory in MB and all that was printed, of the command in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(Path(migrate.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", PEAK, *arguments], capture_output=True, env=environment)
    printed = (done.stdout + done.stderr).decode()
    assert done.returncode == 0, printed
    text, _, last = printed.rpartition("\n")
    word, code, kilobytes = last.split()
    assert word == "peak"
    return int(code), int(kilobytes) // 1024, text


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of a process is read from /proc")
def test_a_record_of_fifty_megabytes(run: Run) -> None:
    marked, size = "never printed ", 50_000_000
    words = (marked * (size // len(marked) + 1))[:size]
    large = line(2, '{"status":"Done"}').replace("entry 2", words)
    parts = [line(1, '{"references":{"context_ids":[2]}}'), large, line(3)]
    Path("large.jsonl").write_text("\n".join(parts) + "\n")
    limits = ("--memory-limit", "500MB", "--threads", "1")
    budget = 500 + 250 + 4 * 50
    printed = ""
    for arguments in (
        ("check", "large.jsonl", "-v"), ("plan", "large.jsonl", "-o", "plan.jsonl"), ("apply", "plan.jsonl", "-o", "out.jsonl"),
    ):  # fmt: skip
        code, peak, text = measured(*arguments, *limits)
        assert code == 0, text
        assert peak < budget, arguments
        printed += text
    assert marked not in printed
    assert marked.encode() not in Path("plan.jsonl").read_bytes()
    assert Path("plan.jsonl").read_bytes().count(b'"patch":') == 2
    parts[0] = line(1, '{"links":{"derived_from":[2]}}')
    parts[1] = large.replace('"Done"', '"done"')
    assert digest(Path("out.jsonl").read_bytes()) == digest(("\n".join(parts) + "\n").encode())
    written = [path for path in Path("reports").rglob("*") if path.is_file()]
    assert written
    assert all(marked.encode() not in path.read_bytes() for path in written)


def digest(data: bytes) -> tuple[int, str]:
    """Size and hash, so that a difference does not print the whole."""
    return len(data), hashlib.sha256(data).hexdigest()


def late_types() -> Iterator[str]:
    """Records whose field ``p`` is a boolean, until it is not."""
    late = {20_481: "1.5", 20_482: '"x"', 20_483: "true"}
    for number in range(1, 20_484):
        own = '"late"' if number == 20_483 else str(number)
        fault = ',"status":"Done"' if number in (1, 20_481, 20_482, 20_483) else ""
        yield f'{{"id":{own},"source":"agent","text_content":"e {number}","metadata":{{"p":{late.get(number, "true")}{fault}}}}}'


def test_types_that_change_after_twenty_thousand_records(run: Run) -> None:
    lines = list(late_types())
    Path("late.jsonl").write_text("\n".join(lines) + "\n")
    found = triples(checked(run, "late.jsonl", 1))
    assert found.pop(("late", "CS008", "manual")) == 1
    assert {key for key in found if key[1] != "CS101"} == {(own, "CS201", "safe") for own in (1, 20_481, 20_482)}
    assert sum(found.values()) == 20_482 + 3
    out = repaired(run, "late.jsonl", "out.jsonl", patches=3).decode().splitlines()
    expected = [text.replace('"Done"', '"done"') if "late" not in text else text for text in lines]
    assert out == expected


@pytest.mark.parametrize("pack", [None, gzipped])
def test_an_answer_of_the_server_is_written_back_in_its_place(run: Run, pack: Callable[[bytes], bytes] | None) -> None:
    records = [line(1, '{"references":{"context_ids":[2]}}').replace('"id"', '"context_id"'), line(2)]
    answer = '{ "query": {"results": [ 1 ]},\n  "results" : [\n\t' + " ,\n".join(records) + "\n] , \"count\": 2,\"x\":1e400 }"  # fmt: skip
    name = "answer.json" if pack is None else "answer.json.gz"
    Path(name).write_bytes(answer.encode() if pack is None else pack(answer.encode()))
    assert triples(checked(run, name, 0)) == REFERENCE
    out = repaired(run, name, f"out.{name}", patches=1)
    assert (out if pack is None else gunzip(out)).decode() == answer.replace(BEFORE, AFTER, 1)


def test_a_record_nested_three_thousand_deep(run: Run) -> None:
    deep = "[" * 1500 + '{"a":' * 1500 + "1.0" + "}" * 1500 + "]" * 1500
    kept = line(1, f'{{"status":"done","x":{deep}}}')
    both = line(3, f'{{"x":{deep},"status":"Done"}}')
    Path("deep.jsonl").write_text("\n".join([kept, line(2, '{"status":"Done"}'), both]) + "\n")
    found = triples(checked(run, "deep.jsonl", 0))
    assert found == {
        (2, "CS201", "safe"): 1, (3, "CS201", "safe"): 1, (1, "CS101", "info"): 1, (2, "CS101", "info"): 1, (3, "CS101", "info"): 1,
    }  # fmt: skip
    out = repaired(run, "deep.jsonl", "out.jsonl", patches=2).decode()
    assert out == Path("deep.jsonl").read_text().replace('"Done"', '"done"')
    assert run("show", "plan.jsonl", "--diff").exit_code == 0
