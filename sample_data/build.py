"""Writes the sample corpora beside this file: ``python sample_data/build.py [--out DIR]``, always the same bytes."""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path

from harbor.book import Book
from harbor.clean import clean_entries
from harbor.encode import line_of
from harbor.faults_fields import break_fields
from harbor.faults_graph import break_graph
from harbor.faults_input import FILE_FAULTS, break_records, lines_of
from harbor.faults_links import break_links
from harbor.ids import integer_ids
from harbor.kata_export import kata_files
from harbor.model import Fault
from harbor.readme import readme
from harbor.twin import TWIN_FAULTS, hex_ids, twin_lines

SEED = 20261001
"""Of the minutes between records, the gaps between ids and the random part of UUIDs."""


def files() -> dict[str, bytes]:
    """Every file of the sample by its path relative to this folder."""
    book = Book(SEED)
    clean = book.copy(clean_entries(book.in_order()))
    for step in (break_fields, break_links, break_graph, break_records):
        step(book)
    entries = book.in_order()
    ids = integer_ids(entries, random.Random(SEED + 1))
    hexes = hex_ids(entries, random.Random(SEED + 2))
    lines = lines_of(book, ids)
    twins = twin_lines(entries, ids, hexes)
    cleans = [line_of(entry, ids) for entry in clean]
    id_map = {str(ids[entry.key]): hexes[entry.key] for entry in entries if entry.key != "x-imported"}
    names = {entry.key: json.dumps(entry.top.get("id", ids[entry.key])) for entry in entries}
    names |= {key: f"line {number}" for number, (key, _) in enumerate(lines, 1) if key.startswith("#")}
    twin_names = {key: f"`{value}`" for key, value in hexes.items()}
    counts = {
        "lines": sum(1 for _, line in lines if line),
        "records": len(entries),
        "twins": len(twins),
        "clean": len(cleans),
    }
    faults = [*book.faults, *(Fault(key, tuple(codes.split()), what) for key, codes, what in FILE_FAULTS)]
    return {
        "README.md": readme(faults, TWIN_FAULTS, names, twin_names, counts).encode(),
        "context_server/entries.jsonl": _joined([line for _, line in lines]),
        "context_server/entries_uuid.jsonl": _joined(twins),
        "context_server/clean.jsonl": _joined(cleans),
        "context_server/id_map.json": (json.dumps(id_map, indent=1) + "\n").encode(),
        **kata_files(),
    }


def _joined(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def main(arguments: list[str] | None = None) -> int:
    """Write all files into ``--out`` (this folder by default)."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="folder to write into")
    out: Path = parser.parse_args(arguments).out
    for name, content in files().items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
