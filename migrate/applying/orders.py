"""What is to be done, a line of a file an order: the lines of a plan, or the intents of a journal that is undone.

Of each line only its place and its record's key are kept; the line is read when its record is there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from migrate.applying.deciding import Decider, Decision, identity_of
from migrate.applying.errors import Refused
from migrate.applying.manners import Manner
from migrate.applying.parts import joined
from migrate.corpora.interface import Int64
from migrate.corpora.shard import Shard
from migrate.corpora.source import ShardSource
from migrate.engine.database import Database
from migrate.engine.json_text import JsonError, elements, quote, unquote
from migrate.engine.locating import scan_members
from migrate.planning.drafting import value_at
from migrate.planning.errors import PlanError
from migrate.planning.plan_file import PlanFile, plan_options

TABLE = "orders"
"""The table (number, id_key) of all orders in the run's database."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """What another record must still hold; ids and values as JSON texts."""

    record: str
    path: str
    holds: str
    spelled: str | None
    number: int
    """The order that rests on it."""


class Orders:
    """The orders of a file, numbered from 0 in its order. A context manager: it keeps the file open."""

    def __init__(
        self,
        path: Path,
        decider: Decider,
        keys: Sequence[str],
        offsets: Int64,
        lengths: Int64,
        id_form: str | None,
        inside: Callable[[str], str] = str,
    ) -> None:
        self.path = path
        self.decider = decider
        self.inside = inside
        """The record in the text of an item of the target."""
        self.keys = keys
        """The key of each order's record."""
        self.offsets = offsets
        self.lengths = lengths
        self.id_form = id_form
        """The form of most ids of the corpus that the orders were made for, None where it is not known."""
        self.units: dict[str, list[int]] = {}
        """The orders of each unit, by its name as JSON text."""
        self.resting: list[int] = []
        """The orders that rest on what other records hold."""
        self._file: BinaryIO = path.open("rb")

    def __len__(self) -> int:
        return len(self.keys)

    def __enter__(self) -> Orders:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def line(self, number: int) -> str:
        """The text of an order."""
        self._file.seek(int(self.offsets[number]))
        return self._file.read(int(self.lengths[number])).decode("utf-8")

    def decide(self, number: int, text: str) -> Decision | None:
        """What an order makes of a record; None where the text is another record, or none with that id."""
        return self.decider(self.line(number), self.keys[number], text)

    def requirements(self, number: int) -> Iterator[Requirement]:
        """What an order says that other records must hold."""
        text = value_at(self.line(number), "/requires") or "[]"
        for start, end in elements(text, 0):
            one = text[start:end]
            record, path, held = (value_at(one, name) or "null" for name in ("/record", "/path", "/holds"))
            yield Requirement(record, unquote(path), held, value_at(one, "/as"), number)

    def shown(self, number: int) -> str:
        """The id of an order's record, for people."""
        return self.keys[number][1:]

    def id_json(self, number: int) -> str:
        """The id of an order's record as JSON text."""
        key = self.keys[number]
        return key[1:] if key[0] == "i" else quote(key[1:], ascii=True)


def of_plan(database: Database, plan: PlanFile, manner: Manner, corpus: Mapping[str, Any]) -> Orders:
    """The orders of a plan, found to be as they were written. ``corpus`` is what is true of the place they are carried out in.

    Raises Refused for a plan that was cut or edited, PlanError for a line that is none of a plan.
    """
    check_whole(plan)
    path, count = plan.path, plan.header["counts"]["patches"]
    if not manner.parts:
        path, count = joined(plan, database.folder)
    names = ("record", "unit", "requires", "part")
    orders = read_orders(database, path, names, manner.by_plan(corpus), corpus["id_form"], manner.inside)
    if len(set(orders.keys)) != len(orders.keys) or len(orders) != count:
        raise PlanError(f"{plan.path}: has a line without a record of its own; make the plan anew")
    return orders


def check_whole(plan: PlanFile) -> None:
    """Raises Refused for a plan that was cut or edited, PlanError for a line that is none of a plan."""
    body, identity = hashlib.sha256(), hashlib.sha256()
    header = plan.header
    count = 0
    try:
        with plan.path.open("rb") as file:
            file.readline()
            for raw in file:
                body.update(raw)
                if raw.strip():
                    count += 1
                    identity.update(identity_of(raw.decode("utf-8")).encode())
    except (UnicodeDecodeError, JsonError, ValueError) as error:
        raise PlanError(f"{plan.path}: has a line that is none of a plan ({error}); make the plan anew") from error
    identity.update(plan_options(header["options"], header["corpus"].get("id_form")))
    if (
        header.get("body") != f"sha256:{body.hexdigest()}"
        or header.get("plan_id") != identity.hexdigest()[:16]
        or header["counts"]["patches"] != count
    ):
        raise Refused(f"{plan.path} is not as it was written: it was cut or edited; make the plan anew")


def read_orders(
    database: Database,
    path: Path,
    names: tuple[str, ...],
    decider: Decider,
    id_form: str | None,
    inside: Callable[[str], str] = str,
) -> Orders:
    """The orders of a file: its lines that have a valid id as the member ``names[0]``, the last one of each id.

    ``names[1]`` is their unit, ``names[2]`` what they rest on, ``names[3]`` the part of the record that they are about; further
    names are of members that other lines have.
    """
    source = ShardSource(Shard(path), database.folder)
    places = source.places()
    scan_members(database, "order_lines", [source], names)
    database.run(
        f"CREATE TABLE {TABLE} AS SELECT row_number() OVER (ORDER BY item) - 1 AS number, * FROM (SELECT * FROM"
        " (SELECT item, own_key(m1) || CASE WHEN starts_with(m4, '\"') THEN '#' || m4[2:-2] ELSE '' END AS id_key, CASE WHEN m2 <> 'null' THEN m2 END AS unit, m3 <> '[]' AS rests FROM order_lines)"
        " WHERE id_key IS NOT NULL QUALIFY row_number() OVER (PARTITION BY id_key ORDER BY item DESC) = 1) ORDER BY item"
    )
    items = database.columns(f"SELECT item FROM {TABLE} ORDER BY number")["item"]
    keys = database.column(f"SELECT id_key FROM {TABLE} ORDER BY number")
    orders = Orders(path, decider, keys, places.offsets[items], places.lengths[items], id_form, inside)
    for number, unit in database.rows(f"SELECT number, unit FROM {TABLE} WHERE unit IS NOT NULL ORDER BY number"):
        orders.units.setdefault(unit, []).append(number)
    orders.resting = database.column(f"SELECT number FROM {TABLE} WHERE rests ORDER BY number")
    return orders
