"""A hypothesis strategy for whole corpora: records of every kind and era, then random faults, spelled at random."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from random import Random
from typing import Any

from hypothesis import strategies as st
from json_texts import MANNERS, Manner, shuffled, spell
from record_faults import FAULTS
from record_templates import TEMPLATES, Record, World, new_world

BROKEN = (
    b'{"id": 5, "metadata": {"status": "Done"}', b'{"id": 5, "metadata": {"status": "Done",}}', b"{'id': 5}", b'{"id": NaN}', b"[1]", b"7", b"null",
    b'{"id": 5} {"id": 6}', b'{"id": 5, "text": "\xe9"}', b'{"id": 5, "text": "\x01"}', b'{"id": 5} // x', b'{"id": 05}', b'"x"', b"\xff\xfe", b"{",
    b'{"id": 5, "metadata": {"a": -Infinity}}', b'{"id": 5, "a": "\\x"}', b'{"id": 5, "a": "\xed\xa0\x80"}', b"\xc2\x85", b'{"id": 5, "\n', b'{"id": 5}\x0c',
)  # fmt: skip
"""Lines that are no JSON object."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What one record is made from; small numbers are plain records."""

    template: int
    seed: int
    faults: tuple[tuple[int, int], ...]
    """Number and seed of each."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The bytes of one exported file of lines, and the lines they are."""

    lines: tuple[bytes, ...]
    """Each with its line end."""
    uuid: bool

    @property
    def data(self) -> bytes:
        """The whole file."""
        return b"".join(self.lines)

    def __repr__(self) -> str:
        return "Corpus(lines=(\n" + "".join(f"    {line!r},\n" for line in self.lines) + f"), uuid={self.uuid})"


def made(world: World, place: int, recipe: Recipe) -> Record:
    """The record of a recipe."""
    rng = Random(recipe.seed)
    record = TEMPLATES[recipe.template % len(TEMPLATES)](world, place, rng)
    for number, seed in recipe.faults:
        record = copy.deepcopy(record)  # the values a fault puts in are shared
        FAULTS[number % len(FAULTS)](record, world, Random(seed))
    return shuffled(record, rng) if recipe.seed % 4 == 3 else record


def line(record: Record, manner: Manner, *, all_as_text: bool) -> bytes:
    """The record as one line without its end."""
    record = dict(record)
    times = record.pop("metadata_as_text", 0)
    if all_as_text and "metadata" in record and record["metadata"] is not None:
        times = 1
    for _ in range(times):
        record["metadata"] = spell(record.get("metadata"), MANNERS[manner.ascii])
    return spell(record, manner).encode()


@st.composite
def corpora(draw: st.DrawFn, *, least: int = 25, most: int = 50) -> Corpus:
    """A corpus as a file of lines; line ends, blank lines, broken lines and copies among them."""
    small = st.integers(0, 2**16)
    recipes = draw(
        st.lists(
            st.builds(Recipe, small, small, st.lists(st.tuples(small, small), max_size=4).map(tuple)),
            min_size=least,
            max_size=most,
        )
    )
    uuid = draw(st.booleans())
    return assembled(recipes, uuid=uuid, all_as_text=draw(small) % 8 == 7, rng=Random(draw(small)))


def assembled(recipes: list[Recipe], *, uuid: bool, all_as_text: bool, rng: Random) -> Corpus:
    """The corpus of these recipes; what is no record of its own is strewn in by the generator."""
    world = new_world(len(recipes), uuid=uuid)
    texts: list[bytes] = []
    for place, recipe in enumerate(recipes):
        manner = MANNERS[recipe.seed % len(MANNERS)]
        text = line(made(world, place, recipe), manner, all_as_text=all_as_text)
        texts.append(text)
        dice = rng.random()
        if dice < 0.03:
            texts.append(text)
        elif dice < 0.05:
            texts.append(text.replace(b"{", b"{ ", 1))
        elif dice < 0.09:
            texts.append(rng.choice(BROKEN))
        elif dice < 0.11:
            texts.append(rng.choice((b"", b"  ", b"\t")))
    ends: Any = rng.choice(((b"\n",), (b"\n",), (b"\r\n",), (b"\n", b"\r\n")))
    lines = [text + rng.choice(ends) for text in texts]
    if rng.random() < 0.2:
        lines[-1] = lines[-1].rstrip(b"\r\n")
    if rng.random() < 0.1:
        lines[0] = b"\xef\xbb\xbf" + lines[0]
    return Corpus(tuple(lines), uuid)
