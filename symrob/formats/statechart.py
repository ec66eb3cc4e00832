"""Statecharts: a tree of states with transitions, and what taking some of these does.

In:  the `Node`s and `Edge`s that a reader builds from SCXML, XState or an object of
     Python, and the `Rules` of its dialect.
Out: `Stepping`: the configurations after a microstep, and what it raises. `flattening`
     chooses the transitions and makes a transition system.

Sources: docs/sources.md [SCXML].
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Literal

NO_HISTORY = (
    "history states are not supported: their target depends on the past",
    "add a transition to each intended state instead",
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


def exclusive(targets: Sequence[Node]) -> tuple[Node, Node] | None:
    """The first two targets that cannot be active together, if any."""
    for one, other in combinations(targets, 2):
        if one is other or one.within(other) or other.within(one):
            continue
        around = next(node for node in one.ancestors if other.within(node))
        if around.kind != "parallel":
            return one, other
    return None


def innermost(here: Configuration) -> list[Node]:
    """The active states without an active state inside, in document order."""
    around = {node.parent for node in here}
    return sorted(here - around, key=lambda node: node.order)


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


def never_together(one: Node, other: Node) -> str:
    """The message about two targets of one transition."""
    return f"'{one.name}' and '{other.name}' cannot be active together"


def matches_tokens(descriptor: str, event: str) -> bool:
    """Whether an event descriptor of SCXML matches an event, token by token."""
    if descriptor in ("*", event):
        return True
    return event.startswith(f"{descriptor}.")


Outcome = tuple[Configuration, tuple[str, ...]]


class Stepping:
    """Takes the transitions of a chart, by the rules of its dialect.

    A state is put around its root, within which it is entered, and the `order` of each
    state is set.
    """

    def __init__(self, chart: Chart) -> None:
        self.chart = chart
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

    def start(self) -> list[Outcome]:
        """What is active at first."""
        entered = self._entered((self.root,), self.top, ())
        return self._outcomes(frozenset(), entered, ())

    def step(self, here: Configuration, edges: Sequence[Edge]) -> list[Outcome]:
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

    def _together(self, here: Configuration, edges: Sequence[Edge]) -> list[Outcome]:
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
    ) -> list[Outcome]:
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
