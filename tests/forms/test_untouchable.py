"""User messages, records of newer versions and held records stay as they are, byte for byte, however far fixes may go."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from migrate.cli.main import cli

CONFIG = """
unsafe-fixes = true
extend-safe-fixes = ["CS"]
id-map = "map.json"
fail-on = "never"

[status-map.any]
finito = "done"

[status-map.issue]
finito = "done"

[status-map.plan]
finito = "done"
"""


def integer(number: int) -> str:
    return str(number)


def uuid(number: int) -> str:
    return f'"0198c0ffee00700080000000{number:08x}"'


Form = Callable[[int], str]

TEMPTING = (
    '"status" : "Finito", "priority":"2","completed": true, "references": {"context_ids":[%(one)s, "%(loose)s"]},'
    '"links":{"related": [%(one)s, "%(loose)s"],"supersedes":%(one)s}, "technologies":"python", "x": 1.0, "y":1E2'
)
"""Metadata members that each have a fix in an ordinary record."""


def tempting(form: Form) -> str:
    """An id that is right, and one in another spelling (or, in a corpus of other ids, one for the map)."""
    return TEMPTING % {"one": form(1), "loose": form(2).strip('"').upper()}


def record(own: str, metadata: str, source: str = "agent", more: str = "") -> str:
    return (
        f'{{ "id":{own}, "thread_id":"t","source" : "{source}","text_content":"entry {own.strip(chr(34))} \\u00e9","metadata":{metadata}'
        f' ,"tags":["B","a", "a"],"created_at":"2026-03-21 10:00:00","updated_at":"2026-03-21 10:00:00"{more}}}'
    )


def ordinary(form: Form) -> list[str]:
    """What fixes are for; the majority, so that the corpus has their id form."""
    plain = [
        record(form(number), '{"schema_version":1,"kind":"note","project":"p","agent_name":"a"}')
        for number in range(1, 12)
    ]
    superseding = ",".join(form(number) for number in (101, 102, 111, 112, 121))
    plan = f'{{"schema_version":1,"kind":"plan","project":"p","agent_name":"a","status":"pending","links":{{"supersedes":[{superseding}]}}}}'
    return [*plain, record(form(12), f"{{{tempting(form)}}}"), record(form(13), plan)]


def untouchable(form: Form) -> list[str]:
    """Everything that no fix may reach, with as much in it as would be repaired elsewhere."""
    inner = tempting(form)
    twice = record(form(121), f"{{{inner}}}")
    return [
        record(form(101), f"{{{inner.partition(',')[2]}}}", source="user"),  # with a status it would be a task of its own
        record(form(102), f'{{"schema_version":1,"kind":"user_message",{inner}}}'),
        record(form(103), f'{{"kind":"User-Message",{inner}}}', source="user"),
        *(record(form(111 + number), f'{{"schema_version":{version},"kind":"plan",{inner}}}') for number, version in enumerate(("2", "2.0", "0"))),
        twice,
        twice.replace("Finito", "Open"),
        record(form(131), f"[{{{inner}}}]"),
        record(form(132), '"status: Finito"'),
        record(form(133), json.dumps(json.dumps(json.dumps({"status": "Finito"})))),
        record(form(141), f'{{{inner},"status":"Open"}}'),
        record(form(142), f'{{{inner},"deep":{{"a":1,"a":1}}}}'),
        record(form(143), f"{{{inner}}}", more=',"tags":["B"]'),
        record(form(151), f"{{{inner}}}").replace(f'"id":{form(151)}', '"name":151'),
        record('"7"', f"{{{inner}}}"),
        record("true", f"{{{inner}}}"),
        record(form(161), f"{{{inner}}}")[:-1],
        record(form(162), f"{{{inner}}}") + record(form(163), f"{{{inner}}}"),
    ]  # fmt: skip


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(cli, list(arguments), prog_name="corpus-migrate")
    assert result.exit_code == 0, result.output
    return result


@pytest.mark.parametrize("form", [integer, uuid])
def test_nothing_reaches_them(form: Form, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("corpus-migrate.toml").write_text(CONFIG)
    Path("map.json").write_text(json.dumps({str(number): uuid(number).strip('"') for number in range(1, 170)}))
    mixed: list[tuple[bool, str]] = [(False, line) for line in ordinary(form)]
    for place, line in enumerate(untouchable(form)):
        mixed.insert(place * 2, (True, line))
    # Every other line ends as on Windows: line ends belong to the bytes that stay.
    lines = [line.encode() + (b"\r\n" if place % 2 else b"\n") for place, (_, line) in enumerate(mixed)]
    Path("entries.jsonl").write_bytes(b"".join(lines))

    run("plan", "entries.jsonl", "-o", "plan.jsonl", "--threads", "1")
    header, *planned = [json.loads(line) for line in Path("plan.jsonl").read_bytes().splitlines()]
    assert header["corpus"]["id_form"] == form.__name__
    assert header["options"]["unsafe_fixes"] is True
    assert header["options"]["id_map"]
    assert header["withheld"] == []
    changed = {json.dumps(each["record"]) for each in planned}
    assert form(12) in changed
    assert changed <= {form(number) for number in range(1, 14)}

    run("apply", "plan.jsonl", "-o", "out.jsonl", "--threads", "1")
    out = Path("out.jsonl").read_bytes().splitlines(keepends=True)
    assert len(out) == len(lines)
    wrong = [line for (keep, _), line, after in zip(mixed, lines, out, strict=True) if keep and line != after]
    assert wrong == []
    repaired = next(after for (_, line), after in zip(mixed, out, strict=True) if f'"id":{form(12)},' in line)
    metadata = json.loads(repaired)["metadata"]
    assert metadata["status"] == "done"
    assert "references" not in metadata
