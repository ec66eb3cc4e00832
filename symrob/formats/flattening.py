"""Statecharts as transition systems: hierarchy and parallel regions flattened.

In:  a tree of `Node`s with their `Edge`s, from SCXML, XState or a Python object.
Out: its `ModelFile`: an `Lts` whose states are the stable configurations, sets of
     states that are active together when no step remains without an external event.

The semantics are those of SCXML [SCXML, appendix D]: run to completion, inner
transitions before outer ones, exit and entry sets, `done.state.ID` when a region is
finished. The `Rules` of another dialect state its differences. For all dialects:

- Guards are not evaluated: each may hold or fail at any time, independently of all
  others, so the system can do everything that the chart can do, and more.
- Data, scripts and actions are ignored; internally raised events are not.
- A state does not offer events that it does not handle, as in a picture of the chart;
  with `ignoring` it ignores them, as an interpreter of the chart does.
- History is refused, since its target depends on the past.

A step of the chart is atomic: eventless transitions and internally raised events are
completed first, and intermediate configurations are not states of the result.

Warnings list what is ignored and which guards became choices.

Sources: docs/sources.md [SCXML].
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, permutations, product

from symrob.errors import Diagnostic, SymrobError
from symrob.formats.registry import Source
from symrob.formats.statechart import (
    Chart,
    Configuration,
    Edge,
    Node,
    Notes,
    Stepping,
    innermost,
    preorder,
)
from symrob.formats.text import ModelFile, Problems, keep_bound, stem
from symrob.limits import Limits, tick
from symrob.lts import TAU, Lts
from symrob.lts.naming import distinct

IGNORING = "ignoring"
_GUARDS = (
    "becomes a choice, so that the model can do everything that "
    "the chart can do, and more"
)
_ORDER = (
    "the order of regions with competing transitions depends on the past: the model "
    "allows every order"
)
_IGNORED = (
    "events that a state does not handle are not offered there; "
    f"FILE#{IGNORING} lets it ignore them, as an interpreter does"
)
_Way = tuple[Edge, ...]


class _Selecting(Stepping):
    """Selects the transitions that an event enables, guards deciding."""

    def __init__(self, chart: Chart, file: str, limits: Limits) -> None:
        super().__init__(chart)
        self.file, self.limits = file, limits
        self._enabled_by: dict[tuple[Node, str], list[Edge]] = {}
        nodes = list(preorder(chart.root))
        self._handlers = {
            event: {node for node in nodes if self._enabled(node, event)}
            for event in chart.alphabet
        }
        self._scopes = {edge.scope for node in nodes for edge in node.edges}

    def handled(self, here: Configuration, event: str) -> bool:
        """Whether a state that is active reacts to an event from outside."""
        return not here.isdisjoint(self._handlers[event])

    def _check_choices(self, number: int) -> None:
        self._check(number, "expansion", "choices in one step")

    def _check(self, number: int, bound: str, what: str = "") -> None:
        found = f"more than {{}} {what or bound} when flattened"
        keep_bound(self.file, number, self.limits, bound, found)

    def choices(self, here: Configuration, event: str) -> list[_Way]:
        """The transitions that an event may enable; the empty way for none of them.

        Args:
            here: What is active.
            event: The event; empty for eventless transitions.

        Raises:
            LimitExceeded: There are too many.

        Cost: exponential in the guarded transitions of regions that are active.
        """
        ways: Iterable[_Way]
        if event and self.rules.inner_first:
            ways = self._nested(self.chart.root, here, event, self._asked)
        else:
            ways = self._of_innermost(here, event)
        found: dict[_Way, None] = {}
        for way in ways:
            for order in self._orders(way, here, event):
                found[self._compatible(order, here)] = None
                self._check_choices(len(found))
        return list(found)

    def _of_innermost(self, here: Configuration, event: str) -> Iterator[_Way]:
        """What the innermost states choose, each with the states around it."""
        options = [self._ways(leaf, event) for leaf in innermost(here)]
        options = [ways for ways in options if ways != [(None, frozenset())]]
        for count, ways in enumerate(product(*options)):
            self._check_choices(count)
            taken = dict.fromkeys(edge for edge, _ in ways if edge is not None)
            # What one region finds to hold does not fail for another one.
            if not any(skipped & taken.keys() for _, skipped in ways):
                yield tuple(taken)

    def _ways(
        self, leaf: Node, event: str
    ) -> list[tuple[Edge | None, frozenset[Edge]]]:
        """What a leaf can choose, each with the guards that fail for it."""
        ways: list[tuple[Edge | None, frozenset[Edge]]] = []
        skipped: frozenset[Edge] = frozenset()
        for node in (leaf, *leaf.ancestors):
            for edge in self._enabled(node, event):
                ways.append((edge, skipped))
                if not edge.guarded:
                    return ways
                skipped |= {edge}
        return [*ways, (None, skipped)]

    def _nested(
        self,
        node: Node,
        here: Configuration,
        event: str,
        ask: Callable[[Node, Configuration, str], list[_Way]],
    ) -> list[_Way]:
        """What a state can choose: itself is asked where nothing inside reacts."""
        inside = [
            self._nested(child, here, event, ask)
            for child in node.children
            if child in here
        ]
        found: dict[_Way, None] = {}
        for count, ways in enumerate(product(*inside)):
            self._check_choices(count)
            taken = tuple(edge for way in ways for edge in way)
            found |= dict.fromkeys([taken] if taken else ask(node, here, event))
        return list(found)

    def _asked(self, node: Node, here: Configuration, event: str) -> list[_Way]:
        """What may be taken of what a state declares, for itself or states in it."""
        own = [e for e in self._enabled(node, event) if e.scope in (None, node)]
        if node not in self._scopes:
            return self._first(own)

        def declared(inner: Node, _: Configuration, event: str) -> list[_Way]:
            edges = self._enabled(inner, event)
            return self._first([edge for edge in edges if edge.scope is node])

        return self._nested(node, here, event, declared)

    def _first(self, edges: Iterable[Edge]) -> list[_Way]:
        """What may be the first of some transitions whose guard holds."""
        ways: list[_Way] = []
        fell = True
        for edge in edges:
            falls = any(map(self.rules.falls_through, edge.events))
            if falls and not fell:
                ways.append(())
            fell = falls
            ways.append((edge,))
            if not edge.guarded:
                return ways
        return ways if () in ways else [*ways, ()]

    def _enabled(self, node: Node, event: str) -> list[Edge]:
        key = (node, event)
        if key not in self._enabled_by:
            matches = self.rules.matches
            self._enabled_by[key] = [
                edge
                for edge in node.edges
                if (
                    any(matches(e, event) for e in edge.events)
                    if event
                    else not edge.events
                )
            ]
        return self._enabled_by[key]

    def _orders(self, way: _Way, here: Configuration, event: str) -> Iterable[_Way]:
        """The orders in which the transitions of several regions may come."""
        unordered = self.rules.unordered
        if self.rules.one_by_one:
            depth = {edge: len([*edge.source.ancestors]) for edge in way}
            return [tuple(sorted(way, key=lambda e: (-depth[e], e.source.order)))]
        if unordered == "none" or (unordered == "eventless" and event):
            return [way]
        if not self._contested(way, here):
            return [way]
        self.chart.contested = True
        return permutations(way)

    def _contested(self, way: _Way, here: Configuration) -> bool:
        """Whether the order of some transitions makes a difference."""
        raising = [edge for edge in way if self.raises(edge, here)]
        return len(raising) > 1 or any(
            not self.left(one, here).isdisjoint(self.left(other, here))
            and not one.source.within(other.source)
            and not other.source.within(one.source)
            for one, other in combinations(way, 2)
        )

    def _compatible(self, edges: Sequence[Edge], here: Configuration) -> _Way:
        """Leave out transitions that others exclude: an inner source wins."""
        if self.rules.one_by_one:
            return tuple(edges)
        kept: list[Edge] = []
        for edge in edges:
            leaves = self.left(edge, here)
            rivals = [e for e in kept if leaves & self.left(e, here)]
            if all(edge.source.within(other.source) for other in rivals):
                kept = [other for other in kept if other not in rivals] + [edge]
        return tuple(kept)


# Events that wait inside of one step; more only come from a chart that goes on forever.
_LONGEST_QUEUE = 64

# What is active, the events that wait, and whether eventless transitions rest.
_Moment = tuple[Configuration, tuple[str, ...], bool]


class _Flattening(_Selecting):
    def __init__(self, chart: Chart, file: str, limits: Limits) -> None:
        super().__init__(chart, file, limits)
        self._inner_of: dict[_Moment, list[_Moment | None]] = {}

    def system(self, ignoring: bool) -> Lts:
        """Return the transition system of the chart.

        Raises:
            SymrobError: Some step never ends: eventless transitions form a cycle
                without a way out, or events raise each other.
            LimitExceeded: It has more states or transitions than `limits`, or a step
                has more choices.

        Cost: states times events times the choices of a step, which are exponential in
            the guarded transitions that compete for one event in parallel regions.
        Source: docs/sources.md [SCXML], appendix D.
        """
        start = self._settled((*moment, False) for moment in self.start())
        # A chart may begin in several ways, which guards decide: by internal moves.
        numbers: dict[Configuration, int] = {}
        order: list[Configuration] = []

        def number(configuration: Configuration) -> int:
            if configuration not in numbers:
                numbers[configuration] = len(order) + offset
                order.append(configuration)
                self._check(len(order), "states")
            return numbers[configuration]

        offset = 0 if len(start) == 1 else 1
        rows = [(0, TAU, number(c)) for c in start] if offset else []
        if not offset:
            number(start[0])
        done = 0
        while done < len(order):
            tick()
            here = order[done]
            source = done + offset
            done += 1
            for event in (*self.chart.alphabet, ""):
                for there in self._after(here, event, ignoring):
                    rows.append((source, event or TAU, number(there)))
            self._check(len(rows), "transitions")
        names = [*["(start)"] * offset, *map(_name, order)]
        ends = [numbers[c] for c in order if self.rests_forever(c)]
        return Lts(
            set(self.chart.alphabet) - {TAU},
            len(order) + offset,
            rows,
            names=distinct(names),
            end=ends[0] if len(ends) == 1 and ends != [0] else None,
        )

    def _after(
        self, here: Configuration, event: str, ignoring: bool
    ) -> Sequence[Configuration]:
        """The stable configurations that an event from outside can lead to.

        Without an event, those of transitions whose guards hold only after some time.
        """
        if self.rests_forever(here):
            return ()
        ignoring = ignoring and event != ""
        comes_in = self.chart.only_in.get(event, here)
        if here.isdisjoint(comes_in):
            return (here,) if ignoring else ()
        if event and not ignoring and not self.handled(here, event):
            return ()
        moments: list[_Moment] = []
        for edges in self.choices(here, event):
            if edges:
                moments += self._step(here, edges, ())
            elif ignoring:
                moments.append((here, (), False))
        return self._settled(moments) if moments else ()

    def _settled(self, start: Iterable[_Moment]) -> list[Configuration]:
        """Do all that is left to do without an event from outside.

        Invariant: `seen` holds the moments that some run passes; those whose
        configuration can rest are `stable`. There are finitely many, since queues are
        bounded, so the loop ends.
        """
        seen = dict.fromkeys(start)
        work = list(seen)
        stable: dict[Configuration, None] = {}
        while work:
            tick()
            key = work.pop()
            here, queue, _ = key
            if len(queue) > _LONGEST_QUEUE:
                raise self._endless("events are raised internally without end", here)
            if key not in self._inner_of:
                self._inner_of[key] = list(self._inner(*key))
            for moment in self._inner_of[key]:
                if moment is None:
                    stable[here] = None
                elif moment not in seen:
                    seen[moment] = None
                    work.append(moment)
            self._check_choices(len(seen))
        if not stable:
            here = next(iter(seen))[0]
            raise self._endless("eventless transitions form a cycle", here)
        return sorted(stable, key=_orders)

    def _inner(
        self, here: Configuration, queue: tuple[str, ...], idle: bool
    ) -> Iterator[_Moment | None]:
        """Yield what can come next without an event from outside; `None` for rest."""
        if self.over(here):
            yield None
            return
        for edges in [()] if idle else self.choices(here, ""):
            if edges:
                yield from self._step(here, edges, queue, eventless=True)
            elif not queue:
                yield None
            else:
                event, rest = queue[0], queue[1:]
                for reaction in self.choices(here, event):
                    yield from self._step(here, reaction, rest)

    def _step(
        self,
        here: Configuration,
        edges: Sequence[Edge],
        queue: tuple[str, ...],
        eventless: bool = False,
    ) -> Iterator[_Moment]:
        """Take transitions together: one microstep of SCXML."""
        idle = eventless and self.chart.rules.idle_ends
        idle = idle and self.idle(edges, here)
        for there, events in self.step(here, edges):
            yield there, queue + events, idle and there == here

    def _endless(self, what: str, here: Configuration) -> SymrobError:
        return SymrobError(
            Diagnostic("chart-endless", f"{what} (from {_name(here)})", file=self.file)
        )


def _orders(configuration: Configuration) -> list[int]:
    return sorted(node.order for node in configuration)


def _name(configuration: Configuration) -> str:
    """What a configuration is called: its innermost states."""
    return "+".join(node.name for node in innermost(configuration)) or "(empty)"


def chart_file(chart: Chart, source: Source, notes: Notes) -> ModelFile:
    """Return the model of a chart.

    Args:
        chart: The chart. Every compound state has a child; the chart contains every
            target.
        source: The source of the reader; its part is `ignoring` or none.
        notes: The features to warn about.

    Raises:
        SymrobError: Another part is requested, or a step never ends.
        LimitExceeded: The system exceeds the limits.

    Cost: the reachable configurations times the events, times the choices in a step.
    Source: docs/sources.md [SCXML], appendix D.
    """
    part, path = source.process, source.path
    if part not in (None, IGNORING):
        message = f"a statechart has no part '{part}', only '{IGNORING}'"
        raise SymrobError(Diagnostic("format-process", message, file=path))
    lts = _Flattening(chart, path, source.limits).system(part is not None)
    problems = Problems(path)
    if notes.guards:
        number = f"{notes.guards} guards are not evaluated: each"
        if notes.guards == 1:
            number = "1 guard is not evaluated: it"
        problems.warn("chart-guard", f"{number} {_GUARDS}")
    if notes.unused:
        what = f"not used by symrob: {', '.join(notes.unused)}"
        problems.warn("chart-unused", what)
    if chart.contested:
        problems.warn("chart-order", _ORDER)
    if part is None and _refuses(lts.successors, lts.alphabet, lts.end):
        problems.warn("chart-ignored", _IGNORED)
    return ModelFile(lts, stem(path), tuple(problems.warnings))


def _refuses(rows: tuple[object, ...], alphabet: tuple[str, ...], end: object) -> bool:
    return any(
        state != end and not all(action in row for action in alphabet)  # type: ignore[operator]
        for state, row in enumerate(rows)
    )
