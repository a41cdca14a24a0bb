"""An independent reading of the rules: what safe fixes make of a corpus, in plain Python over parsed records.

It knows nothing of the engine and computes values only: metadata and tags of every record after safe fixes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

ENTRY = ("parent", "blocks", "duplicate_of", "related", "derived_from", "evidence", "commissioned_by", "supersedes")
REGISTRY = (*ENTRY, "urls", "git_commits")
PASSIVE = {"blocked_by": "blocks", "subissues": "parent", "duplicates": "duplicate_of", "superseded_by": "supersedes"}
EXTERNAL = re.compile(
    "(github|gitlab|bitbucket|gitea|forgejo|codeberg|jira|linear|youtrack|redmine|azure|sentry|notion|asana|trello|clickup|shortcut|zendesk"
    "|confluence|slack|discord|phabricator|bugzilla|launchpad|npm|pypi|crates|docker|figma|monday|kata|beads)(_[a-z0-9]+)*_[a-z0-9]+s"
).fullmatch
WORK = {"report", "plan", "handoff", "checkpoint"}
KINDS = {"user_message", *WORK, "note", "issue", "upstream_issue", "comment"}
STATUSES = {
    **{kind: {"pending", "done", "superseded"} for kind in (*WORK, "note")},
    "issue": {"triage", "backlog", "todo", "in_progress", "in_review", "done", "canceled", "duplicate"},
    "upstream_issue": {"open", "resolved_for_us", "permanent", "moot", "resolved", "refuted", "duplicate"},
}
FILINGS = {"candidate", "not_filed", "tracked", "commented", "filed", "release_requested"}
REPORT_TYPES = {
    **{name: name for name in ("research", "implementation", "validation", "documentation")},
    **dict.fromkeys(("audit", "review", "verification", "verdict", "adversarial-review", "review-verdict"), "validation"),
    "synthesis": "research", "module-completion": "implementation",
}  # fmt: skip
PROGRESS = {"progress", "status", "progress-report", "status-report"}
UUID = re.compile(r"\s*([0-9a-fA-F]{32}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\s*", re.ASCII).fullmatch
OWN_UUID = re.compile(r"[0-9a-fA-F]{32}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}").fullmatch
URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#\s]+").match
COMMIT = re.compile(r"[0-9a-fA-F]{40}|[0-9a-fA-F]{64}").fullmatch
BLANKS = " \t\n\r\x0b\x0c"
TWICE = "\0twice"
"""Marks an object that has a member twice."""


class Float(str):
    """The token of a number that is not spelled as an integer."""

    __slots__ = ()


class Unreadable(ValueError):
    """A text with a member that stands twice, or with a constant that JSON does not have."""


def parsed(text: str) -> Any:
    """JSON with floats as they are spelled; Unreadable for a member that stands twice."""
    return json.loads(text, parse_float=Float, object_pairs_hook=_once, parse_constant=_refused)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise Unreadable
    return dict(pairs)


def _refused(token: str) -> Any:
    raise ValueError(token)


def same(one: Any, other: Any) -> bool:
    """JSON equality in which a type counts."""
    return json.dumps(_typed(one), sort_keys=True) == json.dumps(_typed(other), sort_keys=True)


def _typed(value: Any) -> Any:
    if isinstance(value, Float):
        return {"float": str(value)}
    if isinstance(value, dict):
        return {"object": {name: _typed(inner) for name, inner in value.items()}}
    return [_typed(inner) for inner in value] if isinstance(value, list) else value


def _without_doubles(values: list[Any]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if not any(same(value, other) for other in found):
            found.append(value)
    return found


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and not isinstance(value, Float) else None


def _strings(value: Any) -> list[str] | None:
    """An array of strings, None for anything else."""
    return value if isinstance(value, list) and all(_text(each) is not None for each in value) else None


def _lower(text: str) -> str:
    return "".join(char.lower() if "A" <= char <= "Z" else char for char in text)


def _fold(text: str) -> str:
    return re.sub(r"[\s\x0b-]+", "_", _lower(text.strip(BLANKS)), flags=re.ASCII)


def _hyphenated(value: Any) -> str:
    return re.sub(r"[\s\x0b_]+", "-", _lower((_text(value) or "").strip(BLANKS)), flags=re.ASCII)


def _snake(name: str) -> str:
    return _fold(re.sub("([a-z0-9])([A-Z])", r"\1_\2", name))


def _integral(value: Any) -> int | None:
    """The integer that a number is, however it is spelled."""
    if isinstance(value, Float):
        match = re.fullmatch(r"(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?", value)
        assert match
        sign, digits, fraction, exponent = match[1], match[2], match[3] or "", int(match[4] or 0)
        if not (digits + fraction).strip("0"):
            return 0
        scale = exponent - len(fraction)
        if abs(scale) > 400:
            return None
        number = int(digits + fraction) * 10 ** max(scale, 0)
        number, rest = divmod(number, 10 ** max(-scale, 0))
        return None if rest else int(f"{sign}{number}")
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def own_id(record: dict[str, Any]) -> int | str | None:
    """The record's canonical id, None for what is none."""
    value = record["id"] if "id" in record else record.get("context_id")
    if (text := _text(value)) is not None:
        return text.lower().replace("-", "") if OWN_UUID(text) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _object_in(text: str) -> dict[str, Any] | None:
    """The object that a string holds, one with a member twice too; None for anything else."""
    try:
        value = parsed(text)
    except Unreadable:
        return {TWICE: True} if text.strip(BLANKS).startswith("{") else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


