"""Measure the tool against two references over the same file, interleaved: medians, ratios and peak memory.

    python benchmarks/run.py CORPUS [--repeats 3] [--memory-limit 1GB] [--only check,plan,apply] [--json FILE]

References, each in a process of its own like the tool: DuckDB's ``read_ndjson_objects`` (every object of the file read and
measured, nothing kept) and a plain line copy in Python. A round runs each once; rounds repeat, so that a slow spell of the
machine falls on all of them alike. Times of the tool are those of whole commands, start-up included; those of the
references are of the work alone. CORPUS comes from ``benchmarks/generate.py``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

READ = """
import duckdb, sys, time
connection = duckdb.connect()
connection.execute("SET enable_external_file_cache = false; SET enable_progress_bar = false")
start = time.perf_counter()
connection.execute("SELECT count(*), sum(strlen(json)) FROM read_ndjson_objects(?, ignore_errors = true)", [sys.argv[1]]).fetchall()
print(time.perf_counter() - start)
"""

COPY = """
import sys, time
start = time.perf_counter()
with open(sys.argv[1], "rb") as source, open(sys.argv[2], "wb") as target:
    for line in source:
        target.write(line)
print(time.perf_counter() - start)
"""


@dataclass
class Series:
    """The seconds and the peak memory of one thing, a value a round."""

    seconds: list[float] = field(default_factory=list)
    peaks: list[int] = field(default_factory=list)


def measured(command: list[str], *, told: bool) -> tuple[float, int]:
    """Seconds (of the whole command, or as it tells them itself) and peak memory in MiB of a command that must succeed."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        code = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if code not in (0, 1):
            sys.exit(f"{' '.join(command)} failed with {code}:\n{err.read()}")
        return (float(out.read()) if told else seconds), usage.ru_maxrss // 1024


def main() -> None:
    """Run the rounds and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--memory-limit", default="1GB")
    parser.add_argument("--only", default="check,plan,apply")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    wanted = options.only.split(",")
    tool = [sys.executable, "-m", "migrate"]
    limits = ["--memory-limit", options.memory_limit]
    results: dict[str, Series] = {}
    with tempfile.TemporaryDirectory(prefix="corpus-migrate-benchmark-", dir=options.corpus.parent) as name:
        folder = Path(name)
        for number in range(options.repeats):
            steps: list[tuple[str, list[str], bool]] = [
                ("read_ndjson_objects", [sys.executable, "-c", READ, str(options.corpus)], True),
                ("line copy", [sys.executable, "-c", COPY, str(options.corpus), str(folder / "copy")], True),
            ]
            plan, out = folder / f"plan-{number}.jsonl", folder / f"out-{number}.jsonl"
            workspace = ["--workspace", str(folder / f"workspace-{number}")]
            if "check" in wanted:
                steps.append(("check", [*tool, "check", str(options.corpus), "-q", *limits, *workspace], False))
            if "plan" in wanted:
                steps.append(
                    ("plan", [*tool, "plan", str(options.corpus), "-q", "-o", str(plan), *limits, *workspace], False)
                )
            if "apply" in wanted:
                steps.append(
                    ("apply -o", [*tool, "apply", str(plan), "-q", "-o", str(out), *limits, *workspace], False)
                )
            for what, command, told in steps:
                seconds, peak = measured(command, told=told)
                series = results.setdefault(what, Series())
                series.seconds.append(seconds)
                series.peaks.append(peak)
                print(f"round {number + 1}: {what}: {seconds:.2f} s, {peak} MiB", file=sys.stderr, flush=True)
            for left in (plan, out, folder / "copy"):
                left.unlink(missing_ok=True)
            shutil.rmtree(folder / f"workspace-{number}", ignore_errors=True)
    report(options.corpus, results)
    if options.json is not None:
        options.json.write_text(
            json.dumps({what: vars(series) for what, series in results.items()}, indent=1) + "\n", encoding="utf-8"
        )


def report(corpus: Path, results: dict[str, Series]) -> None:
    """The table of medians; ratios are medians of the ratios within a round."""
    size = corpus.stat().st_size
    print(
        f"{corpus.name}: {size / 1e9:.2f} GB; {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    )
    print("| what | median s | min s | × read_ndjson_objects | × line copy | peak MiB |")
    print("|---|---:|---:|---:|---:|---:|")
    for what, series in results.items():
        ratios = [
            statistics.median(a / b for a, b in zip(series.seconds, results[reference].seconds, strict=True))
            for reference in ("read_ndjson_objects", "line copy")
        ]
        print(
            f"| {what} | {statistics.median(series.seconds):.2f} | {min(series.seconds):.2f} | {ratios[0]:.1f} | {ratios[1]:.1f}"
            f" | {max(series.peaks)} |"
        )


if __name__ == "__main__":
    main()
