"""What a command was called with: its settings, its manners, and the screens it may write to."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from migrate.cli import output, progress
from migrate.cli.errors import say, workspace_in_use
from migrate.cli.settings import DEFAULTS, Settings, resolve
from migrate.reporting import formats
from migrate.reporting.terminal import Screen, stream_width, use_colour


@dataclass(frozen=True, slots=True)
class Invocation:
    """One call of a command."""

    settings: Settings
    format: str = "text"
    output: Path | None = None
    quiet: bool = False
    verbose: bool = False
    color: str = "auto"

    @classmethod
    def of(cls, flags: Mapping[str, Any], corpus: str | None = None) -> Invocation:
        """From click's parameters; a command without ``--config`` has default settings. Raises CommandError."""
        configured = "config" in flags
        settings = resolve(flags, corpus=corpus, config=flags["config"]) if configured else DEFAULTS
        workspace_in_use.set(settings["workspace"])
        names = ("format", "output", "quiet", "verbose", "color")
        return cls(settings, **{name: flags[name] for name in names if name in flags})

    @property
    def workspace(self) -> Path:
        """The folder of the tool's own files; it may not exist yet."""
        path: Path = self.settings["workspace"]
        return path

    def progress(self) -> progress.Bars:
        """Bars for long work, if anybody watches; with ``-v`` a plain line a phase instead."""
        return progress.Bars(progress.wanted(self.quiet) and not self.verbose, told=self.verbose)

    @contextlib.contextmanager
    def screen(self, path: Path | None = None) -> Iterator[Screen]:
        """Stdout, or the file given, as a screen; the file appears only when all is written."""
        with output.opened(path) as stream:
            yield Screen(stream, stream_width(stream), use_colour(self.color, stream, os.environ))

    def render(self, table: Mapping[str, str], result: Any, *, reproducible: bool = False) -> None:
        """Writes a result in the format and to the place asked for."""
        if reproducible:
            from migrate.reporting.reproducible import reproducible as alone

            result = replace(result, report=alone(result.report))
        with self.screen(self.output) as screen:
            formats.render(table, self.format, result, screen)

    def note(self, sentence: str, kind: str = "note") -> None:
        """One line on stderr, unless quiet; warnings always."""
        if kind != "note" or not self.quiet:
            say(sentence, kind)
