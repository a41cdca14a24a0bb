"""The SQL macros of the table model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from migrate.engine.database import Database, script_text

_LISTS = ("selected", "promoted", "demoted")
_MAPS = ("odd_tags", "status_synonyms", "status_map")


def create_macros(
    database: Database, words: Mapping[str, Sequence[str]], meanings: Mapping[str, Mapping[str, str]]
) -> None:
    """Create ``is_<name>(s)`` for each list of words, ``<name>(s)`` for each table of meanings, then the macros that use them."""
    for name, values in words.items():
        database.run(f"CREATE OR REPLACE MACRO is_{name}(s) AS s IN ({', '.join(map(_literal, values))})")
    for name, pairs in meanings.items():
        cases = " ".join(f"WHEN {_literal(word)} THEN {_literal(meaning)}" for word, meaning in pairs.items())
        database.run(f"CREATE OR REPLACE MACRO {name}(s) AS CASE s {cases} END")
    database.run(script_text("migrate.engine", "macros.sql", {}))
    database.script("macros.sql")


def create_plain_macros(
    database: Database, words: Mapping[str, Sequence[str]], meanings: Mapping[str, Mapping[str, str]]
) -> None:
    """The same for a database that holds nothing else of the table model: what the macros read is set to nothing."""
    for name in _LISTS:
        database.set(name, [""])
    for name in _MAPS:
        database.set_map(name, {})
    for name in ("track", "id_form", "blanks", "external_key"):
        database.set(name, "")
    create_macros(database, words, meanings)


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
