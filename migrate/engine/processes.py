"""Work by several processes, which end with the one that began them, however it ends."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Any, Self, TypeVar

from migrate.types import Progress

T = TypeVar("T")

_MOST = 4
"""Processes at work: each takes memory of its own, and more of them only wait for the disk."""


_GONE = "a process of this run was ended from outside"


def available(threads: int | None) -> int:
    """How many processes to use where ``threads`` are allowed (None: as many as there are processors)."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(threads or processors, processors, _MOST))


class Workers:
    """A few processes that are started when there is enough to do. A context manager that ends them.

    A function is called with the arguments of each task; both travel, so that the function must be one of a module.
    """

    def __init__(self, number: int, progress: Progress | None = None) -> None:
        self.number = number
        self._progress = progress
        self._started: list[tuple[Any, Connection]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process, connection in self._started:
            connection.close()
            if error is not None:
                process.terminate()
        for process, _ in self._started:
            process.join()
        self._started.clear()

    def map(self, phase: str, function: Callable[..., T], tasks: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, T]]:
        """Index and result of every task as they are done; here, one after the other, where there is only one to do.

        What a task raises is raised here, and ends the rest. ``phase`` is what the progress is told.
        """
        for done, found in enumerate(self._map(function, tasks), 1):
            if self._progress is not None:
                self._progress(phase, done, len(tasks))
            yield found

    def _map(self, function: Callable[..., T], tasks: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, T]]:
        if len(tasks) < 2 or self.number < 2:
            for index, task in enumerate(tasks):
                yield index, function(*task)
            return
        self._start()
        pending = iter(enumerate(tasks))
        busy: dict[Any, int] = {}
        for _, idle in self._started:
            self._send(idle, function, pending, busy)
        while busy:
            connection: Any
            for connection in wait(list(busy)):
                index = busy.pop(connection)
                result = _received(connection)
                self._send(connection, function, pending, busy)
                yield index, result

    def _send(
        self,
        connection: Any,
        function: Callable[..., T],
        pending: Iterator[tuple[int, tuple[Any, ...]]],
        busy: dict[Any, int],
    ) -> None:
        for index, task in pending:
            connection.send((function, task))
            busy[connection] = index
            return

    def _start(self) -> None:
        context = get_context("spawn")
        while len(self._started) < self.number:
            here, there = context.Pipe()
            process = context.Process(target=_work, args=(there,), daemon=True)
            process.start()
            there.close()
            self._started.append((process, here))


class Aside:
    """A generator that runs in a process of its own, which ends with the one that began it. A context manager.

    The function and its arguments travel, so that it must be one of a module. What the generator yields is received here,
    what is sent is what ``yield`` gives there.
    """

    def __init__(self, function: Callable[..., Generator[Any, Any, None]], *arguments: Any) -> None:
        context = get_context("spawn")
        self._connection, there = context.Pipe()
        self._process = context.Process(target=_generate, args=(there, function, arguments), daemon=True)
        self._process.start()
        there.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self._process.terminate()
        self._connection.close()
        self._process.join()

    def stop(self) -> None:
        """End it where it is."""
        self._process.terminate()
        self._connection.close()
        self._process.join()

    def send(self, value: Any) -> None:
        """Let the generator go on. Raises ChildProcessError where its process is gone."""
        try:
            self._connection.send(value)
        except OSError:
            raise ChildProcessError(_GONE) from None

    def receive(self) -> Any:
        """What the generator yields next. Raises what it raised, and ChildProcessError where its process is gone."""
        return _received(self._connection)


def _received(connection: Connection) -> Any:
    try:
        result, failure = connection.recv()
    except (EOFError, ConnectionError):
        raise ChildProcessError(_GONE) from None
    if failure is not None:
        raise failure
    return result


def _generate(connection: Connection, function: Callable[..., Generator[Any, Any, None]], arguments: Any) -> None:
    """Runs a generator until it ends, or until nobody waits for it any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    generator = function(*arguments)
    given: Any = None
    with contextlib.suppress(EOFError, OSError):
        while True:
            try:
                answer: tuple[Any, BaseException | None] = generator.send(given), None
            except StopIteration:
                return
            except Exception as error:  # noqa: BLE001 - it is raised again where it is received
                answer = None, error
            connection.send(answer)
            given = connection.recv()


def _work(connection: Connection) -> None:
    """Does tasks until nobody sends any more. Signals are for the process that began this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(EOFError, OSError):
        while True:
            function, task = connection.recv()
            try:
                answer: tuple[Any, BaseException | None] = function(*task), None
            except Exception as error:  # noqa: BLE001 - it is raised again where the task came from
                answer = None, error
            connection.send(answer)
