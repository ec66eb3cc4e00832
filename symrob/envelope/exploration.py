"""Exploration of the closed loop: the monitor states reached with each state of E.

In:  a `SafetyMonitor` and a `Graph` of environment transitions.
Out: X, for each state q of the environment the set X(q) of monitor states that can be
     reached together with it; and Bad, for each q the monitor states from which ERROR
     can be reached.

A vector indexed by q, of BDDs or of bit masks, stands for a set of states of E_d‖C‖P. E
stays explicit because its transitions are the candidates.

Source: docs/sources.md [S1], Sect. 5.2 and Appendix (Inv).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple, Self

from symrob.envelope.cache import Cache
from symrob.envelope.monitors import SafetyMonitor, States
from symrob.envelope.transitions import AnyGraph, Graph, MaskGraph
from symrob.limits import Clock
from symrob.lts import Action, StateId
from symrob.lts.masks import bits

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
