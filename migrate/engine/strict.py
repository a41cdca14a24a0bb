"""The strict reader: decides, by RFC 8259, the few lines that the scan could not read or reads too leniently."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator

from migrate.engine import loading
from migrate.engine.database import Database
from migrate.engine.json_text import JsonError, Member, blank, check, doubled, members, quote, skip, unquote
from migrate.engine.sources import Loaded

MARK = "\U0010ffff"
"""Opens a string that stands for a number a double cannot hold."""

_SURROGATE = 0x100000
"""Lone surrogates travel through the engine as private characters: U+D800 as U+10D800."""

_LONG = 4_000_000
"""Characters from which on a record is read without what no rule looks at."""

_OPENING = 100_000
_TEXTS = ("text_content", "text")
_NEEDED = (
    "id", "context_id", "thread_id", "source", "metadata", "tags", "created_at", "updated_at", "is_text_content_truncated",
)  # fmt: skip

_EXACT = ("links", "references", "schema_version", "priority", "estimate")
"""Members whose numbers are integers, or spelled otherwise by mistake."""

_escape = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)
_exact_number = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?', re.DOTALL)


Verdict = JsonError | tuple[str, str | None, str | None]
"""What is wrong with an item, or its text for the scan, the member that stands twice, and the id that counts then."""


def decide(database: Database, loaded: list[Loaded], strays: list[int], judge: Callable[[bytes], Verdict]) -> None:
    """Fill ``broken``, ``doubled_members`` and ``fixed``: every line that the scan could not read, or read too leniently.

    ``strays`` are lines that it read although they hold control characters JSON does not allow.
    """
    asked = database.rows(
        """
        SELECT rowid FROM lines WHERE broken IS NOT NULL OR doubtful OR doubled
        UNION SELECT unnest(?::BIGINT[])
        UNION SELECT l.ordinal FROM (SELECT rowid AS ordinal, metadata FROM lines WHERE nested) l, json_tree(l.metadata) t
              WHERE t.key IS NOT NULL GROUP BY l.ordinal, t.parent, t.key HAVING count(*) > 1
        ORDER BY 1
        """,
        [strays],
    )
    again: list[tuple[int, str]] = []
    broken: list[tuple[int, str, int, str]] = []
    twice: list[tuple[int, str, str | None]] = []
    for ordinal, raw in _raw(loaded, [row[0] for row in asked]):
        verdict = judge(raw)
        if isinstance(verdict, JsonError):
            broken.append((ordinal, verdict.reason, verdict.position, hashlib.sha256(raw).hexdigest()))
            continue
        text, pointer, own_id = verdict
        if pointer is not None:
            twice.append((ordinal, pointer, own_id))
        again.append((ordinal, text))
    _store(database, broken, twice, again)


def _raw(loaded: list[Loaded], ordinals: list[int]) -> Iterator[tuple[int, bytes]]:
    for part in loaded:
        wanted = [ordinal - part.first for ordinal in ordinals if part.first <= ordinal < part.first + part.count]
        for index, raw in part.source.read(wanted) if wanted else ():
            yield part.first + index, raw


def object_text(raw: bytes) -> JsonError | str:
    """The text of an item that is one JSON object, or what is wrong with it, at its byte."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return JsonError("not UTF-8", error.start)
    text = text.removeprefix("\ufeff")
    try:
        check(text)
    except JsonError as error:
        return JsonError(error.reason, len(text[: error.position].encode()))
    start = blank(text, 0)
    return text if text[start] == "{" else JsonError("a JSON value that is no object", start)


def judge(raw: bytes) -> Verdict:
    """The strict reader of context-server records."""
    text = object_text(raw)
    if isinstance(text, JsonError):
        return text
    found = members(text, blank(text, 0))
    names = [member.key for member in found]
    values = {member.key: text[member.start : member.end] for member in found}
    pointer = next((f"/{name}" for place, name in enumerate(names) if name in names[:place]), None)
    stored = values.get("metadata", "")
    if stored[:1] == "{":
        pointer = pointer or _below("/metadata", doubled(stored))
        if pointer is None:
            text = _with_object(text, found)
    elif stored[:1] == '"':
        inner = unquote(stored)
        is_object = _is_object(inner)
        pointer = pointer or (_below("/metadata", doubled(inner)) if is_object else None)
        text = _with_metadata(text, found, inner if is_object else None)
    own_id = values.get("id", values.get("context_id")) if pointer is not None else None
    return readable(text if len(text) < _LONG else _slim(text, raw)), pointer, own_id


