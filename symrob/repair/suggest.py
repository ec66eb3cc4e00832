"""Suggestions: for each hazard the cheapest guard, and the best few guards together.

In:  an `Engine` whose nominal system is safe, what may be disabled.
Out: `Suggestions`: the minimal hazardous sets up to a size; single guards, each with
     the sets that it removes and what it costs; for each set the cheapest of them; and
     the Pareto front of small sets of guards.

A single guard is about one action. For each hazardous set and each action the most
permissive restriction of this action alone is asked for, as far as there is one, and
as long as no simple guard is known that does it: one without memory at which the plan
loses nothing. A guard that was found for one set may remove others as well: that is
looked at for all. Guards that do the same are one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from itertools import combinations

from symrob.analyses.mode_cuts import cuts_of
from symrob.envelope.engine import Engine
from symrob.errors import Trace
from symrob.limits import Stages, Status
from symrob.lts import Action, Transition
from symrob.repair.cost import Cost, cost
from symrob.repair.forced import never, restrained
from symrob.repair.guards import Guards
from symrob.repair.repair import guarded, repair

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
        transitions: What E gets.
        trace: A shortest run by which it hurts.
        modes: Its fault modes, where these are asked about.
    """

    transitions: frozenset[Transition]
    trace: Trace
    modes: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Suggestion:
    """A set of guards, each about one action.

    Attributes:
        guards: The guards; one or more.
        cost: What they forbid together.
        removes: The hazards that are none any more, by number.
    """

    guards: tuple[Guards, ...]
    cost: Cost
    removes: frozenset[int]

    @property
    def price(self) -> int:
        """The cost as one number: a state of the plan counts beside the one of C."""
        return self.cost.planned + self.cost.refused

    @property
    def size(self) -> int:
        """How long the guards are."""
        return sum(g.size for one in self.guards for g in one.guards)


