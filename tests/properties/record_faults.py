"""Faults of records: each changes one record at random, as a writer, a script or a merge once did."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from json_texts import Doubled, Raw
from record_templates import HOSTILE, SHA, Record, World

ENTRY_KEYS = (
    "parent",
    "blocks",
    "duplicate_of",
    "related",
    "derived_from",
    "evidence",
    "commissioned_by",
    "supersedes",
)
PASSIVE = ("blocked_by", "subissues", "duplicates", "superseded_by")
OTHER_KEYS = ("urls", "git_commits", "github_prs", "github_issues", "jira_issues", "context_entrys", "x", "kata_issues")
SPELLED_KEYS = ("derivedFrom", "derived-from", "Derived_From", "SUPERSEDES", "Blocks", "blocked-by", "duplicateOf", "gitCommits", "URLs", "Parent")  # fmt: skip

STATUSES = (
    "done", "Done", " DONE ", "pending", "superseded", "Superseded", "in-progress", "In  Progress", "active", "wip", "completed", "finished",
    "todo", "triage", "canceled", "cancelled", "duplicate", "open", "resolved for us", "moot", "archived", "", "PENDİNG", HOSTILE, None, 7, True, ["done"],
)  # fmt: skip
JUNK = (
    None, True, False, 0, 1, 7, -7, Raw("1.0"), Raw("-0"), Raw("-0.0"), Raw("1E2"), Raw("1e400"), Raw("2.50"), 10**30, Raw("0.30000000000000004"),
    "", " ", "x", "7", "1", "true", "null", HOSTILE, "x" * 300, [], {}, [None], [""], ["a", "a"], ["A ", "b;c"], [1], [[]], {"a": None}, {"a": {"b": [1]}},
    {"references": {"context_ids": [1]}}, "a, b", "a\nb", Raw('"\\ud83d"'), Raw('"\\u0000"'), "2026-08-01", "2026/08/01", "2026-02-30", "NaN",
)  # fmt: skip
FIELDS: dict[str, tuple[Any, ...]] = {
    "status": STATUSES,
    "filing": ("filed", "Filed", "not filed", "tracked", "not_applicable", "", None, 1),
    "schema_version": ("1", Raw("1.0"), Raw("10e-1"), Raw("1e0"), 1, True, None, "v1", Raw("1.5"), "2", 2),
    "kind": (
        "report",
        "Report",
        "User Message",
        "user-message",
        "upstream issue",
        "issue",
        "comment",
        "decision",
        "",
        None,
        1,
        " note ",
    ),
    "project": (None, "", "Alpha", "alpha-", "al pha", "beta", "<project>", 1),
    "source_project": (None, "beta", 1),
    "agent_name": (None, "", "Main-Agent", "main agent", "[your agent name]", "...", 1),
    "agent_type": ("planner", None, 1),
    "report_type": (
        "Audit",
        "adversarial_review",
        "Review Verdict",
        " synthesis ",
        "progress",
        "Status-Report",
        "research | implementation",
        "other",
        None,
        1,
        [],
    ),
    "priority": ("2", Raw("2.0"), "high", "None", "URGENT ", 5, -1, 8, Raw("2.5"), None, True, [1], " 2", "02"),
    "estimate": ("3", Raw("3.0"), "03", "-3", Raw("3e0"), 3, None, True, "x"),
    "technologies": (
        "python",
        "Python, Rust",
        "",
        ["Python", "python "],
        ["a", 1],
        [None],
        [],
        None,
        "İ",
        ["İ"],
        [HOSTILE],
    ),
    "recheck_on": ("uv", "UV ", ["UV", "uv"], "a;b", 1),
    "affected_projects": ("alpha", ["Alpha", "Alpha"], "a\nb", [1], None),
    "upstream_repo": ("Acme/Tool", " acme/tool ", 1, None, "acme"),
    "upstream_ref": ("Acme/Tool#1", "acme/tool#x", "acme/tool/1", " acme/tool#1", 1, None),
    "is_linked_worktree": ("true", "FALSE", " true", 0, 1, True, 2, None, "yes"),
    "due_date": ("2026/08/01", "2026-08-01", "2026-02-30", "2026/2/3", "2026-08-01T00:00:00", 20260801, None),
    "last_verified": ("2026/08/01", "2026-13-01", 1, None),
    "completed_at": ("2026-08-01T10:00:00Z", "2026-08-01 10:00", "2026-08-01", "yesterday", 1754000000, None),
    "title": (None, "", "Other", "[title]", 1),
    "labels": ("a", ["Report", "b "], [], [1], 7, {}, None, ["issue"]),
    "tags": ("a", ["A", "a"], [], None, 7),
    "completed": (True, "true"),
    "task_name": ("<task>", 1, None, "other"),
    "used_references": ([1], None),
    "superseded_by": (101, [101]),
    "links": (None, {}, [], "x", 7, {"x": None}),
    "references": (None, {}, [], "20, 21", 7, True, [[]]),
    "note_of_mine": JUNK,
    "k/e~y \u202e": JUNK,
}
TAGS = (
    None, [], ["Report", "report"], [" a ", "a", ""], "report", ["report", 1], [None], ["İ", "I\u0307"], ["ſ", "S", "K"], ["plan", "report"],
    ["comment", "x"], [HOSTILE], {}, 7, [["a"]], ["\u00a0x\u00a0"], ["a", "A", "a "], ["issue"], Raw('[ "a" , "B" ]'), ["\u2028"],
)  # fmt: skip


def token(world: World, rng: Random) -> Any:
    """An id in any spelling, or what was taken for one."""
    place = rng.randrange(len(world.ids) + 3)
    own = world.ids[place] if place < len(world.ids) else ("f" * 31 + "e" if world.uuid else 999_999)
    if rng.random() < 0.4:
        return own
    digits = str(own)
    number = Raw(f"{own}.0") if isinstance(own, int) else 7
    hyphened = f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
    return rng.choice((
        digits, number, Raw(f"{own}e0") if isinstance(own, int) else digits.upper(), {"id": own}, {"id": digits}, {"id": own, "x": 1}, {"id": "x"}, {"id": [own]},
        hyphened, hyphened.upper(), f" {digits} ", digits[:8], digits[:24], digits[:-1], "007", Raw("1e2"), Raw("1.02E2"), "1e3", "", True, None, [own], Raw("7.5"),
        -7, 0, Raw("-0"), Raw("0.0"), Raw("1e-2"), "words", "٧", "7_0", "+7", 9007199254740993, Raw("9007199254740993.0"), 10**40, Raw("1e400"), Raw("1e99999999"),
        HOSTILE, Raw('"\\u0037"'), Raw('"\\ud800"'), "0198C0FFEE0000007A7B3C8D00000001", 7, "7", {}, {"ID": own},
    ))  # fmt: skip


def tokens(world: World, rng: Random) -> Any:
    """What stands where an array of ids should."""
    if rng.random() < 0.1:
        return rng.choice((None, [], {}, "", "101, 102", "101 102", "x", True))
    if rng.random() < 0.2:
        return token(world, rng)
    found = [token(world, rng) for _ in range(rng.choice((1, 1, 2, 3, 5)))]
    return found + found[:1] if rng.random() < 0.3 else found


def _metadata(record: Record) -> dict[str, Any] | None:
    found = record.get("metadata")
    return found if isinstance(found, dict) else None


def _place_in(record: Record, world: World, rng: Random, member: str, key: str, value: Any) -> None:
    metadata = _metadata(record)
    if metadata is None:
        record["metadata"] = metadata = {}
    inner = metadata.get(member)
    metadata[member] = {**inner, key: value} if isinstance(inner, dict) else {key: value}


def field(record: Record, world: World, rng: Random) -> None:
    """A field has another value, or is gone."""
    metadata = _metadata(record)
    if metadata is None:
        record["metadata"] = metadata = {}
    name = rng.choice(tuple(FIELDS))
    if rng.random() < 0.15:
        metadata.pop(name, None)
    else:
        metadata[name] = rng.choice(FIELDS[name] if rng.random() < 0.8 else JUNK)


def status(record: Record, world: World, rng: Random) -> None:
    """Another word for the status."""
    metadata = _metadata(record)
    if metadata is not None:
        metadata["status"] = rng.choice(STATUSES)


def gone(record: Record, world: World, rng: Random) -> None:
    """A field is missing."""
    metadata = _metadata(record)
    if metadata:
        del metadata[rng.choice(sorted(metadata))]


def link(record: Record, world: World, rng: Random) -> None:
    """A link key with ids in any shape."""
    key = rng.choice(ENTRY_KEYS + PASSIVE + ENTRY_KEYS + SPELLED_KEYS)
    _place_in(record, world, rng, "links", key, tokens(world, rng))


def edge(record: Record, world: World, rng: Random) -> None:
    """A well-formed edge, whatever it closes."""
    key = rng.choice(("supersedes", "supersedes", "parent", "blocks", "duplicate_of", "commissioned_by", *PASSIVE))
    _place_in(record, world, rng, "links", key, [world.ref(rng.randrange(99)) for _ in range(rng.choice((1, 1, 2)))])


def pointer(record: Record, world: World, rng: Random) -> None:
    """A link key with addresses, commits or anything."""
    values = ("https://example.org", "HTTPS://Example.org/A", "example.org", SHA.upper(), SHA, SHA * 2, "abc1234", "a" * 64, "", 7, None, {}, "mailto:x", SHA)  # fmt: skip
    value: Any = [rng.choice(values) for _ in range(rng.randrange(4))] if rng.random() < 0.7 else rng.choice(values)
    _place_in(record, world, rng, rng.choice(("links", "links", "references")), rng.choice(OTHER_KEYS), value)


def reference(record: Record, world: World, rng: Random) -> None:
    """Legacy references of any shape."""
    if rng.random() < 0.2:
        metadata = _metadata(record)
        if metadata is not None:
            metadata["references"] = tokens(world, rng)
        return
    key = rng.choice(("context_ids", "context_ids", "context_ids", "files", "ids", "youtrack", *ENTRY_KEYS[:2]))
    _place_in(record, world, rng, "references", key, tokens(world, rng))


def tags(record: Record, world: World, rng: Random) -> None:
    """Other tags, or none."""
    if rng.random() < 0.2:
        record.pop("tags", None)
    else:
        record["tags"] = rng.choice(TAGS)


def member(record: Record, world: World, rng: Random) -> None:
    """Another member of the record, or one less."""
    name, values = rng.choice((
        ("source", ("agent", "user", "Agent", None, 7)), ("thread_id", ("issues", "upstream-issues", "t", None, 7, HOSTILE)),
        ("text_content", ("# H1 #\nx", "##  Two", "#", "Re issue 101: x", "Re 101", "", None, 7, HOSTILE, "# Fix 3")),
        ("created_at", ("2026-01-01T00:00:00Z", 1754000000, Raw("1754000000.5"), "soon", None, "2030-01-01 00:00:00+02:00", True, Raw("1e30"))),
        ("updated_at", ("x", None, 1754000000, Raw("-1e40"))), ("is_text_content_truncated", (True, False, "true")), ("version", (3, None, "3", Raw("1.50"))),
        ("other", JUNK), ("summary", JUNK),
    ))  # fmt: skip
    if rng.random() < 0.15:
        record.pop(name, None)
    else:
        record[name] = rng.choice(values)


def identity(record: Record, world: World, rng: Random) -> None:
    """The record's own id is another, another's, or none."""
    own = world.ref(rng.randrange(99))
    text = str(own)
    other = (
        f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}".upper() if world.uuid else Raw(f"{own}.0")
    )
    record["id"] = rng.choice(
        (own, other, text, None, True, -1, 0, 7, "0198c0ffee0000007a7b3c8d000000ff", Raw("1e2"), "", [own])
    )
    if rng.random() < 0.2:
        del record["id"]
        if rng.random() < 0.5:
            record["context_id"] = own


def renamed(record: Record, world: World, rng: Random) -> None:
    """The names of the server's answers."""
    if "id" in record:
        record["context_id"] = record.pop("id")
    if "text_content" in record:
        record["text"] = record.pop("text_content")


def doubled(record: Record, world: World, rng: Random) -> None:
    """A member stands twice in metadata or deeper; the record is held."""
    metadata = _metadata(record)
    if metadata:
        pairs = tuple(metadata.items())
        record["metadata"] = Doubled((*pairs, pairs[rng.randrange(len(pairs))])) if rng.random() < 0.5 else {**metadata, "deep": [Doubled((("a", 1), ("a", 1)))]}  # fmt: skip


def no_object(record: Record, world: World, rng: Random) -> None:
    """Metadata that is no object."""
    record["metadata"] = rng.choice(JUNK)


def as_text(record: Record, world: World, rng: Random) -> None:
    """Metadata as a string that holds it, marked for the writer."""
    record["metadata_as_text"] = rng.choice((1, 1, 1, 2))


FAULTS: tuple[Callable[[Record, World, Random], None], ...] = (
    field, field, field, status, link, link, edge, edge, pointer, reference, reference, tags, member, gone, renamed, identity, doubled, no_object, as_text,
)  # fmt: skip
