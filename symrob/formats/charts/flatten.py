"""Statecharts as transition systems: hierarchy and parallel regions flattened.

In:  a tree of `Node`s with their `Edge`s, as a reader built it from SCXML, XState or an
     object of Python.
Out: an `Lts` whose states are the stable configurations: sets of states that are
     active together, once nothing is left to do without an event from outside.

The semantics are those of SCXML [SCXML, appendix D]: run to completion, inner
transitions before outer ones, exit and entry sets, `done.state.ID` when a region is
finished. Where it leaves them:

- No guard is evaluated: each may hold or not, at any time, independently of all
  others, so that the system can do all that the chart can do, and more.
- Data, scripts and actions have no meaning; events that are raised inside have.
- What a state does not handle it does not offer, as in a picture of the chart; with
  `ignoring` it stays where it is instead, as an interpreter of the chart does.
- History has no meaning for a configuration alone: readers refuse it.

A step of the chart is atomic: eventless transitions and events raised inside are
taken before anything else happens, and no state between is a state of the result.

Sources: docs/sources.md [SCXML].
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from symrob.errors import Diagnostic, LimitExceeded, SymrobError
from symrob.formats.charts.model import (
    Chart,
    Content,
    Edge,
    Node,
    domain_of,
    preorder,
    sequences,
)
from symrob.limits import Limits, tick
from symrob.lts import TAU, Lts
from symrob.lts.naming import distinct

# Events that wait inside of one step; more only come from a chart that goes on forever.
_LONGEST_QUEUE = 64


Configuration = frozenset[Node]
_Moment = tuple[Configuration, tuple[str, ...]]


def flattened(
    chart: Chart, *, file: str, limits: Limits, ignoring: bool = False
) -> Lts:
    """Return the transition system of a chart.

    Args:
        chart: The chart; every compound state has a child, every target is in it.
        file: Its file, for messages.
        limits: Bounds on states and transitions, and on choices within one step.
        ignoring: Let each state ignore the events that it does not handle.

    Raises:
        SymrobError: Some step never ends: eventless transitions lead in circles
            without a way out, or events raise each other.
        LimitExceeded: It has more states or transitions than `limits`, or a step has
            more choices.

    Cost: states times events times the choices of a step, which are exponential in
        the guarded transitions that compete for one event in parallel regions.
    Source: docs/sources.md [SCXML], appendix D.
    """
    return _Flattening(chart, file, limits).system(ignoring)


class _Flattening:
    def __init__(self, chart: Chart, file: str, limits: Limits) -> None:
        self.chart, self.file, self.limits = chart, file, limits
        self._enabled_by: dict[tuple[Node, str], list[Edge]] = {}
        self._inner_of: dict[_Moment, list[_Moment | None]] = {}
        # What lies in a state, and the state in which a transition leaves and enters.
        self._in: dict[Node, set[Node]] = {}
        self._domain: dict[Edge, Node | None] = {}
        for order, node in enumerate(preorder(chart.root)):
            node.order = order
            self._in[node] = set()
            for around in node.ancestors:
                self._in[around].add(node)
            self._domain |= {edge: domain_of(edge) for edge in node.edges}
        self._handlers = {
            event: {node for node in self._in if self._enabled(node, event)}
            for event in chart.alphabet
        }

    def system(self, ignoring: bool) -> Lts:
        root = self.chart.root
        entered = self._entered((root,), root, frozenset())
        start = self._settled(self._moments(frozenset({root, *entered}), entered, ()))
        # A chart may begin in several ways, which guards decide: by internal moves.
        numbers: dict[Configuration, int] = {}
        order: list[Configuration] = []

        def number(configuration: Configuration) -> int:
            if configuration not in numbers:
                numbers[configuration] = len(order) + offset
                order.append(configuration)
                self._check(len(order), self.limits.max_states, "states", "max-states")
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
            most = self.limits.max_transitions
            self._check(len(rows), most, "transitions", "max-transitions")
        names = [*["(start)"] * offset, *map(_name, order)]
        ends = [numbers[c] for c in order if self._over(c)]
        return Lts(
            set(self.chart.alphabet) - {TAU},
            len(order) + offset,
            rows,
            names=distinct(names),
            end=ends[0] if len(ends) == 1 and ends != [0] else None,
        )

    def _check(self, number: int, most: int, what: str, bound: str) -> None:
        if number > most:
            raise LimitExceeded(
                f"{self.file} has more than {most} {what} when it is flattened; "
                f"raise --bound {bound} to read it"
            )

    def _over(self, configuration: Configuration) -> bool:
        """Whether the chart has reached one of its own final states."""
        return any(
            n.kind == "final" and n.parent is self.chart.root for n in configuration
        )

    def _after(
        self, here: Configuration, event: str, ignoring: bool
    ) -> Sequence[Configuration]:
        """The stable configurations that an event from outside can lead to.

        Without an event, those of transitions whose guards hold only after some time.
        """
        if self._over(here):
            return ()
        ignoring = ignoring and event != ""
        if event and not ignoring and here.isdisjoint(self._handlers[event]):
            return ()
        moments: list[_Moment] = []
        for edges in self._choices(here, event):
            if edges:
                moments += self._step(here, edges, ())
            elif ignoring:
                moments.append((here, ()))
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
            here, queue = work.pop()
            if len(queue) > _LONGEST_QUEUE:
                raise self._endless("events that are raised inside never end", here)
            key = here, queue
            if key not in self._inner_of:
                self._inner_of[key] = list(self._inner(here, queue))
            for moment in self._inner_of[key]:
                if moment is None:
                    stable[here] = None
                elif moment not in seen:
                    seen[moment] = None
                    work.append(moment)
            most = self.limits.max_expansion
            self._check(len(seen), most, "choices in one step", "max-expansion")
        if not stable:
            here = next(iter(seen))[0]
            raise self._endless("eventless transitions lead in circles", here)
        return sorted(stable, key=_orders)

    def _inner(
        self, here: Configuration, queue: tuple[str, ...]
    ) -> Iterator[_Moment | None]:
        """Yield what can come next without an event from outside; `None` for rest."""
        if self._over(here):
            yield None
            return
        for edges in self._choices(here, ""):
            if edges:
                yield from self._step(here, edges, queue)
            elif not queue:
                yield None
            else:
                event, rest = queue[0], queue[1:]
                for reaction in self._choices(here, event):
                    yield from self._step(here, reaction, rest)

    def _endless(self, what: str, here: Configuration) -> SymrobError:
        return SymrobError(
            Diagnostic("chart-endless", f"{what} (from {_name(here)})", file=self.file)
        )

    def _choices(self, here: Configuration, event: str) -> list[tuple[Edge, ...]]:
        """The sets of transitions that an event may enable, guards deciding.

        Args:
            here: What is active.
            event: The event; empty for eventless transitions.
        """
        options = [
            self._ways(leaf, event)
            for leaf in sorted(here, key=lambda n: n.order)
            if leaf.kind in ("atomic", "final")
        ]
        options = [ways for ways in options if ways != [(None, frozenset())]]
        most = self.limits.max_expansion
        found: dict[tuple[Edge, ...], None] = {}
        for count, ways in enumerate(product(*options)):
            self._check(count, most, "choices in one step", "max-expansion")
            taken = dict.fromkeys(edge for edge, _ in ways if edge is not None)
            # What one region finds to hold does not fail for another one.
            if not any(skipped & taken.keys() for _, skipped in ways):
                found[self._compatible(taken, here)] = None
        return list(found)

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

    def _enabled(self, node: Node, event: str) -> list[Edge]:
        key = (node, event)
        if key not in self._enabled_by:
            matches = self.chart.matches
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

    def _compatible(
        self, edges: Iterable[Edge], here: Configuration
    ) -> tuple[Edge, ...]:
        """Leave out transitions that others exclude: an inner source wins."""
        kept: list[Edge] = []
        for edge in edges:
            leaves = self._left(edge, here)
            rivals = [other for other in kept if leaves & self._left(other, here)]
            if all(edge.source.within(other.source) for other in rivals):
                kept = [other for other in kept if other not in rivals] + [edge]
        return tuple(kept)

    def _left(self, edge: Edge, here: Configuration) -> frozenset[Node]:
        domain = self._domain[edge]
        return frozenset() if domain is None else here & self._in[domain]

    def _step(
        self, here: Configuration, edges: Sequence[Edge], queue: tuple[str, ...]
    ) -> list[_Moment]:
        """Take transitions together: one microstep of SCXML."""
        left: set[Node] = set()
        for edge in edges:
            left |= self._left(edge, here)
        staying = here - left
        entered: list[Node] = []
        for edge in edges:
            domain = self._domain[edge]
            if domain is not None:
                known = staying | set(entered)
                entered += self._entered(edge.targets, domain, known)
        entered.sort(key=lambda node: node.order)
        contents = [n.exit for n in sorted(left, key=lambda n: -n.order)]
        contents += [edge.content for edge in edges]
        return self._moments(staying | set(entered), entered, queue, contents)

    def _moments(
        self,
        there: Configuration,
        entered: Sequence[Node],
        queue: tuple[str, ...],
        contents: Sequence[Content] = (),
    ) -> list[_Moment]:
        """The configuration that is entered, with each queue that there may be."""
        raised: list[Content] = [*contents]
        for node in entered:
            raised.append(node.entry)
            if node.kind == "final" and node.parent is not None:
                raised.append((node.parent.done,))
                around = node.parent.parent
                if around is None or around.kind != "parallel":
                    continue
                if all(_finished(child, there) for child in around.children):
                    raised.append((around.done,))
        return [
            (there, queue + events)
            for events in sequences(tuple(x for part in raised for x in part))
        ]

    def _entered(
        self, targets: Sequence[Node], domain: Node, active: Iterable[Node]
    ) -> list[Node]:
        """The states that are entered below a domain for some targets."""
        known = set(active)
        entered: list[Node] = []

        def enter(node: Node) -> None:
            if node not in known:
                known.add(node)
                entered.append(node)

        def ascend(node: Node, top: Node) -> None:
            path = []
            for around in node.ancestors:
                if around is top:
                    break
                path.append(around)
            for around in reversed(path):
                enter(around)

        def descend(node: Node) -> None:
            if node.kind == "compound":
                if not any(child in known for child in node.children):
                    arrive(node.initial or node.children[:1], node)
            elif node.kind == "parallel":
                for child in node.children:
                    enter(child)
                    descend(child)

        def arrive(targets: Sequence[Node], top: Node) -> None:
            for target in targets:
                ascend(target, top)
                if target is not top:
                    enter(target)
            for target in targets:
                descend(target)
                for around in target.ancestors:
                    if around is top:
                        break
                    if around.kind == "parallel":
                        descend(around)

        arrive(targets, domain)
        if domain.kind == "parallel":
            descend(domain)
        return entered


def _finished(node: Node, active: Configuration) -> bool:
    if node.kind == "parallel":
        return all(_finished(child, active) for child in node.children)
    return any(child.kind == "final" and child in active for child in node.children)


def _orders(configuration: Configuration) -> list[int]:
    return sorted(node.order for node in configuration)


def _name(configuration: Configuration) -> str:
    """What a configuration is called: its innermost states."""
    leaves = [n for n in configuration if n.kind in ("atomic", "final")]
    return "+".join(n.name for n in sorted(leaves, key=lambda n: n.order)) or "(empty)"
