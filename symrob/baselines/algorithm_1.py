"""Algorithm 1 of the paper, as printed and with its heuristic.

In:  a checked `Problem`.
Out: all maximal robust deviations, once all of them are known.

Both versions search for sets S of states of F = E_d‖C‖P in which a meta-controller can
stay; `plain` tries every subset of the winning set W, `connected` only connected ones.
With constraints they run in sequence ([S1] Sect. 5.3): first for C_all and P_env, which
gives the maximal environment deviations d̃, then for C and P within each d̃, and then
the results are combined.

Difference from the paper: if q_0 is not in Inv(S), line 6 gives T = ∅, so line 7 gives
del = ∅ and line 8 would add d itself, which need not be robust (Lemma 1 presumes q_0 in
T). Such S are skipped.

Source: docs/sources.md [S1], Alg. 1, Sect. 5.2 ("Heuristics"), Sect. 5.3.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable

from symrob.baselines.metacontrol import MetaControl
from symrob.envelope.effort import Effort
from symrob.errors import LimitExceeded
from symrob.interrupts import Endable
from symrob.limits import Clock
from symrob.lts import Lts, Network, Transition
from symrob.lts.deviation import Deviation
from symrob.lts.views import all_labels, labelled, moves_of
from symrob.lts.views import plain as unlabelled
from symrob.problem import Monitor, Problem
from symrob.symbolic.context import Bdd, Context
from symrob.symbolic.encoding import SymbolicSystem

Transitions = frozenset[Transition]
# What stopped a search: the message and the reason of a `LimitExceeded`.
Stop = tuple[str, str]


class Found:
    """The largest sets of transitions so far; smaller ones are dropped at once.

    Args:
        false: The empty BDD of the context.
    """

    def __init__(self, false: Bdd) -> None:
        self._false = false
        self.sets: list[Bdd] = []

    def covers(self, transitions: Bdd) -> bool:
        """Whether a known set contains these transitions."""
        return any(transitions & ~known == self._false for known in self.sets)

    def add(self, transitions: Bdd) -> None:
        """Keep a set unless a known one contains it; drop what it contains."""
        if not self.covers(transitions):
            outside = ~transitions
            self.sets = [s for s in self.sets if s & outside != self._false]
            self.sets.append(transitions)


Search = Callable[[MetaControl, Found, Context, Effort], None]


def plain(control: MetaControl, found: Found, ctx: Context, effort: Effort) -> None:
    """Try every non-empty subset of W ([S1] Alg. 1, lines 4 to 8).

    The subsets come in the order of a Gray code, so that each differs from the
    one before in one state, and none but the current one is stored.

    Cost: 2^|W| subsets, each with its Inv and del.
    """
    everything = control.all_transitions()
    points = list(control.points(control.invariant(control.reached())))
    chosen = ctx.false
    for number in range(1, 1 << len(points)):
        ctx.clock.check()
        effort.sets_visited += 1
        # The state that changes is the lowest set bit of the number.
        point = points[(number & -number).bit_length() - 1]
        chosen = chosen | point if chosen & point == ctx.false else chosen & ~point
        states = control.invariant(chosen)
        if states & control.initial != ctx.false:
            found.add(everything & ~control.deleted(states, ~states))


def connected(control: MetaControl, found: Found, ctx: Context, effort: Effort) -> None:
    """Try the subsets of W that are connected from q_0.

    A depth-first search over pairs (S, X): S is to be inside, X outside. S starts as
    the states that q_0 reaches by moves that cannot be prevented, and grows by one
    state f of its frontier and all that f reaches in the same way; after the sets with
    f come those without it, with f in X. The frontier is decoded from its BDD one state
    at a time.

    Nothing is lost. Let d be a maximal robust deviation (within the d that is
    allowed) and S* the states that E_d‖C‖P reaches. By Lemma 2 of [S1], d is
    what del(S*) leaves. S* contains q_0, is closed under moves that cannot be
    prevented, is part of W, and each of its states is reached by transitions
    of d. Say that S* *agrees* with (S, X) if it contains S and misses X; it
    agrees with the root. Where it agrees with (S, X), either S* = S, which is
    tried once all of the frontier is in X, or some transition of d leads from S
    to a state of S* outside of S, so of the frontier. The search takes the
    states of the frontier in turn; up to the first one, f, that is in S*, all go
    into X, with which S* still agrees; and it agrees with the child of f, since
    S* is closed. So a branch with S* = S is reached, unless it was pruned:

    1. Transitions from S into X, out of W, or to Err are deleted by every set
       that agrees with (S, X). What they leave, U, contains d if S* agrees. So
       states that S can step to only by deleted transitions are left out of
       the frontier: S* does not reach them by way of S.
    2. If a set already found contains U, it contains d; d being maximal, it is
       d, and the branch has nothing to add.
    3. If what f leads to meets X or leaves W, no set that agrees contains f.

    Cost: a few images for each set visited; their number depends on the order, and is
        exponential in |W| in the worst case.
    Source: docs/sources.md [S1], Sect. 5.2 ("Heuristics").
    """
    everything = control.all_transitions()
    winning = control.invariant(control.reached())
    start = control.forced(control.initial)
    if start & ~winning != ctx.false:
        return
    stack = [(start, ctx.false)]
    while stack:
        ctx.clock.check()
        states, excluded = stack.pop()
        kept = everything & ~control.deleted(states, excluded | ~winning)
        if found.covers(kept):
            continue
        effort.sets_visited += 1
        frontier = control.successors(states, kept) & winning & ~states & ~excluded
        point = control.pick(frontier)
        if point is None:
            found.add(everything & ~control.deleted(states, ~states))
            continue
        # Without the point comes last, so it goes on the stack first.
        stack.append((states, excluded | point))
        grown = control.forced(states | point)
        if grown & (excluded | ~winning) == ctx.false:
            stack.append((grown, excluded))


SEARCHES: dict[str, Search] = {"plain": plain, "connected": connected}


def synthesise(
    problem: Problem, search: Search, backend: str, clock: Clock, effort: Effort
) -> Generator[Deviation, None, None]:
    """Yield every maximal robust deviation, by the paper's algorithm.

    Args:
        problem: The checked problem; the nominal system is safe.
        search: `plain` or `connected`.
        backend: The BDD library.
        clock: Checked at every set.
        effort: Counts the sets that were visited.

    Raises:
        LimitExceeded: A bound was hit. The deviations yielded before are robust, but
            need not be maximal.

    Source: docs/sources.md [S1], Alg. 1 and Sect. 5.3.
    """
    plain_e = problem.environment
    environment = plain_e
    if plain_e.views is not None:
        moves = moves_of(plain_e, plain_e.transitions)
        environment = Lts(all_labels(plain_e), plain_e.size, moves)
    nominal = environment.visible_transitions
    if problem.units is None:
        candidates: Iterable[Transition] = problem.candidates
    else:
        candidates = (step.transition for step in problem.units.steps)
    sets: list[Transitions] = [nominal.union(labelled(plain_e, candidates))]
    rules = problem.seen(problem.constraints, alone=True)
    seen = problem.seen(problem.properties)
    stopped: Stop | None = None
    if problem.constraints:
        with effort.stage("environment deviations"):
            sets, stopped = _maximal_within(
                environment,
                None,
                rules.monitors,
                sets[0],
                search,
                backend,
                clock,
                effort,
            )
    best: list[Transitions] = []
    if stopped is None:
        for allowed in sets:
            with effort.stage("robust deviations"):
                more, stopped = _maximal_within(
                    environment,
                    seen.controller,
                    seen.monitors,
                    allowed,
                    search,
                    backend,
                    clock,
                    effort,
                )
            best = _maximal([*best, *more])
            if stopped is not None:
                break
    planned = plain_e.visible_transitions
    for deviation in best:
        new = {Transition(q, unlabelled(a), r) for q, a, r in deviation - nominal}
        yield Deviation(planned, new, plain_e)
    if stopped is not None:
        message, reason = stopped
        raise LimitExceeded(
            f"{message}; the deviations found are tolerated, but not necessarily "
            "maximal",
            reason=reason,
        )


def _maximal_within(
    environment: Lts,
    controller: Network | Lts | None,
    monitors: tuple[Monitor, ...],
    allowed: Transitions,
    search: Search,
    backend: str,
    clock: Clock,
    effort: Effort,
) -> tuple[list[Transitions], Stop | None]:
    """Run Algorithm 1 within a set d; also what stopped it, if anything did."""
    ctx = Context(backend, clock)
    system = SymbolicSystem(ctx, controller, monitors, environment.alphabet)
    found = Found(ctx.false)
    stopped: Stop | None = None
    control = MetaControl(system, environment, allowed)
    try:
        with Endable():
            search(control, found, ctx, effort)
    except LimitExceeded as error:
        # Not the error itself: its traceback would keep the BDDs of all frames.
        stopped = (error.diagnostics[0].message, error.reason)
    effort.images += ctx.images
    effort.peak_nodes = max(effort.peak_nodes, ctx.peak_nodes)
    return [frozenset(control.transitions(s)) for s in found.sets], stopped


def _maximal(sets: list[Transitions]) -> list[Transitions]:
    """Drop what another contains, and repetitions."""
    distinct = sorted(set(sets), key=len, reverse=True)
    best: list[Transitions] = []
    for each in distinct:
        if not any(each < other for other in best):
            best.append(each)
    return best
