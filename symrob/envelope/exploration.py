"""Exploration of the closed loop: the monitor states reached with each state of E.

In:  a `SafetyMonitor` and a `Graph` of environment transitions.
Out: X, for each state q of the environment the set X(q) of monitor states that can be
     reached together with it; Bad, for each q the monitor states from which ERROR can
     be reached; and which single transitions are tolerated.

A vector indexed by q, of BDDs or of bit masks, stands for a set of states of E_d‖C‖P. E
stays explicit because its transitions are the candidates.

Source: docs/sources.md [S1], Sect. 5.2 and Appendix (Inv).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial, reduce
from operator import and_
from typing import Any, NamedTuple, Self

from symrob.envelope import tuning
from symrob.envelope.cache import Cache
from symrob.envelope.loops import Doubt, Loops
from symrob.envelope.monitors import SafetyMonitor, States
from symrob.envelope.transitions import (
    AnyGraph,
    Candidates,
    Graph,
    MaskGraph,
)
from symrob.limits import Clock
from symrob.lts import Action, StateId
from symrob.lts.masks import bits, mask_of

Vector = list[States]

# Images that are remembered within one search: states of E that are alike are met
# together with the same monitor states.
IMAGES = 1_000
# The latest graphs whose X is remembered for a monitor: many ask about the plan, about
# all that is tolerated, and about a deviation or two. A graph of a large environment
# takes more memory than it is worth.
RECENT = 4
RECENT_STATES = 1_000


def reach(
    monitor: SafetyMonitor[States],
    graph: AnyGraph,
    clock: Clock,
    *,
    past_error: bool = False,
) -> Vector[States] | None:
    """Return X of the closed loop, or `None` if it reaches ERROR.

    Args:
        monitor: The monitor that runs with the environment.
        graph: The transitions of the deviated environment.
        clock: Checked each round.
        past_error: Continue with all other traces if one reaches ERROR.

    Returns:
        For each state of the environment the monitor states reached with it, without
        ERROR.

    Cost: one image for each action with its targets, however many states share them,
        and each time that X of one of these grows. In a `MaskGraph`, for each image a
        few operations on masks for each distinct set X(q); else on each target. Nothing
        for the most recent graphs.
    """
    recent = monitor.recent
    known = recent.pop(graph, None) or _reach(monitor, graph, clock, past_error)
    if known is None:
        return None
    if graph.size <= RECENT_STATES:
        recent[graph] = known
    if len(recent) > RECENT:
        del recent[next(iter(recent))]
    found, broken = known
    return None if broken and not past_error else found


def _reach(
    monitor: SafetyMonitor[Any], graph: AnyGraph, clock: Clock, past_error: bool
) -> tuple[Vector[Any], bool] | None:
    """Return X and whether ERROR is reached; `None` if so, unless to go past it."""
    empty, failing, whole = monitor.empty, monitor.failing, monitor.closed_only
    broken = fails(monitor.initial, failing, empty)
    found: Vector[Any] = [empty] * graph.size
    found[0] = monitor.initial
    join = together(found, empty) if isinstance(graph, MaskGraph) else _one_by_one
    # States with the same move are taken together, since images are of sets.
    numbers: dict[tuple[Action, Any], int] = {}
    leaving = [[numbers.setdefault(m, len(numbers)) for m in row] for row in graph.rows]
    moves = list(numbers)
    waiting: dict[int, Any] = dict.fromkeys(leaving[0], monitor.initial)
    images: Cache[tuple[Any, Action], Any] = Cache(
        lambda key: monitor.post(*key), most=IMAGES
    )
    # Invariant: `found` holds only pairs on runs of the closed loop, and what its
    # members lead to is in it, but for what a move that is waiting makes of the states
    # noted there. Ends, since each round takes one from `waiting` and only pairs new in
    # `found` are put back. The move that waits longest is next: it has the most to do.
    while waiting and (past_error or not broken):
        clock.check()
        number = next(iter(waiting))
        states = waiting.pop(number)
        action, targets = moves[number]
        image = images[states, action]
        broken = (
            broken
            or fails(states, monitor.rejects(action), empty)
            or fails(image, failing, empty)
        )
        for growing, new in join(found, empty, image, targets):
            more = image if whole else new
            for other in {n for q in growing for n in leaving[q]}:
                waiting[other] = waiting[other] | more if other in waiting else more
    return None if broken and not past_error else (found, broken)


class Course(NamedTuple):
    """How a monitor goes on.

    Attributes:
        initial: Its states before the first action; `None` where they have failed.
        empty: No states.
        whole: As `SafetyMonitor.closed_only`.
        image: Where an action leads some states; `None` for ERROR.
    """

    initial: Any
    empty: Any
    whole: bool
    image: Callable[[Any, Action], Any]

    @classmethod
    def of(cls, monitor: SafetyMonitor[States]) -> Self:
        """That of a monitor in any form."""
        start, empty = monitor.initial, monitor.empty
        initial = None if fails(start, monitor.failing, empty) else start
        return cls(initial, empty, monitor.closed_only, partial(step, monitor))


class AddedSteps:
    """Counts the added steps that a violation needs, for one set after the other.

    Args:
        course: That of the monitor that runs with the environment.
        planned: The transitions of the environment.
        clock: Checked each round.
    """

    def __init__(self, course: Course, planned: Graph, clock: Clock) -> None:
        self._course, self._planned, self._clock = course, planned, clock
        self._images: Cache[tuple[Any, Action], Any] = Cache(
            lambda key: course.image(*key), most=IMAGES
        )

    def least(self, added: AnyGraph) -> int | None:
        """Return the least number of added steps in a trace to ERROR.

        Args:
            added: The transitions that the environment gets.

        Returns:
            The number; `None` if no trace reaches ERROR.

        Cost: as for `reach`, for each number of added steps on the newly reached
            states; what the plan reaches is kept.
        """
        plan = self._plan
        if plan is None:
            return 0
        found, fresh = plan
        found = [*found]
        count = 0
        # Ends: each round has pairs that no round before it had.
        while fresh:
            count += 1
            led = self._led(added.rows, fresh, found)
            # What the plan leads to from there costs nothing more.
            following = None if led is None else self._closed(led, found)
            if following is None:
                return count
            fresh = following
        return None

    @cached_property
    def _plan(self) -> tuple[Vector[Any], dict[StateId, Any]] | None:
        """X of the plan, also without what is empty; `None` if it reaches ERROR."""
        course = self._course
        if course.initial is None:
            return None
        found: Vector[Any] = [course.empty] * self._planned.size
        found[0] = course.initial
        closed = self._closed({0: course.initial}, found)
        return None if closed is None else (found, closed)

    def _closed(
        self, fresh: dict[StateId, Any], found: Vector[Any]
    ) -> dict[StateId, Any] | None:
        """What is new with what the plan leads to; `None` if that reaches ERROR."""
        changed, empty = dict(fresh), self._course.empty
        while fresh:
            self._clock.check()
            following = self._led(self._planned.rows, fresh, found)
            if following is None:
                return None
            for state, states in following.items():
                changed[state] = changed.get(state, empty) | states
            fresh = following
        return changed

    def _led(
        self, rows: Any, sources: dict[StateId, Any], found: Vector[Any]
    ) -> dict[StateId, Any] | None:
        """What is new behind some moves; `None` if one of them leads to ERROR."""
        empty, whole, images = self._course.empty, self._course.whole, self._images
        following: dict[StateId, Any] = {}
        for source, states in sources.items():
            for action, targets in rows[source]:
                image = images[states, action]
                if image is None:
                    return None
                if image == empty:
                    continue
                for target in bits(targets) if isinstance(targets, int) else targets:
                    if (new := image & ~found[target]) != empty:
                        found[target] |= new
                        more = image if whole else new
                        following[target] = following.get(target, empty) | more
        return following


def _one_by_one(
    found: Vector[Any], empty: Any, image: Any, targets: Sequence[StateId]
) -> Iterator[tuple[Sequence[StateId], Any]]:
    """Add an image to the X of some states; yield those that grow, with what is new."""
    for target in targets:
        new = image & ~found[target]
        if new != empty:
            found[target] |= new
            yield (target,), new


def together(found: Vector[Any], empty: Any) -> Callable[..., Any]:
    """Return what does as `_one_by_one` for very many targets, as bits.

    States of the environment with equal X are one group, a mask: an image is compared
    with the X of each group, and not of each target.
    """
    # So far only the initial state is met with anything.
    groups: dict[Any, int] = {empty: (1 << len(found)) - 2}
    groups[found[0]] = groups.get(found[0], 0) | 1

    def join(
        found: Vector[Any], empty: Any, image: Any, targets: int
    ) -> Iterator[tuple[Sequence[StateId], Any]]:
        if image == empty:
            return
        among: Iterable[Any] = groups
        if targets.bit_count() < len(groups):
            among = dict.fromkeys(found[target] for target in bits(targets))
        for known in list(among):
            growing = groups[known] & targets
            if not growing or (new := image & ~known) == empty:
                continue
            groups[known] ^= growing
            if not groups[known]:
                del groups[known]
            larger = known | new
            groups[larger] = groups.get(larger, 0) | growing
            together = list(bits(growing))
            for target in together:
                found[target] = larger
            yield together, new

    return join


def fails(states: Any, errors: Any, empty: Any) -> bool:
    """Whether some of the states are among the errors."""
    return bool(states & errors != empty)


def step(monitor: SafetyMonitor[States], states: States, action: Action) -> Any:
    """Return where `action` leads a closed set; `None` if it can lead to ERROR."""
    empty = monitor.empty
    if fails(states, monitor.rejects(action), empty):
        return None
    image = monitor.post(states, action)
    return None if fails(image, monitor.failing, empty) else image


def bad_states(
    monitor: SafetyMonitor[States],
    graph: Graph,
    clock: Clock,
    within: Vector[States] | None = None,
) -> Vector[States]:
    """Return Bad: the states from which the closed loop can reach ERROR.

    Args:
        monitor: The monitor that runs with the environment.
        graph: The transitions of the deviated environment; R_E alone gives the
            complement of Inv(Q_F minus Err) ([S1] Appendix).
        clock: Checked each round.
        within: Keep to these states, which no transition of the graph and no internal
            move may leave; by default all, including unreachable ones.

    Returns:
        For each state of the environment a set of monitor states, closed
        backwards under internal moves.

    Cost: one pre-image for each transition and each extension of Bad(target).
    """
    empty, whole = monitor.empty, monitor.closed_only
    found: Vector[Any] = []
    for q, row in enumerate(graph.rows):
        states: Any = monitor.failing
        for action, _ in row:
            states = states | monitor.rejects(action)
        care = None if within is None else within[q]
        if care is not None:
            states = states & care
        found.append(monitor.close_back(states, care))
    into = graph.backwards()
    fresh = {q: states for q, states in enumerate(found) if states != empty}
    images: Cache[tuple[Any, Action], Any] = Cache(
        lambda key: monitor.pre(*key), most=IMAGES
    )
    # As in `reach`, backwards.
    while fresh:
        clock.check()
        target = next(iter(fresh))
        states = fresh.pop(target)
        for source, action in into[target]:
            care = None if within is None else within[source]
            image = images[states, action]
            if care is not None:
                image = image & care
            if (new := image & ~found[source]) != empty:
                image = monitor.close_back(image if whole else new, care, action)
                new = image & ~found[source]
                found[source] |= image
                fresh[source] = fresh.get(source, empty) | (image if whole else new)
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
