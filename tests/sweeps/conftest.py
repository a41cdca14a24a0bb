"""Helpers beside the tests are imported by their own names."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [
    str(Path(__file__).parent),
    *(str(Path(__file__).parents[1] / name) for name in ("stores", "properties")),
]
