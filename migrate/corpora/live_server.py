"""A running context server, read and changed through its own tools: ``mcp+stdio:COMMAND`` or ``http(s)://…/mcp``."""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any, Self

import msgspec

from migrate.corpora.interface import CorpusError
from migrate.corpora.spool import CutShort, Layout
from migrate.naming import without_secrets

TOKEN = "CORPUS_MIGRATE_TOKEN"  # noqa: S105 - the name of a variable
"""The environment variable with the bearer token of a server behind HTTP."""
BATCH = 100
"""Items that one call of the server takes."""
CALL_SECONDS = 120.0
"""How long a call may take; the server says nothing at all where it cannot answer."""
_OFFSET = 1_000_000
"""The furthest place that a listing of the server reaches."""
_ROUNDS = 5

Raw = msgspec.Raw
_hex = re.compile(r'"[0-9a-f]{32}"').fullmatch


class _Entry(msgspec.Struct):
    """An entry as the server tells it, each member as its exact JSON text."""

    id: Raw
    thread_id: Raw = Raw(b"null")
    source: Raw = Raw(b"null")
    content_type: Raw = Raw(b"null")
    text_content: Raw = Raw(b"null")
    metadata: Raw = Raw(b"null")
    tags: Raw = Raw(b"[]")
    created_at: Raw = Raw(b"null")
    updated_at: Raw = Raw(b"null")
    is_text_content_truncated: Raw = Raw(b"false")

    def line(self) -> bytes:
        """The entry as a line of an export."""
        members = [f'"{name}":'.encode() + bytes(getattr(self, name)) for name in self.__struct_fields__]
        if bytes(self.is_text_content_truncated) != b"true":
            members.pop()
        return b"{" + b",".join(members).replace(b"\n", b" ") + b"}\n"


class _Page(msgspec.Struct):
    results: list[_Entry] = []
    error: str | None = None


class _Thread(msgspec.Struct):
    thread_id: str
    entry_count: int


class _Threads(msgspec.Struct):
    threads: list[_Thread] = []


class ServerCallError(Exception):
    """The server refused a call, or did not answer it; ``str()`` says how."""


class LiveServer:
    """A running context server of either layout. No sentence of it shows a token."""

    jsonb = False

    def __init__(self, uri: str) -> None:
        self.uri = without_secrets(uri)
        self._typed = uri
        if "***" in uri:
            raise CorpusError(f"{self.uri}: its secret is not kept; name the server again with --to")

    def session(self) -> Session:
        """A connection; a context manager. Raises CorpusError where there is none to be had."""
        return Session(self.uri, self._typed)

    def count(self) -> None:
        """Nobody knows before the entries are listed."""

    def lines(self, folder: Path, threads: int | None = None) -> Iterator[bytes]:
        """One line an entry, in ascending order of ids. Raises CorpusError or CutShort.

        A server has no snapshot: what is stored meanwhile may or may not be there, and what is deleted is not.
        """
        with self.session() as session:
            try:
                listed = session.ids()
                order = sorted(listed, key=lambda token: (len(token), token))
                for start in range(0, len(order), BATCH):
                    chunk = order[start : start + BATCH]
                    found = session.entries(chunk)
                    for own_id in chunk:
                        if own_id in found:
                            yield found[own_id]
            except ServerCallError as error:
                raise CutShort(str(error)) from error


