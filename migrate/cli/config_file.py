"""``corpus-migrate.toml`` or ``[tool.corpus-migrate]``: where it is looked for, and reading it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from migrate.cli.errors import CommandError

OWN_NAME = "corpus-migrate.toml"
PROJECT_NAME = "pyproject.toml"
_WILDCARDS = "*?["
_TABLE = ("tool", "corpus-migrate")


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A config file's members by key."""

    path: Path
    members: Mapping[str, Any]
    prefix: str
    """What stands before a key in the file: empty, or ``tool.corpus-migrate.``."""

    def name(self, key: str) -> str:
        """A key as the file has it."""
        return self.prefix + key

    def refuse_unknown(self, known: Iterable[str]) -> None:
        """Raises CommandError for a key that means nothing, with the nearest one that does."""
        keys = list(known)
        for key in self.members:
            if key not in keys:
                near = difflib.get_close_matches(key, keys, 1)
                hint = f"; did you mean {near[0]}?" if near else ""
                raise CommandError(f"{self.path}: unknown key {self.name(key)}{hint}")


def find(corpus: str | None, given: Path | None) -> tuple[ConfigFile | None, tuple[Path, ...]]:
    """The config file in force and the places looked at, in order. The first one that has our table is the one.

    ``given`` is the file of ``--config``; without it the folder of the corpus comes first, then the working
    directory, and in each our own file before the project's.
    """
    if given is not None:
        file = _load(given) if given.name != PROJECT_NAME else _load_project(given)
        if file is None:
            raise CommandError(f"{given} has no table [{'.'.join(_TABLE)}]")
        return file, (given,)
    searched: list[Path] = []
    for folder in _folders(corpus):
        for name, load in ((OWN_NAME, _load), (PROJECT_NAME, _load_project)):
            searched.append(folder / name)
            if searched[-1].is_file() and (file := load(searched[-1])):
                return file, tuple(searched)
    return None, tuple(searched)


def _folders(corpus: str | None) -> list[Path]:
    """Where a config file may lie: in a corpus that is a folder, beside any other, in the working directory."""
    folders = [Path()]
    path = _local(corpus) if corpus else None
    if path is not None:
        folders = [path, path.parent, Path()] if path.is_dir() else [path.parent, Path()]
    unique = {folder.resolve(): folder for folder in reversed(folders)}
    return [folder for folder in folders if unique.pop(folder.resolve(), None) is not None]


def _local(corpus: str) -> Path | None:
    """The path a corpus lies at; for a glob its part without wildcards; None for one on another machine."""
    scheme, separator, rest = corpus.partition("://")
    if corpus.startswith("mcp+") or (separator and scheme != "sqlite"):
        return None
    rest = rest.removeprefix("/") if separator else corpus
    path = Path(rest)
    while any(mark in str(path) for mark in _WILDCARDS):
        path = path.parent
    return path


def _load(path: Path) -> ConfigFile | None:
    return ConfigFile(path, _parse(path), "")


def _load_project(path: Path) -> ConfigFile | None:
    table: Any = _parse(path)
    for name in _TABLE:
        table = table.get(name) if isinstance(table, dict) else None
    return ConfigFile(path, table, ".".join(_TABLE) + ".") if isinstance(table, dict) else None


def _parse(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} is no TOML file: {error}") from None
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}") from None
