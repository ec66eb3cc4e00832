"""A statechart as its readers build it: a tree of states with their transitions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Literal

# What is done in a state or transition, as far as it has a meaning: events that are
# raised, in order, and choices among such sequences.
Content = tuple["str | tuple[Content, ...]", ...]


@dataclass(eq=False)
class Node:
    """One state of a chart.

    Attributes:
        name: What it is called in names of configurations.
        kind: `atomic`, `compound`, `parallel` or `final`.
        parent: The state around it; `None` for the chart itself.
        children: The states in it, in document order.
        initial: What is entered with a compound state; where there is none, the chart
            rests in the state itself. In a parallel one, its regions, by default all.
        edges: The transitions that leave it, in document order.
        entry: What is raised when it is entered.
        exit: What is raised when it is left.
        done: The event that is raised when it is finished.
        acts: Whether it changes more than what is active when it is left or entered.
        rank: By what states that are entered together are put in order; by default the
            position in the document.
        order: Its position in the document, which flattening sets.
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
        """The states around it, the innermost first."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def within(self, other: Node) -> bool:
        """Whether it is a state inside of another one."""
        return other in self.ancestors


Configuration = frozenset[Node]


@dataclass(eq=False)
class Edge:
    """One transition of a chart.

    Attributes:
        source: The state that it leaves.
        events: What it reacts to, as the chart's `matches` reads it; empty for an
            eventless transition.
        targets: The states that it enters; none for one that only acts.
        guarded: Whether it has a guard.
        internal: Whether its source is not left where all targets lie in it.
        content: What is raised on the way.
        scope: The state that declares it, where that is not its source.
    """

    source: Node
    events: tuple[str, ...] = ()
    targets: tuple[Node, ...] = ()
    guarded: bool = False
    internal: bool = False
    content: Content = ()
    scope: Node | None = None


def domain_of(edge: Edge, _: Configuration) -> Node:
    """The state within which SCXML leaves and enters states for some targets."""
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
    """What a dialect of statecharts does in its own way; by default as SCXML does.

    Attributes:
        matches: Whether a transition with this in `events` reacts to an event.
        domain: The state within which a transition, which has targets, leaves and
            enters states, where a configuration is active.
        inner_first: A state is asked for an event only if nothing inside of it has
            reacted. SCXML asks the states around each innermost state.
        falls_through: Whether `events` of a transition take what others of its state
            have refused, in some versions only: both are possible.
        unordered: For which events the order of regions depends on the past, so that
            each order is possible: `none`, `eventless` ones, or `all`.
        one_by_one: Transitions are taken one after the other, the innermost first, and
            only the path to a target is entered, no region beside it.
        idle_ends: Eventless transitions that change nothing are not taken again.
        final_regions: A final state may be a region, and a whole of regions that are
            finished finishes the whole around it, and the chart.
        wholes_end: The chart ends where it rests in a finished parallel state that is
            not inside of another one.
        at_once: All states of a step are active before the first of them is entered.
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
        root: The chart itself, a compound or parallel state without name.
        alphabet: The events that can come from outside.
        rules: Those of its dialect.
        only_in: For events that come only while one of some states is active, those.
        contested: Whether some step depends on the order of regions where that depends
            on the past, which flattening sets.
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
    """The states that are active with none inside of them, in document order."""
    around = {node.parent for node in here}
    return sorted(here - around, key=lambda node: node.order)


def exclusive(targets: Sequence[Node]) -> tuple[Node, Node] | None:
    """The first two of some targets that cannot be active together, if any."""
    for one, other in combinations(targets, 2):
        if one is other or one.within(other) or other.within(one):
            continue
        around = next(node for node in one.ancestors if other.within(node))
        if around.kind != "parallel":
            return one, other
    return None


def sequences(content: Content) -> Iterator[tuple[str, ...]]:
    """The sequences of events that a content may raise, each once."""
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
