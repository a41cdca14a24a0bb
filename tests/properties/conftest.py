"""The helpers beside this file and those of the acceptance tests; a folder that outlives the examples of a property."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "acceptance")]  # tests are no package: helpers go by their own names


@pytest.fixture(scope="session")
def folder() -> Iterator[Path]:
    """Where the examples leave their files."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)