def _slim(text: str, raw: bytes) -> str:
    """A long record as far as the engine needs it: its text by its opening and digest, the rest of it by one digest."""
    parts = [f'"":"{hashlib.sha256(raw).hexdigest()}"']
    for member in members(text, blank(text, 0)):
        value = text[member.start : member.end]
        if member.key in _TEXTS and value[:1] == '"' and len(value) > _OPENING:
            value = quote(
                unquote(value)[:_OPENING] + hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
            )
        if member.key in _TEXTS or member.key in _NEEDED:
            parts.append(f"{quote(member.key)}:{value}")
    return "{" + ",".join(parts) + "}"


def _with_object(text: str, found: list[Member]) -> str:
    """The record with its metadata as the engine can hold it."""
    member = next(member for member in found if member.key == "metadata")
    return text[: member.start] + readable_metadata(text[member.start : member.end]) + text[member.end :]


def _with_metadata(text: str, found: list[Member], inner: str | None) -> str:
    """The record with what its metadata text holds, as the engine can hold it; the engine must not read what is no object."""
    member = next(member for member in found if member.key == "metadata")
    if inner is None and not unquote(text[member.start : member.end]).lstrip().startswith(
        ("{", "[", "-", "N", "n", "I", "i")
    ):
        return text
    return text[: member.start] + quote("no object" if inner is None else readable_metadata(inner)) + text[member.end :]


def _below(parent: str, pointer: str | None) -> str | None:
    return None if pointer is None else parent + pointer


def _is_object(text: str) -> bool:
    try:
        check(text)
    except JsonError:
        return False
    return text.lstrip()[:1] == "{"


def readable(text: str) -> str:
    """Valid JSON as the engine can hold it: lone surrogates travel as private characters."""
    return (_private_surrogates(text) if "\\u" in text else text).replace("\n", " ")


def readable_metadata(text: str, exact: Collection[str] | None = _EXACT) -> str:
    """A metadata value's text for the engine: floats where an integer belongs travel as marked strings, spelled as they are.

    ``exact`` names the members in which they do, None all of them.
    """
    start = blank(text, 0)
    if text[start : start + 1] != "{":
        return readable(text)
    out, at = [], 0
    for member in members(text, start):
        if exact is None or member.key in exact:
            out += [text[at : member.start], _exact_number.sub(_mark_number, text[member.start : member.end])]
            at = member.end
    return readable("".join([*out, text[at:]]))


def restored(text: str) -> str:
    """JSON text from the engine with its marked spellings turned back."""
    if MARK in text:
        text = re.sub(f'"{MARK}([^"]*)"', r"\1", text)
    return (
        text
        if text.isascii()
        else re.sub("[\U0010d800-\U0010dfff]", lambda found: f"\\u{ord(found[0]) - _SURROGATE:04x}", text)
    )


def _mark_number(found: re.Match[str]) -> str:
    token = found[0]
    if token[0] == '"' or not re.search(r"[.eE]", token):
        return token
    # The JSON functions write a float as Python does; any other spelling would be lost.
    return token if repr(float(token)) == token else f'"{MARK}{token}"'


def _private_surrogates(text: str) -> str:
    out: list[str] = []
    at = 0
    pending: int | None = None
    for found in _escape.finditer(text):
        code = int(found[1], 16) if found[1] else None
        if pending is not None:
            if code is not None and 0xDC00 <= code <= 0xDFFF and found.start() == at:
                out.append(f"\\u{pending:04x}\\u{code:04x}")
                pending, at = None, found.end()
                continue
            out.append(chr(_SURROGATE + pending))
            pending = None
        out.append(text[at : found.start()])
        at = found.end()
        if code is not None and 0xD800 <= code <= 0xDBFF:
            pending = code
        elif code is not None and 0xDC00 <= code <= 0xDFFF:
            out.append(chr(_SURROGATE + code))
        else:
            out.append(found[0])
    if pending is not None:
        out.append(chr(_SURROGATE + pending))
    out.append(text[at:])
    return "".join(out)