class Session:
    """One connection to a server: its tools as functions. A context manager."""

    def __init__(self, uri: str, typed: str) -> None:
        self.uri = uri
        self._typed = typed
        self._stack = ExitStack()
        self._portal: Any = None
        self._client: Any = None

    def __enter__(self) -> Self:
        try:
            from anyio.from_thread import start_blocking_portal
            from fastmcp import Client
            from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
        except ImportError as error:
            raise CorpusError(
                f"{self.uri}: a running server needs the extra `live`; install it: pip install 'corpus-migrate[live]'"
            ) from error
        with ExitStack() as stack:
            if self._typed.startswith("mcp+stdio:"):
                command = shlex.split(self._typed.removeprefix("mcp+stdio:"))
                if not command:
                    raise CorpusError(f"{self.uri}: no command was named; write mcp+stdio:COMMAND")
                log = stack.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace"))
                transport: Any = StdioTransport(command[0], command[1:], env=dict(os.environ), log_file=log)
            else:
                log = None
                token = os.environ.get(TOKEN)
                transport = StreamableHttpTransport(
                    self._typed, headers={"Authorization": f"Bearer {token}"} if token else {}
                )
            self._portal = stack.enter_context(start_blocking_portal())
            client = Client(transport, timeout=CALL_SECONDS, init_timeout=CALL_SECONDS, log_handler=_unheard)
            wrapped: AbstractContextManager[Any] = self._portal.wrap_async_context_manager(client)
            try:
                self._client = stack.enter_context(wrapped)
            except Exception as error:
                hint = f"; a bearer token is taken from {TOKEN}" if log is None else ""
                raise CorpusError(f"{self.uri}: the server cannot be reached: {_said(error, log)}{hint}") from error
            self.layout: Layout = self._recognised()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *about: object) -> None:
        self._stack.close()

    def call(self, tool: str, arguments: Mapping[str, Any]) -> bytes:
        """The JSON text that a tool answers. Raises ServerCallError."""
        try:
            answer = self._portal.call(self._call, tool, dict(arguments))
        except Exception as error:
            raise ServerCallError(f"the server's {tool} failed: {_said(error)}") from error
        texts = [part.text for part in answer.content if hasattr(part, "text")]
        if len(texts) != 1:
            raise ServerCallError(f"the server's {tool} answered in {len(texts)} parts, and one was expected")
        return str(texts[0]).encode("utf-8", "backslashreplace")

    async def _call(self, tool: str, arguments: dict[str, Any]) -> Any:
        return await self._client.call_tool(tool, arguments, timeout=CALL_SECONDS)

    def _recognised(self) -> Layout:
        """Which of the two ways to keep entries the server has; told by an entry, or by what the tool takes."""
        tools = {tool.name: tool for tool in self._portal.call(self._client.list_tools)}
        missing = {"search_context", "get_context_by_ids", "update_context_batch", "list_threads"} - tools.keys()
        if missing:
            raise CorpusError(f"{self.uri}: this is no context server, it has no tool {', '.join(sorted(missing))}")
        takes = tools["get_context_by_ids"].model_dump(mode="json")
        schema = takes.get("inputSchema") or takes.get("input_schema") or {}
        items = schema.get("properties", {}).get("context_ids", {}).get("items", {})
        return "2.x" if items.get("type") == "integer" else "3.x"

    def threads(self) -> list[_Thread]:
        """Every thread with the number of its entries."""
        found: _Threads = _decoded(self.call("list_threads", {}), _Threads)
        return found.threads

    def ids(self) -> set[str]:
        """The id of every entry, as JSON text. Raises CutShort where the listing never agrees with the server's own count."""
        for _ in range(_ROUNDS):
            found: set[str] = set()
            threads = self.threads()
            for thread in threads:
                if thread.entry_count > _OFFSET:
                    raise CutShort(f"the thread {thread.thread_id} has more entries than a listing reaches")
                # Entries stored meanwhile come first and push the others on: they are met twice, not missed.
                for offset in range(0, thread.entry_count + BATCH, BATCH):
                    page = self.page(thread.thread_id, offset)
                    found |= {_text(entry.id) for entry in page}
                    if not page:
                        break
            if len(found) >= sum(thread.entry_count for thread in threads):
                return found
        raise CutShort(
            "entries are deleted faster than they are listed; run the command again when the server is at rest"
        )

    def page(self, thread: str, offset: int) -> list[_Entry]:
        """A stretch of a thread, the newest entry first; texts are cut."""
        answer = self.call("search_context", {"thread_id": thread, "limit": BATCH, "offset": offset})
        page: _Page = _decoded(answer, _Page)
        if page.error is not None:
            raise ServerCallError(f"the server's search_context failed: {page.error}")
        return page.results

    def entries(self, ids: Sequence[str]) -> dict[str, bytes]:
        """The lines of entries by their ids. What the server cannot return alone is a record that says so, and is held."""
        try:
            answer = self.call("get_context_by_ids", {"context_ids": [msgspec.json.decode(own) for own in ids], "include_images": False})  # fmt: skip
            return {_text(entry.id): entry.line() for entry in _decoded(answer, list[_Entry])}
        except ServerCallError as error:
            if len(ids) > 1:
                half = len(ids) // 2
                return self.entries(ids[:half]) | self.entries(ids[half:])
            if not re.search(r"validat|serializ|output", str(error), re.IGNORECASE):
                raise
            why = msgspec.json.encode(f"(the server cannot return this entry: {error})").decode()
            return {ids[0]: f'{{"id":{ids[0]},"metadata":{why}}}\n'.encode()}


async def _unheard(message: object) -> None:
    """What the server logs is its own affair."""


def _text(raw: Raw) -> str:
    return bytes(raw).decode()


def _decoded(answer: bytes, kind: Any) -> Any:
    try:
        return msgspec.json.decode(answer, type=kind)
    except msgspec.DecodeError as error:
        raise ServerCallError(f"the server answered what is no such answer: {error}") from error


def _said(error: BaseException, log: Any = None) -> str:
    """What went wrong in one line, without secrets; where a server ended at once, its own last word."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    words = (str(error).strip().splitlines() or [type(error).__name__])[0]
    if log is not None:
        log.seek(0)
        last = [line.strip() for line in log.read().splitlines() if line.strip()][-1:]
        words = "; ".join([words, *last])
    return without_secrets(words)
