"""Checks a proof that clauses have no model: DRUP, step by step, forwards.

In:  clauses, lists of literals (variables from 1 on, negative for negated), and steps
     that add a clause or delete one.
Out: whether each added clause follows by unit propagation from those that are there,
     and the empty clause does in the end.

Two literals of each clause are watched. A deletion only saves time, so one of a clause
that is needed as a unit, or that is not there, is left out. Standard library only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Clause = list[int]


class UnitPropagation:
    """Clauses, and what follows from them by unit propagation.

    Attributes:
        refuted: Whether the empty clause follows.
    """

    def __init__(self, variables: int) -> None:
        # By literal; negative ones count from the end. 1 is true, -1 is false.
        self._value = [0] * (2 * variables + 1)
        self._watches: list[list[Clause]] = [[] for _ in self._value]
        self._trail: list[int] = []
        self._there: dict[frozenset[int], list[Clause]] = {}
        self.refuted = False

    def add(self, literals: Iterable[int]) -> None:
        """Add a clause."""
        value = self._value
        # What is false now stays false, so is watched only where there is no other.
        clause = sorted(set(literals), key=lambda literal: value[literal] < 0)
        self._there.setdefault(frozenset(clause), []).append(clause)
        if len(clause) > 1:
            self._watches[clause[0]].append(clause)
            self._watches[clause[1]].append(clause)
        free = [literal for literal in clause[:2] if value[literal] >= 0]
        if not free or (len(free) == 1 and not self._assume(free[0])):
            self.refuted = True

    def delete(self, literals: Iterable[int]) -> None:
        """Forget a clause, if it is there and no literal of it follows."""
        known = self._there.get(frozenset(literals))
        if known and all(self._value[literal] <= 0 for literal in known[-1]):
            clause = known.pop()
            if len(clause) > 1:
                # An empty clause is dropped when a watch list meets it.
                clause.clear()

    def follows(self, literals: Iterable[int]) -> bool:
        """Whether a clause follows: whether its negation leads to a conflict."""
        if self.refuted:
            return True
        before = len(self._trail)
        consistent = all([self._assume(-literal) for literal in literals])
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
                        kept += waiting
                        watches[false] = kept
                        return False
                    value[other], value[-other] = 1, -1
                    trail.append(other)
            watches[false] = kept
        return True


def refutes(
    variables: int,
    clauses: Iterable[Iterable[int]],
    steps: Iterable[tuple[bool, Sequence[int]]],
) -> int | None:
    """Check a proof.

    Args:
        variables: Their number.
        clauses: What is refuted.
        steps: Each whether it is a deletion, and its clause.

    Returns:
        Number of the first step, from 1, that does not follow; 0 if the proof ends
        without the empty clause; `None` where it is right.
    """
    state = UnitPropagation(variables)
    for clause in clauses:
        state.add(clause)
    for number, (deletion, clause) in enumerate(steps, 1):
        if state.refuted:
            break
        if deletion:
            state.delete(clause)
        elif state.follows(clause):
            state.add(clause)
        else:
            return number
    return None if state.refuted else 0