@dataclass
class Record:
    """One record that is neither held nor newer."""

    own: int | str
    body: dict[str, Any]
    metadata: dict[str, Any]
    tags: Any
    kind: str | None = None
    """The stored kind of the registry, folded."""
    inferred: str | None = None
    group: str = "legacy"
    links: dict[str, Any] | None = None
    """Links after this record's own repairs; None where there is no object."""


class Corpus:
    """The records of a file's lines, and what their ids are."""

    def __init__(self, lines: list[bytes]) -> None:
        self.held: set[int | str] = set()
        self.newer: set[int | str] = set()
        self.records: dict[int | str, Record] = {}
        forms = [0, 0]
        stored: list[Any] = []
        bodies: dict[int | str, tuple[bytes, dict[str, Any]]] = {}
        for line in lines:
            body, twice = _body(line)
            if body is None:
                continue
            stored.append(body.get("metadata"))
            own = own_id(body)
            if own is None:
                continue
            forms[isinstance(own, str)] += 1
            if twice or (own in bodies and bodies[own][0] != line.strip(BLANKS.encode())):
                self.held.add(own)
            bodies.setdefault(own, (line.strip(BLANKS.encode()), body))
        self.integer = forms[0] >= forms[1]
        present = [value for value in stored if value is not None]
        self.all_text = bool(present) and all(_object_in(_text(value) or "") is not None for value in present)
        for own, (_, body) in bodies.items():
            if own not in self.held:
                self._add(own, body)

    def _add(self, own: int | str, body: dict[str, Any]) -> None:
        metadata = body.get("metadata")
        if (text := _text(metadata)) is not None:
            metadata = _object_in(text)
            metadata = text if metadata is None else metadata
        metadata = {} if metadata is None else metadata
        if not isinstance(metadata, dict) or TWICE in metadata:
            self.held.add(own)
            return
        record = Record(own, body, metadata, body.get("tags"))
        _classify(record)
        if record.group == "newer":
            self.newer.add(own)
        else:
            self.records[own] = record

    def placed(self, value: Any) -> int | str | None:
        """The id that a value of a reference safely is; None for what cannot be placed."""
        if isinstance(value, dict):
            return self.placed(value["id"]) if value.keys() == {"id"} and not isinstance(value["id"], dict) else None
        if self.integer:
            if (whole := _integral(value)) is not None:
                return whole if whole > 0 else None
            return int(value) if re.fullmatch("[1-9][0-9]*", _text(value) or "") else None
        found = UUID(_text(value) or "")
        return found[1].replace("-", "").lower() if found else None


