"""Rule cases whose corpus is a Git working tree: what is found in it, and which files a plan would write.

A case has ``tree`` (as in :mod:`migrate.case_trees`) in the place of ``records``, and ``findings`` as ``[scope, level, file]`` or
``[scope, level, file, line]``. ``safe`` and ``unsafe`` say what is written: by scope the files, each with its whole new text or
``template``; scopes that are not named are not changed. ``now`` is the time of the run, ``options`` may hold ``select``, ``ignore``,
``init_absent``, ``safe_fixes`` and ``unsafe_only``.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from migrate.case_trees import build
from migrate.corpora.repository.layout import TEMPLATES
from migrate.corpora.repository.trees import open_trees
from migrate.systems.repository_context import RepositoryContexts
from migrate.types import Options


def differences(code: str, facts: Mapping[str, Any], options: Options, folder: Path) -> Iterator[str]:
    """One sentence for each thing that is not as the case says; ``folder`` takes the tree."""
    root = build(facts["tree"], folder / "tree")
    now = datetime.datetime.fromisoformat(str(facts["now"])).timestamp() if "now" in facts else None
    for mode in ("safe", "unsafe"):
        chosen = dataclasses.replace(options, unsafe_fixes=mode == "unsafe", system="repository-context")
        with RepositoryContexts(open_trees(str(root)), chosen, now=now) as examination:
            if mode == "safe":
                yield from _findings(code, facts, examination)
            if mode in facts:
                yield from _written(facts[mode], examination, mode)


def _findings(code: str, facts: Mapping[str, Any], examination: RepositoryContexts) -> Iterator[str]:
    found = Counter((f.scope, str(f.level), f.file, f.line) for f in examination.findings() if f.code == code)
    wanted = Counter((*(row := list(finding))[:3], row[3] if len(row) > 3 else None) for finding in facts["findings"])
    for scope, level, file, line in sorted((wanted - found).elements(), key=str):
        yield f"misses the finding {scope} {level} {file} {line or ''}".rstrip()
    for scope, level, file, line in sorted((found - wanted).elements(), key=str):
        yield f"has the finding {scope} {level} {file} {line or ''}".rstrip() + ", which the case does not name"


def _written(wanted: Mapping[str, Any], examination: RepositoryContexts, mode: str) -> Iterator[str]:
    lines = [orjson.loads(line) for line in examination.plan().lines]
    planned = {
        line["scope"]: {
            file["path"]: file["create"] if "create" in file else file["edit"][1] for file in line["patch"]["files"]
        }
        for line in lines
    }
    named = {
        scope: {path: TEMPLATES[path] if text == "template" else text for path, text in files.items()}
        for scope, files in wanted.items()
    }
    for scope in sorted({*planned, *named}):
        for path in sorted({*planned.get(scope, {}), *named.get(scope, {})}):
            here, there = planned.get(scope, {}).get(path), named.get(scope, {}).get(path)
            if here != there:
                yield f"{mode}: {scope} {path} would be {here!r} and not {there!r}"
