"""Safe sets with a run that needs one more candidate, found by a solver.

In:  the pairs of the closed loop (`PairGraph`).
Out: a `FlowQuestion`: `conflicts` asks for safe sets that a candidate breaks,
     `firings` for safe sets with a candidate that some run takes.

Both ask for a safe set S of candidates, one more candidate t that is judged,
and a run. That S is safe is Horn, as in `horn`: some set of pairs holds the
initial ones, is closed under R_E and S, and does not hold ERROR. Such a formula
lets too many pairs be met, never too few, so it cannot say that a pair is
reached; the run has to be there step by step. It is a path: from each pair on it
a step leads on (or one leads to it, where it is followed backwards), and no pair
is the end of two steps (the source of two). Then no pair comes again on the path:
the first that did would be the end of two steps. So it ends, where it may end.
Circles of chosen steps beside the path do no harm. No lengths are counted.

Candidates with the same steps are interchangeable and share a variable.

Deciding whether one candidate belongs to all of Δ is NP-hard, even though
safety is Horn: two paths without a common pair are a special case.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from symrob.analyses.pairs import NOMINAL, Candidate, Pair, PairGraph, closure
from symrob.envelope import tuning
from symrob.envelope.effort import Effort
from symrob.envelope.solvers import ProofSolver, Variable
from symrob.limits import Clock
from symrob.lts import ERROR, Transition

Literals = dict[Pair, list[Variable]]


class Grounds(NamedTuple):
    """The candidates and their risks, shared by all questions.

    Attributes:
        candidates: The individually tolerated candidates, numbered as in `risks`.
        risks: The pairs and steps of all monitors that can be violated.
        clock: Checked at intervals.
        effort: Counts the calls and the pairs.
    """

    candidates: Sequence[Transition]
    risks: PairGraph
    clock: Clock
    effort: Effort


class FlowQuestion:
    """Clauses on S, on the judged candidate and on the run.

    Args:
        grounds: The candidates and their risks.
        graphs: The graphs whose steps distinguish candidates.

    Attributes:
        in_set: For each candidate with a step the variable of its class: it is
            in S.
        judging: For the variable of a class that can be judged, the variable that it is
            judged.
    """

    def __init__(self, grounds: Grounds, graphs: Sequence[PairGraph]) -> None:
        self._candidates = candidates = grounds.candidates
        self._clock, self._effort = grounds.clock, grounds.effort
        self.in_set = _classes(graphs)
        self._count = max(self.in_set.values(), default=0)
        self._clauses: list[Sequence[int]] = []
        self.judging: dict[Variable, Variable] = {}
        self._members: dict[Variable, list[Transition]] = {}
        for candidate, variable in self.in_set.items():
            members = self._members.setdefault(variable, [])
            members.append(candidates[candidate - 1])

    def _new(self) -> Variable:
        self._count += 1
        return self._count

    def add(self, clause: Sequence[int]) -> None:
        """Add a clause; long ones are split by auxiliary variables."""
        most = tuning.LONG_CLAUSE
        while len(clause) > most:
            rest = self._new()
            self._clauses.append([*clause[: most - 1], rest])
            clause = [-rest, *clause[most - 1 :]]
        self._clauses.append(clause)

    def judge(self, classes: Set[Variable], wanted: Set[Transition], sign: int) -> None:
        """Require that one of these classes with a wanted member is judged.

        Args:
            classes: Their variables.
            wanted: The candidates of interest.
            sign: 1 if the judged candidate is in S, -1 if not.
        """
        for variable in sorted(classes):
            if not wanted.isdisjoint(self._members[variable]):
                self.judging[variable] = self._new()
                self.add([-self.judging[variable], sign * variable])
        self._open = dict(self.judging)
        self._require_one(list(self.judging.values()))
        self._at_most_one(list(self.judging.values()))

    def _require_one(self, variables: Sequence[Variable]) -> None:
        """Let one hold; where there is none to hold, nothing is a model."""
        if not variables:
            variables = [self._new()]
            self.add([-variables[0]])
        self.add(variables)

    def _at_most_one(self, variables: Sequence[Variable]) -> None:
        """Give each variable a number of its own that it insists on."""
        if len(variables) < 2:
            return
        digits = [self._new() for _ in range((len(variables) - 1).bit_length())]
        for number, variable in enumerate(variables):
            for place, digit in enumerate(digits):
                sign = 1 if number >> place & 1 else -1
                self.add([-variable, sign * digit])

    def require_safe(self, risks: PairGraph) -> None:
        """Require that S is safe: reached pairs are closed under S.

        If a pair is reached, those that are no worse may be, too.
        """
        doubtful = closure(risks.failing, risks.backwards())
        self.met = met = {pair: self._new() for pair in sorted(doubtful)}
        self._effort.pairs += len(met)
        for pair in risks.start:
            if pair in met:
                self.add([met[pair]])
        for pair, variable in met.items():
            self._clock.check()
            for less in risks.no_worse[pair]:
                if less in met:
                    self.add([-variable, met[less]])
            for target, by in risks.grouped(pair).items():
                if target != ERROR and target not in met:
                    continue
                head = [] if target == ERROR else [met[target]]
                for taken in self._lacking(by):
                    self.add([-variable, *taken, *head])

    def _lacking(self, by: Sequence[Candidate]) -> list[list[Variable]]:
        """For each way to take a step what forbids it; nothing forbids R_E."""
        if NOMINAL in by:
            return [[]]
        return [[-v] for v in sorted({self.in_set[c] for c in by})]

    def require_reached(
        self, pairs: PairGraph, exits: Literals
    ) -> dict[Pair, Variable]:
        """Require that S reaches each pair one of whose exits is taken.

        The trace is followed backwards, to an initial pair.

        Args:
            pairs: Where it runs.
            exits: For pairs literals that stand for leaving the run there.

        Returns:
            For each pair that can be on the run: it is.
        """
        into = pairs.backwards()
        starts = set(pairs.start)
        on_run = {pair: self._new() for pair in sorted(closure(exits, into))}
        leaving = {pair: list(exits.get(pair, ())) for pair in on_run}
        for pair, literals in exits.items():
            for literal in literals:
                self.add([-literal, on_run[pair]])
        entering: Literals = {pair: [] for pair in on_run if pair not in starts}
        for pair in on_run:
            self._clock.check()
            for target, by in pairs.grouped(pair).items():
                if target in entering:
                    step = self._step(on_run[pair], self.present(by))
                    leaving[pair].append(step)
                    entering[target].append(step)
        for pair, steps in entering.items():
            self.add([-on_run[pair], *steps])
        for steps in leaving.values():
            self._at_most_one(steps)
        return on_run

    def require_failing(self, risks: PairGraph) -> None:
        """Require that S with the judged candidate, which is not in S, reaches ERROR.

        The trace leaves the last pair that S reaches by the judged candidate, and later
        pairs are not reached: a shortest such trace never visits a pair that S, or a
        pair that is no better for ERROR, could have reached.
        """
        met = self.met
        exits: Literals = {pair: [] for pair in met}
        after = {pair: self._new() for pair in met}
        entering: Literals = {pair: [] for pair in met}
        leaving: Literals = {pair: [-after[pair]] for pair in met}
        leaps = []
        for pair in met:
            self._clock.check()
            for target, by in risks.grouped(pair).items():
                if target != ERROR and target not in met:
                    continue
                if target == ERROR:
                    leaving[pair] += self.present(by, judged=True) or ()
                else:
                    step = self._step(after[target], self.present(by, judged=True))
                    leaving[pair].append(step)
                    entering[target].append(step)
                judging = self._judging(by)
                if judging and NOMINAL not in by:
                    leap = self._step(None, judging)
                    leaps.append(leap)
                    exits[pair].append(leap)
                    if target != ERROR:
                        self.add([-leap, after[target]])
                        entering[target].append(leap)
        self._require_one(leaps)
        for pair, variable in after.items():
            self.add([-variable, -met[pair]])
            self.add(leaving[pair])
            self._at_most_one(entering[pair])
        exits = {pair: leaps for pair, leaps in exits.items() if leaps}
        for pair, variable in self.require_reached(risks, exits).items():
            self.add([-variable, met[pair]])

    def require_firing(
        self, runs: PairGraph, offered: Sequence[Set[Variable]], leader: Sequence[Pair]
    ) -> None:
        """Require that S reaches a pair where the judged candidate is offered.

        Args:
            runs: Where the run is.
            offered: For each pair the classes that are offered.
            leader: For the first pairs the one in `risks` that stands for it.
        """
        exits: Literals = {}
        for pair, classes in enumerate(offered):
            judging = [self.judging[v] for v in sorted(classes) if v in self.judging]
            if judging:
                exits[pair] = [self._step(None, judging)]
        self._require_one([leap for leaps in exits.values() for leap in leaps])
        on_run = self.require_reached(runs, exits)
        for pair, risk in enumerate(leader):
            if pair in on_run and risk in self.met:
                self.add([-on_run[pair], self.met[risk]])

    def _step(
        self, implied: Variable | None, present: Sequence[Variable] | None
    ) -> Variable:
        """Return a variable that implies another one and one of several."""
        step = self._new()
        if implied is not None:
            self.add([-step, implied])
        if present is not None:
            self.add([-step, *present])
        return step

    def present(
        self, by: Sequence[Candidate], *, judged: bool = False
    ) -> list[Variable] | None:
        """Return literals, one of which holds if some way to take a step is available.

        Args:
            by: The ways.
            judged: Whether the judged candidate is available, too.

        Returns:
            `None` if R_E suffices.
        """
        if NOMINAL in by:
            return None
        return [
            *sorted({self.in_set[c] for c in by}),
            *(self._judging(by) if judged else ()),
        ]

    def _judging(self, by: Sequence[Candidate]) -> list[Variable]:
        classes = sorted({self.in_set[c] for c in by if c != NOMINAL})
        return [self.judging[v] for v in classes if v in self.judging]

    def answers(
        self, wanted: Set[Transition], budget: int
    ) -> Iterator[frozenset[Transition]]:
        """Yield sets S, each for another judged class, until there is none.

        Args:
            wanted: Read again after each answer: candidates that the caller removes are
                no longer judged.
            budget: Conflicts that the solver may take for each answer.

        Yields:
            Safe sets. When it ends, there is no such set for what is left in
            `wanted`: this is proved, not sampled.

        Raises:
            Undecided: The budget was too small; earlier answers are valid, and calling
                again continues from there.
            LimitExceeded: A bound was hit; earlier answers are valid.
        """
        while True:
            for variable in list(self._open):
                if wanted.isdisjoint(self._members[variable]):
                    self._settle(variable)
            model = self._model(budget) if self._open else None
            if model is None:
                return
            self._settle(next(v for v, j in self._open.items() if model[j - 1] > 0))
            yield frozenset(
                t
                for number, t in enumerate(self._candidates, 1)
                if (v := self.in_set.get(number)) is None or model[v - 1] > 0
            )

    def _settle(self, variable: Variable) -> None:
        """Judge a class no more."""
        self.add([-self._open.pop(variable)])

    def _model(self, budget: int) -> list[int] | None:
        """Ask a solver that knows nothing of the questions before.

        What it learned would lead it back to the candidates that are settled;
        it was seen to look for minutes for what a new one finds at once. Nor
        is it told to prefer large sets: small ones are safe more often.
        """
        solver = ProofSolver(self._clock, self._effort, budget)
        try:
            for clause in self._clauses:
                solver.add(clause)
            return solver.propose()
        finally:
            solver.close()


def _classes(graphs: Sequence[PairGraph]) -> dict[Candidate, Variable]:
    """Number the candidates, those with the same steps alike."""
    steps: dict[Candidate, list[tuple[int, Pair, Pair]]] = {}
    for index, graph in enumerate(graphs):
        for pair, row in enumerate(graph.steps):
            for candidate, target in row:
                if candidate != NOMINAL:
                    steps.setdefault(candidate, []).append((index, pair, target))
    numbers: dict[tuple[tuple[int, Pair, Pair], ...], Variable] = {}
    return {
        candidate: numbers.setdefault(tuple(sorted(steps[candidate])), len(numbers) + 1)
        for candidate in sorted(steps)
    }


def conflicts(grounds: Grounds, wanted: Set[Transition]) -> FlowQuestion:
    """Return a question for safe sets that some of the wanted candidates break.

    Args:
        grounds: The candidates and their risks.
        wanted: The candidates that are judged.

    Returns:
        A question whose answers are safe sets; a maximal deviation that contains one
        lacks wanted candidates that none before lacked. The candidates left at the end
        are in every maximal deviation.
    """
    question = FlowQuestion(grounds, [grounds.risks])
    question.judge(set(question.in_set.values()), wanted, -1)
    question.require_safe(grounds.risks)
    question.require_failing(grounds.risks)
    return question


def firings(
    grounds: Grounds, wanted: Set[Transition], runs: PairGraph, *, alike: bool
) -> FlowQuestion:
    """Return a question for safe sets in which some trace takes a wanted candidate.

    Args:
        grounds: The candidates and their risks.
        wanted: The candidates that are judged.
        runs: The pairs and steps of the closed loop, which decide what fires.
        alike: Whether the closed loop can be violated, and `risks` begins with its
            pairs, numbered as in `runs`.

    Returns:
        A question whose answers are safe sets; in each a wanted candidate fires that
        fires in none before. The candidates left at the end fire in no robust
        deviation.
    """
    question = FlowQuestion(grounds, [grounds.risks, runs])
    offered = [
        {question.in_set[c] for c, t in steps if c != NOMINAL and t != ERROR}
        for steps in runs.steps
    ]
    question.judge(set().union(*offered), wanted, 1)
    question.require_safe(grounds.risks)
    question.require_firing(runs, offered, grounds.risks.leader if alike else ())
    return question
