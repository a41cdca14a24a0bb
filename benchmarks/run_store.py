"""Measure the tool over a store: export, plan, apply and undo, beside Python's own read of the same columns and the plan of the export.

    python benchmarks/run_store.py sqlite:///corpus.db [--memory-limit 1GB] [--unsafe-fixes]
    python benchmarks/run_store.py postgresql://user@host/database

The store is changed and changed back, so give it one that ``generate_store.py`` made; of an SQLite file a copy is used. One round.
What counts: the plan of the store against the plan of its export, the difference as a ratio to the plain read; changes a second.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from run import measured

_COLUMNS = "id, thread_id, source, content_type, text_content, metadata, summary, content_hash, created_at, updated_at"

READ_SQLITE = f"""
import sqlite3, sys, time
connection = sqlite3.connect(f"file:{{sys.argv[1]}}?mode=ro", uri=True)
start = time.perf_counter()
for query in ("SELECT {_COLUMNS} FROM context_entries ORDER BY id", "SELECT context_entry_id, tag FROM tags ORDER BY context_entry_id, id"):
    cursor = connection.execute(query)
    while cursor.fetchmany(1000):
        pass
print(time.perf_counter() - start)
"""

READ_POSTGRES = f"""
import psycopg, sys, time
with psycopg.connect(sys.argv[1]) as connection:
    start = time.perf_counter()
    for query in ("SELECT {_COLUMNS} FROM context_entries ORDER BY id", "SELECT context_entry_id, tag FROM tags ORDER BY context_entry_id, id"):
        with connection.cursor("rows") as cursor:
            cursor.itersize = 1000
            for row in cursor.execute(query):
                pass
    print(time.perf_counter() - start)
"""


def main() -> None:
    """Run each step once and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store")
    parser.add_argument("--memory-limit", default="1GB")
    parser.add_argument("--unsafe-fixes", action="store_true")
    parser.add_argument("--folder", type=Path, help="Where the copies go; as large as the store thrice.")
    options = parser.parse_args()
    tool = [sys.executable, "-m", "migrate"]
    with tempfile.TemporaryDirectory(prefix="corpus-migrate-benchmark-", dir=options.folder) as name:
        folder = Path(name)
        store, code, place = options.store, READ_POSTGRES, options.store
        if store.startswith("sqlite:///"):
            place = str(folder / "store.db")
            shutil.copyfile(store.removeprefix("sqlite:///"), place)
            store, code = f"sqlite:///{place}", READ_SQLITE
        limits = ["-q", "--memory-limit", options.memory_limit, "--workspace", str(folder / "workspace")]
        flags = ["--unsafe-fixes"] if options.unsafe_fixes else []
        export, plan = folder / "export.jsonl", folder / "store.plan"
        steps = {
            "plain read": [sys.executable, "-c", code, place],
            "export": [*tool, "export", store, "-o", str(export), "-q"],
            "plan of the export": [*tool, "plan", str(export), "-o", str(folder / "export.plan"), *flags, *limits],
            "plan": [*tool, "plan", store, "-o", str(plan), *flags, *limits],
            "apply": [*tool, "apply", str(plan), "--yes", *limits],
        }
        seconds: dict[str, float] = {}
        print("| what | s | × plain read | changes a second | peak MiB |\n|---|---:|---:|---:|---:|", flush=True)
        patches = 0
        for what, command in steps.items():
            seconds[what], peak = measured(command, told=what == "plain read")
            if what == "plan":
                patches = sum(1 for _ in plan.open("rb")) - 1
            report(what, seconds, peak, patches if what == "apply" else 0)
        (run,) = (folder / "workspace").glob("*/runs/2*")
        seconds["undo"], peak = measured([*tool, "undo", run.name, "--yes", *limits], told=False)
        report("undo", seconds, peak, patches)
    more = (seconds["plan"] - seconds["plan of the export"]) / seconds["plain read"]
    print(
        f"\nThe plan of the store takes {more:.1f} times the plain read more than the plan of its export; {patches:,} patches."
    )


def report(what: str, seconds: dict[str, float], peak: int, patches: int) -> None:
    """One line of the table."""
    rate = f"{patches / seconds[what]:,.0f}" if patches else ""
    print(
        f"| {what} | {seconds[what]:.2f} | {seconds[what] / seconds['plain read']:.1f} | {rate} | {peak} |", flush=True
    )


if __name__ == "__main__":
    main()
