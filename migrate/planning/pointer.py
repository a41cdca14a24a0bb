"""JSON pointers (RFC 6901) taken apart and put together."""

from __future__ import annotations

import re
from collections.abc import Iterable

from migrate.planning.errors import PlanError

_bad_escape = re.compile(r"~(?![01])").search


def tokens(pointer: str) -> tuple[str, ...]:
    """The unescaped reference tokens of a pointer; PlanError if it is none."""
    if not pointer:
        return ()
    if pointer[0] != "/" or ("~" in pointer and _bad_escape(pointer)):
        raise PlanError(f"{pointer!r} is no JSON pointer: write ~ as ~0 and / inside a name as ~1, and begin with /.")
    if "~" not in pointer:
        return tuple(pointer[1:].split("/"))
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer[1:].split("/"))


def pointer(steps: Iterable[str | int]) -> str:
    """The pointer of unescaped tokens."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)
