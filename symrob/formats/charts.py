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
from dataclasses import dataclass, field
from itertools import combinations, permutations, product
from typing import Literal

from symrob.errors import Diagnostic, SymrobError
from symrob.formats.registry import Source
from symrob.formats.text import ModelFile, Problems, keep_bound, stem
from symrob.limits import Limits, tick
from symrob.lts import TAU, Lts
from symrob.lts.naming import distinct

IGNORING = "ignoring"
NO_HISTORY = (
    "history states are not supported: their target depends on the past",
    "add a transition to each intended state instead",
)
_GUARDS = (
    "not evaluated: each becomes a choice, so that the model can do everything that "
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
# What is done in a state or transition, as far as it has a meaning: events that are
# raised, in order, and choices among such sequences.
Content = tuple["str | tuple[Content, ...]", ...]


@dataclass(eq=False)
class Node:
    """One state of a chart.

    Attributes:
        name: Its name in the names of configurations.
        kind: `atomic`, `compound`, `parallel` or `final`.
        parent: The enclosing state; `None` for the chart itself.
        children: The states inside it, in document order.
        initial: The states entered with it: of a compound state its initial ones (if
            empty, the chart rests in the state itself), of a parallel state its
            regions (by default all).
        edges: Its outgoing transitions, in document order.
        entry: The events raised on entry.
        exit: The events raised on exit.
        done: The event raised on completion.
        acts: Whether entry or exit has effects other than a change of configuration.
        rank: The sorting key of states entered together; by default their position in
            the document.
        order: Its position in the document, set during flattening.
    """

    name: str
    kind: str = "atomic"
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)
    initial: tuple[Node, ...] = ()
    edges: list[Edge] = field(default_factory=list)
    entry: Content = ()
    exit: Content = ()
    done: str = ""
    acts: bool = False
    rank: int | None = None
    order: int = 0

    def add(self, child: Node) -> None:
        """Put a state into this one."""
        child.parent = self
        self.children.append(child)

    @property
    def ancestors(self) -> Iterator[Node]:
        """The enclosing states, the innermost first."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def within(self, other: Node) -> bool:
        """Whether it is inside another state."""
        return other in self.ancestors


Configuration = frozenset[Node]


@dataclass(eq=False)
class Edge:
    """One transition of a chart.

    Attributes:
        source: Its source state.
        events: Its event descriptors, as `Rules.matches` interprets them; empty for an
            eventless transition.
        targets: Its target states; empty if it changes no state.
        guarded: Whether it has a guard.
        internal: Whether its source stays active if it contains all targets.
        content: The events that it raises.
        scope: The state that declares it, if not its source.
    """

    source: Node
    events: tuple[str, ...] = ()
    targets: tuple[Node, ...] = ()
    guarded: bool = False
    internal: bool = False
    content: Content = ()
    scope: Node | None = None


def domain_of(edge: Edge, _: Configuration) -> Node:
    """The transition domain of SCXML: it contains all states left and entered."""
    source = edge.source
    if edge.internal and all(target.within(source) for target in edge.targets):
        return source
    return next(
        around
        for around in source.ancestors
        if around.kind == "compound"
        and all(target.within(around) for target in edge.targets)
    )


@dataclass(frozen=True)
class Rules:
    """The semantics of a dialect of statecharts; the defaults are those of SCXML.

    Attributes:
        matches: Whether an event descriptor matches an event.
        domain: The state in which a transition with targets leaves and enters states,
            given the active configuration.
        inner_first: A state handles an event only if no state inside it has reacted.
            In SCXML, each innermost state passes the event to its enclosing states.
        falls_through: Whether a descriptor also handles an event that other
            transitions of its state refused, in some versions only; both are possible.
        unordered: The events for which the order of regions depends on the past, so
            that every order is possible: `none`, `eventless` or `all`.
        one_by_one: Transitions are taken one at a time, the innermost first, and only
            the path to a target is entered, no parallel region.
        idle_ends: Eventless transitions without effect are not repeated.
        final_regions: A final state may be a region; a parallel state whose regions
            are finished finishes the enclosing parallel state, or the chart.
        wholes_end: The chart ends in a finished parallel state that is not inside
            another one.
        at_once: All states of a step become active before the first entry action.
    """

    matches: Callable[[str, str], bool]
    domain: Callable[[Edge, Configuration], Node] = domain_of
    inner_first: bool = False
    falls_through: Callable[[str], bool] = lambda _: False
    unordered: Literal["none", "eventless", "all"] = "none"
    one_by_one: bool = False
    idle_ends: bool = False
    final_regions: bool = False
    wholes_end: bool = False
    at_once: bool = False


@dataclass
class Chart:
    """A whole chart.

    Attributes:
        root: The chart itself, a compound or parallel state without a name.
        alphabet: The external events.
        rules: The semantics of its dialect.
        only_in: For each event that occurs only in some states, these states.
        contested: Whether the result of a step depends on an order of regions that
            depends on the past; set during flattening.
    """

    root: Node
    alphabet: tuple[str, ...]
    rules: Rules
    only_in: dict[str, frozenset[Node]] = field(default_factory=dict)
    contested: bool = False


def preorder(node: Node) -> Iterator[Node]:
    """The states of a chart, in document order."""
    work = [node]
    while work:
        here = work.pop()
        yield here
        work += reversed(here.children)


def innermost(here: Configuration) -> list[Node]:
    """The active states without an active state inside, in document order."""
    around = {node.parent for node in here}
    return sorted(here - around, key=lambda node: node.order)


def exclusive(targets: Sequence[Node]) -> tuple[Node, Node] | None:
    """The first two targets that cannot be active together, if any."""
    for one, other in combinations(targets, 2):
        if one is other or one.within(other) or other.within(one):
            continue
        around = next(node for node in one.ancestors if other.within(node))
        if around.kind != "parallel":
            return one, other
    return None


def sequences(content: Content) -> Iterator[tuple[str, ...]]:
    """The sequences of events that executable content may raise, each once."""
    options = [
        [(part,)] if isinstance(part, str) else [s for c in part for s in sequences(c)]
        for part in content
        if part != ""
    ]
    seen = dict.fromkeys(
        tuple(event for sequence in choice for event in sequence)
        for choice in product(*options)
    )
    yield from seen


def _rank(node: Node) -> int:
    return node.order if node.rank is None else node.rank


_Outcome = tuple[Configuration, tuple[str, ...]]


class _Stepping:
    """Takes the transitions of a chart, by the rules of its dialect.

    A state is put around its root, within which it is entered, and the `order` of each
    state is set.
    """

    def __init__(self, chart: Chart, file: str, limits: Limits) -> None:
        self.chart, self.file, self.limits = chart, file, limits
        self.root, self.rules = chart.root, chart.rules
        self.top = Node("", "compound", children=[chart.root])
        chart.root.parent = self.top
        self._in: dict[Node, set[Node]] = {}
        self._domains: dict[Edge, Node] = {}
        for order, node in enumerate(preorder(self.top)):
            node.order = order
            self._in[node] = set()
            for around in node.ancestors:
                self._in[around].add(node)

    def start(self) -> list[_Outcome]:
        """What is active at first."""
        entered = self._entered((self.root,), self.top, ())
        return self._outcomes(frozenset(), entered, ())

    def step(self, here: Configuration, edges: Sequence[Edge]) -> list[_Outcome]:
        """Take transitions: one microstep of SCXML.

        Args:
            here: What is active.
            edges: Transitions that exclude each other nowhere, in order.
        """
        if not self.rules.one_by_one:
            return self._together(here, edges)
        for edge in edges:
            # Nothing is raised in such a dialect, so that there is one outcome.
            ((here, _),) = self._together(here, (edge,))
        return [(here, ())]

    def left(self, edge: Edge, here: Configuration) -> frozenset[Node]:
        """The states that a transition leaves."""
        if not edge.targets:
            return frozenset()
        domain = self._domain(edge, here)
        left = here & self._in[domain]
        if (
            self.rules.one_by_one
            and sum(child in left for child in domain.children) > 1
        ):
            # Of several regions, only the one of the target.
            (target,) = edge.targets
            branch = next(n for n in (target, *target.ancestors) if n.parent is domain)
            left &= {branch, *self._in[branch]}
        return left

    def idle(self, edges: Iterable[Edge], here: Configuration) -> bool:
        """Whether transitions that lead back to what is active change nothing else."""
        return not any(node.acts for edge in edges for node in self.left(edge, here))

    def raises(self, edge: Edge, here: Configuration) -> bool:
        """Whether it may matter when a transition acts, beside others."""
        if edge.content or any(node.exit for node in self.left(edge, here)):
            return True
        # Where all states have their own rank, that puts what they raise in order.
        return any(
            node.rank is not None and node.kind == "final"
            for target in edge.targets
            for node in (target, *self._in[target])
        )

    def over(self, here: Configuration) -> bool:
        """Whether the chart has reached one of its own final states."""
        if self.root.kind == "parallel":
            return self.rules.final_regions and self._finished(self.root, here)
        return any(n.kind == "final" and n.parent is self.root for n in here)

    def rests_forever(self, here: Configuration) -> bool:
        """Whether nothing happens any more where the chart rests in some states."""
        return self.over(here) or (
            self.rules.wholes_end
            and any(
                node.kind == "parallel" and node in here and self._finished(node, here)
                for node in self.root.children
            )
        )

    def _domain(self, edge: Edge, here: Configuration) -> Node:
        if self.rules.one_by_one:
            return self.rules.domain(edge, here)
        if edge not in self._domains:
            self._domains[edge] = self.rules.domain(edge, here)
        return self._domains[edge]

    def _together(self, here: Configuration, edges: Sequence[Edge]) -> list[_Outcome]:
        left: set[Node] = set()
        for edge in edges:
            left |= self.left(edge, here)
        staying = here - left
        entered: list[Node] = []
        for edge in edges:
            if edge.targets:
                domain = self._domain(edge, here)
                known = staying | set(entered)
                entered += self._entered(edge.targets, domain, known)
        contents = [n.exit for n in sorted(left, key=lambda n: -n.order)]
        contents += [edge.content for edge in edges]
        return self._outcomes(staying, entered, contents)

    def _outcomes(
        self,
        staying: Configuration,
        entered: Sequence[Node],
        contents: Sequence[Content],
    ) -> list[_Outcome]:
        """What is active then, with each sequence of events that may be raised."""
        there = staying | set(entered)
        raised: list[Content] = [*contents]
        active = set(there if self.rules.at_once else staying)
        complete: set[Node] = set()
        for node in sorted(entered, key=_rank):
            active.add(node)
            raised.append(node.entry)
            if node.kind == "final":
                raised.append(tuple(self._done(node, active, complete)))
        parts = tuple(part for content in raised for part in content)
        return [(there, events) for events in sequences(parts)]

    def _done(
        self, node: Node, active: Iterable[Node], complete: set[Node]
    ) -> Iterator[str]:
        """The events that tell what a final state has finished."""
        parent = node.parent
        assert parent is not None
        region = self.rules.final_regions and parent.kind == "parallel"
        if not region:
            yield parent.done
        around = parent if region else parent.parent
        while around is not None and around.kind == "parallel":
            if around in complete or not self._finished(around, active):
                return
            yield around.done
            if not self.rules.final_regions:
                return
            complete.add(around)
            around = around.parent

    def _finished(self, node: Node, active: Iterable[Node]) -> bool:
        if node.kind == "parallel":
            return all(self._finished(child, active) for child in node.children)
        if node.kind == "final":
            return self.rules.final_regions and node in active
        return any(child.kind == "final" and child in active for child in node.children)

    def _entered(
        self, targets: Sequence[Node], domain: Node, active: Iterable[Node]
    ) -> list[Node]:
        """The states that are entered below a domain for some targets."""
        known = set(active)
        entered: list[Node] = []
        beside = not self.rules.one_by_one

        def enter(node: Node) -> None:
            if node not in known:
                known.add(node)
                entered.append(node)

        def between(node: Node, top: Node) -> list[Node]:
            above = [node, *node.ancestors]
            return above[: above.index(top)]

        def descend(node: Node) -> None:
            if node.kind == "compound":
                if node.initial and not any(child in known for child in node.children):
                    arrive(node.initial, node)
            elif node.kind == "parallel":
                for child in node.initial or node.children:
                    enter(child)
                    descend(child)

        def arrive(targets: Sequence[Node], top: Node) -> None:
            for target in targets:
                for node in reversed(between(target, top)):
                    enter(node)
            for target in targets:
                descend(target)
                for around in between(target, top)[1:]:
                    if beside and around.kind == "parallel":
                        descend(around)

        arrive(targets, domain)
        if beside and domain.kind == "parallel":
            descend(domain)
        return entered


_Way = tuple[Edge, ...]


class _Selecting(_Stepping):
    """Selects the transitions that an event enables, guards deciding."""

    def __init__(self, chart: Chart, file: str, limits: Limits) -> None:
        super().__init__(chart, file, limits)
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
                raise self._endless("internally raised events never end", here)
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


@dataclass
class Notes:
    """The features of a chart that its transition system lacks.

    Attributes:
        guards: The number of guards that became choices.
        unused: The other ignored features, in words.
    """

    guards: int = 0
    unused: dict[str, None] = field(default_factory=dict)

    def add(self, what: str) -> None:
        """Note an ignored feature."""
        self.unused[what] = None


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
        number = "1 guard is" if notes.guards == 1 else f"{notes.guards} guards are"
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


def never_together(one: Node, other: Node) -> str:
    """The message about two targets of one transition."""
    return f"'{one.name}' and '{other.name}' cannot be active together"


def matches_tokens(descriptor: str, event: str) -> bool:
    """Whether an event descriptor of SCXML matches an event, token by token."""
    if descriptor in ("*", event):
        return True
    return event.startswith(f"{descriptor}.")
