"""Checks a proof that clauses are unsatisfiable, step by step, with hints (LRAT).

In:  clauses, lists of literals (variables from 1 on, negative for negated), numbered
     from 0; steps, each a clause, which gets the next number, and numbers before it.
Out: whether each clause follows by unit propagation from those that it names, and one
     is empty. Standard library only.
"""

from collections.abc import Iterable, Iterator

Clause = list[int]


def at_most(most: int, variables: Clause, behind: int) -> Iterator[Clause]:
    """Return clauses that no model with more than this many true variables satisfies.

    A variable `behind + i * most + j`, with i from 0 and j from 1 to `most`, means that
    among the first i + 1 variables at least j are true.
    """
    for i, variable in enumerate(variables):
        for j in range(min(i, most) + 1):
            now = behind + i * most + j
            before = [most - now][: j > 0]
            yield from [[*before, now]][: j > 0]
            yield [-variable, *before, *[now + 1][: j < most]]


def follows(clause: Clause, hints: Iterable[Clause]) -> bool:
    """Whether unit propagation over some clauses, in order, derives a clause."""
    false = {*clause}
    for hint in hints:
        left = [literal for literal in hint if literal not in false]
        if not left:
            return True
        if len(left) > 1:
            return False
        false.add(-left[0])
    return False


def first_flaw(
    clauses: Iterable[Clause], steps: Iterable[tuple[Clause, list[int]]]
) -> int | None:
    """Check a proof.

    Returns:
        The number of the first step, from 1, that does not follow, or that comes after
        the empty clause; 0 if there is no empty clause; `None` if the proof is correct.
    """
    # What comes behind the empty clause is not checked, so nothing does.
    known, steps = [*clauses], iter(steps)
    if [] in known:
        return 1 if next(steps, None) else None
    for number, (clause, hints) in enumerate(steps, 1):
        if max(hints, default=0) >= len(known):
            return number
        if not follows(clause, map(known.__getitem__, hints)):
            return number
        if not clause:
            return number + 1 if next(steps, None) else None
        known.append(clause)
    return 0
