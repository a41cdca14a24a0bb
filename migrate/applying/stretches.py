"""Decides what orders make of the records of a stretch of a file, and puts the outcome into files: what any process can do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from migrate.applying.deciding import Decider
from migrate.applying.states import State
from migrate.corpora.interface import BOM, Int64
from migrate.corpora.spans import read_spans


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """Records and their orders, in the order of the file."""

    orders: Path
    decider: Decider
    line_offsets: Int64
    """Where each record's order stands in ``orders``."""
    line_lengths: Int64
    keys: Sequence[str]
    spool: Path
    """Beginning of the names of the files that take what is decided."""

    @property
    def texts(self) -> Path:
        """The file of the new records, one after the other."""
        return self.spool.with_suffix(".records")

    @property
    def intents(self) -> Path:
        """The file of the journal's lines, one after the other, each with its line feed."""
        return self.spool.with_suffix(".intents")


@dataclass(slots=True, eq=False)
class Decided:
    """What came of a stretch, a number a record."""

    states: npt.NDArray[np.uint8]
    """As bytes; 0 where the record is none of the order's."""
    texts: Int64
    """Bytes of its new record, 0 where there is none."""
    intents: Int64
    """Bytes of its intent."""
    reasons: dict[int, str] = field(default_factory=dict)
    """Of those that are stale or cannot be read, by position."""


def decide_plain(stretch: Stretch, path: Path, offsets: Int64, lengths: Int64) -> Decided:
    """The records lie plain in a file."""
    return decide(stretch, read_spans(path, None, offsets, lengths))


def decide(stretch: Stretch, records: Iterable[bytes]) -> Decided:
    """Decide every record, each with its order; raises ApplyError where an order would not do what it promises."""
    count = len(stretch.keys)
    states, sizes, reasons = bytearray(count), [(0, 0)] * count, {}
    with stretch.texts.open("wb") as texts, stretch.intents.open("wb") as intents:
        for position, (key, line, raw) in enumerate(zip(stretch.keys, _lines(stretch), records, strict=True)):
            mark, text = (BOM, raw[len(BOM) :]) if raw.startswith(BOM) else (b"", raw)
            try:
                decision = stretch.decider(line, key, text.decode("utf-8"))
            except UnicodeDecodeError:
                continue
            if decision is None:
                continue
            states[position] = decision.state
            if decision.state in (State.OTHER, State.NOTHING):
                reasons[position] = decision.reason
            elif decision.state is State.BEFORE:
                new, intent = mark + decision.text.encode("utf-8"), decision.intent().encode("utf-8") + b"\n"
                texts.write(new)
                intents.write(intent)
                sizes[position] = len(new), len(intent)
    lengths = np.array(sizes, dtype=np.int64).reshape(count, 2)
    return Decided(np.frombuffer(states, dtype=np.uint8), lengths[:, 0], lengths[:, 1], reasons)


def _lines(stretch: Stretch) -> Iterator[str]:
    """The orders; they mostly stand in the order of the records."""
    with stretch.orders.open("rb", buffering=1 << 20) as file:
        for offset, length in zip(stretch.line_offsets.tolist(), stretch.line_lengths.tolist(), strict=True):
            file.seek(offset)
            yield file.read(length).decode("utf-8")
