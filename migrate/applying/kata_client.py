"""Speaks with a kata daemon: reads issues and projects, and posts metadata patches under a revision."""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from migrate.applying.errors import ApplyError, TargetLost
from migrate.engine.json_text import JsonError
from migrate.planning.drafting import value_at

_TIMEOUT = 30.0
_GONE = ("issue_not_found", "project_not_found")


class LostError(Exception):
    """The connection ended before the answer was there: nobody knows what the daemon did."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Status and body of an answer."""

    status: int
    body: str

    @property
    def reason(self) -> str:
        """Code and message of an error, as the daemon words it."""
        error = self.data.get("error") if isinstance(self.data, dict) else None
        if not isinstance(error, dict):
            return f"status {self.status}"
        return ": ".join(str(error[name]) for name in ("code", "message") if error.get(name)) or f"status {self.status}"

    @property
    def code(self) -> str:
        """The code of an error, empty without one."""
        error = self.data.get("error") if isinstance(self.data, dict) else None
        return str(error.get("code", "")) if isinstance(error, dict) else ""

    @property
    def data(self) -> Any:
        """The body as JSON, None where it is none."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record is: what a plan line calls its target."""

    kind: str
    project: int
    ref: str

    @classmethod
    def of(cls, line: str) -> Place:
        """That of a plan line or an intent. Raises ApplyError where it has none."""
        target = json.loads(value_at(line, "/target") or "null")
        if not isinstance(target, dict) or not isinstance(target.get("project"), int):
            raise ApplyError("a line of the plan does not say of which project it is; make the plan anew")
        return cls(str(target.get("kind")), target["project"], str(target.get("ref") or ""))

    @property
    def path(self) -> str:
        """The path of the record."""
        base = f"/api/v1/projects/{self.project}"
        return base if self.kind == "project" else f"{base}/issues/{quote(self.ref, safe='')}"

    @property
    def metadata_path(self) -> str:
        """The path of its metadata."""
        return self.path + "/metadata"


@dataclass(frozen=True, slots=True)
class Shown:
    """What the daemon shows of a record: its uid where it tells it, metadata as it is spelled, revision."""

    uid: str | None
    metadata: str
    revision: str

    def text(self, uid: str, earlier: int = 0) -> str:
        """As a record for deciding; ``earlier`` patches will have moved its revision before."""
        return f'{{"uid":{json.dumps(uid)},"metadata":{self.metadata},"revision":{int(self.revision) + earlier}}}'


class Client:
    """One daemon. Raises TargetLost where it cannot be reached, LostError where an answer does not come whole."""

    def __init__(self, base: str) -> None:
        """``base`` is ``http://host:port``; ApplyError for anything else."""
        parts = urlsplit(base)
        try:
            port = parts.port
        except ValueError:
            port = None
        if (
            parts.scheme != "http"
            or not parts.hostname
            or port is None
            or parts.path.rstrip("/")
            or parts.query
            or parts.username
        ):
            raise ApplyError("a kata daemon is named as http://HOST:PORT, nothing before and nothing after")  # fmt: skip
        self.base = f"http://{parts.netloc}"
        self._host, self._port = parts.hostname, port

    def ask(self, method: str, path: str, body: str | None = None, if_match: str | None = None) -> Answer:
        """One request on a connection of its own."""
        connection = http.client.HTTPConnection(self._host, self._port, timeout=_TIMEOUT)
        headers = {"Accept": "application/json", "Connection": "close"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if if_match is not None:
            headers["If-Match"] = f'"rev-{if_match}"'
        try:
            try:
                connection.connect()
            except OSError as error:
                raise TargetLost(f"the kata daemon at {self.base} cannot be reached: {error}") from error
            try:
                connection.request(method, path, None if body is None else body.encode("utf-8"), headers)
                answer = connection.getresponse()
                return Answer(answer.status, answer.read().decode("utf-8", "replace"))
            except (OSError, http.client.HTTPException) as error:
                raise LostError(str(error) or type(error).__name__) from error
        finally:
            connection.close()

    def read(self, place: Place) -> Shown | Answer | None:
        """What a record is now; None where the daemon does not show it at all, its answer where there is no such record."""
        paths = [place.path] if place.kind == "project" else [place.metadata_path, place.path]
        for path in paths:
            answer = self._patiently("GET", path)
            if answer.status == 200:
                return _shown(answer, place.kind)
            if answer.code in _GONE:
                return answer
            if answer.status not in (404, 405):
                raise ApplyError(f"the kata daemon at {self.base} does not show {path}: {answer.reason}")
        return None

    def projects(self) -> dict[str, Shown] | None:
        """All projects by uid; None where the daemon does not list them."""
        answer = self._patiently("GET", "/api/v1/projects")
        if answer.status != 200 or not isinstance(answer.data, dict):
            return None
        listed = answer.data.get("projects")
        return {
            str(one.get("uid")): Shown(str(one.get("uid")), json.dumps(one.get("metadata") or {}), str(one.get("revision", 0)))
            for one in (listed if isinstance(listed, list) else []) if isinstance(one, dict)
        }  # fmt: skip

    def _patiently(self, method: str, path: str) -> Answer:
        """A request that can be repeated: a lost answer is asked for again."""
        for _ in range(3):
            try:
                return self.ask(method, path)
            except LostError as error:
                lost = error
        raise TargetLost(f"the kata daemon at {self.base} does not answer: {lost}") from lost


def _shown(answer: Answer, kind: str) -> Shown:
    """Exactly as it is spelled in the answer."""
    try:
        uid, metadata, revision = (value_at(answer.body, f"/{kind}/{name}") for name in ("uid", "metadata", "revision"))
        number = int(revision or "")
    except (JsonError, ValueError) as error:
        raise ApplyError("the daemon's answer is not what a kata daemon gives; is the address right?") from error
    whole = metadata if metadata is not None and metadata[:1] == "{" else "{}"
    return Shown(None if uid is None else json.loads(uid), whole, str(number))
