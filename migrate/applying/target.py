"""What a place must be able to do for a plan to be carried out there, or a run to be undone.

One file of this room a kind of place. Everything that is the same everywhere is not there but in the rest of the room: orders
(the lines of a plan, or of a journal that is undone) and what they make of a record (:mod:`migrate.applying.orders`,
:mod:`migrate.applying.deciding`), units and requirements (:mod:`migrate.applying.judging`), the journal, once-only, resume
and undo (:mod:`migrate.applying.running`). A target only finds records, shows them, and writes them.

**A record is a text**: one JSON object with ``id``, ``metadata``, ``tags``, and ``version`` and ``updated_at`` where the store has
them. A file shows its own bytes; a database puts the text together from its columns, metadata and tags spelled exactly as they are
stored (metadata that a database keeps as text is *not* put inside a string again), NULL as ``null`` and a missing tag table as ``[]``.
What an order makes of it is such a text again, of which a database stores ``metadata`` and ``tags``
(:func:`migrate.planning.drafting.stored` takes them out). So compare, splice and undo exist once.

**The way of a run**, with ``N`` the number of an order:

1. ``target.identity(keys)``: refused, if its ids have another form than the plan's, or it knows none of the planned records.
2. ``target.look(orders, judged)``: the state of every planned record, nothing locked, nothing written. Orders without a record are
   simply not judged. Requirements are asked through ``target.records(keys)``.
3. For each batch of ``target.batches(judged.chosen(), units)``, in the run's own words::

       with batch:                            # begins a transaction; leaving without commit undoes it
           batch.look(judged)                 # again, under the lock: a record that moved since 2. is stale now
           judged.settle(...)                 # requirements and units again; what is left is written
           for lines in batch.put(chosen):    # writes, and gives the journal's intent lines, ended by line feeds
               journal.write_lines(lines)
           journal.flush()                    # on the disk before anything is for good
           batch.commit()

   Outcomes are journalled after each commit. A process that is killed anywhere in between is finished by the same command: it
   looks at the records, and finds each either as it was or as it shall be.

Everything may raise ApplyError (one sentence; the run stops there, what is committed stays, exit code 5) and KeyboardInterrupt passes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Protocol, Self

from migrate.applying.judging import Judged
from migrate.applying.orders import Orders


class Batch(Protocol):
    """Units that are written together, all or none. A context manager that takes back what was not committed."""

    @property
    def numbers(self) -> Sequence[int]:
        """The orders that it is to write."""

    @property
    def failed(self) -> Mapping[int, str]:
        """Orders that :meth:`put` could not write, each with the reason, their whole units with them (a savepoint a unit).

        A value that the store refuses, or a text that did not come back as the order's ``after`` says. A batch may also have
        ``notes``: lines for the journal that are known when it is committed.
        """

    def __enter__(self) -> Self:
        """Lock what will be written."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Take back what was not committed."""

    def look(self, judged: Judged) -> None:
        """Judge the batch's orders anew from the records as they are under the lock.

        That is ``judged.again(numbers)``, then as in :meth:`Target.look`. A store that nobody can change unseen between :meth:`Target.look` and the commit does nothing here.
        """

    def put(self, numbers: Sequence[int]) -> Iterator[bytes]:
        """Write what these orders make of their records; the intent lines, whole lines in any portions.

        The line is :meth:`migrate.applying.deciding.Decision.intent`, given the texts *as the store has them afterwards*
        (PostgreSQL respells jsonb: ``UPDATE … RETURNING``), because undo compares with them.
        """

    def commit(self) -> None:
        """Make it last. Called after the intents are on the disk."""


class Target(Protocol):
    """A place that records are changed in."""

    name: str
    """As it was typed, without secrets: for messages."""

    def about(self) -> dict[str, Any]:
        """What a journal's header keeps of it (``kind``, ``uri``, …), without secrets: enough to find it again for an undo."""

    def identity(self, keys: Collection[str]) -> tuple[str | None, int]:
        """The form of most of its own ids (``integer``, ``uuid``; None without any), and how many of ``keys`` it knows."""

    def look(self, orders: Orders, judged: Judged) -> None:
        """Judge every order whose record is here: ``judged.add(number, decision.state, decision.reason)``.

        A record that is here several times is judged several times; the worst counts. ``orders.decide(number, text)`` gives
        the decision.
        """

    def records(self, keys: Collection[str]) -> Iterable[tuple[str, str]]:
        """Key and present text of those of the records that are here."""

    def batches(self, numbers: Sequence[int], units: Mapping[int, Sequence[int]]) -> Iterator[Batch]:
        """The orders to write in portions of its own liking, none of them begun.

        ``units`` has for every order of a unit all orders of that unit that are to be written: they lie in one batch, where
        the target can write them at once.
        """

    def result(self) -> dict[str, Any]:
        """What the result of a run says beside the counts, for people and for machines."""

    def close(self) -> None:
        """Let go of it."""
