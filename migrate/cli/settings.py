"""Every setting there is, and which value is in force: flag, then environment, then config file, then default."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from migrate.cli.config_file import ConfigFile, find
from migrate.cli.errors import CommandError
from migrate.cli.exit_codes import FAIL_ON
from migrate.cli.kinds import Codes, Kind, OneOf, Place, Places, Size, StatusMap, Switch, Whole
from migrate.types import Evidence, Limits, Options

ENVIRONMENT_PREFIX = "CORPUS_MIGRATE_"
SYSTEMS = ("context-server", "kata", "repository-context")


@dataclass(frozen=True, slots=True)
class Setting:
    """A key of the config file, which is also a flag and an environment variable."""

    key: str
    kind: Kind
    default: Any = None

    @property
    def flag(self) -> str:
        """``--unsafe-fixes``."""
        return f"--{self.key}"

    @property
    def variable(self) -> str:
        """``CORPUS_MIGRATE_UNSAFE_FIXES``."""
        return ENVIRONMENT_PREFIX + self.key.replace("-", "_").upper()

    @property
    def parameter(self) -> str:
        """The name under which click hands the flag over."""
        return self.key.replace("-", "_")


_DEFAULTS = Options()

SETTINGS = (
    Setting("select", Codes(), ()),
    Setting("ignore", Codes(), ()),
    Setting("extend-safe-fixes", Codes(), ()),
    Setting("extend-unsafe-fixes", Codes(), ()),
    Setting("unsafe-fixes", Switch(), False),
    Setting("partial", Switch(), False),
    Setting("id-map", Place(must_exist=True)),
    Setting("custom-rules", Places(), ()),
    Setting("fail-on", OneOf(*FAIL_ON), "error"),
    Setting("baseline", Place()),
    Setting("evidence", OneOf(*(item.value for item in Evidence)), _DEFAULTS.evidence.value),
    Setting("system", OneOf(*SYSTEMS)),
    Setting("memory-limit", Size(), _DEFAULTS.limits.memory),
    Setting("threads", Whole()),
    Setting("temp-dir", Place(folder=True)),
    Setting("workspace", Place(folder=True), Path("reports")),
    Setting("status-map", StatusMap(), {}),
)
"""In the order in which ``config show`` lists them."""

CODE_KEYS = ("select", "ignore", "extend-safe-fixes", "extend-unsafe-fixes")


@dataclass(frozen=True, slots=True)
class Value:
    """A setting's value in force: ``origin`` is flag, environment, file or default, ``place`` which one exactly."""

    value: Any
    origin: str
    place: str

    def where(self, setting: Setting) -> str:
        """The place as an error names it: ``--select``, ``CORPUS_MIGRATE_SELECT``, ``FILE: select``."""
        return f"{self.place}: {setting.key}" if self.origin == "file" else self.place


@dataclass(frozen=True, slots=True)
class Settings:
    """All values in force by key, and the config file they were looked for in."""

    values: Mapping[str, Value]
    file: Path | None
    searched: tuple[Path, ...]

    def __getitem__(self, key: str) -> Any:
        return self.values[key].value

    def __iter__(self) -> Iterator[tuple[Setting, Value]]:
        return ((setting, self.values[setting.key]) for setting in SETTINGS)

    @property
    def limits(self) -> Limits:
        """What the engine may use."""
        return Limits(memory=self["memory-limit"], threads=self["threads"], temp_dir=self["temp-dir"])

    def options(self) -> Options:
        """The settings that a run takes."""
        return Options(
            select=self["select"],
            ignore=self["ignore"],
            unsafe_fixes=self["unsafe-fixes"],
            partial=self["partial"],
            id_map=self["id-map"],
            safe_fixes=self["extend-safe-fixes"],
            unsafe_only=self["extend-unsafe-fixes"],
            status_map=self["status-map"],
            custom_rules=self["custom-rules"],
            evidence=Evidence(self["evidence"]),
            system=self["system"],
            limits=self.limits,
        )


DEFAULTS = Settings({setting.key: Value(setting.default, "default", "") for setting in SETTINGS}, None, ())
"""Nothing asked for."""


def resolve(
    flags: Mapping[str, Any],
    *,
    corpus: str | None = None,
    config: Path | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Settings:
    """The settings in force for a command line.

    ``flags`` holds click's parameters; None or an empty tuple is a flag that was not given. Raises CommandError
    with one sentence that names the flag, the variable or the file and key at fault.
    """
    file, searched = find(corpus, config)
    values = {setting.key: _value(setting, flags, environment, file) for setting in SETTINGS}
    if file:
        file.refuse_unknown(setting.key for setting in SETTINGS)
    return Settings(values, file.path if file else None, searched)


def _value(
    setting: Setting, flags: Mapping[str, Any], environment: Mapping[str, str], file: ConfigFile | None
) -> Value:
    given = flags.get(setting.parameter)
    if given is not None and given != ():
        return Value(_from_flag(setting, given), "flag", setting.flag)
    if text := environment.get(setting.variable):
        return Value(_read(setting, setting.variable, text), "environment", setting.variable)
    if file and setting.key in file.members:
        try:
            value = setting.kind.toml(file.members[setting.key], file.path.parent)
        except ValueError as error:
            raise CommandError(f"{file.path}: {file.name(setting.key)} {error}") from None
        return Value(value, "file", str(file.path))
    return Value(setting.default, "default", "")


def _from_flag(setting: Setting, given: Any) -> Any:
    if isinstance(given, bool):
        return given
    if isinstance(given, tuple):
        return tuple(item for text in given for item in _read(setting, setting.flag, text))
    return _read(setting, setting.flag, given)


def _read(setting: Setting, place: str, text: str) -> Any:
    try:
        return setting.kind.text(text)
    except ValueError as error:
        raise CommandError(f"{place} {error}") from None
