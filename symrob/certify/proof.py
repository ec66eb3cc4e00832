"""Checks a proof that clauses have no model: DRUP, step by step.

In:  clauses, lists of literals (variables from 1 on, negative for negated), and steps
     that add a clause or delete one.
Out: whether each added clause follows by unit propagation from those that are there,
     and the empty clause does in the end.

The first two literals of each clause are watched. Deletions only save time: that of a
clause that is not there, or has a true literal, is left out. Standard library only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Clause = list[int]


class UnitPropagation:
    """Clauses, and what follows from them; `refuted` if the empty clause does."""

    def __init__(self, variables: int) -> None:
        # By literal; negative ones count from the end. 1 is true, -1 is false.
        self._value = [0] * (2 * variables + 1)
        self._watches: list[list[Clause]] = [[] for _ in self._value]
        self._trail: list[int] = []
        self._there: dict[frozenset[int], list[Clause]] = {}
        self.refuted = False

    def add(self, literals: Iterable[int]) -> None:
        """Add a clause; what is false now stays false and is watched last."""
        clause = sorted(set(literals), key=lambda literal: self._value[literal] < 0)
        self._there.setdefault(frozenset(clause), []).append(clause)
        for literal in clause[:2] if len(clause) > 1 else ():
            self._watches[literal].append(clause)
        free = [literal for literal in clause[:2] if self._value[literal] >= 0]
        if not free or (len(free) == 1 and not self._assume(free[0])):
            self.refuted = True

    def delete(self, literals: Iterable[int]) -> None:
        """Forget a clause: an empty one is dropped where a watch meets it."""
        known = self._there.get(frozenset(literals))
        if known and len(known[-1]) > 1 and all(self._value[x] <= 0 for x in known[-1]):
            known.pop().clear()

    def follows(self, literals: Iterable[int]) -> bool:
        """Whether a clause follows: its negation leads to a conflict."""
        before = len(self._trail)
        consistent = all(self._assume(-literal) for literal in literals)
        for literal in self._trail[before:]:
            self._value[literal] = self._value[-literal] = 0
        del self._trail[before:]
        return not consistent

    def _assume(self, literal: int) -> bool:
        """Make a literal true, and all that follows; `False` is a conflict."""
        value, watches, trail = self._value, self._watches, self._trail
        if value[literal]:
            return value[literal] > 0
        value[literal], value[-literal] = 1, -1
        head = len(trail)
        trail.append(literal)
        while head < len(trail):
            false = -trail[head]
            head += 1
            kept: list[Clause] = []
            waiting = iter(watches[false])
            for clause in waiting:
                if not clause:
                    continue
                if clause[0] == false:
                    clause[0], clause[1] = clause[1], false
                other = clause[0]
                if value[other] > 0:
                    kept.append(clause)
                    continue
                for place in range(2, len(clause)):
                    instead = clause[place]
                    if value[instead] >= 0:
                        clause[1], clause[place] = instead, false
                        watches[instead].append(clause)
                        break
                else:
                    kept.append(clause)
                    if value[other] < 0:
                        watches[false] = [*kept, *waiting]
                        return False
                    value[other], value[-other] = 1, -1
                    trail.append(other)
            watches[false] = kept
        return True


def first_flaw(
    variables: int,
    clauses: Iterable[Iterable[int]],
    steps: Iterable[tuple[bool, Sequence[int]]],
) -> int | None:
    """Check a proof; each step is whether it deletes, and its clause.

    Returns:
        The number of the first step, from 1, that does not follow; 0 where they end
        before the empty clause follows; `None` where the proof is right.
    """
    state = UnitPropagation(variables)
    for clause in clauses:
        state.add(clause)
    for number, (deletion, clause) in enumerate(steps, 1):
        if state.refuted:
            break
        if deletion:
            state.delete(clause)
        elif not state.follows(clause):
            return number
        else:
            state.add(clause)
    return None if state.refuted else 0
