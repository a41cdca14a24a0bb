"""The kinds of value a setting can have: how each is read from text (flags, environment) and from TOML.

Both readers raise ValueError with a text that completes "KEY …": ``must be a whole number above 0``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

_SIZE = re.compile(r"\d+(\.\d+)? ?([KMGT]i?)?B", re.IGNORECASE)
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


class Kind(Protocol):
    """Reads a setting's value. ``folder`` is what relative paths of a config file start from."""

    def text(self, text: str) -> Any:
        """The value of an environment variable, or of a flag given once."""

    def toml(self, data: Any, folder: Path) -> Any:
        """The value of a member of a config file."""


class Codes:
    """Rule codes or prefixes of them, in comma lists; always in upper case."""

    def text(self, text: str) -> tuple[str, ...]:
        """``CS7, ct301`` → ``("CS7", "CT301")``."""
        return tuple(part.strip().upper() for part in text.split(",") if part.strip())

    def toml(self, data: Any, folder: Path) -> tuple[str, ...]:
        """A list of strings."""
        return tuple(code for item in _strings(data) for code in self.text(item))


class Switch:
    """Yes or no."""

    def text(self, text: str) -> bool:
        """``1``, ``true``, ``yes``, ``on`` or their opposites, in any case."""
        if text.lower() in _TRUE + _FALSE:
            return text.lower() in _TRUE
        raise ValueError("must be true or false")

    def toml(self, data: Any, folder: Path) -> bool:
        """A boolean."""
        if isinstance(data, bool):
            return data
        raise ValueError("must be true or false")


class Whole:
    """A whole number above 0."""

    def text(self, text: str) -> int:
        """Decimal digits."""
        if text.isascii() and text.isdigit() and int(text) > 0:
            return int(text)
        raise ValueError("must be a whole number above 0")

    def toml(self, data: Any, folder: Path) -> int:
        """An integer."""
        if isinstance(data, int) and not isinstance(data, bool) and data > 0:
            return data
        raise ValueError("must be a whole number above 0")


class Size:
    """An amount of memory as DuckDB writes it."""

    def text(self, text: str) -> str:
        """``500MB``, ``1.5 GiB``."""
        if _SIZE.fullmatch(text.strip()):
            return text.strip()
        raise ValueError('must be a size such as "500MB" or "2GB"')

    def toml(self, data: Any, folder: Path) -> str:
        """The same as a string."""
        return self.text(_string(data))


class OneOf:
    """One word of a fixed list."""

    def __init__(self, *words: str) -> None:
        self.words = words

    def text(self, text: str) -> str:
        """The word as it is listed."""
        if text in self.words:
            return text
        raise ValueError(f"must be one of {', '.join(self.words)}")

    def toml(self, data: Any, folder: Path) -> str:
        """The same as a string."""
        return self.text(_string(data))


class Place:
    """A path. ``must_exist`` where it is read and not made."""

    def __init__(self, *, must_exist: bool = False, folder: bool = False) -> None:
        self.must_exist = must_exist
        self.folder = folder

    def text(self, text: str) -> Path:
        """A path as typed; ``~`` is the home directory."""
        path = Path(text).expanduser()
        if self.must_exist and not path.exists():
            raise ValueError(f"names {path}, which does not exist")
        if self.folder and path.exists() and not path.is_dir():
            raise ValueError(f"names {path}, which is no folder")
        return path

    def toml(self, data: Any, folder: Path) -> Path:
        """A string; relative paths start from the folder of the config file."""
        return self.text(str(folder / Path(_string(data)).expanduser()))


class Places:
    """Paths that are read. In text they are separated as in PATH."""

    def __init__(self) -> None:
        self._one = Place(must_exist=True)

    def text(self, text: str) -> tuple[Path, ...]:
        """``rules:more-rules``."""
        return tuple(self._one.text(part) for part in text.split(os.pathsep) if part)

    def toml(self, data: Any, folder: Path) -> tuple[Path, ...]:
        """A list of strings."""
        return tuple(self._one.toml(item, folder) for item in _strings(data))


class StatusMap:
    """Tables of statuses: kind (or ``any``) → what is found → what it means."""

    def text(self, text: str) -> Any:
        """Never: a table has no form on one line."""
        raise ValueError("can only be set in a config file")

    def toml(self, data: Any, folder: Path) -> dict[str, dict[str, str]]:
        """A table of tables of strings; what is found is folded as statuses are when they are compared."""
        if not isinstance(data, dict) or not all(isinstance(table, dict) for table in data.values()):
            raise ValueError('must hold one table a kind (or "any")')
        return {kind: {_fold(found): _string(means) for found, means in table.items()} for kind, table in data.items()}


def _fold(text: str) -> str:
    """ASCII only: trimmed, A-Z lower, runs of blank or hyphen one underscore."""
    lowered = "".join(character.lower() if character.isascii() else character for character in text.strip(" \t\r\n"))
    return re.sub(r"[ \t\r\n-]+", "_", lowered)


def _string(data: Any) -> str:
    if isinstance(data, str):
        return data
    raise ValueError("must be a string")


def _strings(data: Any) -> Iterable[str]:
    if isinstance(data, list) and all(isinstance(item, str) for item in data):
        return data
    raise ValueError("must be a list of strings")
