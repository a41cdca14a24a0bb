"""The vocabularies of schema v1 as the engine's tables and variables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import yaml

from migrate.engine.tracks import Settings
from migrate.rules.errors import RuleError
from migrate.types import Options


@cache
def vocabulary() -> dict[str, Any]:
    """The vocabulary file of the context server."""
    text = resources.files("migrate.rules.context_server").joinpath("vocabulary.yml").read_text(encoding="utf-8")
    loaded: dict[str, Any] = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - a safe loader
    return loaded


def word_lists() -> dict[str, list[str]]:
    """Name to words: ``is_<name>(s)`` in SQL."""
    words = vocabulary()
    kinds = words["kinds"]
    statuses = dict(words["statuses"])
    statuses["any"] = list(dict.fromkeys(status for values in words["statuses"].values() for status in values))
    return {
        "kind_name": list(kinds),
        "kind_token": [kind for kind, facts in kinds.items() if facts.get("artifact")],
        "kind_with_status": [kind for kind, facts in kinds.items() if facts.get("status_required")],
        **{f"status_of_{family}": values for family, values in statuses.items()},
        "filing": words["filings"],
        "filing_with_item": words["filings_with_item"],
        "progress_report": words["progress_reports"],
        "core_report_type": list(words["report_types"]),
    }


def meanings() -> dict[str, dict[str, str]]:
    """Name to words and what each means: ``<name>(s)`` in SQL."""
    words = vocabulary()
    return {
        "report_type_core": {name: core for core, names in words["report_types"].items() for name in names},
        "status_family": {kind: facts["statuses"] for kind, facts in words["kinds"].items() if facts.get("statuses")},
    }


def settings(options: Options, codes: tuple[frozenset[str], frozenset[str]], id_map: Mapping[str, str]) -> Settings:
    """Vocabularies and options as SQL; ``codes`` are the promoted and the demoted ones."""
    words = vocabulary()
    kinds = [
        (kind, facts.get("statuses"), facts.get("artifact", False), facts.get("status_required", False))
        for kind, facts in words["kinds"].items()
    ]
    keys = [
        (key, "entry" if f["targets"] == "entry" else f["targets"], f.get("one", False), True)
        for key, f in words["links"].items()
    ]
    keys += [(key, "entry", False, False) for key in words["passive_links"]]
    one = {key for key, f in words["links"].items() if f.get("one")}
    systems = "|".join(words["external_systems"])
    return Settings(
        variables={
            "blanks": "".join(chr(code) for code in range(0x3001) if chr(code).isspace()),
            "external_key": f"({systems})(_[a-z0-9]+)*_[a-z0-9]+s",
        },
        words=word_lists(),
        meanings=meanings(),
        maps={
            "status_synonyms": {
                f"{family}:{found}": becomes
                for family, pairs in words["status_synonyms"].items()
                for found, becomes in pairs.items()
            },
            "status_map": {f"{scope}:{found}": becomes for scope, found, becomes in _status_map(options, words)},
        },
        tables={
            "kinds": (("kind VARCHAR", "family VARCHAR", "artifact BOOLEAN", "status_required BOOLEAN"), kinds),
            "link_keys": (("key VARCHAR", "role VARCHAR", "one BOOLEAN", "registered BOOLEAN"), keys),
            "passive_links": (
                ("passive VARCHAR", "active VARCHAR", "one BOOLEAN"),
                [(passive, active, active in one) for passive, active in words["passive_links"].items()],
            ),
        },
        promoted=tuple(sorted(codes[0])),
        demoted=tuple(sorted(codes[1])),
        partial=options.partial,
        id_map=id_map,
    )


def _fold(word: str) -> str:
    return re.sub(r"[\s-]+", "_", word.strip().translate({code: code + 32 for code in range(65, 91)}))


def _status_map(options: Options, words: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The user's own words for statuses; RuleError for a kind or a status the schema does not have."""
    rows = []
    for scope, pairs in options.status_map.items():
        family = words["kinds"].get(scope, {}).get("statuses") if scope != "any" else None
        if scope != "any" and family is None:
            raise RuleError(f"status-map: {scope!r} is no kind with a status vocabulary; take `any` or one of them")
        known = (
            words["statuses"][family]
            if family
            else [status for values in words["statuses"].values() for status in values]
        )
        for found, becomes in pairs.items():
            if becomes not in known:
                raise RuleError(
                    f"status-map: {becomes!r} is no status of {scope}; the statuses are {', '.join(dict.fromkeys(known))}"
                )
            rows.append((scope, _fold(found), becomes))
    return rows
