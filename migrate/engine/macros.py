"""The SQL macros of the table model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from migrate.engine.database import Database, script_text

_LISTS = ("selected", "promoted", "demoted")
_MAPS = ("odd_tags", "report_types", "status_families", "status_synonyms", "status_map")


def create_macros(database: Database, words: Mapping[str, Sequence[str]]) -> None:
    """Create ``is_<name>(s)`` for each list of words, then the macros that use them and the variables."""
    for name, values in words.items():
        literals = ", ".join("'" + value.replace("'", "''") + "'" for value in values)
        database.run(f"CREATE OR REPLACE MACRO is_{name}(s) AS s IN ({literals})")
    database.run(script_text("migrate.engine", "macros.sql", {}))
    database.script("macros.sql")


def create_plain_macros(database: Database, words: Mapping[str, Sequence[str]]) -> None:
    """The same for a database that holds nothing else of the table model: what the macros read is set to nothing."""
    for name in _LISTS:
        database.set(name, [""])
    for name in _MAPS:
        database.set_map(name, {})
    for name in ("track", "id_form", "blanks", "external_key"):
        database.set(name, "")
    create_macros(database, words)
