"""What happens when something goes wrong: three classes only.

An expected error is one sentence and its documented code; an interruption is 130; anything else is a bug, with a
log file that is ready to be attached to a report.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path
from types import FrameType

import click

from migrate.cli.exit_codes import ExitCode
from migrate.naming import without_secrets
from migrate.reporting.terminal import clean

workspace_in_use: ContextVar[Path | None] = ContextVar("workspace_in_use", default=None)
"""The workspace of the command that runs, once it is known: where the log of a bug goes."""

interruption: ContextVar[str | None] = ContextVar("interruption", default=None)
"""What an interruption of the command that runs has to say, where that is more than that it starts over."""

# Each room raises its own class. They are recognised by name, because to import them here would load the engine.
_ROOMS = {
    ("migrate.corpora", "CorpusError"): ExitCode.USAGE,
    ("migrate.engine", "EngineError"): ExitCode.USAGE,
    ("migrate.rules", "RuleError"): ExitCode.USAGE,
    ("migrate.planning", "PlanError"): ExitCode.USAGE,
    ("migrate.sweeps", "SweepError"): ExitCode.USAGE,
    ("migrate.applying", "Refused"): ExitCode.REFUSED,
    ("migrate.applying", "Unwritable"): ExitCode.USAGE,
    ("migrate.applying", "ApplyError"): ExitCode.PARTIAL,
}
_UNUSABLE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG, errno.ELOOP, errno.ENOTDIR)
"""What makes a path that was named unusable, wherever it is noticed."""
_PACKAGES = ("click", "duckdb", "polars", "orjson", "msgspec", "tqdm", "pyyaml", "tzdata")


class CommandError(Exception):
    """An expected error of the command line itself. ``str()`` is the sentence."""

    def __init__(self, sentence: str, code: ExitCode = ExitCode.USAGE) -> None:
        super().__init__(sentence)
        self.code = code


class InternalError(Exception):
    """An error that an expected class stands for, but that only a bug of ours can cause here."""


@contextlib.contextmanager
def only_by_a_bug() -> Iterator[None]:
    """Inside, the rooms' own verdicts are bugs: a plan of our own making that does not balance is one.

    A verdict that another error is the cause of (a full disk, a record that changed under our hands) stays expected.
    """
    try:
        yield
    except Exception as error:
        if _room_code(error) is None or error.__cause__ is not None:
            raise
        raise InternalError(str(error)) from error


class Interruptions:
    """SIGINT and SIGTERM as KeyboardInterrupt, remembered.

    A library in C turns the exception into one of its own (DuckDB: RuntimeError), so that what arrives here does
    not say why; ``seen`` does.
    """

    def __init__(self) -> None:
        self.seen = False

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Catches both signals inside; does nothing outside the main thread, where Python allows no handlers."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self._handle) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.seen = True
        raise KeyboardInterrupt


def run(call: Callable[[], int | None]) -> int:
    """Calls a command and returns its exit code, whatever it raises."""
    interruptions = Interruptions()
    workspace_in_use.set(None)
    interruption.set(None)
    try:
        with interruptions.watched():
            code = int(call() or ExitCode.OK)
        return _interrupted() if interruptions.seen else code
    except BrokenPipeError:
        return mute_stdout()
    except BaseException as error:
        if interruptions.seen or isinstance(error, (KeyboardInterrupt, click.Abort)):
            return _interrupted()
        if isinstance(error, (SystemExit, GeneratorExit)):
            raise
        return _report(error)


def _interrupted() -> int:
    say(interruption.get() or "interrupted: no file is half-written; the same command again starts over")
    return ExitCode.INTERRUPTED


def mute_stdout() -> int:
    """After the reader of stdout went away: what is still buffered goes nowhere, and nothing is said about it."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return ExitCode.OK


def say(sentence: str, kind: str = "error") -> None:
    """One line on stderr: ``error: …``. The sentence may quote the corpus, so it is cleaned."""
    with contextlib.suppress(BrokenPipeError):
        click.echo(f"{kind}: {clean(without_secrets(sentence))}", err=True)


def _report(error: BaseException) -> int:
    match error:
        case click.exceptions.NoArgsIsHelpError():
            error.show()
            return ExitCode.USAGE
        case CommandError():
            say(str(error))
            return error.code
        case click.ClickException():
            say(_usage_sentence(error))
            return ExitCode.USAGE
    code = _room_code(error)
    if code is not None:
        say(str(error))
        return code
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
        say(f"{error.filename or 'the output'} cannot be written: {error.strerror}")
        mute_stdout()
        return ExitCode.USAGE
    if isinstance(error, OSError) and error.filename is not None and error.errno in _UNUSABLE:
        say(f"{os.fsdecode(error.filename)} cannot be used: {error.strerror}")
        return ExitCode.USAGE
    if isinstance(error, RuntimeError) and str(error).startswith("Symlink loop"):
        say(f"{str(error).partition(' from ')[2]} cannot be used: its links go round")
        return ExitCode.USAGE
    say(f"a bug in corpus-migrate: {type(error).__name__}: {error}")
    say(f"please attach {_write_log(error)} to a bug report", "note")
    return ExitCode.BUG


def _usage_sentence(error: click.ClickException) -> str:
    message = error.format_message().strip().rstrip(".")
    context = getattr(error, "ctx", None)
    return f"{message}; see {context.command_path} --help" if context else message


def _room_code(error: BaseException) -> ExitCode | None:
    """The code of an error that a room raises on purpose, by the nearest class that is known; None for any other."""
    for kind in type(error).__mro__:
        for (room, name), code in _ROOMS.items():
            if kind.__name__ == name and (kind.__module__ + ".").startswith(room + "."):
                return code
    return None


def _write_log(error: BaseException) -> str:
    """Writes the traceback and all versions, to the workspace if that can be, and returns where."""
    text = without_secrets("".join([*_versions(), "\n", *traceback.format_exception(error)]))
    name = f"bug-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{threading.get_native_id()}.log"
    workspace = workspace_in_use.get()
    for folder in filter(None, (workspace and workspace / "logs", Path(tempfile.gettempdir()))):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, "utf-8", "backslashreplace")
            return str(folder / name)
        except OSError:
            continue
    click.echo(text, err=True)
    return "the text above"


def _versions() -> Iterator[str]:
    import platform
    from importlib import metadata

    from migrate import __version__

    yield f"corpus-migrate {__version__}\npython {platform.python_version()} on {platform.platform()}\n"
    for name in _PACKAGES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            yield f"{name} {metadata.version(name)}\n"
    yield f"arguments: {sys.argv[1:]!r}\n"
