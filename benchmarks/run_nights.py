"""Measure nightly sweeps of an SQLite store: a full check, and nights with few changes checked by ``--since-last``.

    python benchmarks/run_nights.py sqlite:///corpus.db [--share 0.001] [--nights 3]

A copy of the store is changed, so give it one that ``generate_store.py`` made. What counts: a night in times of the full check of the
same night. The last night's findings of both are compared.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sqlite3
import statistics
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from run import measured

_STATUSES = ("done", "Done", "superseded", "in_progress")


def change(path: Path, share: float, seed: int) -> int:
    """Other statuses for a share of the entries, as the server would write them; their number."""
    chosen = random.Random(seed)
    with closing(sqlite3.connect(path)) as base, base:
        (last,) = base.execute("SELECT max(id) FROM context_entries").fetchone()
        number = 0
        for own in chosen.sample(range(1, last + 1), int(last * share)):
            number += base.execute(
                "UPDATE context_entries SET metadata = json_set(metadata, '$.status', ?), updated_at = CURRENT_TIMESTAMP"
                " WHERE id = ? AND json_type(metadata) = 'object'",
                [chosen.choice(_STATUSES), own],
            ).rowcount
    return number


def main() -> None:
    """Run every night once and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store")
    parser.add_argument("--share", type=float, default=0.001)
    parser.add_argument("--nights", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="Where the copy goes; as large as the store twice.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="corpus-migrate-benchmark-", dir=options.folder) as name:
        folder = Path(name)
        path = folder / "store.db"
        shutil.copyfile(options.store.removeprefix("sqlite:///"), path)

        def check(workspace: str, *flags: str) -> tuple[float, int]:
            tool = [sys.executable, "-m", "migrate", "check", f"sqlite:///{path}", "--fail-on", "never"]
            return measured([*tool, "--workspace", str(folder / workspace), *flags], told=False)

        print(
            "| night | changed | full check, s | since last, s | ratio | peak MiB, full | since last |\n|---|---:|---:|---:|---:|---:|---:|"
        )
        ratios = []
        for night in range(options.nights + 1):
            changed = change(path, options.share, night) if night else 0
            whole, most = check("whole", "-q")
            part, less = check("part", "-q", "--since-last")
            ratios += [part / whole] if night else []
            print(
                f"| {night or 'first'} | {changed:,} | {whole:.2f} | {part:.2f} | {part / whole:.3f} | {most} | {less} |",
                flush=True,
            )
        found = []
        for workspace, flags in (("whole", ()), ("part", ("--since-last",))):
            check(workspace, "--format", "jsonl", "-o", str(folder / workspace / "found.jsonl"), *flags)
            found.append([json.loads(line)["fingerprint"] for line in (folder / workspace / "found.jsonl").open("rb")])
        print(
            f"\nA night takes {statistics.median(ratios):.3f} of a full check; the findings are {'the same' if found[0] == found[1] else 'NOT THE SAME'}."
        )


if __name__ == "__main__":
    main()