@dataclass(frozen=True)
class Suggestions:
    """What was found.

    Attributes:
        order: The largest size of the sets that were looked for; `None` for any.
        hazards: The hazardous sets, the smallest first.
        single: Single guards, the best first: those that remove most, then those that
            cost least.
        cheapest: For each hazard the place of its guard in `single`; `None` where no
            single guard removes it.
        hopeless: The hazards that nothing removes that may be disabled, by number.
        front: Sets of guards than which none removes as much at less cost; the
            cheapest first.
        status: `complete`, or what stopped it.
        reason: Why something is missing.
    """

    order: int | None
    hazards: tuple[Hazard, ...] = ()
    single: tuple[Suggestion, ...] = ()
    cheapest: tuple[int | None, ...] = ()
    hopeless: frozenset[int] = frozenset()
    front: tuple[Suggestion, ...] = ()
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
        engine: The problem, its preconditions checked.
        controllable: The actions of C that may be disabled.
        order: Only hazardous sets of at most so many transitions.
        on_progress: Called with the number of guards found and the seconds elapsed.

    Cost: that of the cuts; an encoding and a search for each action, and a repair for
        each hazardous set and each action that helps; a search for each set that a
        guard may remove; at most `MOST_HAZARDS` sets.
    """
    work = _Work(engine, controllable, order, on_progress)
    stages = Stages(engine.clock)
    for part in (work.find_hazards, work.find_single, work.find_front):
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
        # For each set of actions, C that takes none of them.
        self._strict: dict[tuple[Action, ...], Engine] = {}
        # Whether that removes a hazard.
        self._helping: dict[tuple[tuple[Action, ...], int], bool] = {}
        self.found = Suggestions(order)

    def find_hazards(self) -> None:
        """List the minimal hazardous sets."""
        cuts = cuts_of(
            self._engine,
            order=self.found.order,
            limit=MOST_HAZARDS,
            within_only=True,
            traces_from=1,
        )
        hazards = tuple(Hazard(cut.transitions, cut.trace, cut.modes) for cut in cuts)
        self.found = replace(
            self.found, hazards=hazards, status=cuts.status, reason=cuts.reason
        )

    def find_single(self) -> None:
        """Find the single guards, what each removes and costs."""
        known: dict[object, Suggestion] = {}
        hopeless = set()
        for number, hazard in enumerate(self.found.hazards):
            if not self._helps(self._actions, number):
                hopeless.add(number)
                continue
            for action in self._actions:
                simple = any(
                    number in one.removes and _is_simple(one, action)
                    for one in known.values()
                )
                if simple or not self._helps([action], number):
                    continue
                guards = repair(self._engine, [hazard.transitions], {action}).guards
                assert guards is not None
                meaning = _meaning(guards)
                if meaning not in known:
                    known[meaning] = self._with_removed(self._suggestion((guards,)))
                if self._on_progress is not None:
                    self._on_progress(len(known), self._engine.clock.elapsed)
        single = tuple(sorted(known.values(), key=_rank))
        cheapest = [
            min(
                (i for i, one in enumerate(single) if number in one.removes),
                key=lambda i: (single[i].cost, single[i].size),
                default=None,
            )
            for number in range(len(self.found.hazards))
        ]
        self.found = replace(
            self.found,
            single=single,
            cheapest=tuple(cheapest),
            hopeless=frozenset(hopeless),
        )

    def find_front(self) -> None:
        """Form sets of guards, and keep those that are not worse than another.

        The cheapest come first, so that what they remove is asked for only until one
        removes all that can be removed.
        """
        single = self.found.single[:MOST_GUARDS]
        priced: dict[int, list[tuple[tuple[Suggestion, ...], Suggestion]]] = {}
        for count in range(1, MOST_TOGETHER + 1):
            for chosen in combinations(single, count):
                one = self._suggestion([g for one in chosen for g in one.guards])
                priced.setdefault(one.price, []).append((chosen, one))
        front: list[Suggestion] = []
        for price in sorted(priced):
            level = []
            for chosen, one in priced[price]:
                known = frozenset().union(*(each.removes for each in chosen))
                level.append(self._with_removed(one, known))
            best = min(level, key=lambda s: (-len(s.removes), len(s.guards), s.size))
            if len(best.removes) > (len(front[-1].removes) if front else 0):
                front.append(best)
                self.found = replace(self.found, front=tuple(front))
            if len(best.removes) == len(self.found.hazards) - len(self.found.hopeless):
                return

    def _helps(self, actions: Sequence[Action], number: int) -> bool:
        """Whether some restriction of these actions removes a hazard."""
        key = tuple(actions)
        if (key, number) not in self._helping:
            if key not in self._strict:
                self._strict[key] = restrained(self._engine, never(set(actions)))
            strict, hazard = self._strict[key], self.found.hazards[number]
            graph = strict.extended(hazard.transitions)
            self._helping[key, number] = strict.keeps_properties(graph)
        return self._helping[key, number]

    def _suggestion(self, guards: Sequence[Guards]) -> Suggestion:
        """What some guards cost."""
        parts = [lts for one in guards for lts in one.components]
        return Suggestion(tuple(guards), cost(self._engine, parts), frozenset())

    def _with_removed(
        self, one: Suggestion, known: frozenset[int] = frozenset()
    ) -> Suggestion:
        """Add what its guards remove; more guards remove no less."""
        parts = [lts for guards in one.guards for lts in guards.components]
        engine = guarded(self._engine, parts)
        actions = sorted({g.action for guards in one.guards for g in guards.guards})
        removed = {
            number
            for number, hazard in enumerate(self.found.hazards)
            if number not in known
            and self._helps(actions, number)
            and engine.keeps_properties(engine.extended(hazard.transitions))
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


def _is_simple(one: Suggestion, action: Action) -> bool:
    """Whether it is a guard on an action, without memory, and the plan is kept."""
    (guards,) = one.guards
    about = {g.action for g in guards.guards}
    return about == {action} and guards.memory.size == 1 and not one.cost.planned


def _rank(one: Suggestion) -> tuple[object, ...]:
    names = [g.action for guards in one.guards for g in guards.guards]
    return -len(one.removes), one.cost, one.size, names
