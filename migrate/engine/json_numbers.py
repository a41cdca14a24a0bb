"""JSON number tokens compared and rewritten exactly: decimal digits only, never a float."""

from __future__ import annotations

import re
from decimal import MAX_EMAX, Context, Decimal

from migrate.engine.json_walk import JsonError

_parts = re.compile(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?").fullmatch
_small = re.compile(r"-?[1-9][0-9]{0,17}|0").fullmatch

LONGEST_INTEGER = 400
"""Digits of the longest integer that is ever written out."""
_INT_DIGITS = 4000
"""``int()`` refuses texts of more digits than 4300 (a limit of the interpreter); longer exponents take another way."""


def number(token: str) -> str:
    """The one spelling of a JSON number token's value.

    Integers that fit 64 bits, signed or unsigned, are plain decimals. Everything else is its digits (no zero at either
    end) and a power of ten, ``15e-1``, which no exponent ever expands. JsonError if the token is no number.
    """
    if _small(token):
        return token
    negative, digits, exponent = _split(token)
    if not digits:
        return "0"
    if isinstance(exponent, int) and 0 <= exponent <= 20 - len(digits):
        value = int(negative + digits) * 10**exponent
        if -(1 << 63) <= value < 1 << 64:
            return str(value)
    return f"{negative}{digits}e{exponent}"


def integer(token: str) -> str | None:
    """The decimal text of an integral number token in any spelling: ``7`` for ``7.0``, ``1000`` for ``1e3``.

    None if the number is not integral, or has more than 400 digits. JsonError if the token is no number.
    """
    negative, digits, exponent = _split(token)
    if not digits:
        return "0"
    if not isinstance(exponent, int) or exponent < 0 or len(digits) + exponent > LONGEST_INTEGER:
        return None
    return negative + digits + "0" * exponent


def _split(token: str) -> tuple[str, str, int | str]:
    """Sign, digits without a zero at either end (empty for zero), power of ten (text where it is astronomic)."""
    match = _parts(token)
    if match is None:
        raise JsonError("no number", 0)
    negative, whole, fraction, power = match.groups()
    digits = whole + (fraction or "")
    kept = digits.rstrip("0")
    shift = len(digits) - len(kept) - len(fraction or "")
    kept = kept.lstrip("0")
    if power is None or not kept:
        return negative, kept, shift
    if len(power) <= _INT_DIGITS:
        return negative, kept, int(power) + shift
    exact = Context(prec=len(power) + 20, Emax=MAX_EMAX)
    return negative, kept, _plain(exact.add(exact.create_decimal(power), Decimal(shift)))


def _plain(value: Decimal) -> int | str:
    """An exponent back from arithmetic: a number again where it is short enough."""
    text = format(value, "f")
    return int(text) if len(text) <= _INT_DIGITS else text
