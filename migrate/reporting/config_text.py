"""``config show`` for people."""

from __future__ import annotations

from migrate.reporting.formats import ConfigResult, ConfigValue
from migrate.reporting.summary import labelled
from migrate.reporting.tables import table
from migrate.reporting.terminal import Screen, clean, value


def render(result: ConfigResult, screen: Screen) -> None:
    """Writes the config file in force, then every setting with where its value comes from."""
    if result.file:
        labelled(screen, "Config file", [clean(str(result.file))])
    else:
        searched = ", ".join(clean(str(path)) for path in result.searched)
        labelled(screen, "Config file", [f"none (looked for {searched})"])
    screen.line()
    rows = [(clean(item.key), _shown(item.value), _origin(item)) for item in result.values]
    table(screen, ("setting", "value", "from"), rows, right=frozenset())


def _shown(data: object) -> str:
    match data:
        case None | []:
            return "-"
        case dict() if not data:
            return "-"
        case str():
            return clean(data)
        case [*items]:
            return ", ".join(clean(str(item)) for item in items)
    return value(data)


def _origin(item: ConfigValue) -> str:
    return f"{item.origin}: {clean(item.place)}" if item.place else item.origin