def _body(line: bytes) -> tuple[dict[str, Any] | None, bool]:
    """The record of a line, None for none; and whether something stands twice in it, so that only its ids count."""
    try:
        text = line.decode().strip(BLANKS)
        try:
            body, twice = parsed(text), False
        except Unreadable:
            body, twice = json.loads(text, parse_float=Float, parse_constant=_refused), True
    except (ValueError, RecursionError):
        return None, False
    return (body, twice) if isinstance(body, dict) else (None, False)


def _classify(record: Record) -> None:
    metadata = record.metadata
    version, kind = metadata.get("schema_version"), metadata.get("kind")
    whole = _integral(version)
    if _text(kind) is not None and _fold(kind) in KINDS:
        record.kind = _fold(kind)
    tokens = set(_clean_tags(_strings(record.tags) or [])) & (KINDS - {"user_message"})
    named = any(
        metadata.get(name) is not None for name in ("title", "status", "agent_name", "report_type", "task_name")
    )
    if whole is not None and whole != 1:
        record.group = "newer"
    elif record.kind == "user_message" or (
        kind is None and record.body.get("source") == "user" and not named and not tokens
    ):
        record.group = "user_message"
    elif whole == 1 or _text(version) == "1":
        record.group = "v1"
    elif kind is None:
        record.inferred = _inferred(record, tokens)


def _inferred(record: Record, tokens: set[str]) -> str | None:
    metadata, thread, links = record.metadata, record.body.get("thread_id"), record.metadata.get("links")
    kinds = set(tokens) if len(tokens) == 1 else set()
    if thread == "issues" and _text(metadata.get("title")) is not None:
        kinds.add("issue")
    parent = isinstance(links, dict) and any(
        _snake(name) == "parent" and value is not None for name, value in links.items()
    )
    if thread == "issues" and (parent or re.match("Re issue [0-9A-Za-z-]+:", _body_text(record) or "")):
        kinds.add("comment")
    if thread == "upstream-issues" and metadata.get("upstream_repo") is not None:
        kinds.add("upstream_issue")
    if metadata.get("report_type") is not None and _hyphenated(metadata["report_type"]) not in PROGRESS:
        kinds.add("report")
    return kinds.pop() if len(kinds) == 1 else None


def _body_text(record: Record) -> str | None:
    return _text(record.body.get("text_content", record.body.get("text")))


def repaired(corpus: Corpus) -> Iterator[tuple[int | str, dict[str, Any], Any]]:
    """Id, metadata and tags after safe fixes, of every record that they may change."""
    for record in corpus.records.values():
        record.links = _links(corpus, record)
    edges = {own: _edges(record) for own, record in corpus.records.items()}
    superseded = _superseded(corpus, edges)
    for own, record in corpus.records.items():
        if record.group == "user_message":
            continue
        metadata = dict(record.metadata)
        _repair_fields(record, metadata)
        _move_references(corpus, record, metadata)
        _drop_passive(record, metadata, edges)
        if own in superseded:
            metadata["status"] = "superseded"
        yield own, metadata, _repaired_tags(record)


def _links(corpus: Corpus, record: Record) -> dict[str, Any] | None:
    links = record.metadata.get("links")
    if not isinstance(links, dict):
        return None
    spelled = {name: _snake(name) for name in links if name not in REGISTRY and _snake(name) in REGISTRY}
    made = {name: value for name, value in links.items() if name not in spelled}
    for name, key in spelled.items():
        if links[name] is not None or made.get(key) is not None:
            made[key] = [*_listed(made.get(key)), *_listed(links[name])]
    done: dict[str, Any] = {}
    for key, value in made.items():
        if not (key in REGISTRY or key in PASSIVE or EXTERNAL(key)):
            done[key] = value
        elif value is not None:
            done[key] = _without_doubles([_element(corpus, key, each) for each in _listed(value)])
    return done


