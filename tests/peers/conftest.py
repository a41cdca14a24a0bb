"""The real server, on SQLite and on PostgreSQL, as the tests' set-up has installed it (``dev.py test``)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "stores")]

from context_server import Peer, started  # noqa: E402 - found by the line above
from running import postgres, run  # noqa: E402

__all__ = ["peer", "postgres", "run"]


@pytest.fixture(params=["sqlite", "postgresql"])
def peer(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Peer]:
    """A running server over an empty database."""
    admin = request.getfixturevalue("postgres") if request.param == "postgresql" else None
    with started(tmp_path, admin) as server:
        yield server
