"""The given forms of input once more, each by the command in a process of its own: what a shell sees, and what it costs."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

ROOT = Path(__file__).parents[2]
FORMS = ROOT / "tests" / "data" / "input_forms"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "default"}
BEFORE = b'"metadata":{"references":{"context_ids":[2]}}'
AFTER = b'"metadata":{"links":{"derived_from":[2]}}'


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    done = subprocess.run(
        [sys.executable, "-m", "migrate", *arguments], cwd=folder, env=ENVIRONMENT, capture_output=True, timeout=120
    )
    assert b"Traceback" not in done.stderr
    return done


def plain(data: bytes) -> bytes:
    return data


def unzstd(data: bytes) -> bytes:
    """All frames."""
    with zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True) as stream:
        return stream.read()


@pytest.mark.parametrize(
    ("name", "unpack", "patches", "records"),
    [
        ("two_members.jsonl.gz", gzip.decompress, 1, 2),
        ("two_frames.jsonl.zst", unzstd, 1, 2),
        ("glued_objects.jsonl", plain, 0, 0),
        ("latin1.jsonl", plain, 0, 0),
    ],
)
def test_what_can_be_read_is_repaired(
    tmp_path: Path, name: str, unpack: Callable[[bytes], bytes], patches: int, records: int
) -> None:
    data = (FORMS / name).read_bytes()
    (tmp_path / name).write_bytes(data)
    planned = command(tmp_path, "plan", name, "-o", "plan.jsonl", "-q")
    assert (planned.returncode, planned.stderr) == (0, b"")
    header = json.loads((tmp_path / "plan.jsonl").read_bytes().splitlines()[0])
    assert (header["complete"], header["counts"]["patches"], header["counts"]["records"]) == (True, patches, records)
    applied = command(tmp_path, "apply", "plan.jsonl", "-o", f"out.{name}")
    assert (applied.returncode, applied.stderr) == (0, b"")
    if not patches:
        assert not (tmp_path / f"out.{name}").exists()
        return
    out = (tmp_path / f"out.{name}").read_bytes()
    assert out[:4] == data[:4]
    assert unpack(out) == unpack(data).replace(BEFORE, AFTER, patches)
    assert (tmp_path / name).read_bytes() == data


@pytest.mark.parametrize(("name", "reason"), [("cut.jsonl.gz", b"ends early"), ("utf16.jsonl", b"FF FE")])
def test_what_cannot_be_read_whole_is_never_rewritten(tmp_path: Path, name: str, reason: bytes) -> None:
    (tmp_path / name).write_bytes((FORMS / name).read_bytes())
    checked = command(tmp_path, "check", name)
    assert (checked.returncode, reason in checked.stdout) == (3, True)
    assert command(tmp_path, "plan", name, "-o", "plan.jsonl").returncode == 3
    assert json.loads((tmp_path / "plan.jsonl").read_bytes().splitlines()[0])["complete"] is False
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    applied = command(tmp_path, "apply", "plan.jsonl", "-o", f"out.{name}")
    assert (applied.returncode, applied.stdout) == (4, b"")
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == before


LAUNCH = """
import os, subprocess, sys
with open("printed", "ab") as printed:
    child = subprocess.Popen([sys.executable, "-m", "migrate", *sys.argv[1:]], stdout=printed, stderr=printed)
    _, status, usage = os.wait4(child.pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024))
"""
"""Starts the command from a small process: a child's peak begins with the size of whoever started it."""


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="the peak of a process is not told here")
def test_a_record_of_fifty_megabytes_fits_a_small_limit(tmp_path: Path) -> None:
    marked = "never shown "
    text = marked * (50_000_000 // len(marked))
    rest = '"tags":[],"created_at":"2026-03-21 10:00:00","updated_at":"2026-03-21 10:00:00"}\n'
    small = '{"id":%d,"thread_id":"t","source":"agent","text_content":"entry","metadata":%s,' + rest
    large = f'{{"id":2,"thread_id":"t","source":"agent","text_content":"{text}","metadata":{{"status":"Done"}},{rest}'
    first, last = small % (1, '{"references":{"context_ids":[2]}}'), small % (3, "{}")
    (tmp_path / "large.jsonl").write_text(first + large + last)
    for arguments in (["plan", "large.jsonl", "-o", "plan.jsonl"], ["apply", "plan.jsonl", "-o", "out.jsonl"]):
        done = subprocess.run(
            [sys.executable, "-c", LAUNCH, *arguments, "--memory-limit", "300MB", "--threads", "1"],
            cwd=tmp_path, env=ENVIRONMENT, capture_output=True, check=True, timeout=240,
        )  # fmt: skip
        code, peak = map(int, done.stdout.split())
        assert code == 0, (tmp_path / "printed").read_bytes()[:2000]
        assert peak < 1_000_000_000, arguments
    plan = (tmp_path / "plan.jsonl").read_bytes()
    assert len(plan) < 10_000
    assert plan.count(b'"patch":') == 2
    told = [tmp_path / "printed", *(path for path in tmp_path.rglob("reports/**/*") if path.is_file())]
    assert len(told) > 3
    assert [path for path in [tmp_path / "plan.jsonl", *told] if marked.encode() in path.read_bytes()] == []
    right = first.encode().replace(BEFORE, AFTER) + large.encode().replace(b'"Done"', b'"done"') + last.encode()
    out = (tmp_path / "out.jsonl").read_bytes()
    assert (len(out), hashlib.sha256(out).digest()) == (len(right), hashlib.sha256(right).digest())
