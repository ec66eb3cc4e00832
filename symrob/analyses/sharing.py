"""Goals and deadlocks where independent parts of E share the budget of a run.

In:  a `DeviatedLoop` for each part, over one budget.
Out: `Sharing`: whether a goal is lost, where the parts together can stop, and traces.

What one part uses of the budget the others lack. So each part is walked twice: as it
begins, which tells what it must have used where it is, and with anything used before,
which tells what is impossible from there once the others have used something. What is
used adds up over the parts, so a few numbers for each decide: for a sum, how much a
part can use and be stuck with what is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from symrob.analyses.deviated import Deadlock, DeviatedLoop, Vector
from symrob.envelope.cache import Cache
from symrob.errors import Trace
from symrob.lts import StateId
from symrob.problem.goals import Goal

# By state of E those of C with what was counted.
Where = Mapping[StateId, Any]


class Sharing:
    """Parts of E that share the budget of a run.

    Args:
        walks: Each of them with what it gets.

    Cost: as many searches again; operations on sets of states, the square of the budget
        for each goal and part.
    """

    def __init__(self, walks: Sequence[DeviatedLoop]) -> None:
        self._parts = [_Part(walk) for walk in walks]
        self._most = self._parts[0].most

    def lost(self, goal: Goal, ends: Sequence[int]) -> bool:
        """Whether a goal is lost.

        Args:
            goal: The goal.
            ends: For each part the states of E in which the plan can end, as bits.
        """
        return self._stuck(goal, ends) is not None

    def _stuck(self, goal: Goal, ends: Sequence[int]) -> list[tuple[int, int]] | None:
        """For each part what it uses, and after how much it is stuck; if all can be."""
        gone = [p.impossible[goal, e] for p, e in zip(self._parts, ends, strict=True)]
        if goal.actions:
            return self._together(gone)
        return self._too_far(gone)

    def _together(self, where: Sequence[Where]) -> list[tuple[int, int]] | None:
        """How all parts can be somewhere once a sum of all is used."""
        for used in range(self._most + 1):
            ways = _sums(self._uses(where, used), used)
            if used in ways:
                return [(mine, used) for mine in ways[used]]
        return None

    def _uses(self, where: Sequence[Where], used: int) -> list[list[int]]:
        """For each part what it can have used there, once a sum is used."""
        pairs = [*zip(self._parts, where, strict=True)]
        return [
            [u for u in range(used + 1) if part.meets(u, states, used)]
            for part, states in pairs
        ]

    def _too_far(self, gone: Sequence[Where]) -> list[tuple[int, int]] | None:
        """How the ends of all parts can cost more together than what is left."""
        # By what is used, the most that the ends can cost, with what each part uses.
        best: dict[int, tuple[int, list[tuple[int, int]]]] = {0: (0, [])}
        for part, states in zip(self._parts, gone, strict=True):
            costs = [part.cost(u, states) for u in range(self._most + 1)]
            more: dict[int, tuple[int, list[tuple[int, int]]]] = {}
            for used, (cost, way) in best.items():
                for u, own in enumerate(costs[: self._most + 1 - used]):
                    if own is None:
                        continue
                    after = self._most - own + 1 if own else -1
                    found = cost + own, [*way, (u, after)]
                    if used + u not in more or found[0] > more[used + u][0]:
                        more[used + u] = found
            best = more
        for used, (cost, way) in sorted(best.items()):
            if cost > self._most - used:
                return way
        return None

    def traces(self, goal: Goal, ends: Sequence[int]) -> tuple[Trace, ...]:
        """Return traces after which a goal that is lost is impossible.

        One for each part that performs it, or that uses some of the budget.
        """
        way = self._stuck(goal, ends)
        assert way is not None, "the goal is lost"
        found = []
        for part, end, (mine, used) in zip(self._parts, ends, way, strict=True):
            if goal.actions:
                concerned = mine or {*goal.actions} & {*part.walk.machine.known}
            else:
                concerned = mine or used >= 0
            if concerned:
                with part.walk.machine.engine.clock.suspended():
                    found.append(part.run(mine, part.impossible[goal, end], used))
        return tuple(found)

    def new_deadlocks(self, plans: Sequence[DeviatedLoop]) -> Iterator[Deadlock]:
        """Yield the deadlocks that the plan lacks."""
        dead = [part.dead for part in self._parts]
        found = [part.nowhere for part in self._parts]
        for used in range(self._most + 1):
            uses = self._uses(dead, used)
            for i, part in enumerate(self._parts):
                others = _sums([u for j, u in enumerate(uses) if j != i], used)
                for mine in uses[i]:
                    if used - mine in others:
                        for q, states in part.at(mine, dead[i], used).items():
                            found[i][q] |= states
        for part, plan, states in zip(self._parts, plans, found, strict=True):
            yield from part.walk.new_deadlocks(plan, states)


def _sums(choices: Sequence[Sequence[int]], most: int) -> dict[int, list[int]]:
    """What one number of each can add up to, with the numbers."""
    found: dict[int, list[int]] = {0: []}
    for some in choices:
        sums: dict[int, list[int]] = {}
        for total, way in found.items():
            for number in some:
                if total + number <= most:
                    sums.setdefault(total + number, [*way, number])
        found = sums
    return found


class _Part:
    """A part as it begins, and with anything used before.

    Attributes:
        most: The budget.
        walk: As it begins.
    """

    def __init__(self, walk: DeviatedLoop) -> None:
        self.walk = walk
        system = walk.machine.system
        self._run, self._ctx = system.counters[0], system.ctx
        self.most = self._run.lts.size - 1
        # By a goal and the ends, from where it is impossible.
        self.impossible = Cache[tuple[Goal, int], Where](
            lambda asked: self._drained.impossible(*asked) or {}
        )

    @cached_property
    def _drained(self) -> DeviatedLoop:
        return self.walk.machine.walk(self.walk.added, drained=True)

    @property
    def dead(self) -> Where:
        """Where it cannot move."""
        return dict(enumerate(self._drained.dead))

    @property
    def nowhere(self) -> Vector:
        """No state."""
        return [self._ctx.false] * len(self.walk.met)

    def _free(self, states: Any) -> Any:
        """Forget what of the budget of the run is used."""
        free = self._ctx.exists(states, self._run.current)
        return free & self._run.states(range(self.most + 1))

    def at(self, mine: int, where: Where, used: int) -> dict[StateId, Any]:
        """Return what is met where it has used something, and is somewhere later.

        Args:
            mine: What it has used.
            where: States with a sum that is used.
            used: This sum.
        """
        here, then = self._run.states([mine]), self._run.states([used])
        met = self.walk.met
        found = {q: met[q] & here & self._free(s & then) for q, s in where.items()}
        return {q: s for q, s in found.items() if s != self._ctx.false}

    def meets(self, mine: int, where: Where, used: int) -> bool:
        """Whether there is something."""
        return bool(self.at(mine, where, used))

    def cost(self, mine: int, gone: Where) -> int | None:
        """Return the most steps that the end can cost, having used some.

        More than are left stand for any number; `None` if it never uses as many.
        """
        here = self._run.states([mine])
        if all(states & here == self._ctx.false for states in self.walk.met):
            return None
        left = range(self.most - mine, -1, -1)
        return next((n + 1 for n in left if self.meets(mine, gone, self.most - n)), 0)

    def run(self, mine: int, where: Where, used: int) -> Trace:
        """Return a shortest trace to there; without a sum, to where so much is used."""
        if used >= 0:
            return self.walk.run_to(self.at(mine, where, used))
        here = self._run.states([mine])
        return self.walk.run_to({q: s & here for q, s in enumerate(self.walk.met)})