def _store(
    database: Database,
    broken: list[tuple[int, str, int, str]],
    twice: list[tuple[int, str, str | None]],
    again: list[tuple[int, str]],
) -> None:
    if again:
        loading.scan_texts(database, (text for _, text in again), "read_again")
        database.run(
            "CREATE OR REPLACE TEMP TABLE read_ordinals AS SELECT unnest(?::BIGINT[]) AS ordinal",
            [[ordinal for ordinal, _ in again]],
        )
        database.run(
            "INSERT INTO fixed BY NAME SELECT o.ordinal, r.* REPLACE (l.file_no AS file_no) FROM read_again r"
            " JOIN read_ordinals o ON o.rowid = r.rowid JOIN lines l ON l.rowid = o.ordinal"
        )
        database.run("UPDATE fixed SET doubtful = false, doubled = false")
    if broken:
        rows = [list(column) for column in zip(*broken, strict=True)]
        database.run(
            "INSERT INTO broken SELECT unnest(?::BIGINT[]), unnest(?::VARCHAR[]), unnest(?::BIGINT[]), unnest(?::VARCHAR[])",
            rows,
        )
        database.run(
            "INSERT INTO fixed BY NAME SELECT l.rowid AS ordinal, l.* REPLACE (b.reason AS broken) FROM lines l JOIN broken b ON b.ordinal = l.rowid"
        )
    if twice:
        rows = [list(column) for column in zip(*twice, strict=True)]
        database.run(
            "CREATE OR REPLACE TEMP TABLE twice AS SELECT unnest(?::BIGINT[]) AS ordinal, unnest(?::VARCHAR[]) AS member, unnest(?::VARCHAR[]) AS own",
            rows,
        )
        database.run("INSERT INTO doubled_members SELECT ordinal, member FROM twice")
        database.run(
            "UPDATE fixed SET doubled = true, id_json = t.own, id_key = own_key(t.own) FROM twice t WHERE t.ordinal = fixed.ordinal"
        )


def find_nested_references(database: Database) -> None:
    """Objects named ``references`` with ``context_ids``, anywhere but in the top-level one."""
    rows = database.rows(
        """
        SELECT ordinal, metadata FROM kept
        WHERE nested AND contains(metadata, '"context_ids"')
          AND (strlen(metadata) - strlen(replace(metadata, '"references":', ''))) / 13 > (f_references IS NOT NULL)::INT
        """
    )
    found = [(ordinal, path, value) for ordinal, metadata in rows for path, value in _nested(metadata)]
    if found:
        columns = [list(column) for column in zip(*found, strict=True)]
        database.run(
            "INSERT INTO nested_references SELECT unnest(?::BIGINT[]), unnest(?::VARCHAR[]), unnest(?::VARCHAR[])",
            columns,
        )


def _nested(metadata: str) -> Iterable[tuple[str, str]]:
    """Pointers of the nested objects, and their ``context_ids`` as JSON text. Works at any depth."""
    waiting: list[tuple[str, int]] = [("", 0)]
    while waiting:
        pointer, start = waiting.pop()
        if metadata[start] == "{":
            for member in members(metadata, start):
                if not pointer and member.key == "references":
                    continue
                path = f"{pointer}/{member.key.replace('~', '~0').replace('/', '~1')}"
                if metadata[member.start] in "{[":
                    waiting.append((path, member.start))
                if member.key == "references" and metadata[member.start] == "{":
                    inner = {m.key: metadata[m.start : m.end] for m in members(metadata, member.start)}
                    if "context_ids" in inner:
                        yield path, inner["context_ids"]
        else:
            at = blank(metadata, start + 1)
            place = 0
            while metadata[at] != "]":
                if metadata[at] in "{[":
                    waiting.append((f"{pointer}/{place}", at))
                at = blank(metadata, skip(metadata, at))
                if metadata[at] == ",":
                    at = blank(metadata, at + 1)
                place += 1
