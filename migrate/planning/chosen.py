"""The options that change what a run finds or proposes, as data: in a plan's header, and to tell whether two sweeps compare."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from migrate.types import Options


def chosen_options(options: Options, codes: Sequence[str]) -> dict[str, Any]:
    """The members of a header's ``options``; ``codes`` are the rules that ran."""
    return {
        "codes": list(codes),
        "unsafe_fixes": options.unsafe_fixes,
        "partial": options.partial,
        **({"init_absent": True} if options.init_absent else {}),
        "id_map": None
        if options.id_map is None
        else "sha256:" + hashlib.sha256(options.id_map.read_bytes()).hexdigest(),
        "extend_safe_fixes": sorted(options.safe_fixes),
        "extend_unsafe_fixes": sorted(options.unsafe_only),
        "status_map": {scope: dict(sorted(pairs.items())) for scope, pairs in sorted(options.status_map.items())},
        **({} if options.target is None else {"target": options.target}),
    }
