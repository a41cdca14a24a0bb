"""The applies and undos of a corpus, from the results that they left in the workspace."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from migrate.results import Run

_SHOWN = 10


def runs_of(folder: Path) -> tuple[Run, ...]:
    """The last runs, oldest first; a run without a result was cut short and is left out."""
    found = []
    for path in sorted((folder / "runs").glob("*/result.json"))[-_SHOWN:]:
        try:
            data = json.loads(path.read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(data, dict):
            found.append(_run(path.parent.name, data))
    return tuple(found)


def _run(name: str, data: Mapping[str, Any]) -> Run:
    return Run(
        run_id=str(data.get("run_id", name)),
        command=str(data.get("command", "apply")),
        plan_id=str(data.get("plan_id", "")),
        applied=_number(data.get("applied")),
        already=_number(data.get("already_applied")),
        stale=_number(data.get("stale")),
        failed=_number(data.get("failed")),
        complete=data.get("complete") is True,
    )


def _number(data: Any) -> int:
    return data if isinstance(data, int) else 0