def _listed(value: Any) -> list[Any]:
    return [] if value is None else value if isinstance(value, list) else [value]


def _element(corpus: Corpus, key: str, value: Any) -> Any:
    if key in ENTRY or key in PASSIVE:
        placed = corpus.placed(value)
        return value if placed is None else placed
    return value.lower() if key == "git_commits" and COMMIT(_text(value) or "") else value


def _edges(record: Record) -> dict[str, set[Any]]:
    """Targets of well-formed edges by key, the record itself aside."""
    return {
        key: {value for value in (record.links or {}).get(key, ()) if _is_id(value) and value != record.own}
        for key in (*ENTRY, *PASSIVE)
    }


def _is_id(value: Any) -> bool:
    if (text := _text(value)) is not None:
        return re.fullmatch("[0-9a-f]{32}", text) is not None
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _move_references(corpus: Corpus, record: Record, metadata: dict[str, Any]) -> None:
    """Puts the repaired links in their place, and moves what can be moved into them."""
    if "links" in metadata and metadata["links"] is None:
        del metadata["links"]
    elif record.links is not None:
        metadata["links"] = dict(record.links)
    if "references" not in metadata:
        return
    if "links" in metadata and record.links is None:
        return  # links that are no object can take nothing
    found = metadata["references"]
    parts = {"context_ids": found} if isinstance(found, list) else found
    if isinstance(parts, dict):
        rest: dict[str, Any] = {}
        for key, value in parts.items():
            target, values = _movable(corpus, record, key, value)
            if values is None:
                rest |= {} if value is None or value in ([], {}) else {key: value}
            elif value:
                links = metadata.setdefault("links", {})
                links[target] = _without_doubles([*_listed(links.get(target)), *values])
        metadata["references"] = found if rest and isinstance(found, list) else rest
    if metadata["references"] is None or metadata["references"] == {}:
        del metadata["references"]


def _movable(corpus: Corpus, record: Record, key: str, value: Any) -> tuple[str, list[Any] | None]:
    if key == "context_ids":
        if re.search(r"[,;\s]", (_text(value) or "").strip(BLANKS)):
            return key, None
        placed = [corpus.placed(each) for each in (value if isinstance(value, list) else [value])]
        return "derived_from", None if any(each is None or each == record.own for each in placed) else placed
    found = _strings(value)
    if found is None:
        return key, None
    if key == "urls":
        return key, found if all(URL(each) for each in found) else None
    if key == "git_commits":
        return key, [each.lower() for each in found] if all(COMMIT(each) for each in found) else None
    return key, found if EXTERNAL(key) else None


def _drop_passive(record: Record, metadata: dict[str, Any], edges: dict[Any, dict[str, set[Any]]]) -> None:
    """Passive keys whose every active edge stands on the other record."""
    for passive, active in PASSIVE.items():
        if passive in (record.links or {}) and all(
            _is_id(value) and value != record.own and record.own in edges.get(value, {}).get(active, ())
            for value in (record.links or {})[passive]
        ):
            del metadata["links"][passive]


def _superseded(corpus: Corpus, edges: dict[Any, dict[str, set[Any]]]) -> set[Any]:
    """Work artifacts of schema v1 that an edge makes superseded: not in a cycle, not by an older record."""
    found = set()
    for start, keys in edges.items():
        for target in keys["supersedes"]:
            record = corpus.records.get(target)
            if record is None or record.group != "v1" or record.kind not in WORK or start in _reach(edges, target):
                continue
            one, other = _text(corpus.records[start].body.get("created_at")), _text(record.body.get("created_at"))
            if _is_readable(one) and _is_readable(other) and _moment(one) < _moment(other):
                continue
            found.add(target)
    return found


def _reach(edges: dict[Any, dict[str, set[Any]]], start: Any) -> set[Any]:
    seen: set[Any] = set()
    waiting = [start]
    while waiting:
        for node in edges.get(waiting.pop(), {}).get("supersedes", ()):
            if node not in seen:
                seen.add(node)
                waiting.append(node)
    return seen


