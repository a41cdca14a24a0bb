"""The lines of a plan that are parts of one record, as one line: a file has the record whole."""

from __future__ import annotations

from pathlib import Path

from migrate.engine.json_text import members
from migrate.planning.drafting import value_at
from migrate.planning.merge_patch import Patch
from migrate.planning.plan_file import PlanFile


def joined(plan: PlanFile, folder: Path) -> tuple[Path, int]:
    """The plan's lines with the parts of a record in one, and how many there are; the plan itself where it has no parts.

    Parts of a record stand one after the other, in the order in which they are carried out.
    """
    if not any(b'"part":"' in raw for raw in plan.lines()):
        return plan.path, plan.header["counts"]["patches"]
    path = folder / "orders.jsonl"
    lines: list[str] = []
    with path.open("w", encoding="utf-8", newline="\n") as file:
        count = 0
        for raw in plan.lines():
            line = raw.decode("utf-8").rstrip("\n")
            if lines and value_at(lines[-1], "/record") != value_at(line, "/record"):
                file.write(_join(lines) + "\n")
                count, lines = count + 1, []
            lines.append(line)
        if lines:
            file.write(_join(lines) + "\n")
            count += 1
    return path, count


def _join(lines: list[str]) -> str:
    if len(lines) == 1 and value_at(lines[0], "/part") == "null":
        return lines[0]
    parts = [{member.key: line[member.start : member.end] for member in members(line, 0)} for line in lines]
    whole = dict(parts[0])
    whole["part"], whole["after"] = "null", parts[-1]["after"]
    for name in ("codes", "requires", "changes"):
        inner = [part[name][1:-1] for part in parts if part[name] != "[]"]
        whole[name] = "[" + ",".join(inner) + "]"
    patches = [Patch.read(part["patch"]) for part in parts]
    merged = ",".join(patch.metadata[1:-1] for patch in patches if patch.metadata is not None)
    replace = {path: value for patch in patches for path, value in patch.replace.items()}
    whole["patch"] = Patch("{" + merged + "}" if merged else None, None, replace).text()
    return "{" + ",".join(f'"{name}":{value}' for name, value in whole.items()) + "}"
