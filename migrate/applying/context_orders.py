"""What is to be done in the scopes of working trees: the lines of a plan, or the intents of a journal that is undone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from migrate.applying.deciding import Decision
from migrate.applying.journal import PastRun
from migrate.applying.orders import Orders, check_whole
from migrate.corpora.repository.layout import TEMPLATES
from migrate.planning.errors import PlanError
from migrate.planning.plan_file import PlanFile


@dataclass(frozen=True, slots=True)
class Operation:
    """One file: its bytes before and after, None where there is no file."""

    path: str
    old: bytes | None
    new: bytes | None

    def reversed(self) -> Operation:
        """What takes it back."""
        return Operation(self.path, self.new, self.old)


@dataclass(frozen=True, slots=True)
class ScopeOrder:
    """What is to be done in one scope."""

    key: str
    """The scope's path in the corpus."""
    codes: Sequence[str]
    operations: tuple[Operation, ...]
    context_class: str | None
    """The class that the plan saw; None for an undo."""
    folders: tuple[str, ...] = ()
    """Folders that go with the files, where they are empty then."""

    def intent(self, folders: Sequence[str]) -> dict[str, Any]:
        """The journal's line: what a later undo takes back, with the folders that are made."""
        files = [{"path": one.path, "old": _text(one.old), "new": _text(one.new)} for one in self.operations]
        return {"intent": self.key, "unit": None, "codes": list(self.codes), "files": files, "folders": list(folders)}


def _undecided(line: str, key: str, text: str) -> Decision | None:
    """A scope is no text: its target compares files."""
    return None


class ScopeOrders(Orders):
    """Orders whose records are scopes, told by their paths."""

    def __init__(self, path: Path, places: Sequence[tuple[str, int, int]], *, undo: bool) -> None:
        """``places`` are the key, offset and length of each line."""
        offsets, lengths = (np.asarray([place[column] for place in places], dtype=np.int64) for column in (1, 2))
        super().__init__(path, _undecided, [place[0] for place in places], offsets, lengths, None)
        self._undo = undo

    def shown(self, number: int) -> str:
        """The scope's path."""
        return self.keys[number]

    def id_json(self, number: int) -> str:
        """The scope's path as JSON text, as it stands in the journal."""
        return orjson.dumps(self.keys[number]).decode()

    def order(self, number: int) -> ScopeOrder:
        """What is to be done in a scope."""
        line = orjson.loads(self.line(number))
        if self._undo:
            files = [Operation(one["path"], _data(one["new"]), _data(one["old"])) for one in line["files"]]
            return ScopeOrder(line["intent"], line["codes"], tuple(reversed(files)), None, tuple(line["folders"]))
        return ScopeOrder(line["record"], line["codes"], tuple(map(_planned, line["patch"]["files"])), line["class"])


def _planned(file: dict[str, Any]) -> Operation:
    old, new = file["edit"] if "edit" in file else (None, file["create"])
    return Operation(file["path"], _data(old), _data(new))


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode()


def _data(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def of_plan(plan: PlanFile) -> ScopeOrders:
    """The orders of a plan. Raises Refused for one that was cut or edited, PlanError for a line that is none of a plan."""
    check_whole(plan)
    places = list(_places(plan.path, b'{"record":', "record"))
    orders = ScopeOrders(plan.path, places, undo=False)
    try:
        for number in range(len(orders)):
            _check(orders.order(number))
    except (KeyError, TypeError, ValueError) as error:
        orders.close()
        raise PlanError(f"{plan.path}: has a line that is none of a plan of contexts; make the plan anew") from error
    return orders


def of_journal(run: PastRun) -> ScopeOrders:
    """The orders that take a run back; of a scope that it meant to change twice, the last."""
    places = {place[0]: place for place in _places(run.path, b'{"intent":', "intent")}
    return ScopeOrders(run.path, list(places.values()), undo=True)


def _places(path: Path, start: bytes, name: str) -> Iterator[tuple[str, int, int]]:
    at = 0
    with path.open("rb") as file:
        for raw in file:
            if raw.startswith(start) and raw.endswith(b"}\n"):
                yield str(orjson.loads(raw)[name]), at, len(raw)
            at += len(raw)


def _check(order: ScopeOrder) -> None:
    """A plan is a file that somebody hands in: nothing but the standard files is written, and in no folder above the corpus."""
    if order.key.startswith("/") or any(part == ".." or "\0" in part for part in order.key.split("/")):
        raise ValueError("a scope outside of the corpus")
    if any(one.path not in TEMPLATES for one in order.operations):
        raise ValueError("a file that is none of the standard layout")
