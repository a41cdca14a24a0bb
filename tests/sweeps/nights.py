"""Nights of a corpus that is worked on: edits, new faults, repairs, faults that come back. Seeded, so that a failure repeats."""

from __future__ import annotations

import json
import random
from typing import Any

STATUSES = ("done", "Done", "completed", "superseded", "duplicate", "in_progress", "no idea", None)
KEYS = (
    "supersedes",
    "parent",
    "blocks",
    "duplicate_of",
    "derived_from",
    "related",
    "superseded_by",
    "subissues",
    "commissioned_by",
)


class Corpus:
    """The lines of an export, and how they change over night."""

    def __init__(self, lines: list[str], seed: int) -> None:
        self.lines = list(lines)
        self.first = list(lines)
        self.random = random.Random(seed)
        self.newest = max(record["id"] for record in self.records().values() if isinstance(record["id"], int))

    def records(self) -> dict[int, dict[str, Any]]:
        """The records with an integer id and an object as metadata, by their place."""
        found = {}
        for place, line in enumerate(self.lines):
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if (
                isinstance(record, dict)
                and isinstance(record.get("id"), int)
                and isinstance(record.get("metadata"), dict)
            ):
                found[place] = record
        return found

    def night(self, changes: int) -> None:
        """So many changes of any kind."""
        for _ in range(changes):
            self.random.choice(
                (
                    self.edit,
                    self.edit,
                    self.link,
                    self.link,
                    self.add,
                    self.remove,
                    self.repair,
                    self.repair,
                    self.spoil,
                    self.move,
                )
            )()

    def _pick(self) -> tuple[int, dict[str, Any]]:
        records = self.records()
        place = self.random.choice(sorted(records))
        return place, records[place]

    def _some_id(self) -> int:
        return int(self._pick()[1]["id"]) if self.random.random() < 0.9 else self.newest + 1000

    def edit(self) -> None:
        """A field of a record."""
        place, record = self._pick()
        metadata = record["metadata"]
        match self.random.randrange(7):
            case 0:
                metadata["status"] = self.random.choice(STATUSES)
            case 1:
                metadata.pop("project", None)
            case 2:
                metadata["project"] = self.random.choice(("harbor-api", "harbor-web"))
            case 3:
                record["thread_id"] = self._pick()[1].get("thread_id")
            case 4:
                record["text_content"] = self._pick()[1].get("text_content")
            case 5:
                metadata["kind"] = self.random.choice(("report", "Report", "issue", "comment", "plan", "user_message"))
            case _:
                metadata["schema_version"] = self.random.choice((1, "1", 2, None))
        self.lines[place] = json.dumps(record)

    def link(self) -> None:
        """A link from one record to another, which may not be there, in one spelling or another."""
        place, record = self._pick()
        target: Any = self._some_id()
        target = self.random.choice((target, target, target, str(target), f"#{target}", {"id": target}))
        links = record["metadata"].get("links")
        links = links if isinstance(links, dict) else {}
        key = self.random.choice(KEYS)
        if self.random.random() < 0.3:
            links.pop(key, None)
        else:
            links[key] = [*(links[key] if isinstance(links.get(key), list) else []), target]
        record["metadata"]["links"] = links
        self.lines[place] = json.dumps(record)

    def add(self) -> None:
        """A copy of a record under a new id."""
        _, record = self._pick()
        self.newest += 1
        self.lines.insert(self.random.randrange(len(self.lines) + 1), json.dumps({**record, "id": self.newest}))

    def remove(self) -> None:
        """A line."""
        del self.lines[self.random.randrange(len(self.lines))]

    def repair(self) -> None:
        """A line as it first was, where it is another now: a fault goes, or comes again."""
        place = self.random.randrange(min(len(self.first), len(self.lines)))
        self.lines[place] = self.first[place]

    def spoil(self) -> None:
        """A line that is none, or stands twice."""
        place = self.random.randrange(len(self.lines))
        line = self.lines[place]
        self.lines.insert(place, line[: len(line) // 2] if self.random.random() < 0.5 else line)

    def move(self) -> None:
        """A line to another place."""
        self.lines.insert(
            self.random.randrange(len(self.lines)), self.lines.pop(self.random.randrange(len(self.lines)))
        )
