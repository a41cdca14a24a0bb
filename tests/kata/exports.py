"""Kata exports for tests: lines, and what the tool says of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from migrate.systems import Examination, examine
from migrate.types import Finding, Limits, Options

CASES = Path(__file__).parents[1] / "data" / "cases" / "kata"
VERDICTS = {"KT003", "KT101", "KT103", "KT104", "KT105", "KT107"}
"""What kata's own validator refuses is a finding of one of these."""
LIMITS = Limits(memory="500MB", threads=1)
_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def uid(number: int) -> str:
    """A uid of its own for each number."""
    digits = ""
    for _ in range(12):
        number, digit = divmod(number, 32)
        digits = _ALPHABET[digit] + digits
    return "01K5A100000000" + digits


def line(kind: str, data: Mapping[str, Any], metadata: str | None = None, name: str = "metadata") -> str:
    """A line as kata writes it, its metadata exactly as it is given."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    if metadata is not None:
        text = f'{text[:-1]},"{name}":{metadata}}}'
    return f'{{"kind":"{kind}","data":{text}}}'


def issue(number: int, metadata: str, **more: Any) -> str:
    """An open issue of project 1."""
    own = uid(number)
    data = {
        "id": number, "uid": own, "project_id": 1, "short_id": own[-6:].lower(), "title": f"issue {number}", "body": "", "status": "open",
        "closed_reason": None, "author": "agent-a", "created_at": "2026-09-10T08:00:00.000Z", "updated_at": "2026-09-18T10:00:00.000Z",
        "closed_at": None, "deleted_at": None, "revision": 3, "content_revision": 0,
    }  # fmt: skip
    return line("issue", {**data, **more}, metadata)


def closed(number: int, metadata: str) -> str:
    """A closed one."""
    return issue(number, metadata, status="closed", closed_reason="done", closed_at="2026-09-18T10:00:00.000Z")


def project(number: int, metadata: str, **more: Any) -> str:
    """A project; its uid is apart from those of issues."""
    data = {
        "id": number,
        "uid": uid(900_000 + number),
        "name": f"project-{number}",
        "created_at": "2026-05-20T09:00:00.000Z",
        "revision": 4,
    }
    return line("project", {**data, **more}, metadata)


def export(*lines: str) -> str:
    """A whole export of these lines."""
    return "\n".join([line("meta", {"key": "export_version", "value": "32"}), *lines]) + "\n"


def standard(issues: Iterable[str], projects: Sequence[str] = ()) -> str:
    """An export of issues of project 1."""
    return export(project(1, "{}"), *projects, *issues)


@contextmanager
def examined(text: str, folder: Path, **options: Any) -> Iterator[Examination]:
    """An export written to a folder and examined."""
    path = folder / "export.jsonl"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with examine(str(path), Options(limits=LIMITS, **options)) as examination:
        yield examination


def found(text: str, folder: Path, **options: Any) -> list[Finding]:
    """All findings of an export."""
    with examined(text, folder, **options) as examination:
        return list(examination.findings())


def rows(name: str) -> list[list[str]]:
    """The rows of a case file, its heading left out. Only line feeds end a row."""
    return [row.split("\t") for row in (CASES / name).read_text("utf-8").split("\n")[1:] if row]
