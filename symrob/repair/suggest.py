"""Suggestions: for each hazard the cheapest guard, and the best few guards together.

In:  an `Engine` whose nominal system is safe, what may be disabled.
Out: `Suggestions`: the minimal hazardous sets up to a size; single guards, each with
     the sets that it removes and what it costs; for each set the cheapest of them; and
     the Pareto front of small sets of guards.

A single guard is about one action. For each hazardous set and each action, the search
looks for the cheapest guard without memory that loses nothing of the plan (`cheapest`).
If no action has one, the most permissive restriction of the action determines the least
loss; the search looks for a guard without memory that loses no more, and otherwise
takes that restriction. A guard for one set may remove others as well: this is checked
for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import ClassVar

from symrob.analyses.cuts import Cuts
from symrob.analyses.fault_mode_space import space_of
from symrob.analyses.space import About
from symrob.envelope.engine import Engine
from symrob.envelope.monitors import SymbolicMonitor
from symrob.envelope.transitions import Graph
from symrob.errors import Trace
from symrob.limits import Stages, Status
from symrob.lts import Action, Lts, Transition
from symrob.lts.deviation import Deviation
from symrob.repair.cheapest import GuardQuestion, TooManyViews
from symrob.repair.cost import Cost, cost
from symrob.repair.guards import Guards
from symrob.repair.known import GuardFacts
from symrob.repair.losses import lost_run
from symrob.repair.repair import repair
from symrob.shown import Shown
from symrob.symbolic.context import Bdd

# Hazardous sets that are looked at, guards of which sets are formed, and the largest
# of these sets.
MOST_HAZARDS = 200
MOST_GUARDS = 10
MOST_TOGETHER = 3

Progress = Callable[[int, float], None]


@dataclass(frozen=True)
class Hazard:
    """A minimal hazardous set.

    Attributes:
        transitions: The transitions that E gets.
        trace: A shortest violating trace.
        modes: Its fault modes, if these are the units.
    """

    transitions: frozenset[Transition]
    trace: Trace
    modes: tuple[str, ...] | None = None

    @property
    def deviation(self) -> Deviation:
        """What E gets, with its fault modes."""
        return Deviation((), self.transitions, modes=self.modes)


@dataclass(frozen=True)
class Suggestion:
    """A set of guards, each about one action.

    Attributes:
        guards: The guards; one or more.
        cost: What they forbid together.
        removes: The hazards that it removes, by number.
        lost_trace: A shortest trace of the plan that they make impossible; `None` if
            the plan loses nothing, or if a bound was hit.
    """

    guards: tuple[Guards, ...]
    cost: Cost
    removes: frozenset[int]
    lost_trace: Trace | None = None

    def is_as_good(self, other: Suggestion, removed: int | None = None) -> bool:
        """Whether it removes as many, loses no more of the plan and refuses no more.

        Args:
            other: The other suggestion.
            removed: Upper bound on the number that it removes, if not known yet.
        """
        most = len(other.removes) if removed is None else removed
        both = zip(self.cost.loss, other.cost.loss, strict=True)
        return len(self.removes) >= most and all(mine <= its for mine, its in both)

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions that are guarded, each once, sorted."""
        return tuple(sorted({g.action for one in self.guards for g in one.guards}))

    @property
    def size(self) -> int:
        """The length of the guards."""
        return sum(g.size for one in self.guards for g in one.guards)


@dataclass(frozen=True)
class Suggestions(Shown):
    """Suggested guards.

    Attributes:
        order: Maximum size of the hazardous sets; `None` for no bound.
        hazards: The hazardous sets, the smallest first.
        single: Single guards, the best first: those that remove most, then those that
            cost least.
        cheapest: For each hazard the index of its guard in `single`; `None` if no
            single guard removes it.
        proved: The hazards for which this is provably the cheapest guard, by number.
        hopeless: The hazards that no permitted guard removes, by number.
        front: The Pareto front of sets of guards: each removes more, loses less of the
            plan, or refuses in fewer states than any other; the cheapest first.
        about: What the units belong to, for output.
        controllable: The actions of C that may be disabled.
        assumed: Whether these are only assumed.
        status: `complete`, or what stopped it.
        reason: Why something is missing.
    """

    schema: ClassVar = "suggestions/1"

    order: int | None
    hazards: tuple[Hazard, ...] = ()
    single: tuple[Suggestion, ...] = ()
    cheapest: tuple[int | None, ...] = ()
    proved: frozenset[int] = frozenset()
    hopeless: frozenset[int] = frozenset()
    front: tuple[Suggestion, ...] = ()
    about: About | None = field(default=None, compare=False)
    controllable: frozenset[Action] = frozenset()
    assumed: bool = False
    status: Status = "complete"
    reason: str = ""


