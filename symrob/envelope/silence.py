"""Which transitions of a robust deviation can never fire in E_d‖C.

In:  C‖P, E, the individually safe candidates, and deviations.
Out: for each deviation its transitions that no trace of E_d‖C takes.

A transition never fires if its source is never reached, or if C never offers its action
when it is. BDDs decide this for one deviation; for many, C‖P is determinised once,
without merging, and each deviation is explored with bit masks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from symrob.envelope import tuning
from symrob.envelope.determinised import DeterminisedMonitor
from symrob.envelope.exploration import reach
from symrob.envelope.extension import MaximalExtension
from symrob.envelope.monitors import SymbolicMonitor
from symrob.envelope.simulation import explore, smallest_form
from symrob.envelope.transitions import Candidates, MaskGraph
from symrob.limits import Clock
from symrob.lts import TAU, Action, Lts, StateId, Transition
from symrob.lts.deviation import Deviation
from symrob.lts.masks import bits
from symrob.lts.views import all_labels, label_of, moves_of
from symrob.lts.views import plain as without_view
from symrob.problem import plain, plan_of, planned_as


class Silence:
    """Computes which transitions of robust deviations never fire.

    Args:
        environment: E.
        closed_loop: C‖P.
        steps_of: Returns the steps of E with a deviation; see `walked_steps`.
        clock: Checked at intervals.

    Cost: a reachability run in BDDs for each of the first `tuning.FIRST_SILENCES`
        deviations; then an exploration with bit masks, if C‖P has few monitor states.
    """

    def __init__(
        self,
        environment: Lts,
        closed_loop: SymbolicMonitor,
        steps_of: Callable[[Deviation], Iterable[Transition]],
        clock: Clock,
    ) -> None:
        self._environment = environment
        self._closed_loop = closed_loop
        self._steps_of = steps_of
        self._clock = clock
        self._asked = 0
        # `False` where C‖P has too many monitor states.
        self._walk: _SilentWalk | Literal[False] | None = None

    def of(
        self, deviation: Deviation, candidates: Callable[[], Candidates]
    ) -> frozenset[Transition]:
        """Return the transitions of a robust deviation that never fire.

        Args:
            deviation: A robust deviation.
            candidates: Returns the candidates of robust deviations; only called for the
                exploration with bit masks, since it may need a screening, and not
                stored.
        """
        self._asked += 1
        # With budgets of modes a transition does not say what its step counts.
        told = (
            deviation.modes is None or plan_of(self._environment) is self._environment
        )
        if told and self._asked > tuning.FIRST_SILENCES:
            if self._walk is None:
                self._walk = self._walked(candidates) or False
            silent = self._walk.silent(deviation) if self._walk else None
            if silent is not None:
                return silent
        return self._by_reaching(deviation)

    def _walked(self, candidates: Callable[[], Candidates]) -> _SilentWalk | None:
        visible = all_labels(self._environment)
        form = smallest_form([self._closed_loop], [*visible, TAU], self._clock)
        if not explore(form, visible, tuning.SILENCE_STATES, self._clock):
            return None
        return _SilentWalk(self._environment, form, candidates(), self._clock)

    def _by_reaching(self, deviation: Deviation) -> frozenset[Transition]:
        moves = moves_of(self._environment, self._steps_of(deviation))
        graph = MaskGraph.of(self._environment.size, moves)
        monitor = self._closed_loop
        met = reach(monitor, graph, self._clock)
        assert met is not None, "the deviation is not robust"
        fires = {
            Transition(q, plain(without_view(a)), r)
            for q, row in enumerate(graph.rows)
            for a, targets in row
            if monitor.post(met[q], a) != monitor.empty
            for r in bits(targets)
        }
        return deviation - fires


class _SilentWalk:
    """The same by monitor states, all of whose steps are known.

    Args:
        environment: E.
        form: C‖P, explored and not merged: what it offers counts, not only whether
            it fails.
        candidates: What robust deviations may add.
        clock: See `Silence`.
    """

    def __init__(
        self,
        environment: Lts,
        form: DeterminisedMonitor,
        candidates: Candidates,
        clock: Clock,
    ) -> None:
        self._form = form
        self._environment = environment
        self._extension = MaximalExtension(form, environment, candidates, clock)
        self._options = frozenset(candidates)
        # For each row what R_E has of it.
        self._planned: dict[tuple[StateId, Action], list[Transition]] = {}
        for planned in plan_of(environment).visible_transitions:
            own = planned_as(environment, planned)
            key = (own.source, label_of(environment, *own))
            self._planned.setdefault(key, []).append(planned)

    def silent(self, deviation: Deviation) -> frozenset[Transition] | None:
        """Return the transitions of a robust deviation that never fire.

        `None` if it adds more than candidates.
        """
        extension = self._extension
        if not deviation.new <= self._options:
            return None
        chosen = list(extension.options)
        for transition in self._options - deviation:
            row = extension.row_for(self._environment, *transition)
            assert row is not None, "each candidate has a row"
            chosen[row] &= ~(1 << transition.target)
        met, safe = extension.met(chosen)
        assert safe, "the deviation is not robust"
        planned: list[Transition] = []
        for row, key in enumerate(extension.rows):
            state, action = key
            if action in self._form.moves[met[state]][1]:
                chosen[row] = 0
            else:
                planned += self._planned.get(key, ())
        return extension.joined(chosen).union(planned)
