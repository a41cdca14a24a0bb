"""From works to entries: when each record was stored, in which thread, and what it builds upon."""

from __future__ import annotations

import hashlib
import random
import uuid
from datetime import datetime, timedelta

from harbor import story_august, story_first_half, story_season, story_september
from harbor.eras import SKILL_SINCE, V1_SINCE, commit_of, legacy_meta, prompt_meta, v1_meta
from harbor.model import Entry, Ref, Work
from harbor.texts import CHUNKS, text_of

WORKS = (*story_first_half.WORKS, *story_season.WORKS, *story_august.WORKS, *story_september.WORKS)

_MINUTES = {
    "research": (18, 70),
    "plan": (20, 60),
    "plan2": (30, 90),
    "checkpoint": (90, 240),
    "report": (120, 1500),
    "review": (60, 900),
    "handoff": (5, 40),
    "note": (2, 15),
}
_SOURCES = {
    "research": (),
    "plan": ("research",),
    "plan2": ("research", "checkpoint"),
    "checkpoint": ("plan",),
    "report": ("plan2", "plan", "research"),
    "review": ("report",),
    "handoff": ("report", "review"),
    "note": ("report",),
}
_SUMMARISED = {"report", "handoff"}


def _sources(make: str, work: Work, prompt: str) -> list[Ref]:
    earlier = work.makes[: work.makes.index(make)]
    found = [name for name in _SOURCES[make] if name in earlier]
    if make == "report":
        found = found[:1]
    sources = [Ref(f"{work.key}/{name}") for name in found]
    # About a third of the old sessions listed the prompt among their sources; there was no other place for it.
    if work.start < "2026-08" and make in {"plan", "report"} and len(work.title) % 3 == 0:
        sources.insert(0, Ref(prompt))
    return sources


def _prompts(work: Work, at: datetime, thread: str) -> list[Entry]:
    if "chunks" not in work.makes:
        return [Entry(f"{work.key}/ask", at, thread, "user", work.ask, prompt_meta(work, at), [])]
    parts = []
    for number, text in enumerate(CHUNKS, 1):
        meta = {"chunk": number, "total_chunks": len(CHUNKS), "chunk_size": len(text), "is_chunked": True}
        parts.append(Entry(f"{work.key}/chunk{number}", at, thread, "user", text, meta, []))
    return parts


def entries_of(work: Work, turn: int, rng: random.Random) -> list[Entry]:
    """All records of one work, fine for their era."""
    at = datetime.fromisoformat(work.start) + timedelta(seconds=rng.randrange(60))
    session = str(uuid.UUID(int=rng.getrandbits(128), version=4))
    thread = session if at < SKILL_SINCE else work.project
    entries = _prompts(work, at, thread)
    prompt = entries[0].key
    commit = commit_of(hashlib.sha1(work.key.encode(), usedforsecurity=False).hexdigest())
    for offset, make in enumerate(work.makes):
        if make in {"ask", "chunks"}:
            continue
        at += timedelta(minutes=rng.randint(*_MINUTES[make]), seconds=rng.randrange(60))
        sources = _sources(make, work, prompt)
        if at < V1_SINCE:
            meta, tags = legacy_meta(make, work, at, sources, commit)
        else:
            meta, tags = v1_meta(make, work, Ref(prompt), sources, commit)
        way = "first-report" if make == "report" and work.start < "2026" else make
        entry = Entry(f"{work.key}/{make}", at, thread, "agent", text_of(way, work, turn + offset), meta, tags)
        if make in _SUMMARISED and work.start > "2026-02":
            entry.summary = f"{work.title}. {work.check.split('. ')[0].rstrip('.')}."
        entries.append(entry)
    if "plan2" in work.makes:
        by_key = {entry.key: entry for entry in entries}
        by_key[f"{work.key}/plan"].updated = by_key[f"{work.key}/plan2"].at + timedelta(seconds=4)
    return entries


def base_entries(rng: random.Random) -> list[Entry]:
    """The records of every work."""
    entries = []
    for turn, work in enumerate(WORKS):
        entries.extend(entries_of(work, turn, rng))
    return entries