def suggest(
    engine: Engine,
    controllable: Set[Action],
    order: int | None = None,
    on_progress: Progress | None = None,
) -> Suggestions:
    """Suggest guards.

    Args:
        engine: The problem, with its preconditions checked.
        controllable: The actions of C that may be disabled.
        order: Only hazardous sets of at most this many transitions.
        on_progress: Called with the number of guards found and the seconds elapsed.

    Cost: that of the cuts; for each hazardous set and each action that helps a search
        for the cheapest guard, and a repair where the plan loses something; a search of
        E‖C for each guard and set, and for a lost trace of each reported set of guards;
        at most `MOST_HAZARDS` sets.
    """
    work = _Work(engine, controllable, order, on_progress)
    stages = Stages(engine.clock)
    parts = work.find_hazards, work.find_single, work.find_front, work.find_traces
    for part in parts:
        with stages:
            part()
        if stages.status != "complete":
            return replace(work.found, status=stages.status, reason=stages.reason)
    return work.found


class _Work:
    """What is found, step by step, so that a bound that is hit loses nothing."""

    def __init__(
        self,
        engine: Engine,
        controllable: Set[Action],
        order: int | None,
        on_progress: Progress | None,
    ) -> None:
        self._engine = engine
        self._actions = sorted(controllable)
        self._on_progress = on_progress
        self._graphs: list[Graph] = []
        # C, by the memories beside it.
        self._known: dict[tuple[Lts, ...], GuardFacts] = {}
        # C that never takes some actions, and whether that removes a hazard.
        self._never: dict[tuple[Action, ...], SymbolicMonitor] = {}
        self._helping: dict[tuple[tuple[Action, ...], int], bool] = {}
        self._single: dict[object, Suggestion] = {}
        self._proved: set[int] = set()
        self._hopeless: set[int] = set()
        self.found = Suggestions(order)

    def find_hazards(self) -> None:
        """List the minimal hazardous sets."""
        engine = self._engine
        cuts = Cuts(
            space_of(engine),
            order=self.found.order,
            limit=MOST_HAZARDS,
            within_only=True,
            traces_from=1,
        )
        hazards = tuple(Hazard(cut.transitions, cut.trace, cut.modes) for cut in cuts)
        brought = (engine.brought_by(h.deviation) for h in hazards)
        self._graphs = [engine.extended(added) for added in brought]
        self.found = replace(
            self.found, hazards=hazards, status=cuts.status, reason=cuts.reason
        )

    def find_single(self) -> None:
        """Find the single guards, what each removes and costs."""
        try:
            for number in range(len(self.found.hazards)):
                if self._helps(self._actions, number):
                    self._find_cheapest(number)
                else:
                    self._hopeless.add(number)
        finally:
            self._tell_single()

    def _tell_single(self) -> None:
        known = sorted(self._single.values(), key=_rank)
        single = tuple(one for one in known if not any(_beats(o, one) for o in known))
        cheapest = [
            min(
                (i for i, one in enumerate(single) if number in one.removes),
                key=lambda i: (single[i].cost, single[i].size, i),
                default=None,
            )
            for number in range(len(self.found.hazards))
        ]
        self.found = replace(
            self.found,
            single=single,
            cheapest=tuple(cheapest),
            proved=frozenset(self._proved),
            hopeless=frozenset(self._hopeless),
        )

    def _find_cheapest(self, number: int) -> None:
        """Find the cheapest guard on each action that removes a hazard."""
        helping = [a for a in self._actions if self._helps([a], number)]
        base = self._with(())
        proved = [self._search(base, number, a, base.planned(a), 0) for a in helping]
        if all(one.cost.lost or one.cost.memory for one in self._removing(number)):
            proved += [self._search_lossy(number, action) for action in helping]
        if all(proved):
            self._proved.add(number)

    def _search_lossy(self, number: int, action: Action) -> bool:
        """Find the cheapest guard on an action where something is lost or remembered.

        Whatever E does as planned it can do with the hazard, so no guard on the action
        loses less of the plan than the most permissive restriction. One loses as little
        exactly if it leaves the action alone where that is still taken as planned.
        """
        hazard = self.found.hazards[number]
        guards = repair(self._engine, [hazard.deviation], {action}).guards
        assert guards is not None
        one = self._add((guards,))
        if not one.cost.lost:
            return True
        known = self._with((guards,))
        kept = known.planned(action, known.refused(guards.guards))
        return self._search(known, number, action, kept, one.cost.lost)

    def _search(
        self, known: GuardFacts, number: int, action: Action, kept: Bdd, lost: int
    ) -> bool:
        """Add the cheapest guard that leaves an action alone in some states.

        With such a guard the plan loses exactly `lost` steps, the fewest possible.

        Returns:
            Whether none that needs no memory is cheaper.
        """
        clock = self._engine.clock
        # One that loses more is not cheaper, even if it refuses in fewer states.
        below = min(
            (
                (one.cost.components, one.cost.refused)
                for one in self._removing(number, action)
                if not one.cost.memory and one.cost.lost == lost
            ),
            default=None,
        )
        question = GuardQuestion(known, self._graphs[number], action, clock)
        try:
            guard = question.cheapest(kept, below)
        except TooManyViews:
            return False
        if guard is not None:
            self._add((Guards.one(guard, clock),))
        return True

    def _removing(
        self, number: int, action: Action | None = None
    ) -> Iterator[Suggestion]:
        """The known single guards, of one action or any, that remove a hazard."""
        for one in self._single.values():
            if number in one.removes and action in (None, one.actions[0]):
                yield one

    def _add(self, guards: tuple[Guards]) -> Suggestion:
        """A single guard, with what it removes; it may be known."""
        meaning = _meaning(*guards)
        if meaning not in self._single:
            self._single[meaning] = self._with_removed(self._suggestion(guards))
            if self._on_progress is not None:
                self._on_progress(len(self._single), self._engine.clock.elapsed)
        return self._single[meaning]

    def find_front(self) -> None:
        """Form sets of guards, and keep those that are not worse than another.

        The cheapest come first, so that what they remove is asked for only where none
        that removes all that can be removed is as cheap.
        """
        single = self.found.single[:MOST_GUARDS]
        priced = [
            (self._suggestion([g for one in chosen for g in one.guards]), chosen)
            for count in range(1, MOST_TOGETHER + 1)
            for chosen in combinations(single, count)
        ]
        priced.sort(key=lambda p: (p[0].cost.loss, len(p[1]), p[0].size))
        removable = len(self.found.hazards) - len(self.found.hopeless)
        front: list[Suggestion] = []
        for one, chosen in priced:
            if any(f.is_as_good(one, removable) for f in front):
                continue
            known = frozenset().union(*(each.removes for each in chosen))
            most = sum(
                n in known or self._helps(one.actions, n)
                for n in range(len(self.found.hazards))
            )
            if any(f.is_as_good(one, most) for f in front):
                continue
            one = self._with_removed(one, known)
            if one.removes and not any(f.is_as_good(one) for f in front):
                front = [f for f in front if not one.is_as_good(f)] + [one]
                self.found = replace(self.found, front=tuple(front))

    def find_traces(self) -> None:
        """Add a shortest lost trace to what loses some."""
        single, front = map(self._with_trace, self.found.single), self.found.front
        self.found = replace(self.found, single=tuple(single))
        self.found = replace(self.found, front=tuple(map(self._with_trace, front)))

    def _with_trace(self, one: Suggestion) -> Suggestion:
        if not one.cost.loses_trace:
            return one
        guards = [lts for each in one.guards for lts in each.components]
        lost = lost_run(self._engine, guards, self._engine.nominal)
        assert lost is not None, "the plan takes what is refused"
        return replace(one, lost_trace=replace(lost, violated=""))

    def _with(self, guards: Sequence[Guards]) -> GuardFacts:
        """C with what some guards remember."""
        memories = tuple(one.memory for one in guards if one.memory.size > 1)
        if memories not in self._known:
            self._known[memories] = GuardFacts(self._engine, memories)
        return self._known[memories]

    def _helps(self, actions: Sequence[Action], number: int) -> bool:
        """Whether some restriction of these actions removes a hazard."""
        key, base = tuple(actions), self._with(())
        if key not in self._never:
            everywhere = dict.fromkeys(actions, base.system.ctx.true)
            self._never[key] = base.closed_loop(everywhere)
        if (key, number) not in self._helping:
            removed = base.keeps(self._never[key], self._graphs[number])
            self._helping[key, number] = removed
        return self._helping[key, number]

    def _suggestion(self, guards: Sequence[Guards]) -> Suggestion:
        """What some guards cost."""
        price = cost(self._with(guards), guards)
        return Suggestion(tuple(guards), price, frozenset())

    def _with_removed(
        self, one: Suggestion, known: frozenset[int] = frozenset()
    ) -> Suggestion:
        """Add what its guards remove; more guards remove no less."""
        known_c = self._with(one.guards)
        refused = known_c.refused([g for guards in one.guards for g in guards.guards])
        loop = known_c.closed_loop(refused)
        removed = {
            number
            for number, graph in enumerate(self._graphs)
            if number not in known
            and self._helps(one.actions, number)
            and known_c.keeps(loop, graph)
        }
        return replace(one, removes=known | removed)


def _meaning(guards: Guards) -> object:
    """What tells guards apart: what they look at, and what they remember."""
    return (
        tuple(
            (
                g.action,
                tuple(tuple((c.component, c.states) for c in t) for t in g.terms),
            )
            for g in guards.guards
        ),
        guards.memory,
    )


def _beats(one: Suggestion, other: Suggestion) -> bool:
    """Whether a guard removes what another on the same action does, for less."""
    if one.actions != other.actions or not one.removes >= other.removes:
        return False
    more = -len(one.removes), -len(other.removes)
    return (one.cost, one.size, more[0]) < (other.cost, other.size, more[1])


def _rank(one: Suggestion) -> tuple[object, ...]:
    return -len(one.removes), one.cost, one.size, one.actions
