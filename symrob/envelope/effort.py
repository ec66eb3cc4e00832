"""What an analysis took: counts and seconds for each stage.

In:  the stages report to an `Effort` while they work.
Out: what `--stats` prints; what the log says while the stages end.
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
    "assumptions": "looking for transitions without a probability",
    "certificate": "writing the certificate",
    "check": "checking the repaired controller",
    "comparison": "comparing with the controller before",
    "cuts": "searching for minimal sets",
    "encode": "encoding the models",
    "enumerate": "searching for deviations",
    "environment deviations": "searching for deviations of the environment",
    "figures": "computing the figures",
    "gate": "checking a rule",
    "losses": "computing the losses",
    "nominal": "checking the nominal system",
    "repair": "searching for guards",
    "risk": "computing probabilities",
    "robust deviations": "searching for robust deviations",
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
        repeated: Sets that a process found and another had found before.
        images: BDD images, in contexts of an algorithm's own.
        peak_nodes: The most BDD nodes in one of these.
        seconds: Time spent in each stage, by name, in order of first use.
        bounds: Where the heaviest deviations are sought: at least and at most so much
            the next one weighs. `None` while nobody waits for it.
        on_bounds: Called when they have changed.
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
        """Tell bounds on what is sought."""
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
        """Return how many sets were judged."""
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
            LOG.log(level, "%s: %.3f s%s", self._name, spent, again)
        super().__exit__(kind, error, traceback)
