"""Sets of states as the bits of whole numbers.

In:  a mask: bit q is set if state q is in the set.
Out: the states.
"""

from __future__ import annotations

from collections.abc import Iterator


def bits(mask: int) -> Iterator[int]:
    """Yield the positions of the set bits, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
