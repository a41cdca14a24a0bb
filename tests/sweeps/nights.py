"""Nights of a corpus that is worked on: edits, new faults, repairs, faults that come back. Seeded, so that a failure repeats."""

from __future__ import annotations

import json
import random
import sqlite3
from pathlib import Path
from typing import Any, Self

from databases import make_sqlite, rows_of

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


class Store:
    """The entries of an SQLite store, and how they change over night: with the time of change moved, but for tags."""

    def __init__(self, path: Path, layout: str, sample: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self._uuid = layout == "3.x"
        make_sqlite(path, layout, rows_of(sample, layout))
        self._base = sqlite3.connect(path, isolation_level=None)
        self._first = dict(self._base.execute("SELECT id, metadata FROM context_entries").fetchall())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._base.close()

    def night(self, changes: int) -> None:
        """So many changes of any kind."""
        ways = (self.field, self.field, self.link, self.link, self.text, self.tags, self.add, self.remove, self.repair)
        for _ in range(changes):
            self.random.choice(ways)()

    def _pick(self) -> Any:
        return self.random.choice(self._base.execute("SELECT id FROM context_entries ORDER BY id").fetchall())[0]

    def _set(self, own: Any, column: str, value: Any) -> None:
        self._base.execute(
            f"UPDATE context_entries SET {column} = ?, updated_at = CURRENT_TIMESTAMP WHERE id = ?", [value, own]
        )

    def _metadata(self, own: Any) -> dict[str, Any]:
        (text,) = self._base.execute("SELECT metadata FROM context_entries WHERE id = ?", [own]).fetchone()
        try:
            found = json.loads(text)
        except (TypeError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def field(self) -> None:
        """A field of an entry's metadata."""
        own = self._pick()
        metadata = self._metadata(own)
        name, values = self.random.choice(
            (("status", STATUSES), ("project", ("harbor-api", "harbor-web", None)), ("kind", ("report", "Report", "issue", "user_message")),
             ("schema_version", (1, "1", 2, None)))
        )  # fmt: skip
        self._set(own, "metadata", json.dumps({**metadata, name: self.random.choice(values)}))

    def link(self) -> None:
        """A link to another entry, in one spelling or another, which may be an abbreviation."""
        own, target = self._pick(), self._pick()
        metadata = self._metadata(own)
        links = metadata.get("links")
        links = dict(links) if isinstance(links, dict) else {}
        spelled = (
            (target, target, target[:12], target[:8]) if self._uuid else (target, target, str(target), {"id": target})
        )
        links[self.random.choice(KEYS)] = [self.random.choice(spelled)]
        self._set(own, "metadata", json.dumps({**metadata, "links": links}))

    def text(self) -> None:
        """The text or the thread of another entry."""
        column = self.random.choice(("text_content", "thread_id"))
        (value,) = self._base.execute(f"SELECT {column} FROM context_entries WHERE id = ?", [self._pick()]).fetchone()
        self._set(self._pick(), column, value)

    def tags(self) -> None:
        """Other tags, as the server writes them: all of them anew, or none; no time tells of it."""
        own = self._pick()
        found = self._base.execute("SELECT tag FROM tags WHERE context_entry_id = ?", [own]).fetchall()
        self._base.execute("DELETE FROM tags WHERE context_entry_id = ?", [own])
        tags = self.random.choice(([], ["Nightly "], sorted({tag.upper() for (tag,) in found})))
        self._base.executemany("INSERT INTO tags (context_entry_id, tag) VALUES (?, ?)", [(own, tag) for tag in tags])

    def add(self) -> None:
        """A copy of an entry under a new id."""
        new = f"{self.random.getrandbits(128):032x}" if self._uuid else None
        columns = "thread_id, source, content_type, text_content, metadata, created_at"
        self._base.execute(
            f"INSERT INTO context_entries (id, {columns}, updated_at)"
            f" SELECT ?, {columns}, CURRENT_TIMESTAMP FROM context_entries WHERE id = ?",
            [new, self._pick()],
        )

    def remove(self) -> None:
        """An entry and its tags."""
        own = self._pick()
        self._base.execute("DELETE FROM tags WHERE context_entry_id = ?", [own])
        self._base.execute("DELETE FROM context_entries WHERE id = ?", [own])

    def repair(self) -> None:
        """Metadata as it first was: a fault goes, or comes again."""
        own = self._pick()
        if own in self._first:
            self._set(own, "metadata", self._first[own])
