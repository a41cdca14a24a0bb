"""JSON read so that a number keeps its spelling: a reviewer has to see ``1e3`` where ``1e3`` is stored."""

from __future__ import annotations

import json
from typing import Any


class Number(str):
    """A JSON number as it is written. A string to Python; ``terminal.value`` and ``dumps`` write it as it stands."""

    __slots__ = ()


def loads(text: str | bytes) -> Any:
    """A JSON value with every number as a Number. ValueError for no JSON, RecursionError for too deep a nesting."""
    return json.loads(text, parse_int=Number, parse_float=Number)


def dumps(data: Any, *, ensure_ascii: bool = True) -> str:
    """JSON text of a value that may hold Numbers, with a blank after each comma and colon."""
    if isinstance(data, Number):
        return str(data)
    if isinstance(data, dict):
        members = (f"{json.dumps(str(key), ensure_ascii=ensure_ascii)}: {dumps(item, ensure_ascii=ensure_ascii)}"
                   for key, item in data.items())  # fmt: skip
        return "{" + ", ".join(members) + "}"
    if isinstance(data, (list, tuple)):
        return "[" + ", ".join(dumps(item, ensure_ascii=ensure_ascii) for item in data) + "]"
    return json.dumps(data, ensure_ascii=ensure_ascii)
