"""Counts and digests the bytes that go by, beside the work that lets them go by."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self

from migrate.corpora.compression import CHUNK


class Tally:
    """A count and a BLAKE2b digest, computed on a thread of its own: one block is under way, one is gathered."""

    def __init__(self) -> None:
        self._counted = 0
        self._hash = hashlib.blake2b(digest_size=32)
        self._gathered = bytearray()  # a copy: views would keep whole chunks alive
        self._thread = ThreadPoolExecutor(max_workers=1)
        self._running: Future[None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._thread.shutdown()

    def add(self, part: bytes | memoryview) -> None:
        """The next bytes."""
        self._gathered += part
        if len(self._gathered) >= CHUNK:
            self._flush()

    def add_all(self, parts: Iterable[bytes | memoryview]) -> None:
        """The next bytes, in pieces."""
        for part in parts:
            self.add(part)

    def result(self) -> tuple[int, str]:
        """The number of bytes, and their digest as hex digits."""
        self._flush()
        self._wait()
        return self._counted, self._hash.hexdigest()

    def _flush(self) -> None:
        block, self._gathered = self._gathered, bytearray()
        self._counted += len(block)
        self._wait()
        self._running = self._thread.submit(self._hash.update, block)

    def _wait(self) -> None:
        if self._running is not None:
            self._running.result()
