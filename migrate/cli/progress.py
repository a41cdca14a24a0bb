"""Progress bars for phases that last: on stderr, for people only."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from migrate.reporting.terminal import clean, is_terminal

PATIENCE = 1.0
"""Seconds a phase has to last before it is worth a bar."""
_INTERVAL = 0.5


def wanted(quiet: bool, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether anybody watches: stderr is a terminal, no CI, not told to be quiet. Colour has no say in it."""
    return not quiet and not environment.get("CI") and is_terminal(sys.stderr)


class Bars:
    """One bar at a time, for the phase that is reported on; a context manager that clears the last one.

    An instance is the callable that long work takes: ``progress(phase, done, total)``, in any unit.
    """

    def __init__(self, shown: bool, told: bool = False) -> None:
        """``shown``: bars; ``told``: a plain line a phase, whoever reads it."""
        self._shown = shown
        self._told = told
        self._phase: str | None = None
        self._started = 0.0
        self._done = 0
        self._bar: Any = None

    def __call__(self, phase: str, done: int, total: int | None) -> None:
        """Says that ``done`` of ``total`` (None: nobody knows) of a phase is done."""
        if not self._shown and not self._told:
            return
        if phase != self._phase:
            self.close()
            self._phase, self._started = phase, time.monotonic()
        self._done = max(done, total or 0)
        if not self._shown:
            return
        lasted = time.monotonic() - self._started
        if self._bar is None and lasted >= PATIENCE:
            self._bar = self._open(phase, total)
            self._bar.start_t -= lasted
            self._bar.n = done
            self._bar.refresh()
        elif self._bar is not None:
            if total is not None:
                self._bar.total = total
            self._bar.update(done - self._bar.n)

    def _open(self, phase: str, total: int | None) -> Any:
        from tqdm import tqdm  # tqdm has no types of its own

        return tqdm(
            desc=clean(phase),
            total=total,
            file=sys.stderr,
            mininterval=_INTERVAL,
            leave=False,
            unit_scale=True,
            unit="",
        )

    def close(self) -> None:
        """Clears the bar, and says how long the phase took; a later report begins a new one."""
        if self._told and self._phase is not None:
            lasted = time.monotonic() - self._started
            rate = f", {self._done / lasted:,.0f} a second" if lasted >= PATIENCE else ""
            with contextlib.suppress(OSError, ValueError):
                sys.stderr.write(f"{clean(self._phase)}: {self._done:,} in {lasted:,.1f} s{rate}\n")
        if self._bar is not None:
            self._bar.close()
        self._bar = self._phase = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
