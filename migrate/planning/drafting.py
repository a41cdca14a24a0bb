"""Edits of a record to one plan line: the patch, the hashes, the changes with their grounds, the books."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from migrate.engine.json_text import blank, members, unquote
from migrate.engine.strict import restored
from migrate.planning.canonical import record_hash
from migrate.planning.conservation import Books, books
from migrate.planning.errors import PlanError
from migrate.planning.merge_patch import Edit, Patch, apply_patch, make_patch
from migrate.planning.spelling import compact


@dataclass(frozen=True, slots=True)
class Wanted:
    """One edit as a rule wants it: the value is that of the path after all of them, None where the member goes."""

    path: str
    code: str
    level: str
    value: str | None
    wave: int


@dataclass(frozen=True, slots=True)
class Grounds:
    """What the rules know about a record beside its edits."""

    record: str
    """The id as JSON text, canonical."""
    evidence: Mapping[str, Mapping[str, str]]
    """Code to the path of each of its findings to JSON text."""
    requires: Sequence[tuple[str, str, str, str, str | None]]
    """Code, record id, path, what the path holds, and how the record spells it where only this run could tell; JSON texts."""
    unit: str | None
    part: str | None = None
    """The name of this line, where a record has several."""
    version: str | None = None
    """The version of the record as JSON text, where it is not the member of that name."""
    before: str = ""
    """More members of the line's ``before``, as JSON text with a comma before each."""
    target: str = ""
    """More members of the line, likewise."""
    ids: tuple[str, ...] = ("id", "context_id")
    """Names of the member that is the record's id."""


@dataclass(frozen=True, slots=True)
class Draft:
    """One record's plan line, and what the re-check and the books need of it."""

    line: str
    identity: str
    """Id, hash before and patch: what the plan's id is derived from."""
    before: str
    level: str
    patch: str
    """The patch as it stands in the line."""
    metadata: str | None
    tags: str | None
    books: Books
    ordinary: bool = False
    """Whether metadata and tags hold nothing that the engine could read as anything else."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What a record's text says of the parts that a patch may touch."""

    metadata: str | None
    tags: str | None
    version: str | None
    own_id: str | None


def stored(record: str, ids: Sequence[str] = ("id", "context_id")) -> Stored:
    """Metadata, tags and version of a record's text, each as it stands; ``ids`` are the names of its id, the first there counts."""
    found = {member.key: record[member.start : member.end] for member in members(record, blank(record, 0))}
    return Stored(
        found.get("metadata"),
        found.get("tags"),
        found.get("version"),
        next((found[name] for name in ids if name in found), None),
    )


def draft(record: str, wanted: Sequence[Wanted], grounds: Grounds, *, text_encoded: bool) -> Draft | None:
    """The plan line of a record whose text is given; None where the edits change nothing.

    Raises PlanError or JsonError for a record that the patcher cannot read as the rules did.
    """
    was = stored(record, grounds.ids)
    if grounds.record not in (was.own_id, (was.own_id or "").lower().replace("-", "")):
        raise PlanError(f"the record {grounds.record} is not where it was read before; check the corpus again")
    inner, decodes = was.metadata, False
    if inner is not None and inner[:1] == '"':
        inner, decodes = unquote(inner), not text_encoded
    here = Values(inner)
    edits, changes, changed = [], [], {}
    tags: str | None = None
    level = "safe"
    for path, group in by_place(wanted):
        if path == "":
            continue
        value = None if group[-1].value is None else compact(restored(group[-1].value))
        old = was.tags if path == "tags" else here.at(path)
        if old is not None:
            old = compact(old)
        if old == value:
            continue
        if path == "tags":
            tags = value
        else:
            edits.append(Edit(path, value))
        changed[path] = codes = tuple(dict.fromkeys(edit.code for edit in group))
        here_level = least_safe(group)
        level = "unsafe" if here_level == "unsafe" else level
        changes.append(change_text(path, old, value, here_level, codes, grounds.evidence))
    patch = make_patch(inner, edits, tags)
    after = apply_patch(inner, patch)
    if decodes:
        after = compact(after or "{}")
        patch = Patch(None, tags, {"": after})
        changed[""] = ("CS004",)
        changes.insert(0, change_text("", compact(was.metadata or "null"), after, "safe", ("CS004",), grounds.evidence))
    if patch.empty:
        return None
    after_tags = was.tags if tags is None else tags
    return written(
        wanted,
        grounds,
        Written(
            before=record_hash(was.metadata, was.tags),
            after=record_hash(after, after_tags),
            version=grounds.version or was.version or "null",
            level=level,
            changed=changed,
            changes=changes,
            patch=patch.text(),
            metadata=after,
            tags=after_tags,
            books=books(was.metadata if decodes else inner, after, changed, tags=(was.tags, after_tags)),
        ),
    )


@dataclass(frozen=True, slots=True)
class Written:
    """What a plan line is put together from; texts are JSON."""

    before: str
    after: str
    version: str
    level: str
    changed: Mapping[str, tuple[str, ...]]
    """Path of every change to its codes."""
    changes: Sequence[str]
    patch: str
    metadata: str | None
    """As planned."""
    tags: str | None
    books: Books
    ordinary: bool = False


