"""What of a SAT solver's log is a proof.

In:  a log in the binary format LRAT, as CaDiCaL writes it, of clauses that were added
     bit by bit until there was no model.
Out: the steps that the empty clause needs, each a clause with those it follows from.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

ProofStep = tuple[list[int], list[int]]
# Seven bits in each byte, the lowest first; the last one is below 128.
_NUMBER = re.compile(rb"[\x80-\xff]*[\x00-\x7f]")


class _Numbers(dict[bytes, int]):
    """What digits mean."""

    def __missing__(self, digits: bytes) -> int:
        value = sum((byte & 127) << 7 * i for i, byte in enumerate(digits))
        self[digits] = value
        return value


def needed_steps(
    log: bytes, names: Sequence[int], numbers: Sequence[int], behind: int
) -> list[ProofStep]:
    """Return the steps that lead to the empty clause, it last.

    Args:
        log: What was logged; in it clauses that were added, and those that were
            learned, are numbered in one sequence from 1.
        names: What each variable is called, by its number.
        numbers: Those that clauses get, in the order in which they were added.
        behind: The number that the first step gets.

    Returns:
        For each step its clause, and the numbers of clauses in an order in which, where
        the clause is false, each has at most one literal that is not, and that one is
        true then; the last has none.
    """
    value = _Numbers()
    learned: dict[int, tuple[list[bytes], bytes]] = {}
    # A zero ends a list and stands nowhere else. Deletions are of no interest.
    pieces = iter(log.split(b"\0"))
    for piece in pieces:
        if piece[:1] == b"a":
            name, *literals = _NUMBER.findall(piece, 1)
            learned[value[name] >> 1] = literals, next(pieces)
            if not literals:
                break
    needed = dict.fromkeys(learned, False)
    needed[max(learned)] = True
    reasons: dict[int, list[int]] = {}
    for step in reversed(learned):
        if needed[step]:
            found = [value[x] >> 1 for x in _NUMBER.findall(learned[step][1])]
            needed.update(dict.fromkeys(found, True))
            reasons[step] = found
    added = (i for i in range(1, max(learned)) if i not in learned)
    number = dict(zip(added, numbers, strict=False))
    for place, step in enumerate(sorted(reasons), behind):
        number[step] = place
    steps = []
    for step in sorted(reasons):
        clause = [value[x] for x in learned[step][0]]
        named = [-names[x >> 1] if x & 1 else names[x >> 1] for x in clause]
        steps.append((named, [number[reason] for reason in reasons[step]]))
    return steps
