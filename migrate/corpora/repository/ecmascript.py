"""What the ecosystem's tools mean by white space and by order: ECMAScript's rules, which are not Python's."""

from __future__ import annotations

import re

WHITE = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
"""White space as the inside of a character class of a regular expression.

Python's ``\\s`` and ``str.strip`` also take U+001C to U+001F and U+0085, and leave U+FEFF.
"""

BLANKS = "".join(chr(code) for code in range(0x10000) if re.match(f"[{WHITE}]", chr(code)))
"""The same characters, for ``str.strip``."""


def trim(text: str) -> str:
    """The text without white space at its ends."""
    return text.strip(BLANKS)


def by_code_unit(name: str) -> bytes:
    """A sort key: names by their UTF-16 code units, so that U+1F600 stands before U+FF5E."""
    return name.encode("utf-16-be", "surrogatepass")
