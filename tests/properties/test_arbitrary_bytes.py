"""Any bytes as a file: a documented code, one sentence, and never a traceback; what can be written again is the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from corpus_strategy import BROKEN, Corpus, corpora
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from whole_way import scratch

from migrate.cli.main import cli

pytestmark = pytest.mark.slow

CALM = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]
SUFFIXES = [".jsonl", ".json", ".ndjson", ".jsonl.gz", ".json.zst", ".parquet"]
FRAGMENTS = [
    b"{", b"}", b"[", b"]", b'"', b":", b",", b"\n", b"\r\n", b"\r", b" ", b"\\", b"null", b"true", b"1e400", b"-0", b"NaN", b"\xef\xbb\xbf", b"\xff\xfe",
    b"\x00", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"PAR1", b'{"id":1}', b'{"id":1,"metadata":{"status":"Done"}}', b'{"id":"7","tags":[" A"]}',
    b'{"results":[', b'"results":', b'"\\ud800"', b"\xed\xa0\x80", b"\xe2\x80\xa8", b"\x0b", b"\x0c", b"[[[[", b'{"a":', b'{"id":2,"metadata":"{}"}', *BROKEN,
]  # fmt: skip

texts = st.lists(st.sampled_from(FRAGMENTS) | st.binary(max_size=6), max_size=24).map(b"".join)


def run(*arguments: str) -> tuple[int, str, str]:
    """Code, stdout and stderr of the command line."""
    result = CliRunner().invoke(cli, [*arguments, "--memory-limit", "500MB", "--threads", "1"])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
    return result.exit_code, result.stdout, result.stderr


def check_any(data: bytes, suffix: str, folder: Path) -> None:
    here = scratch(folder)
    source, plan, out = here / f"entries{suffix}", here / "plan.jsonl", here / f"out{suffix}"
    source.write_bytes(data)
    workspace = ("--workspace", str(here / "reports"))
    code, shown, said = run("check", str(source), "--format", "json", "-o", str(here / "found.json"))
    assert code in (0, 1, 2, 3), (said, data)
    assert "Traceback" not in shown + said
    if code == 2:
        assert said.startswith("error: ")
        return
    document = json.loads((here / "found.json").read_text("utf-8"))
    assert document["exit_code"] == code
    code, _, said = run("plan", str(source), "-o", str(plan), *workspace)
    assert code in (0, 3), (said, data)
    header = json.loads(plan.read_text("utf-8").partition("\n")[0])
    assert header["withheld"] == []
    assert header["complete"] is (code == 0)
    assert header["counts"]["findings"] == {rule["code"]: rule["findings"] for rule in document["rules"]}
    applied, _, said = run("apply", str(plan), "-o", str(out), *workspace)
    assert applied == (0 if code == 0 else 4), (said, data)
    if out.exists() and not header["counts"]["patches"]:
        assert out.read_bytes() == data or suffix == ".parquet" or suffix.endswith((".gz", ".zst"))
    assert source.read_bytes() == data


@given(data=st.binary(max_size=200) | texts, suffix=st.sampled_from(SUFFIXES))
@example(data=b"", suffix=".jsonl")
@example(data=b"[]", suffix=".json")
@example(data=b'{"results":[]}', suffix=".json")
@settings(max_examples=12, deadline=None, suppress_health_check=CALM, print_blob=True)
def test_any_bytes(data: bytes, suffix: str, folder: Path) -> None:
    check_any(data, suffix, folder)


@pytest.mark.slow
@given(data=st.binary(max_size=200) | texts, suffix=st.sampled_from(SUFFIXES))
@settings(max_examples=500, deadline=None, suppress_health_check=CALM, print_blob=True)
def test_many_bytes(data: bytes, suffix: str, folder: Path) -> None:
    check_any(data, suffix, folder)


@pytest.mark.slow
@given(corpus=corpora(least=3, most=20), wrong=st.lists(st.tuples(st.integers(0), st.binary(max_size=3)), max_size=6))
@settings(max_examples=150, deadline=None, suppress_health_check=CALM, print_blob=True)
def test_corpora_with_bytes_gone_wrong(corpus: Corpus, wrong: list[tuple[int, bytes]], folder: Path) -> None:
    data = bytearray(corpus.data)
    for place, new in wrong:
        at = place % len(data)
        data[at : at + 1] = new
    check_any(bytes(data), ".jsonl", folder)
