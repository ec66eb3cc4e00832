"""E with counters: its moves under a budget of deviated steps.

In:  E, the changes of some units, the maximum number of steps that may use them.
Out: its moves as those of one system, whose states include the remaining budgets.

A step that E has itself is free. Any other one counts once for the run, and for each
change that it needs, it counts for one of the units that bring it, at most once per
unit; every such choice is tried. Standard library only. Source: docs/certificates.md.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from symrob.certify.watching import TAU, Joint, Network, Rows, Walked

# The place of a component, and the source, action and target that it gets.
Change = tuple[int, int, str, int]
# Units that pay for a step, of those with a bound.
Payers = frozenset[int]


class CountedEnvironment:
    """E with some units, and the remaining budgets.

    Attributes:
        reached: The states of what `walked` returns, with what is left of the budget of
            the run and of those of units.

    Args:
        environment: E.
        brought: Changes, each with a unit that brings it.
        run: Maximum number of deviated steps of a run; `None` for no bound.
        bounds: For units with their own bound, the maximum number of steps that use
            them.
    """

    def __init__(
        self,
        environment: Network,
        brought: Iterable[tuple[int, Change]],
        run: int | None,
        bounds: Mapping[int, int],
    ) -> None:
        self._environment, self._run = environment, run
        # By component, state and action: the targets, each with what brings it.
        self._brought: dict[tuple[int, int, str], dict[int, set[int]]] = {}
        chosen: set[int] = set()
        for unit, (i, source, action, target) in brought:
            chosen.add(unit)
            if target not in environment.parts[i].rows[source].get(action, ()):
                row = self._brought.setdefault((i, source, action), {})
                row.setdefault(target, set()).add(unit)
        self._bounds = {unit: most for unit, most in bounds.items() if unit in chosen}

    def walked(self) -> Walked:
        """Return its moves, its states numbered as they are reached."""
        budget, width = self._environment.budget, self._environment.width
        bounded = [*self._bounds]
        starts, full = self._environment.starts, tuple(self._bounds.values())
        self.reached, found = [(state, self._run, full) for state in starts], Rows()
        numbers = {one: number for number, one in enumerate(self.reached)}
        for state, left, purse in self.reached:
            row: dict[str, list[int]] = {}
            found.append(row)
            for action, after, ways in self._steps(state):
                following = [(after, left, purse)]
                if ways is not None:
                    rest = None if left is None else left - 1
                    paid = [
                        tuple(
                            n - (unit in way)
                            for unit, n in zip(bounded, purse, strict=True)
                        )
                        for way in ways
                    ]
                    following = [
                        (after, rest, p) for p in paid if min(p, default=0) >= 0
                    ]
                    following = [] if left == 0 else following
                for one in following:
                    budget.spend(1, width)
                    if numbers.setdefault(one, len(self.reached)) == len(self.reached):
                        self.reached.append(one)
                    row.setdefault(action, []).append(numbers[one])
        begin = [*range(len(starts))]
        return Walked(found, [state for state, _, _ in self.reached], begin)

    def _steps(self, state: Joint) -> Iterator[tuple[str, Joint, set[Payers] | None]]:
        """What it does in a state; `None` for what it does without any unit."""
        network = self._environment
        own = {(TAU, after) for after in network.inner(state)}
        for action in network.visible & network.offered(state):
            own |= {(action, after) for after in network.together(state, action)}
        for action, after in sorted(own):
            yield action, after, None
        others: dict[tuple[str, Joint], set[Payers]] = {}
        here = {a for i, s, a in self._brought if state[i] == s}
        for action in sorted(here):
            name = TAU if action in network.hidden else action
            for after, needs in self._together(state, action):
                if needs and (name, after) not in own:
                    ways = others.setdefault((name, after), set())
                    ways |= {
                        frozenset(unit for unit in way if unit in self._bounds)
                        for way in product(*needs)
                    }
        for (action, after), ways in others.items():
            yield action, after, ways

    def _together(
        self, state: Joint, action: str
    ) -> Iterator[tuple[Joint, list[set[int]]]]:
        """Where an action leads with all units, and what brings each change in it."""
        choices: list[list[tuple[int, set[int] | None]]] = []
        for i, part in enumerate(self._environment.parts):
            if action not in part.alphabet:
                choices.append([(state[i], None)])
                continue
            more = self._brought.get((i, state[i], action), {})
            own = part.rows[state[i]].get(action, ())
            choices.append([*((t, None) for t in own), *more.items()])
        for several in product(*choices):
            needs = [units for _, units in several if units is not None]
            yield tuple(target for target, _ in several), needs
