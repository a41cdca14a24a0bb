"""The command line in a folder of its own, a PostgreSQL of the tests' own, and the helpers beside this file."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # tests are no package: helpers are imported by their own names

from running import postgres, run

__all__ = ["postgres", "run"]
