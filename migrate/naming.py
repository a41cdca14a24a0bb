"""Names that more than one room must make alike."""

from __future__ import annotations

import hashlib
import re

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 64


def corpus_name(uri: str) -> str:
    """The folder of a corpus: its base name, and eight hex of the SHA-256 of the whole URI (as typed, no secrets)."""
    base = uri.partition("?")[0].rstrip("/").rpartition("/")[2]
    safe = _UNSAFE.sub("_", base).lstrip(".")[:_LONGEST] or "corpus"
    return f"{safe}-{hashlib.sha256(uri.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
