"""The helpers beside this file, and those that go the whole way."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [
    str(HERE),
    str(HERE.parent / "acceptance"),
]  # tests are no package: helpers are imported by their own names
