"""Extracting a proof from the log of a SAT solver.

In:  a log in the binary format LRAT, as CaDiCaL writes it, of clauses that were added
     bit by bit until there was no model.
Out: the steps that the empty clause needs, each a clause with those it follows from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

ProofStep = tuple[list[int], list[int]]
# Seven bits in each byte, the lowest first; the last one is below 128.
_NUMBER = re.compile(rb"[\x80-\xff]*[\x00-\x7f]")


class _Meaning(dict[bytes, int]):
    """What digits stand for, by the number that they are.

    Args:
        of: Gives it, for the number without its last bit, and that bit.
    """

    def __init__(self, of: Callable[[int, int], int]) -> None:
        super().__init__()
        self._of = of

    def __missing__(self, digits: bytes) -> int:
        number = sum((byte & 127) << 7 * i for i, byte in enumerate(digits))
        self[digits] = self._of(number >> 1, number & 1)
        return self[digits]


def needed_steps(
    log: bytes, names: Sequence[int], numbers: Sequence[int], behind: int
) -> list[ProofStep]:
    """Return the steps that lead to the empty clause, which is last.

    Args:
        log: The log; added and learned clauses are numbered in one sequence from 1.
        names: The name of each variable, by its number.
        numbers: The numbers of the clauses, in the order in which they were added.
        behind: The number of the first step.

    Returns:
        For each step its clause, and the numbers of clauses in the order of unit
        propagation: if the clause is false, each has at most one literal that is not
        false, which becomes true; the last has none.
    """
    literal = _Meaning(lambda variable, negated: names[variable] * (1 - 2 * negated))
    place = _Meaning(lambda number, _: number)
    learned: dict[int, tuple[list[bytes], bytes]] = {}
    # A zero ends a list and stands nowhere else. Deletions are of no interest.
    pieces = iter(log.split(b"\0"))
    for piece in pieces:
        if piece[:1] == b"a":
            name, *clause = _NUMBER.findall(piece, 1)
            learned[place[name]] = clause, next(pieces)
            if not clause:
                break
    last = max(learned)
    needed, reasons = {last}, dict[int, list[int]]()
    for step in reversed(learned):
        if step in needed:
            reasons[step] = [place[x] for x in _NUMBER.findall(learned[step][1])]
            needed.update(reasons[step])
    added = (i for i in range(1, last) if i not in learned)
    number = dict(zip(added, numbers, strict=False))
    kept = sorted(reasons)
    number |= {step: n for n, step in enumerate(kept, behind)}
    return [
        ([literal[x] for x in learned[step][0]], [number[r] for r in reasons[step]])
        for step in kept
    ]
