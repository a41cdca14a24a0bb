"""Runs the command line in processes that die, or are told to stop, at a chosen moment of their work on files.

A server that has loaded everything and has done nothing yet is forked for each run, which costs next to nothing. A moment is a call that
changes the disk: the ``at``-th of them is done in part where it is a write, not at all otherwise, and then the signal comes.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended."""

    killed: bool
    code: int
    moments: int
    """Calls that changed the disk, as far as it came."""
    stdout: str
    stderr: str


class Forker:
    """The server. A context manager."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__))], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])},
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def run(self, folder: Path, *arguments: str, at: int = 0, sign: int = signal.SIGKILL, limit: int = 0) -> Ended:
        """Run the command line in a folder; ``at`` 0 lets it end by itself, ``limit`` is the largest size a file may get."""
        assert self._process.stdin is not None and self._process.stdout is not None
        asked = {"folder": str(folder), "arguments": arguments, "at": at, "sign": int(sign), "limit": limit}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return Ended(**json.loads(self._process.stdout.readline()))


def _serve() -> None:
    import migrate.applying.apply
    import migrate.applying.undo
    import migrate.cli.commands.apply
    import migrate.cli.commands.undo
    import migrate.reporting.run_text  # noqa: F401 - loaded once, before anything is forked

    for line in sys.stdin:
        asked = json.loads(line)
        folder = Path(asked["folder"])
        names = {name: folder.parent / f"forked.{name}" for name in ("out", "err", "moments")}
        for path in names.values():
            path.write_text("")
        child = os.fork()
        if not child:
            _child(asked, names)
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        ended = Ended(
            code == -signal.SIGKILL, code, len(names["moments"].read_bytes()), names["out"].read_text(), names["err"].read_text()
        )  # fmt: skip
        sys.stdout.write(json.dumps({name: getattr(ended, name) for name in Ended.__slots__}) + "\n")
        sys.stdout.flush()


def _child(asked: dict[str, Any], names: dict[str, Path]) -> None:
    code = 99
    try:
        os.chdir(asked["folder"])
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(names[name], os.O_WRONLY), number)
        if asked["limit"]:
            import resource

            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (asked["limit"], asked["limit"]))
        _arm(asked["at"], asked["sign"], os.open(names["moments"], os.O_WRONLY))
        from migrate.cli.main import cli

        code = cli.main(asked["arguments"], standalone_mode=False)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _arm(at: int, sign: int, counter: int) -> None:
    """Wrap every call that changes the disk."""
    from migrate.corpora import ranges

    done = 0
    real_write = os.write

    def moment() -> bool:
        nonlocal done
        done += 1
        real_write(counter, b".")
        return done == at

    def wrapped(call: Any) -> Any:
        def stand_in(*arguments: Any, **keywords: Any) -> Any:
            if moment():
                os.kill(os.getpid(), sign)
            return call(*arguments, **keywords)

        return stand_in

    for name in ("fsync", "replace", "rename", "link", "unlink", "mkdir", "rmdir"):
        setattr(os, name, wrapped(getattr(os, name)))

    def write(file: int, data: Any) -> int:
        if file > 2 and moment():
            real_write(file, bytes(data)[: len(data) // 2])
            os.kill(os.getpid(), sign)
        return real_write(file, data)

    def put(target: Any, data: bytes) -> None:
        if moment():
            target.write(data[: len(data) // 2])
            os.kill(os.getpid(), sign)
            target.seek(-(len(data) // 2), os.SEEK_CUR)
        real_put(target, data)

    real_put = ranges._put
    os.write = write
    ranges._put = put


if __name__ == "__main__":
    _serve()
