"""A statechart as its readers build it: a tree of states with their transitions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product

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
        initial: What is entered with it; by default its first child.
        edges: The transitions that leave it, in document order.
        entry: What is raised when it is entered.
        exit: What is raised when it is left.
        done: The event that is raised when it is finished.
        order: Its position in the document.
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
    """

    source: Node
    events: tuple[str, ...] = ()
    targets: tuple[Node, ...] = ()
    guarded: bool = False
    internal: bool = False
    content: Content = ()


@dataclass
class Chart:
    """A whole chart.

    Attributes:
        root: The chart itself, a compound or parallel state without name.
        alphabet: The events that can come from outside.
        matches: Whether a transition with this in `events` reacts to an event.
    """

    root: Node
    alphabet: tuple[str, ...]
    matches: Callable[[str, str], bool]


def preorder(node: Node) -> Iterator[Node]:
    """The states of a chart, in document order."""
    work = [node]
    while work:
        here = work.pop()
        yield here
        work += reversed(here.children)


def domain_of(edge: Edge) -> Node | None:
    """The state within which a transition leaves and enters states."""
    if not edge.targets:
        return None
    source = edge.source
    if edge.internal and all(target.within(source) for target in edge.targets):
        return source
    for around in source.ancestors:
        compound = around.kind == "compound" or around.parent is None
        if compound and all(target.within(around) for target in edge.targets):
            return around
    return source


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
