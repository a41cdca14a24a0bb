"""The numbers of the four marks that templates draw: bars, stacks, sparklines, heat."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_WIDTH, _HEIGHT, _MARGIN = 120, 24, 3


@dataclass(frozen=True, slots=True)
class Line:
    """A sparkline in pixels; a single number is a dot."""

    points: str
    x: float
    y: float
    width: int = _WIDTH
    height: int = _HEIGHT


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a stacked bar that is 100 wide."""

    name: str
    number: int
    start: float
    width: float


def sparkline(numbers: Sequence[int]) -> Line:
    """The numbers from left to right, from nought at the bottom to the highest of them at the top."""
    if not numbers:
        return Line("", 0, 0)
    most, steps = max(1, *numbers), max(len(numbers) - 1, 1)
    places = [
        (
            round(_MARGIN + place * (_WIDTH - 2 * _MARGIN) / steps, 1),
            round(_HEIGHT - _MARGIN - number * (_HEIGHT - 2 * _MARGIN) / most, 1),
        )
        for place, number in enumerate(numbers)
    ]
    return Line(" ".join(f"{x},{y}" for x, y in places), *places[-1])


def stack(named: Iterable[tuple[str, int]]) -> list[Part]:
    """The parts that are not nought, side by side."""
    there = [(name, number) for name, number in named if number]
    total = sum(number for _, number in there) or 1
    parts, start = [], 0.0
    for name, number in there:
        width = 100 * number / total
        parts.append(Part(name, number, round(start, 3), round(width, 3)))
        start += width
    return parts


def share(number: int, most: int) -> float:
    """How dark a cell is, from 0 to 0.45, so that text on it stays readable; by the square root, so that few are still seen."""
    return round(0.45 * (number / most) ** 0.5, 3) if most else 0.0
