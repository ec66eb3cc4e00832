"""The search for a deviation that one side tolerates and the other does not.

In:  the envelope of the side that must stay safe (the keeper), and the `Escapes` of the
     other (the breaker).
Out: a smallest safe set of candidates with which a trace escapes, or the proof that
     there is none.

One formula encodes both. That the set is safe for the keeper is Horn (`horn`). That a
trace escapes is encoded backwards: a variable for each node claims that some trace
escapes from there; a node that claims it needs a move, with its candidate present, to
the outside or to another node that claims it. Clauses of both halves are added only
where models need them, so they are always implied by the complete formula: no model, no
witness.

The claims may support each other in a cycle. If the claims of a model lead from the
start to no escape, a loop formula breaks the cycle, as in answer set programming: a
trace that escapes from one of its nodes leaves the cycle. That is true of every set of
candidates, and false in the model.

In addition, each safe set is extended to a maximal one. If no trace escapes with it,
all its subsets are excluded. So the search is short if the keeper has few maximal
deviations, and need not list them if it has many.

Each round adds a clause that the model violates: the clauses of a pair or of a node, or
the loop formula of a set of nodes. There are finitely many, so the search ends.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from symrob.analyses.escape import ESCAPED, Escapes, Escaping, way_back
from symrob.envelope.determinised import BitRows, MonitorStates
from symrob.envelope.effort import Effort
from symrob.envelope.horn import HornFormula
from symrob.envelope.safe_sets import SafeSets
from symrob.envelope.solvers import ProofSolver, Variable
from symrob.limits import Clock
from symrob.lts import StateId, Transition
from symrob.lts.strong import strong_parts


class DifferenceSearch:
    """Finds witnesses of decreasing size.

    Args:
        safe_sets: The safe sets of the keeper.
        escapes: The traces that break the other side first.
        clock: Checked at intervals.
        effort: Counts the solver calls.

    Attributes:
        close: Call it to free the solver.

    Cost: a solver call for each round; in the worst case, rounds can be exponentially
        many, like the cycles of a graph.
    """

    def __init__(
        self, safe_sets: SafeSets, escapes: Escapes, clock: Clock, effort: Effort
    ) -> None:
        self._extension = safe_sets.extension
        self._escapes = escapes
        self._clock = clock
        self._solver = ProofSolver(clock, effort)
        self._formula = HornFormula(
            safe_sets.determinised, safe_sets.extension, self._solver, effort, clock
        )
        self._claims: dict[int, Variable] = {}
        self._steps: dict[tuple[int, StateId, int], Variable] = {}
        self._written: set[int] = set()
        self._counter: list[Variable] = []
        self._most: int | None = None
        self.close = self._solver.close
        self._solver.add([self._claim(node) for node in escapes.starts])

    def witnesses(self, least: int = 1) -> Iterator[frozenset[Transition]]:
        """Yield witnesses, each smaller than the one before.

        If the iteration ends by itself, the last one is a smallest witness; without
        any, there is none. Each is minimal: no subset is a witness.

        Args:
            least: A lower bound on the size of every witness.

        Raises:
            LimitExceeded: A bound was hit; the witnesses yielded before are valid.
        """
        if not self._escapes.starts:
            return
        while (found := self._next()) is not None:
            chosen = self._thinned(found)
            yield frozenset(self._extension.transitions(chosen))
            size = _size(chosen)
            if size <= least:
                return
            self._smaller_than(size)

    def _next(self) -> BitRows | None:
        """Return the candidates on an escaping run of some safe set."""
        while (model := self._solver.propose()) is not None:
            true = {variable for variable in model if variable > 0}
            rows = self._formula.rows_of(self._formula.candidates_in(model))
            found, safe = self._extension.met(rows)
            if not safe:
                self._formula.learn(found)
                continue
            path = self._follow(rows, true) or self._grown(rows, found)
            if path is not None:
                return self._rows(path)
        return None

    def _grown(
        self, rows: BitRows, found: list[MonitorStates]
    ) -> list[Escaping] | None:
        """Try a maximal safe set; exclude all that it contains if none escapes.

        Returns:
            The moves of a run that escapes, if it takes few enough candidates.
        """
        chosen, _ = self._extension.grow(rows, found)
        path = self._escapes.escape(chosen)
        if path is None:
            if not self._formula.forbid(chosen):
                # No run escapes, whatever is added.
                for node in self._escapes.starts:
                    self._solver.add([-self._claim(node)])
        elif self._most is None or _size(self._rows(path)) <= self._most:
            return path
        return None

    def _follow(self, rows: BitRows, true: Set[Variable]) -> list[Escaping] | None:
        """Follow the claims of a model to an escape, or refute them.

        Returns:
            The moves of a run that escapes; `None` after clauses were added
            that the model violates.
        """
        starts = [n for n in self._escapes.starts if self._claims[n] in true]
        came: dict[int, tuple[int, Escaping] | None] = dict.fromkeys(starts)
        todo = deque(starts)
        support: dict[int, list[int]] = {}
        news = False
        while todo:
            node = todo.popleft()
            support[node] = []
            if node not in self._written:
                self._write(node)
                news = True
                continue
            for move in self._escapes.moves(node):
                if not (move.fixed or rows[move.row] >> move.target & 1):
                    continue
                if move.node == ESCAPED:
                    return way_back(came, node, move)
                if self._claims.get(move.node) in true:
                    support[node].append(move.node)
                    if move.node not in came:
                        came[move.node] = (node, move)
                        todo.append(move.node)
        if not news:
            for circle in closed_parts(support, self._clock):
                self._require_exit(circle)
        return None

    def _write(self, node: int) -> None:
        """Write down what the claim of a node needs."""
        self._written.add(node)
        self._require_exit({node})

    def _require_exit(self, nodes: Set[int]) -> None:
        """Say that a run which escapes from one of the nodes leaves them."""
        exits: dict[int, None] = {}
        for node in sorted(nodes):
            for move in self._escapes.moves(node):
                if move.node not in nodes:
                    literal = self._literal(move)
                    if literal is None:
                        return
                    exits[literal] = None
        for node in sorted(nodes):
            self._solver.add([-self._claim(node), *exits])

    def _literal(self, move: Escaping) -> Variable | None:
        """What a move needs: its candidate and the claim behind it.

        `None` if it needs nothing.
        """
        if move.fixed:
            return None if move.node == ESCAPED else self._claim(move.node)
        candidate = self._formula.variable(move.row, move.target)
        if move.node == ESCAPED:
            return candidate
        key = (move.row, move.target, move.node)
        step = self._steps.get(key)
        if step is None:
            step = self._steps[key] = self._formula.new_variable()
            self._solver.add([-step, candidate])
            self._solver.add([-step, self._claim(move.node)])
        return step

    def _claim(self, node: int) -> Variable:
        claim = self._claims.get(node)
        if claim is None:
            claim = self._claims[node] = self._formula.new_variable()
        return claim

    def _rows(self, moves: Iterable[Escaping]) -> BitRows:
        rows = [0] * len(self._extension.rows)
        for move in moves:
            if not move.fixed:
                rows[move.row] |= 1 << move.target
        return rows

    def _thinned(self, chosen: BitRows) -> BitRows:
        """Take candidates out as long as some run still escapes."""
        for row, mask in enumerate(chosen):
            for target in self._extension.targets(mask):
                fewer = list(chosen)
                fewer[row] &= ~(1 << target)
                if self._escapes.escape(fewer) is not None:
                    chosen = fewer
        return chosen

    def _smaller_than(self, size: int) -> None:
        """From now on allow only sets of fewer candidates than `size`.

        The first call writes a counter: after each candidate, variable j says
        that at least j + 1 of the candidates so far are present. It counts up
        to `size`; each call forbids the places from there on.
        """
        add, new = self._solver.add, self._formula.new_variable
        if not self._counter:
            count: list[Variable] = []
            for row, mask in enumerate(self._extension.options):
                self._clock.check()
                for target in self._extension.targets(mask):
                    present = self._formula.variable(row, target)
                    places = [new() for _ in range(min(len(count) + 1, size))]
                    add([-present, places[0]])
                    for j, before in enumerate(count):
                        add([-before, places[j]])
                        if j + 1 < size:
                            add([-before, -present, places[j + 1]])
                    count = places
            self._counter = count
        self._most = size - 1
        for place in self._counter[size - 1 :]:
            add([-place])


def _size(rows: BitRows) -> int:
    return sum(mask.bit_count() for mask in rows)


def closed_parts(
    support: Mapping[int, Sequence[int]], clock: Clock
) -> Iterator[set[int]]:
    """Yield the bottom strongly connected components of a graph, which no move leaves.

    Args:
        support: For each node its successors; all of them are keys.
        clock: Checked at intervals.

    Cost: linear in the graph.
    """
    for part in map(set, strong_parts(support, clock)):
        if part.issuperset(s for n in part for s in support[n]):
            yield part
