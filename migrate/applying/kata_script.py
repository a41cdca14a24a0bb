"""A plan as a POSIX shell script of ``kata meta`` commands, for those who want to read every command before it runs."""

from __future__ import annotations

import json
import os
import shlex
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from migrate.applying.errors import Refused, Unwritable
from migrate.applying.kata_client import Place
from migrate.applying.kata_deciding import patch_body, planned
from migrate.applying.orders import check_whole
from migrate.engine.json_text import quote, unquote
from migrate.planning.drafting import value_at
from migrate.planning.plan_file import read_plan


@dataclass(frozen=True, slots=True)
class Script:
    """What was written."""

    path: Path
    commands: int
    issues: int
    requests: int
    """Patches of projects, for which the command line has no form: they stand there as comments."""


def write_script(plan_path: Path, path: Path) -> Script:
    """Write a kata plan as a script, whole or not at all.

    Raises Refused for a plan that is incomplete, edited or of another system, and where the file exists.
    """
    plan = read_plan(plan_path)
    if not plan.header.get("complete"):
        raise Refused(f"{plan.path} is incomplete: input was lost when it was made; mend the input and plan again")
    if plan.header["corpus"].get("system") != "kata":
        raise Refused(f"{plan.path} is no plan for a kata export; --script writes kata commands only")
    check_whole(plan)
    if os.path.lexists(path):
        raise Refused(f"{path} exists already; name a new file for the script")
    steps, issues, requests = 0, 0, 0
    body: list[str] = []
    for raw in plan.lines():
        line = raw.decode("utf-8")
        if Place.of(line).kind == "project":
            body += _request(line)
            requests += 1
            continue
        place, name = Place.of(line), value_at(line, "/target/name") or "null"
        if any("\0" in text for text in (place.ref, json.loads(name) or "", *planned(line)[1])):
            body += [
                "",
                f"# {quote(place.ref, ascii=True)}: left out, because no argument of a command can hold U+0000; use apply --to",
            ]
            requests += 1
            continue
        issues += 1
        codes = json.loads(value_at(line, "/codes") or "[]")
        body.append("\n# " + " ".join([quote(json.loads(value_at(line, "/record") or '""'), ascii=True), *codes]))
        for command in _commands(line):
            steps += 1
            body += command.lines(steps)
    head = resources.files("migrate.applying").joinpath("kata_script.sh").read_text(encoding="utf-8")
    about = (
        f"# Plan {plan.header['plan_id']}: {steps} commands for {issues} issues, {requests} requests for projects.\n"
    )
    _write(path, head.replace("# @ABOUT@\n", about) + "\n".join(body) + "\n\nfinish\n")
    return Script(path, steps, issues, requests)


class _Command:
    """One key of an issue: the command for it, once its step has a number."""

    def __init__(self, line: str, key: str, value: str | None, revision: int) -> None:
        self._line, self._key, self._value, self._revision = line, key, value, revision

    def lines(self, number: int) -> list[str]:
        """The lines of the script."""
        ref = Place.of(self._line).ref
        name = json.loads(value_at(self._line, "/target/name") or "null")
        plain = None if self._value is None else _plain(self._value)
        words = {"ref": ref, "key": self._key}
        if self._value is not None:
            words["want"] = self._value if plain is None else plain
        if name is not None:
            words["project"] = name
        assigned = " ".join(f"{word}={shlex.quote(text)}" for word, text in words.items())
        flags = ["--json-value"] if self._value is not None and plain is None else []
        flags += ["--if-match", f"rev-{self._revision}", *(['--project "$project"'] if name is not None else [])]
        operands = ['"$ref"', '"$key"', *(['"$want"'] if self._value is not None else [])]
        verb = "unset" if self._value is None else "set"
        # Behind the two hyphens nothing is taken for an option.
        dashed = any(text.startswith("-") for word, text in words.items() if word != "project")
        rest = [*flags, "--", *operands] if dashed else [*operands, *flags]
        return [assigned, f"step {number} kata meta {verb} {' '.join(rest)}"]


def _commands(line: str) -> Iterator[_Command]:
    """One a key: first what is set, so that a moved value is never nowhere; each moves the revision by one."""
    revision = int(value_at(line, "/before/revision") or "1")
    keys = sorted(planned(line)[1].items(), key=lambda pair: pair[1] is None)
    for place, (key, value) in enumerate(keys):
        yield _Command(line, key, value, revision + place)


def _plain(value: str) -> str | None:
    """The string that a value is, where a command line can carry it; None where it has to go as JSON."""
    if value[:1] != '"':
        return None
    text = unquote(value)
    try:
        return text if "\0" not in text and text.encode("utf-8") is not None else None
    except UnicodeEncodeError:
        return None


def _request(line: str) -> list[str]:
    """A project's patch as a comment; everything in ASCII on lines of their own."""
    place = Place.of(line)
    body = patch_body("ACTOR", planned(line)[1])
    name = quote(json.loads(value_at(line, "/target/name") or '""') or "", ascii=True)
    return [
        "",
        f"# The project {name}, for which kata has no command:",
        f"#   POST {place.metadata_path}",
        f'#   If-Match: "rev-{value_at(line, "/before/revision")}"',
        f"#   {body.encode('ascii', 'backslashreplace').decode()}",
    ]


def _write(path: Path, text: str) -> None:
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o755)
        os.replace(name, path)
    except OSError as error:
        raise Unwritable(f"the script {path} cannot be written: {error.strerror}") from error
