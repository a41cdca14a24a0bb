"""The SQL macros of the table model, for a database that holds nothing else of it."""

from __future__ import annotations

from migrate.engine.database import Database
from migrate.engine.model import PACKAGE

_NEUTRAL = {"selected": "", "promoted": "", "demoted": "", "track": "safe"}


def create_macros(database: Database) -> None:
    """Create the macros, with the variables they read set to nothing."""
    for name, value in _NEUTRAL.items():
        database.set(name, value if name == "track" else [value])
    for name in ("odd_tags", "report_types"):
        database.set_map(name, {})
    database.script(PACKAGE, "macros.sql")
