"""The contract of every enumeration: each set once, and none inside another.

In:  sets from an enumeration: maximal deviations, or minimal unsafe sets.
Out: the same sets; an `AssertionError` for a set that breaks the contract.

A repeated set would silently make |Δ| wrong, so every run checks each set, and ends
with an error rather than with a wrong number.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from itertools import chain
from typing import Any, TypeVar

from symrob.envelope import tuning

Members = TypeVar("Members", bound=frozenset[Any])


def antichain(
    sets: Iterable[Members],
) -> Generator[Members, None, None]:
    """Yield the sets, and check that none contains or repeats another.

    Args:
        sets: The sets, closed when this is.

    Raises:
        AssertionError: The enumeration is wrong: a bug in symrob.

    A set is compared with the first and the latest ones. Equal sets are always found,
    by their hashes.

    Cost: a hash and up to `3 * tuning.COMPARED` tests of inclusion for each set, most
        of which end at the first member; one number is stored for each.
    """
    compared = tuning.COMPARED
    hashes: set[int] = set()
    first: list[Members] = []
    latest: list[Members] = []
    for found in sets:
        # Different sets of one hash are as likely as a wrong bit in memory.
        if hash(found) in hashes:
            raise AssertionError("an enumeration gave a set twice")
        hashes.add(hash(found))
        for other in chain(first, latest):
            if found <= other or other <= found:
                raise AssertionError("an enumeration gave a set inside another")
        if len(first) < compared:
            first.append(found)
        else:
            latest.append(found)
            if len(latest) > 2 * compared:
                del latest[:compared]
        yield found
