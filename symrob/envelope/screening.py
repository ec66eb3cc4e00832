"""Screening: which candidates are individually safe, decided for many targets at once.

In:  the monitors of a problem, the transitions of E, candidates.
Out: the individually safe candidates; no others are in any robust deviation.

Constraints come first, since they are cheap and exclude most; then C‖P. One image for
each state and action of E decides for all targets (`Screen`); what it leaves open are
loops through the new transition (`loops`).

The parts of C that a property depends on are screened before all of C. C without some
of its components has all traces of C, as long as each action that P watches and C takes
alone keeps a component. So a candidate that is safe with some components is safe with
C, for each property; only the others are screened with all of C. If components are
loosely coupled, those that a property needs have few states. Counterexamples select
them: while the nominal system violates the property with the chosen components, some
other component cannot follow the trace, and is added.

Source: docs/sources.md [S1], Sect. 5.2 (a single transition).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import partial, reduce
from operator import and_
from typing import Any

from symrob.envelope import tuning
from symrob.envelope.cache import Cache
from symrob.envelope.counterexample import shortest_violation
from symrob.envelope.exploration import Vector, bad_states, reach, step
from symrob.envelope.loops import Doubt, Loops
from symrob.envelope.monitors import (
    AnyMonitor,
    SafetyMonitor,
    States,
    SymbolicMonitor,
    joined,
)
from symrob.envelope.transitions import Candidates, Graph
from symrob.limits import Clock
from symrob.lts import ERROR, TAU, Action, Lts, Network, StateId
from symrob.lts.masks import bits, mask_of
from symrob.lts.views import moves_of
from symrob.problem import Monitor
from symrob.problem.watching import ToldNetwork


def screen(
    environment: Lts,
    constraints: Sequence[AnyMonitor],
    closed_loop: SymbolicMonitor | None,
    clock: Clock,
    among: Candidates | None = None,
) -> tuple[Candidates, list[AnyMonitor], tuple[Candidates, ...]]:
    """Rule out individually unsafe candidates, and monitors then never violated.

    Args:
        environment: The undisturbed environment; safe for each monitor.
        constraints: The monitors of the environment alone; they come first, since they
            are cheap and leave few candidates.
        closed_loop: C‖P, or `None` if only the constraints count.
        clock: Checked at intervals.
        among: The candidates; by default all that E lacks.

    Returns:
        The candidates that each monitor individually tolerates; the monitors that reach
        ERROR when all of them are added; and for each constraint the candidates that it
        ruled out of those left by the constraints before it.
    """
    nominal = Graph.of(environment.size, moves_of(environment, environment.transitions))
    candidates = Candidates.all_new(environment) if among is None else among
    ruled_out = []
    for constraint in constraints:
        kept = _kept(constraint, nominal, candidates, clock)
        ruled_out.append(candidates.without(kept))
        candidates = kept
    everything = candidates.with_nominal(environment)
    doubtful: list[AnyMonitor] = [*constraints]
    if closed_loop is not None and reach(closed_loop, everything, clock) is None:
        candidates = tolerated(closed_loop, environment, nominal, candidates, clock)
        everything = candidates.with_nominal(environment)
        doubtful.append(closed_loop)
    objecting = [m for m in doubtful if reach(m, everything, clock) is None]
    return candidates, objecting, tuple(ruled_out)


def _kept(
    constraint: AnyMonitor, nominal: Graph, candidates: Candidates, clock: Clock
) -> Candidates:
    """Return the candidates that a constraint tolerates, each alone."""
    if (known := constraint.screened) is not None:
        graph, asked, kept = known
        if graph == nominal and not len(candidates.without(asked)):
            return candidates.within(kept)
    found = Screen(constraint, nominal, clock).tolerated(candidates)
    constraint.screened = nominal, candidates, found
    return found


class Screen:
    """Decides for every candidate whether it is individually tolerated.

    Args:
        monitor: The monitor that runs with the environment.
        nominal: The transitions of the undisturbed environment, R_E.
        clock: Checked at intervals.
        within: Keep to these states when looking for bad ones; must contain all states
            that R_E and any candidates can reach.
        coarser: Creates coarser screens: a candidate that all of them tolerate is
            tolerated here, too; used if there are many candidates.

    Attributes:
        met: X of the undisturbed closed loop.
        bad: Bad of the undisturbed closed loop.

    The undisturbed closed loop must not reach ERROR.
    """

    def __init__(
        self,
        monitor: SafetyMonitor[States],
        nominal: Graph,
        clock: Clock,
        within: Vector[States] | None = None,
        coarser: Callable[[], Sequence[Screen]] = tuple,
    ) -> None:
        self._monitor: SafetyMonitor[Any] = monitor
        self._coarser = coarser
        self._rows = nominal.rows
        self._clock = clock
        met = reach(monitor, nominal, clock)
        assert met is not None, "the undisturbed system violates the monitor"
        self.met: Vector[Any] = met
        self.bad: Vector[Any] = bad_states(monitor, nominal, clock, within)
        classes: dict[tuple[Any, Any], int] = {}
        for q in range(nominal.size):
            key = (self.bad[q], self.met[q])
            classes[key] = classes.get(key, 0) | 1 << q
        self._classes = list(classes.items())
        self._steps: dict[tuple[Any, Action], Any] = {}
        self._judged: dict[Any, tuple[int, int]] = {}
        self._leaving: Cache[StateId, list[Any]] = Cache(self._leaving_from)
        # Walks from different candidates come through the same pairs.
        self._after: Cache[tuple[StateId, Any], list[tuple[StateId, Any]]] = Cache(
            self._moves
        )

    def tolerated(self, candidates: Candidates) -> Candidates:
        """Return the individually safe candidates.

        Exact: a transition is left out only if adding it to R_E, and nothing
        else, lets the closed loop reach ERROR.

        Cost: one image for each action and set of states met with a source, a few set
            operations for each image and class of equivalent targets, and for each
            transition that leads somewhere new a search of the states that it adds.
        """
        actions = candidates.actions
        judged: Cache[tuple[Any, Action], tuple[int, int]] = Cache(
            lambda key: self._judge(*key)
        )
        masks = []
        doubts: list[Doubt] = []
        for source, row in enumerate(candidates.masks):
            self._clock.check()
            states = self.met[source]
            kept = [0] * len(row)
            for index, mask in enumerate(row):
                if mask:
                    harmless, open_ = judged[states, actions[index]]
                    kept[index] = mask & harmless
                    if targets := mask & open_:
                        doubts.append(Doubt(source, index, actions[index], targets))
            # A row that stays is shared, for most of a large environment do.
            masks.append(row if kept == row else kept)
        surviving = self._surviving(doubts, actions)
        for doubt, survived in zip(doubts, surviving, strict=True):
            masks[doubt.source][doubt.place] |= survived
        return Candidates(actions, masks)

    def _judge(self, states: Any, action: Action) -> tuple[int, int]:
        """Tell of all targets at once, for a transition from where states are met.

        Returns:
            The targets to which it does no harm, and those to which it leads new
            states, so that a search has to tell; to all others it leads to ERROR.
        """
        empty = self._monitor.empty
        image = self._step(states, action)
        if image is None:
            return 0, 0
        known = self._judged.get(image)
        if known is None:
            harmless = open_ = 0
            for (bad, met), members in self._classes:
                if image & ~met == empty:
                    harmless |= members
                elif image & bad == empty:
                    open_ |= members
            known = self._judged[image] = harmless, open_
        return known

    def _surviving(
        self, doubts: Sequence[Doubt], actions: tuple[Action, ...]
    ) -> list[int]:
        """Return of each doubt the targets through which no loop leads to ERROR."""
        empty, clock = self._monitor.empty, self._clock
        if sum(doubt.targets.bit_count() for doubt in doubts) > tuning.LOOPS_ALONE:
            loops = Loops(self._rows, self.met, self._step, empty, clock)
            safe = loops.safe(doubts, self._classes)
            if safe is not None:
                return safe
        left = [self._going_on(doubt) for doubt in doubts]
        if sum(map(int.bit_count, left)) > tuning.WALKED_ALONE:
            left = self._doubtful(doubts, left, actions)
        return [
            doubt.targets & ~self._failing(doubt, mask)
            for doubt, mask in zip(doubts, left, strict=True)
        ]

    def _doubtful(
        self, doubts: Sequence[Doubt], left: list[int], actions: tuple[Action, ...]
    ) -> list[int]:
        """Return what some coarser screen does not tolerate of these targets."""
        screens = self._coarser()
        if not screens:
            return left
        rows = [[0] * len(actions) for _ in self._rows]
        for doubt, mask in zip(doubts, left, strict=True):
            rows[doubt.source][doubt.place] = mask
        asked = Candidates(actions, rows)
        for screen in screens:
            asked = screen.tolerated(asked)
        return [
            mask & ~asked.masks[doubt.source][doubt.place]
            for doubt, mask in zip(doubts, left, strict=True)
        ]

    def _going_on(self, doubt: Doubt) -> int:
        """The targets of a doubt from which it leads anywhere new, or once more."""
        image = self._step(self.met[doubt.source], doubt.action)
        empty, leaving = self._monitor.empty, self._leaving
        self._clock.check()
        return mask_of(
            [
                target
                for target in bits(doubt.targets)
                if target == doubt.source
                or any(image & states != empty for states in leaving[target])
            ]
        )

    def _failing(self, doubt: Doubt, targets: int) -> int:
        """Those of some targets of a doubt through which a loop leads to ERROR."""
        image = self._step(self.met[doubt.source], doubt.action)
        failing = []
        for target in bits(targets):
            self._clock.check()
            if not self._survives(doubt.source, doubt.action, target, image):
                failing.append(target)
        return mask_of(failing)

    def _survives(
        self, source: StateId, action: Action, target: StateId, image: Any
    ) -> bool:
        """Whether the loop through a new transition never leads to ERROR.

        Only pairs that the transition adds are walked. None of them is bad
        with R_E alone when it is added, so that only the new transition, taken
        once more, can lead from them into a bad one.
        """
        empty, met, after = self._monitor.empty, self.met, self._after
        extra: dict[StateId, Any] = {target: image & ~met[target]}
        fresh = {target: image}
        while fresh:
            here, states = fresh.popitem()
            moves = after[here, states]
            if here == source:
                image = self._step(states, action)
                if image is None or image & self.bad[target] != empty:
                    return False
                moves = [*moves, (target, image)]
            for there, image in moves:
                new = image & ~met[there]
                if there in extra:
                    new = new & ~extra[there]
                if new != empty:
                    extra[there] = extra.get(there, empty) | new
                    fresh[there] = fresh.get(there, empty) | image
        return True

    def _moves(self, pair: tuple[StateId, Any]) -> list[tuple[StateId, Any]]:
        """Where R_E leads from monitor states at a state of E, where that is new."""
        here, states = pair
        empty, met = self._monitor.empty, self.met
        return [
            (there, image)
            for (action, targets), leaving in zip(
                self._rows[here], self._leaving[here], strict=True
            )
            if states & leaving != empty
            for image in (self._step(states, action),)
            for there in targets
            if image & ~met[there] != empty
        ]

    def _leaving_from(self, source: StateId) -> list[Any]:
        """For each move of R_E there the monitor states that it leads to new ones.

        What is met is closed under internal moves, so that the action alone tells.
        """
        monitor = self._monitor
        found = []
        for action, targets in self._rows[source]:
            everywhere = reduce(and_, [self.met[target] for target in targets])
            new = monitor.everything & ~everywhere
            found.append(monitor.pre(new, action) | monitor.rejects(action))
        return found

    def _step(self, states: Any, action: Action) -> Any:
        """Return what `step` does; new transitions lead through the same sets."""
        key = (states, action)
        if key not in self._steps:
            self._steps[key] = step(self._monitor, states, action)
        return self._steps[key]


def screens(
    loop: SymbolicMonitor, environment: Lts, graph: Graph, clock: Clock
) -> Sequence[Screen]:
    """Return screens of parts of C that together tolerate no more than C‖P.

    Args:
        loop: C‖P.
        environment: E.
        graph: The transitions of E, or of a safe E_d in its place.
        clock: Checked at intervals.

    Returns:
        One for each property; none if a property needs most of C.

    Raises:
        LimitExceeded: A bound was hit.
    """
    found = cones(loop, environment, graph, clock)
    if not all(reach(cone, graph, clock) is not None for cone in found):
        return ()
    return [Screen(cone, graph, clock) for cone in found]


def cones(
    loop: SymbolicMonitor, environment: Lts, graph: Graph, clock: Clock
) -> Sequence[SymbolicMonitor]:
    """Return for each property C with few of its components; none if one needs many.

    What they tolerate, all of C tolerates. Found once; arguments as for `screens`.
    """
    if loop.cones is None:
        loop.cones = [*_cones(loop, environment, graph, clock)]
    return loop.cones


def tolerated(
    loop: SymbolicMonitor,
    environment: Lts,
    graph: Graph,
    candidates: Candidates,
    clock: Clock,
) -> Candidates:
    """Return the candidates that C‖P individually tolerates.

    Args:
        loop: C‖P.
        environment: E.
        graph: The transitions of E, or of a safe E_d in its place.
        candidates: The candidates.
        clock: Checked at intervals.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: see `Screen.tolerated`.
    """
    coarser = partial(screens, loop, environment, graph, clock)
    if len(candidates) > tuning.SCREENED_FIRST:
        return _screened(loop, graph, candidates, clock, coarser)
    known = coarser()
    asked = candidates
    for screen in known:
        asked = screen.tolerated(asked)
    left = candidates.without(asked) if known else candidates
    if not len(left):
        return asked
    return _screened(loop, graph, left, clock).union(candidates.without(left))


def _screened(
    loop: SymbolicMonitor,
    graph: Graph,
    candidates: Candidates,
    clock: Clock,
    coarser: Callable[[], Sequence[Screen]] = tuple,
) -> Candidates:
    # What candidates can lead to is a small part of what the machine could do in
    # another environment, and has the smaller BDDs; finding it takes longer
    # where they are very many. Sets of a table are as large whatever is in them.
    within = None
    if loop.closed_only and len(candidates) <= tuning.FOLLOWED:
        everything = candidates.added_to(graph.rows)
        within = reach(loop, everything, clock, past_error=True)
    return Screen(loop, graph, clock, within, coarser).tolerated(candidates)


def _cones(
    loop: SymbolicMonitor, environment: Lts, graph: Graph, clock: Clock
) -> Iterator[SymbolicMonitor]:
    """Yield for each property C with few of its components; nothing, if one needs many.

    Ends, as each round adds a component.
    """
    controller, monitors = loop.system.controller, loop.system.monitors
    parts = controller.components if controller is not None else ()
    if controller is None or len(parts) < tuning.CONE_COMPONENTS:
        return
    # Requirements on states look at components that take no part in an action; a
    # trace does not tell what counts.
    told = isinstance(controller, ToldNetwork) or loop.system.counters
    if told or environment.views is not None or environment.starts:
        return
    found = []
    for monitor in monitors:
        some = _first_of(controller, monitor, environment)
        while True:
            # What has about as much to do as all of them is of no use.
            if 2 * len(some) > len(parts):
                return
            cone = _without_others(loop, some, monitor, environment, clock)
            trace = shortest_violation(cone.system, environment, graph, clock)
            if trace is None:
                break
            run = [step.action for step in trace.steps]
            others = (n for n in range(len(parts)) if n not in some)
            hidden = controller.hidden
            blocking = next((n for n in others if _blocks(parts[n], run, hidden)), None)
            # Two that share hidden actions may block a run that each can follow.
            if blocking is None:
                return
            some.add(blocking)
        found.append(cone)
    yield from found


def _first_of(
    controller: Network | Lts, monitor: Monitor, environment: Lts
) -> set[int]:
    """The components that any cone needs, and the one that a property watches most.

    An action that many components share counts for each by its share. Those that can
    reach ERROR are needed, and one for each watched action that C takes alone.
    """
    parts = controller.components
    watched = {*monitor.lts.alphabet}
    owners = {
        action: [n for n, part in enumerate(parts) if action in part.alphabet]
        for action in watched & {*controller.alphabet}
    }
    ties = [0.0] * len(parts)
    for numbers in owners.values():
        for number in numbers:
            ties[number] += 1 / len(numbers)
    most = max(range(len(parts)), key=lambda n: ties[n])
    some = {n for n, p in enumerate(parts) if any(t[2] == ERROR for t in p.transitions)}
    some.add(most)
    for action in sorted(owners.keys() - {*environment.alphabet}):
        if some.isdisjoint(owners[action]):
            some.add(max(owners[action], key=lambda n: ties[n]))
    return some


def _without_others(
    loop: SymbolicMonitor,
    some: Set[int],
    monitor: Monitor,
    environment: Lts,
    clock: Clock,
) -> SymbolicMonitor:
    """Some components of C with one property."""
    controller = loop.system.controller
    assert controller is not None, "C has components"
    parts = [controller.components[number] for number in sorted(some)]
    hidden = controller.hidden & {a for part in parts for a in part.alphabet}
    network = Network(parts, hidden=hidden)
    backend = loop.system.ctx.backend
    return joined(network, (monitor,), environment.alphabet, backend, clock)


def _blocks(part: Lts, run: Iterable[Action], hidden: Set[Action]) -> bool:
    """Whether a component cannot take its part of a run, with its own moves between."""
    own = {TAU, *hidden}

    def led_to(states: Iterable[StateId]) -> set[StateId]:
        """Add what its own moves lead to."""
        todo, seen = [*states], {*states}
        while todo:
            row = part.successors[todo.pop()]
            fresh = {t for action in own & row.keys() for t in row[action]} - seen
            seen |= fresh
            todo += fresh
        return seen

    states = led_to({*part.initial})
    for action in run:
        if action != TAU and action in part.alphabet:
            states = led_to(
                {t for q in states for t in part.successors[q].get(action, ())}
            )
    return not states
