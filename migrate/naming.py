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


_SECRETS = (
    re.compile(r"(?i)(https?://)[^/\s:@]+(@)"),
    re.compile(r"(://[^/\s:@]*:)(?!@)\S*(@)"),
    re.compile(r"(?i)([a-z_]*(?:password|passwd|secret|token|api_?key)[a-z_]*=)[^\s&'\"]+()"),
    re.compile(r"(?i)(--[a-z-]*(?:password|secret|token|api-?key)[ =]+)[^\s'\"]+()"),
    re.compile(r"(\bBearer[ :]+)[^\s'\"]+()"),
)


def without_secrets(text: str) -> str:
    """The text with what may be a secret in it as ``***``: passwords of URIs and options, tokens of commands and headers."""
    for secret in _SECRETS:
        text = secret.sub(r"\1***\2", text)
    return text
