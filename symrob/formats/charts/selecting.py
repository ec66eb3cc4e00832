"""Which transitions of a chart an event enables, guards deciding.

In:  a chart, what is active, and an event.
Out: the sets of transitions that may be taken, in the order in which they are taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, permutations, product

from symrob.formats.charts.model import (
    Chart,
    Configuration,
    Edge,
    Node,
    innermost,
    preorder,
)
from symrob.formats.charts.stepping import Stepping

_Way = tuple[Edge, ...]


class Selecting:
    """Selects transitions by the rules of a dialect.

    Args:
        chart: The chart.
        stepping: What its transitions do.
        check: Is called with the number of choices so far, and raises where there are
            too many.
    """

    def __init__(
        self, chart: Chart, stepping: Stepping, check: Callable[[int], None]
    ) -> None:
        self.chart, self.rules = chart, chart.rules
        self._stepping, self._check = stepping, check
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

    def choices(self, here: Configuration, event: str) -> list[_Way]:
        """The transitions that an event may enable; the empty way for none of them.

        Args:
            here: What is active.
            event: The event; empty for eventless transitions.

        Raises:
            LimitExceeded: By `check`.

        Cost: exponential in the guarded transitions of regions that are active.
        """
        ways: Iterable[_Way]
        if event and self.rules.inner_first:
            ways = self._nested(self.chart.root, here, event, self._asked)
        else:
            ways = self._together(here, event)
        found: dict[_Way, None] = {}
        for way in ways:
            for order in self._orders(way, here, event):
                found[self._compatible(order, here)] = None
                self._check(len(found))
        return list(found)

    def _together(self, here: Configuration, event: str) -> Iterator[_Way]:
        """What the innermost states choose, each with the states around it."""
        options = [self._ways(leaf, event) for leaf in innermost(here)]
        options = [ways for ways in options if ways != [(None, frozenset())]]
        for count, ways in enumerate(product(*options)):
            self._check(count)
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
            self._check(count)
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
        raising = [edge for edge in way if self._stepping.raises(edge, here)]
        return len(raising) > 1 or any(
            not self._stepping.left(one, here).isdisjoint(
                self._stepping.left(other, here)
            )
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
            leaves = self._stepping.left(edge, here)
            rivals = [e for e in kept if leaves & self._stepping.left(e, here)]
            if all(edge.source.within(other.source) for other in rivals):
                kept = [other for other in kept if other not in rivals] + [edge]
        return tuple(kept)