def written(wanted: Sequence[Wanted], grounds: Grounds, what: Written) -> Draft:
    """The plan line."""
    made = {code for found in what.changed.values() for code in found}
    ordered = sorted(wanted, key=lambda edit: (edit.wave, edit.code))
    codes = tuple(dict.fromkeys(edit.code for edit in ordered if edit.code in made))
    requires = list(dict.fromkeys(
        f'{{"record":{record_id},"path":{json.dumps(path)},"holds":{holds}' + (f',"as":{spelled}}}' if spelled is not None else "}")
        for code, record_id, path, holds, spelled in grounds.requires
        if code in codes
    ))  # fmt: skip
    line = (
        f'{{"record":{grounds.record},"part":{json.dumps(grounds.part)},"unit":{grounds.unit or "null"},"level":"{what.level}","codes":{_json(codes)},'
        f'"before":{{"hash":"{what.before}","version":{what.version}{grounds.before}}},"after":{{"hash":"{what.after}"}},'
        f'"requires":[{",".join(requires)}],"patch":{what.patch},"changes":[{",".join(what.changes)}]{grounds.target}}}'
    )
    identity = f"{grounds.record}\t{what.before}\t{what.patch}"
    return Draft(
        line, identity, what.before, what.level, what.patch, what.metadata, what.tags, what.books, what.ordinary
    )


def by_place(wanted: Sequence[Wanted]) -> list[tuple[str, list[Wanted]]]:
    """The edits of each path, in the order of the plan line's changes."""
    by_path: dict[str, list[Wanted]] = {}
    for edit in wanted:
        by_path.setdefault(edit.path, []).append(edit)
    return (
        [(path, by_path[path]) for path in sorted(by_path, key=_place)] if len(by_path) > 1 else list(by_path.items())
    )


def least_safe(group: Sequence[Wanted]) -> str:
    """The level of a change that several edits make."""
    return "unsafe" if any(edit.level == "unsafe" for edit in group) else "safe"


_LINKS = (
    "parent",
    "blocks",
    "duplicate_of",
    "related",
    "derived_from",
    "evidence",
    "commissioned_by",
    "supersedes",
    "urls",
    "git_commits",
)


def _place(path: str) -> tuple[int, int, str]:
    """The order of a record's changes, and so of the members that are new: fields, links as the schema lists them, the mark of v1."""
    name = path.removeprefix("/links/")
    if name != path:
        return 1, _LINKS.index(name) if name in _LINKS else len(_LINKS), name
    if path in ("/schema_version", "/kind"):
        return 2, 0 if path == "/schema_version" else 1, path
    return (3, 0, path) if path == "tags" else (0, 0, path)


class Values:
    """The values in a JSON object's text by their pointers; each object on the way is read once."""

    def __init__(self, text: str | None) -> None:
        self._known: dict[str, str | None] = {"": text}
        self._read: set[str] = set()

    def at(self, path: str) -> str | None:
        """The text of the value at a pointer, None where there is none."""
        if path in self._known:
            return self._known[path]
        parent = path.rpartition("/")[0]
        text = self.at(parent)
        if text is not None and parent not in self._read:
            self._read.add(parent)
            start = blank(text, 0)
            if text[start : start + 1] == "{":
                for member in members(text, start):
                    name = member.key.replace("~", "~0").replace("/", "~1")
                    self._known.setdefault(f"{parent}/{name}", text[member.start : member.end])
        return self._known.get(path)


def value_at(metadata: str | None, path: str) -> str | None:
    """The text of the value at a pointer, None where there is none."""
    return Values(metadata).at(path)


def change_text(
    path: str,
    old: str | None,
    new: str | None,
    level: str,
    codes: Sequence[str],
    evidence: Mapping[str, Mapping[str, str]],
) -> str:
    """One entry of a plan line's ``changes``; ``old`` and ``new`` are JSON texts, None for no member."""
    parts = [f'"path":{_quoted(path)}']
    if old is not None:
        parts.append(f'"from":{old}')
    if new is not None:
        parts.append(f'"to":{new}')
    grounds = ",".join(f'"{code}":{_ground(evidence[code], path)}' for code in codes if code in evidence)
    parts += [f'"level":"{level}"', f'"codes":{_json(codes)}', f'"evidence":{{{grounds}}}']
    return "{" + ",".join(parts) + "}"


def _ground(found: Mapping[str, str], path: str) -> str:
    """The evidence of a code for the change of a path: of the finding there, or of the one it comes from."""
    if path in found:
        return found[path]
    name = path.rsplit("/", 1)[-1]
    near = [
        text for place, text in found.items() if place.rsplit("/", 1)[-1] == name or f'"key":{json.dumps(name)}' in text
    ]
    if len(found) == 1 or near:
        return (near or list(found.values()))[0]
    return json.dumps({"paths": list(found)}, ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=1024)
def _quoted(path: str) -> str:
    return json.dumps(path, ensure_ascii=False)


def _json(words: Sequence[str]) -> str:
    return "[" + ",".join(f'"{word}"' for word in words) + "]"
