"""Sets of states as the bits of whole numbers.

In:  a mask: bit q is set if state q is in the set.
Out: the states, and back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import compress

# A mask of this many bits is short: its lowest bit is taken in no time.
_SHORT = 2_000
# The digits as truth values.
_DIGITS = bytes.maketrans(b"01", b"\0\1")
# So few bits of a long mask are taken one by one, too.
_FEW = 4
# If fewer than one of this many bits is set, whole zero bytes are skipped.
_SPARSE = 10
_BYTE = re.compile(rb"[^\0]", re.DOTALL)
_OF_BYTE = [tuple(n for n in range(8) if byte >> n & 1) for byte in range(256)]
# So few bits are set one by one.
_ADDED = 30


def bits(mask: int) -> Iterator[int]:
    """Yield the positions of the set bits, lowest first.

    Cost: linear in the length of the mask and in its bits.
    """
    length, count = mask.bit_length(), mask.bit_count()
    if length <= _SHORT or count <= _FEW:
        while mask:
            low = mask & -mask
            yield low.bit_length() - 1
            mask ^= low
        return
    if count * _SPARSE < length:
        digits = mask.to_bytes(length // 8 + 1, "little")
        for found in _BYTE.finditer(digits):
            place = found.start()
            for bit in _OF_BYTE[digits[place]]:
                yield 8 * place + bit
        return
    digits = bin(mask)[:1:-1].encode().translate(_DIGITS)
    yield from compress(range(len(digits)), digits)


def mask_of(places: Sequence[int]) -> int:
    """Return the mask with these bits; the inverse of `bits`.

    Cost: linear in the number of positions and in the highest of them.
    """
    if len(places) <= _ADDED:
        mask = 0
        for place in places:
            mask |= 1 << place
        return mask
    room = bytearray(max(places) // 8 + 1)
    for place in places:
        room[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(room, "little")
