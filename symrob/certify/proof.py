"""Checks a proof that clauses have no model: DRUP, step by step.

In:  clauses, lists of literals (variables from 1 on, negative for negated), and steps
     that add a clause or delete one.
Out: whether each added clause follows by unit propagation from those that are there,
     and the empty clause does in the end.

The first two literals of each clause are watched. Deletions only save time: that of a
clause that is not there, or has a true literal, is left out. Standard library only.
"""

from collections.abc import Iterable, Iterator
from itertools import chain

Clause = list[int]


class UnitPropagation:
    """Clauses, and what follows from them; `refuted` if the empty clause does."""

    def __init__(self, variables: int) -> None:
        # By literal; negative ones count from the end. 1 is true, -1 is false.
        self._value = [0] * (2 * variables + 1)
        self._watches: list[list[Clause]] = [[] for _ in self._value]
        self._trail: list[list[int]] = []
        self._there: dict[frozenset[int], Clause] = {}
        self.refuted = False

    def add(self, literals: Iterable[int]) -> None:
        """Add a clause; what is false now stays false and is watched last."""
        clause = sorted(set(literals), key=lambda literal: self._value[literal] < 0)
        self._there[frozenset(clause)] = clause
        for literal in clause[:2] if len(clause) > 1 else ():
            self._watches[literal].append(clause)
        free = [literal for literal in clause[:2] if self._value[literal] >= 0]
        self.refuted |= not free or (len(free) == 1 and not self._assume(free[0]))

    def delete(self, literals: Iterable[int]) -> None:
        """Forget a clause: an empty one is dropped where a watch meets it."""
        clause = self._there.pop(frozenset(literals), [])
        if len(clause) > 1 and all(self._value[literal] <= 0 for literal in clause):
            clause.clear()

    def follows(self, literals: Iterable[int]) -> bool:
        """Whether a clause follows: its negation leads to a conflict."""
        before = len(self._trail)
        consistent = all(self._assume(-literal) for literal in literals)
        for literal in chain(*self._trail[before:]):
            self._value[literal] = self._value[-literal] = 0
        del self._trail[before:]
        return not consistent

    def _assume(self, literal: int) -> bool:
        """Make a literal true, and all that follows; `False` is a conflict."""
        value, watches = self._value, self._watches
        if value[literal]:
            return value[literal] > 0
        value[literal], value[-literal] = 1, -1
        todo = [literal]
        self._trail.append(todo)
        for true in todo:
            false, kept = -true, list[Clause]()
            waiting, watches[false] = iter(watches[false]), kept
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
                        return False
                    value[other], value[-other] = 1, -1
                    todo.append(other)
        return True


def at_most(most: int, variables: Clause, behind: int) -> Iterator[Clause]:
    """Clauses that no model satisfies with more than so many variables true.

    A variable `behind + i * most + j`, with i from 0 and j from 1 to `most`, says that
    of the first i + 1 variables at least j are true.
    """
    for i, variable in enumerate(variables):
        for j in range(min(i, most) + 1):
            now = behind + i * most + j
            before = [most - now][: j > 0]
            yield from [[*before, now]][: j > 0]
            yield [-variable, *before, *[now + 1][: j < most]]


def first_flaw(
    variables: int, clauses: Iterable[Clause], steps: Iterable[tuple[bool, Clause]]
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
