"""A model of the metadata endpoints of a kata daemon, made from its documented behaviour. It is not the daemon.

Statuses and codes are those of the daemon: strict bodies, a quoted If-Match, a patch that changes nothing makes no event, one bad key
refuses the whole patch, 412 for another revision. Tests make it refuse, move on and drop connections as they like.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from typing import Any

ZONES = set(resources.files("tzdata").joinpath("zones").read_text("utf-8").split()) | {"", "Local"}
SCHEDULE = re.compile(r"\d{4}-\d{2}-\d{2}(T\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?|T\d{1,2}:\d{2}:\d{2}([.,]\d+)?Z)?")
ITEM_ID = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")


def is_item(item: Any) -> bool:
    return (
        isinstance(item, dict) and isinstance(item.get("text"), str) and isinstance(item.get("done"), bool)
        and isinstance(item.get("id"), str) and bool(ITEM_ID.fullmatch(item["id"]))
    )  # fmt: skip


def is_schedule(value: Any) -> bool:
    return isinstance(value, str) and bool(SCHEDULE.fullmatch(value))


RESERVED: dict[str, dict[str, Callable[[Any], bool]]] = {
    "issue": {
        "scheduled_on": is_schedule,
        "deadline_on": is_schedule,
        "someday": lambda value: isinstance(value, bool),
        "timezone": lambda value: isinstance(value, str) and value in ZONES,
        "checklist": lambda value: isinstance(value, list) and all(map(is_item, value)),
    },
    "project": {"area": lambda value: isinstance(value, str)},
}


@dataclass
class Record:
    kind: str
    uid: str
    metadata: dict[str, Any]
    revision: int
    short_id: str = ""
    gone: bool = False


@dataclass
class Daemon:
    """What it holds, what it was asked, and what it is told to do wrong."""

    projects: dict[int, Record] = field(default_factory=dict)
    issues: dict[tuple[int, str], Record] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)
    posts: list[tuple[str, str | None, Any]] = field(default_factory=list)
    refusals: dict[str, tuple[int, str]] = field(default_factory=dict)
    """By uid: status and code of the answer to a patch."""
    drops: list[str] = field(default_factory=list)
    """What to do with the next patches: ``before`` they are done, ``after``, or ``middle`` of the answer, the connection ends."""
    before_post: Callable[[Daemon], None] | None = None
    """Called once, before the next patch is looked at: somebody else's change."""
    validates: bool = True
    """Whether it refuses values of reserved keys: daemons before a key was reserved do not."""
    reads: bool = True
    """Whether records are shown at all."""
    uri: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def of(cls, export: str) -> Daemon:
        daemon = cls()
        for line in export.splitlines():
            entry = json.loads(line)
            data = entry["data"]
            if entry["kind"] == "project":
                record = Record("project", data["uid"], data["metadata"], data["revision"], gone="deleted_at" in data)
                daemon.projects[data["id"]] = record
            elif entry["kind"] == "issue":
                record = Record(
                    "issue", data["uid"], data["metadata"], data["revision"], data["short_id"], bool(data["deleted_at"])
                )
                daemon.issues[data["project_id"], data["short_id"]] = record
        return daemon

    def record(self, uid: str) -> Record:
        return next(one for one in [*self.projects.values(), *self.issues.values()] if one.uid == uid)

    def get(self, path: str) -> tuple[int, Any]:
        if not self.reads:
            return error(404, "", "page not found")
        if path == "/api/v1/projects":
            listed = [{"id": number, **shown(one)} for number, one in self.projects.items() if not one.gone]
            return 200, {"projects": listed}
        found = self._find(path.removesuffix("/metadata"))
        if isinstance(found, tuple):
            return found
        return 200, {found.kind: shown(found)}

    def _find(self, path: str) -> Record | tuple[int, Any]:
        match = re.fullmatch(r"/api/v1/projects/(\d+)(?:/issues/([^/]+))?", path)
        if match is None:
            return error(404, "", "page not found")
        if (project := self.projects.get(int(match[1]))) is None or project.gone:
            return error(404, "project_not_found", "project not found")
        if match[2] is None:
            return project
        issue = self.issues.get((int(match[1]), match[2]))
        return error(404, "issue_not_found", "issue not found") if issue is None or issue.gone else issue

    def post(self, path: str, if_match: str | None, raw: bytes) -> tuple[int, Any]:
        with self._lock:
            if self.before_post is not None:
                hook, self.before_post = self.before_post, None
                hook(self)
            body = json.loads(raw)
            self.posts.append((path, if_match, body))
            return self._patch(path, if_match, body)

    def _patch(self, path: str, if_match: str | None, body: Any) -> tuple[int, Any]:
        if not path.endswith("/metadata"):
            return error(404, "", "page not found")
        if set(body) - {"actor", "patch", "guard"} or not isinstance(body.get("patch"), dict):
            return error(400, "validation", "unexpected property")
        if not str(body.get("actor") or "").strip():
            return error(400, "validation", "actor required")
        wanted = None
        if if_match is not None:
            if (match := re.fullmatch(r'"rev-(\d+)"', if_match)) is None:
                return error(400, "validation", "malformed If-Match")
            wanted = int(match[1])
        found = self._find(path.removesuffix("/metadata"))
        if isinstance(found, tuple):
            return found
        patch = body["patch"]
        for key, value in patch.items():
            check = RESERVED[found.kind].get(key) if self.validates else None
            if value is not None and check is not None and not check(value):
                return error(400, "invalid_metadata_value", f"invalid value: {key}")
        designates = found.kind == "project" and patch.get("role") == "inbox"
        if designates and len(patch) > 1:
            return error(
                400, "invalid_inbox_designation", "Inbox designation cannot be combined with other metadata changes"
            )
        if (refusal := self.refusals.get(found.uid)) is not None:
            return error(*refusal, "not now")
        if wanted is not None and wanted != found.revision:
            return error(412, "revision_conflict", f"{found.kind} revision is {found.revision}")
        changed = self._write(found, patch, body["actor"])
        if designates:
            for other in self.projects.values():
                if other is not found and other.metadata.get("role") == "inbox":
                    self._write(other, {"role": None}, body["actor"])
        answer: dict[str, Any] = {found.kind: shown(found), "changed": changed}
        if changed:
            answer["event"] = self.events[-1]
        return 200, answer

    def _write(self, record: Record, patch: dict[str, Any], actor: str) -> bool:
        diff = {}
        for key, value in patch.items():
            old = record.metadata.get(key)
            if json.dumps(old, sort_keys=True) != json.dumps(value, sort_keys=True):
                diff[key] = {"from": old, "to": value}
            if value is None:
                record.metadata.pop(key, None)
            else:
                record.metadata[key] = value
        if diff:
            record.revision += 1
            kind = f"{record.kind}.metadata_updated"
            payload = {"diff": diff, "revision_new": record.revision}
            number = len(self.events) + 1
            self.events.append({"id": number, "uid": f"E{number}", "type": kind, "actor": actor, "payload": payload})
        return bool(diff)


def shown(record: Record) -> dict[str, Any]:
    names = {"short_id": record.short_id} if record.kind == "issue" else {}
    return {"uid": record.uid, **names, "metadata": record.metadata, "revision": record.revision}


def error(status: int, code: str, message: str) -> tuple[int, Any]:
    return status, {"status": status, "error": {"code": code, "message": message}}


@contextmanager
def serving(daemon: Daemon) -> Iterator[Daemon]:
    """The model on a port of its own."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(*daemon.get(self.path))

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            drop = daemon.drops.pop(0) if daemon.drops else ""
            if drop == "before":
                self.close_connection = True
                return
            status, body = daemon.post(self.path, self.headers.get("If-Match"), raw)
            if drop == "after":
                self.close_connection = True
                return
            self._answer(status, body, cut=drop == "middle")

        def _answer(self, status: int, body: Any, *, cut: bool = False) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[: len(data) // 2] if cut else data)
            self.close_connection = True

        def log_message(self, *_args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    daemon.uri = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield daemon
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
