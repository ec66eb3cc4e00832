"""What transitions of a chart do: what is left, what is entered, what is raised.

In:  a chart, what is active, and transitions that are taken together.
Out: what is active then, with each sequence of events that may have been raised.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from symrob.formats.charts.model import (
    Chart,
    Configuration,
    Content,
    Edge,
    Node,
    preorder,
    sequences,
)

_Outcome = tuple[Configuration, tuple[str, ...]]


class Stepping:
    """Takes the transitions of a chart, by the rules of its dialect.

    Args:
        chart: The chart. A state is put around its root, within which it is entered,
            and the `order` of each state is set.
    """

    def __init__(self, chart: Chart) -> None:
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


def _rank(node: Node) -> int:
    return node.order if node.rank is None else node.rank
