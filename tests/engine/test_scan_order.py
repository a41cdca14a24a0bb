"""Row numbers are line numbers: the scan keeps the order of the file, on however many threads it reads."""

from __future__ import annotations

import random
from pathlib import Path

from migrate.corpora.files import open_files
from migrate.systems.context_server import ContextServer
from migrate.types import Limits, Options

LINES = 60_000


def lines() -> tuple[list[str], list[int | None]]:
    """The file's lines, and the id of each one that is not blank; None for a broken one."""
    dice = random.Random(7)
    made: list[str] = []
    ids: list[int | None] = []
    for own in range(1, LINES + 1):
        drawn = dice.random()
        if drawn < 0.02:
            made.append(dice.choice(["", "  ", "\t"]))
            continue
        # Lengths from a hundred bytes to four thousand, so that the pieces threads take end at no regular place.
        text = "x" * (dice.randrange(4_000) if drawn > 0.97 else dice.randrange(120))
        line = f'{{"id":{own},"source":"agent","text_content":"{text}","metadata":{{"status":"done"}},"tags":[]}}'
        broken = drawn < 0.025
        made.append(dice.choice([line[:-1], line + line, "null", "[1]", line.replace(":", ";", 1)]) if broken else line)
        ids.append(None if broken else own)
    return made, ids


def test_the_ordinal_of_an_item_is_its_place_among_the_lines(tmp_path: Path) -> None:
    made, ids = lines()
    file = tmp_path / "entries.jsonl"
    file.write_text("\n".join(made) + "\n")
    assert ids.count(None) > 100
    assert len(made) - len(ids) > 500
    options = Options(limits=Limits(memory="500MB", threads=2), select=("CS001",))
    with ContextServer(open_files(str(file)), options) as examination:
        rows = examination.database.rows("SELECT ordinal, id_json, broken IS NOT NULL FROM items ORDER BY ordinal")
        findings = [(each.line, each.code) for each in examination.findings()]
    assert [ordinal for ordinal, _, _ in rows] == list(range(len(ids)))
    wrong = [
        (ordinal, found, own)
        for (ordinal, found, broken), own in zip(rows, ids, strict=True)
        if broken != (own is None) or (own is not None and found != str(own))
    ]
    assert wrong[:5] == []
    places = [number for number, line in enumerate(made, 1) if line.strip()]
    assert findings == [(place, "CS001") for place, own in zip(places, ids, strict=True) if own is None]
