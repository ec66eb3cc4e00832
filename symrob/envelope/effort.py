"""The effort of an analysis: counts and seconds for each stage.

In:  reports of the stages to an `Effort`.
Out: the output of `--stats`, and log entries at the end of stages.
"""

from __future__ import annotations

from collections.abc import Callable
from logging import DEBUG, INFO, getLogger
from time import perf_counter

from symrob.doing import Doing
from symrob.interrupts import Endable

LOG = getLogger("symrob")
# What stages are called to a person who waits.
_SAID = {
    "assumptions": "searching for transitions without a probability",
    "certificate": "writing the certificate",
    "check": "checking the repaired controller",
    "comparison": "comparing with the original controller",
    "cuts": "searching for minimal sets",
    "encode": "encoding the models",
    "enumerate": "searching for deviations",
    "environment deviations": "searching for deviations of the environment",
    "figures": "computing statistics",
    "gate": "checking a rule",
    "losses": "computing the losses",
    "nominal": "checking the nominal system",
    "repair": "searching for guards",
    "risk": "computing probabilities",
    "robust deviations": "searching for tolerated deviations",
    "screen": "judging each candidate",
    "search": "searching for a difference",
    "settle": "comparing the candidates",
    "shrink": "searching for a smaller difference",
    "summary": "comparing maximal deviations",
    "verdict": "judging the set",
}


class Effort:
    """Counts and times of one analysis.

    Attributes:
        sets_visited: Sets of states or of transitions that were judged.
        solver_calls: Satisfiability calls.
        pairs: Pairs (state of E, monitor state) with a variable in the solver.
        repeated: Sets that several processes found.
        images: BDD images, in separate contexts of an algorithm.
        peak_nodes: The most BDD nodes in one of these.
        seconds: Time spent in each stage, by name, in order of first use.
        bounds: Lower and upper bound on the weight of the next deviation, if the
            heaviest are sought; `None` otherwise.
        on_bounds: Called when the bounds change.
    """

    def __init__(self) -> None:
        self.sets_visited = 0
        self.solver_calls = 0
        self.pairs = 0
        self.repeated = 0
        self.images = 0
        self.peak_nodes = 0
        self.seconds: dict[str, float] = {}
        self.bounds: tuple[int, int] | None = None
        self.on_bounds: Callable[[int, int], None] | None = None

    def bracket(self, least: int, most: int) -> None:
        """Report bounds on the weight that is sought."""
        if (least, most) != self.bounds:
            self.bounds = least, most
            if self.on_bounds is not None:
                self.on_bounds(least, most)

    def stage(self, name: str) -> _Stage:
        """Return a block whose time is added to a stage.

        Raises:
            BaseException: See `Endable`.
        """
        return _Stage(self, name)

    def judged(self) -> int:
        """Return the number of sets judged."""
        return self.sets_visited


class _Stage(Endable):
    """Adds the time of a block to a stage; entered for each deviation."""

    def __init__(self, effort: Effort, name: str) -> None:
        self._seconds = effort.seconds
        self._name = name
        self._start = perf_counter()
        self._before = Doing.what, Doing.judged
        Doing.what, Doing.judged = _SAID.get(name, name), effort.judged

    def __exit__(
        self, kind: object, error: BaseException | None, traceback: object
    ) -> None:
        Doing.what, Doing.judged = self._before
        spent = perf_counter() - self._start
        before = self._seconds.get(self._name)
        self._seconds[self._name] = (before or 0.0) + spent
        level, again = (INFO, "") if before is None else (DEBUG, ", once more")
        if LOG.isEnabledFor(level):
            # Whoever reads deviations may close their iterator.
            ended = error is None or isinstance(error, GeneratorExit)
            stopped = "" if ended else ", stopped"
            LOG.log(level, "%s: %.3f s%s%s", self._name, spent, again, stopped)
        super().__exit__(kind, error, traceback)
