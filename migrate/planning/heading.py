"""The first line of a plan, the same for every system."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

import migrate
from migrate.planning.plan_file import FORMAT, plan_options
from migrate.types import Summary


@dataclass(slots=True)
class Digests:
    """What identifies a plan, taken as its lines are made."""

    identity: Any = field(default_factory=hashlib.sha256)
    """Over what the lines change: the plan's id."""
    states: Any = field(default_factory=hashlib.sha256)
    """Over the records' states before: the corpus's fingerprint."""
    body: Any = field(default_factory=hashlib.sha256)
    """Over the lines as they are written."""
    levels: dict[str, int] = field(default_factory=lambda: {"safe": 0, "unsafe": 0})

    def line(self, line: bytes, identity: bytes, state: str, level: str) -> None:
        """Take a line in: its bytes, what it changes, ``record TAB hash before``, and its level."""
        self.body.update(line)
        self.identity.update(identity + b"\n")
        self.states.update(f"{state}\n".encode())
        self.levels[level] += 1

    def portions(self, lines: Iterable[bytes], identities: Iterable[bytes], states: Iterable[bytes]) -> None:
        """Take many lines in: their bytes, what they change and their states, each ended by a line feed, in any portions."""
        for digest, portions in ((self.body, lines), (self.identity, identities), (self.states, states)):
            for portion in portions:
                digest.update(portion)

    @property
    def patches(self) -> int:
        """The number of lines."""
        return sum(self.levels.values())


def heading(
    summary: Summary, options: Mapping[str, Any], digests: Digests, conservation: Mapping[str, Any], *, withheld: Sequence[str] = (),
    corpus: Mapping[str, Any] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The header of a plan; ``withheld`` holds ids as JSON text, ``corpus`` what the system says of its corpus besides."""
    digests.identity.update(plan_options(options, summary.id_form))
    fingerprint = hashlib.sha256(f"{summary.records}\n".encode() + digests.states.digest()).hexdigest()
    return {
        "format": FORMAT,
        "plan_id": digests.identity.hexdigest()[:16],
        "body": f"sha256:{digests.body.hexdigest()}",
        "complete": summary.complete,
        "tool": {"name": "corpus-migrate", "version": migrate.__version__},
        "corpus": {
            "system": summary.system,
            "uri": summary.uri,
            "id_form": summary.id_form,
            "records": summary.records,
            **(corpus or {}),
            "fingerprint": f"sha256:{fingerprint}",
        },
        "options": options,
        "counts": {
            "records": summary.records,
            "patches": digests.patches,
            **digests.levels,
            "findings": {rule.code: rule.findings for rule in summary.rules},
            "withheld": len(withheld),
        },
        "withheld": [orjson.loads(name) for name in withheld],
        "gaps": [{"file": gap.file, "reason": gap.reason} for gap in summary.gaps],
        "conservation": {
            name: dict(sorted(value.items())) if isinstance(value, dict) else value
            for name, value in conservation.items()
        },
        "created_at": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