def _is_readable(text: str | None) -> bool:
    return re.fullmatch(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(Z|\+02:00)?", text or "") is not None


def _moment(text: str | None) -> str:
    """Naive times are UTC; the one offset there is among the faults is two hours ahead, at midnight of a far year."""
    return (text or "").replace("T", " ").replace("Z", "").removesuffix("+02:00")


def _repair_fields(record: Record, metadata: dict[str, Any]) -> None:
    """The fields that one record decides alone."""
    kind = record.kind
    any_kind = kind or record.inferred
    if record.group == "v1":
        metadata["schema_version"] = 1
    if kind is not None:
        metadata["kind"] = kind
    if _text(metadata.get("status")) is not None:
        words = (
            STATUSES.get(any_kind, set())
            if any_kind or _text(metadata.get("kind")) is not None
            else set().union(*STATUSES.values())
        )
        metadata["status"] = _enum(metadata["status"], words)
    if any_kind == "upstream_issue" and _text(metadata.get("filing")) is not None:
        metadata["filing"] = _enum(metadata["filing"], FILINGS)
    if (folded := _hyphenated(metadata.get("report_type"))) in REPORT_TYPES:
        metadata["report_type"] = REPORT_TYPES[folded]
    for name in ("technologies", "recheck_on", "affected_projects"):
        _repair_list(metadata, name)
    for name in ("upstream_repo", "upstream_ref"):
        if (text := _text(metadata.get(name))) is not None:
            metadata[name] = _lower(text.strip(BLANKS))
    linked = _lower(_text(metadata.get("is_linked_worktree")) or "")
    if linked in ("true", "false"):
        metadata["is_linked_worktree"] = linked == "true"
    if kind == "issue":
        _repair_issue(record, metadata)


def _enum(value: str, words: set[str]) -> str:
    return _fold(value) if _fold(value) in words else value


def _repair_list(metadata: dict[str, Any], name: str) -> None:
    value = metadata.get(name)
    if (text := _text(value)) is not None:
        if not text.strip() or re.search(r"[,;\n\r]", text):
            return
        value = metadata[name] = [text]
    if name != "affected_projects" and (found := _strings(value)) is not None:
        metadata[name] = list(dict.fromkeys(_lower(each.strip(BLANKS)) for each in found))


def _repair_issue(record: Record, metadata: dict[str, Any]) -> None:
    priority, estimate = metadata.get("priority"), metadata.get("estimate")
    if _integral(priority) in range(5) or _text(priority) in ("0", "1", "2", "3", "4"):
        metadata["priority"] = int(_text(priority) or _integral(priority) or 0)
    if isinstance(estimate, Float) and _integral(estimate) is not None:
        metadata["estimate"] = _integral(estimate)
    elif re.fullmatch("0|[1-9][0-9]*", _text(estimate) or ""):
        metadata["estimate"] = int(estimate)
    if record.group == "v1" and metadata.get("title") is None:
        heading = re.match(r"#[ \t]+([^\n\r]*)", _body_text(record) or "")
        words = re.sub(r"(^|[ \t]+)#+[ \t]*$", "", heading[1]).strip(" \t") if heading else ""
        if words:
            metadata["title"] = words


def _clean_tags(tags: list[str]) -> list[str]:
    return list(dict.fromkeys(tag.strip().lower() for tag in tags if tag.strip()))


def _repaired_tags(record: Record) -> Any:
    found = _strings(record.tags)
    if found is None:
        return record.tags
    tags = _clean_tags(found)
    if (
        record.group == "v1"
        and record.body.get("source") == "agent"
        and record.kind in KINDS - {"user_message", "comment"}
    ):
        tags += [record.kind] if record.kind is not None and record.kind not in tags else []
    return ["comment"] if record.group == "v1" and record.kind == "comment" and not tags else tags
