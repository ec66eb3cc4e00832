"""Sets of states as the bits of whole numbers.

In:  a mask: bit q is set if state q is in the set.
Out: the states; and the other way round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress

# A mask of so many bits is short: its lowest bit is taken in no time.
_SHORT = 2_000
# The digits as truth values.
_DIGITS = bytes.maketrans(b"01", b"\0\1")
# So few bits of a long mask are taken one by one, too.
_FEW = 30


def bits(mask: int) -> Iterator[int]:
    """Yield the positions of the set bits, lowest first.

    Cost: linear in the length of the mask and in its bits.
    """
    if mask.bit_length() <= _SHORT or mask.bit_count() <= _FEW:
        while mask:
            low = mask & -mask
            yield low.bit_length() - 1
            mask ^= low
        return
    digits = bin(mask)[:1:-1].encode().translate(_DIGITS)
    yield from compress(range(len(digits)), digits)


def mask_of(places: Sequence[int]) -> int:
    """Return the mask with these bits; the same as `bits` backwards.

    Cost: linear in the places and in the highest of them.
    """
    if len(places) <= _FEW:
        mask = 0
        for place in places:
            mask |= 1 << place
        return mask
    room = bytearray(max(places) // 8 + 1)
    for place in places:
        room[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(room, "little")
