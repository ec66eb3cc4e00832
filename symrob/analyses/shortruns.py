"""Short traces that settle most candidates at once, before a solver is called.

In:  the pairs of the closed loop (`PairGraph`).
Out: small safe sets that a candidate breaks, or in which it fires, if the shortest
     traces to it and on from it happen to give one.

A trace is short if it takes few candidates. If no set is found, nothing follows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from symrob.analyses.pairs import NOMINAL, Candidate, Pair, PairGraph
from symrob.envelope import tuning
from symrob.lts import ERROR

# For each pair the candidates that a short run takes, by steps: a linked list.
Link = tuple[Candidate, "Link"] | None


class Witnesses:
    """Small sets of candidates, and whether they are safe.

    Args:
        risks: The pairs and steps of all monitors that can be violated.

    Cost: linear in the steps to create; then for each query an exploration with a small
        set, for a few sets.
    """

    def __init__(self, risks: PairGraph) -> None:
        self._starts = risks.start
        self._nominal: list[list[Pair]] = [[] for _ in risks.steps]
        self._by_candidate: dict[Candidate, list[tuple[Pair, Pair]]] = {}
        backwards: list[list[tuple[Candidate, Pair]]] = [[] for _ in risks.steps]
        ends: list[list[tuple[Candidate, Pair]]] = [[]]
        for pair, steps in enumerate(risks.steps):
            for candidate, target in steps:
                if target == ERROR:
                    ends[0].append((candidate, pair))
                else:
                    backwards[target].append((candidate, pair))
                if candidate != NOMINAL:
                    row = self._by_candidate.setdefault(candidate, [])
                    row.append((pair, target))
                else:
                    self._nominal[pair].append(target)
        self._before = shortest(risks.start, risks.steps)
        # ERROR is the last pair of the graph that is walked backwards.
        self._after = shortest([len(backwards)], [*backwards, *ends])

    def breaking(self, candidate: Candidate) -> frozenset[Candidate] | None:
        """Return a safe set that the candidate breaks, if one is found."""
        tries = []
        for pair, target in self._by_candidate.get(candidate, ()):
            end = len(self._nominal) if target == ERROR else target
            if pair in self._before and end in self._after:
                taken = {*_taken(self._before[pair]), *_taken(self._after[end])}
                tries.append(frozenset(taken - {candidate}))
        for chosen in sorted(dict.fromkeys(tries), key=len)[: tuning.SHORT_RUNS]:
            if self.is_safe(chosen):
                return chosen
        return None

    def is_safe(self, chosen: Iterable[Candidate]) -> bool:
        """Whether R_E with these candidates does not reach ERROR."""
        steps: dict[Pair, list[Pair]] = {}
        for candidate in chosen:
            for pair, target in self._by_candidate.get(candidate, ()):
                steps.setdefault(pair, []).append(target)
        todo = list(self._starts)
        seen = set(todo)
        while todo:
            pair = todo.pop()
            for target in (*self._nominal[pair], *steps.get(pair, ())):
                if target == ERROR:
                    return False
                if target not in seen:
                    seen.add(target)
                    todo.append(target)
        return True


class Firings:
    """Small sets with which candidates fire.

    Args:
        runs: The pairs and steps of the closed loop.
        witnesses: Decide which sets are safe.
    """

    def __init__(self, runs: PairGraph, witnesses: Witnesses) -> None:
        self._witnesses = witnesses
        self._sets: dict[Candidate, dict[frozenset[Candidate], None]] = {}
        for pair, link in shortest(runs.start, runs.steps).items():
            taken = frozenset(_taken(link))
            for candidate, target in runs.steps[pair]:
                if candidate != NOMINAL and target != ERROR:
                    sets = self._sets.setdefault(candidate, {})
                    if len(sets) < tuning.SHORT_RUNS:
                        sets[taken | {candidate}] = None

    def firing(self, candidate: Candidate) -> frozenset[Candidate] | None:
        """Return a safe set in which the candidate fires, if one is found."""
        sets = self._sets.get(candidate, {})
        return next((s for s in sets if self._witnesses.is_safe(s)), None)


def shortest(
    starts: Sequence[Pair], steps: Sequence[Sequence[tuple[Candidate, Pair]]]
) -> dict[Pair, Link]:
    """Return a trace with the fewest candidates to each pair, nearest first.

    A search by distance: pairs that R_E reaches are at the same distance, and come
    first.
    """
    found: dict[Pair, Link] = {}
    todo: deque[tuple[Pair, Link]] = deque((pair, None) for pair in starts)
    while todo:
        pair, link = todo.popleft()
        if pair in found:
            continue
        found[pair] = link
        for candidate, target in steps[pair]:
            if target == ERROR or target in found:
                continue
            if candidate == NOMINAL:
                todo.appendleft((target, link))
            else:
                todo.append((target, (candidate, link)))
    return found


def _taken(link: Link) -> Iterator[Candidate]:
    while link is not None:
        candidate, link = link
        yield candidate
