"""What all tests share."""

from __future__ import annotations

import os

from hypothesis import settings

# The same examples in every run of CI: what chance finds elsewhere is mended there first.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")
