"""Probabilities as decimal numbers, which do not underflow; floats for output.

In:  probabilities, exact; results computed from them.
Out: the context in which to compute; floats that are never misleading.

A set of two events of 1e-200 has the probability 1e-400, which a float rounds to 0, as
if it were impossible. And the contribution of an event may lie beyond the last digit of
a float.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from math import inf, isfinite, nextafter

# Digits in which sums and products are computed.
DIGITS = 50
# Where nearly equal numbers are subtracted, this many at most.
MOST_DIGITS = 4_000
ZERO, ONE = Decimal(0), Decimal(1)
_INFO = sys.float_info


@contextmanager
def wide(digits: int = DIGITS) -> Iterator[None]:
    """Compute with this many digits, and exponents of any size, in the block."""
    with localcontext(Context(prec=digits, Emin=MIN_EMIN, Emax=MAX_EMAX)):
        yield


def nearest(value: Decimal) -> float:
    """Return the nearest float; only 0 and infinity become 0 and infinity."""
    found = float(value)
    if found == 0 and value:
        return nextafter(0.0, 1.0)
    return sys.float_info.max if found == inf and value.is_finite() else found


def around(least: Decimal, most: Decimal) -> tuple[float, float]:
    """Return floats that certainly enclose a number from `least` to `most`.

    For a known number, both are the nearest float if floats have full precision there.
    """
    if least == most and (not least or least >= Decimal(sys.float_info.min)):
        return float(least), float(least)
    low, high = float(least), float(most)
    return (
        nextafter(low, -inf) if low > least else low,
        nextafter(high, inf) if high < most else high,
    )


def figure(value: float | Decimal) -> str:
    """Return a probability or a factor with four digits.

    Values outside of the range of floats are written without one.
    """
    if not isfinite(value):
        return "∞"
    if 0 < value < _INFO.min:
        return f"<{_INFO.min:.4g}"
    return f">{_INFO.max:.4g}" if value >= _INFO.max else f"{float(value):.4g}"
