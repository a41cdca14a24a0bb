"""The rules of repository contexts as queries over their tables: each adds its findings, and what its repair would write."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb

from migrate.engine.compile import SetRule
from migrate.engine.database import Database, first_line, script_text
from migrate.engine.errors import EngineError
from migrate.types import Progress

PACKAGE = "migrate.engine.repository_context"
_REQUIRED = {"ordinal", "file", "level", "evidence"}
_OPTIONAL = {"line": "NULL", "position": "0", "mark": "''"}


def judge(database: Database, rules: Sequence[SetRule], progress: Progress | None = None) -> None:
    """Run every rule and make the table ``findings``. Raises EngineError, which names the rule whose SQL fails."""
    repairing = [rule.code for rule in rules if rule.edits is not None]
    database.run("CREATE TABLE repairing AS SELECT unnest(?::VARCHAR[]) AS code", [repairing])
    for place, rule in enumerate(rules):
        if progress is not None:
            progress("rules", place, len(rules))
        try:
            _run(database, rule)
        except duckdb.Error as error:
            raise EngineError(f"the query of the rule {rule.code} fails: {first_line(error)}") from error
    database.run(script_text(PACKAGE, "findings.sql", {}))


def _run(database: Database, rule: SetRule) -> None:
    columns = {column[0] for column in database.connection.execute(f"SELECT * FROM ({rule.query}) LIMIT 0").description}
    if missing := _REQUIRED - columns:
        raise EngineError(f"the query of the rule {rule.code} returns no column {', '.join(sorted(missing))}")
    line, position, mark = (name if name in columns else default for name, default in _OPTIONAL.items())
    database.run(
        f"INSERT INTO found SELECT '{rule.code}', {rule.wave}, ordinal, file, {line}, level, '{rule.severity}', evidence::VARCHAR,"
        f" {position}, {mark} FROM ({rule.query})"
    )
    if rule.edits is not None:
        database.run(f"INSERT INTO edits SELECT '{rule.code}', ordinal, path, old, new FROM ({rule.edits})")
