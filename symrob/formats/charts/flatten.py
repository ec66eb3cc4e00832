"""Statecharts as transition systems: hierarchy and parallel regions flattened.

In:  a tree of `Node`s with their `Edge`s, as a reader built it from SCXML, XState or an
     object of Python.
Out: an `Lts` whose states are the stable configurations: sets of states that are
     active together, once nothing is left to do without an event from outside.

The semantics are those of SCXML [SCXML, appendix D]: run to completion, inner
transitions before outer ones, exit and entry sets, `done.state.ID` when a region is
finished; other dialects say in their `Rules` where they leave them. For all of them:

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

from symrob.errors import Diagnostic, LimitExceeded, SymrobError
from symrob.formats.charts.model import Chart, Configuration, Edge, innermost
from symrob.formats.charts.selecting import Selecting
from symrob.formats.charts.stepping import Stepping
from symrob.limits import Limits, tick
from symrob.lts import TAU, Lts
from symrob.lts.naming import distinct

# Events that wait inside of one step; more only come from a chart that goes on forever.
_LONGEST_QUEUE = 64

# What is active, the events that wait, and whether eventless transitions rest.
_Moment = tuple[Configuration, tuple[str, ...], bool]


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
        self._inner_of: dict[_Moment, list[_Moment | None]] = {}
        self._stepping = Stepping(chart)
        self._selecting = Selecting(chart, self._stepping, self._check_choices)

    def system(self, ignoring: bool) -> Lts:
        start = self._settled((*moment, False) for moment in self._stepping.start())
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
        ends = [numbers[c] for c in order if self._stepping.rests_forever(c)]
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

    def _check_choices(self, number: int) -> None:
        most = self.limits.max_expansion
        self._check(number, most, "choices in one step", "max-expansion")

    def _after(
        self, here: Configuration, event: str, ignoring: bool
    ) -> Sequence[Configuration]:
        """The stable configurations that an event from outside can lead to.

        Without an event, those of transitions whose guards hold only after some time.
        """
        if self._stepping.rests_forever(here):
            return ()
        ignoring = ignoring and event != ""
        comes_in = self.chart.only_in.get(event, here)
        if here.isdisjoint(comes_in):
            return (here,) if ignoring else ()
        if event and not ignoring and not self._selecting.handled(here, event):
            return ()
        moments: list[_Moment] = []
        for edges in self._selecting.choices(here, event):
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
                raise self._endless("events that are raised inside never end", here)
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
            raise self._endless("eventless transitions lead in circles", here)
        return sorted(stable, key=_orders)

    def _inner(
        self, here: Configuration, queue: tuple[str, ...], idle: bool
    ) -> Iterator[_Moment | None]:
        """Yield what can come next without an event from outside; `None` for rest."""
        if self._stepping.over(here):
            yield None
            return
        for edges in [()] if idle else self._selecting.choices(here, ""):
            if edges:
                yield from self._step(here, edges, queue, eventless=True)
            elif not queue:
                yield None
            else:
                event, rest = queue[0], queue[1:]
                for reaction in self._selecting.choices(here, event):
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
        idle = idle and self._stepping.idle(edges, here)
        for there, events in self._stepping.step(here, edges):
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
