"""The options of a run: defaults and ranges in one place, checked once.

In:  what the user chose.
Out: `Options`, frozen; every stage takes what it needs from it.
"""

from __future__ import annotations

from symrob.errors import Diagnostic, SymrobError
from symrob.limits import (
    MAX_EXPANSION,
    MAX_NESTING,
    MAX_STATES,
    MAX_TRANSITIONS,
    Limits,
)
from symrob.record import Record

ALGORITHMS = ("maximal", "connected", "plain", "brute-force")
BACKENDS = ("auto", "cudd", "autoref")


class Options(Record):
    """How to run.

    Attributes:
        algorithm: One of `ALGORITHMS`.
        backend: `cudd`, `autoref`, or `auto` for the first that is installed.
        extra_states: Number of fresh states to add to E before A is formed.
        limit: Stop after this many deviations; at least 1.
        largest: Give only this many deviations, those first that add the most;
            at least 1, and only for `maximal`.
        weights: A file that says how much each transition counts then; see
            `symrob.case.weights`.
        timeout: Stop after this many seconds of reading and computing; positive.
        max_nodes: Stop when the BDDs have more nodes; positive.
        max_memory: Stop when the process uses more MiB of memory; positive.
        max_states: Bound on each process, and on each product or subset
            construction that has to be built explicitly; positive.
        max_transitions: Bound on the transitions of each system that is read;
            positive.
        max_expansion: Bound on the names that one FSP label, set or range may
            stand for; positive.
        max_nesting: Bound on the depth of brackets and composites in FSP;
            positive.

    Raises:
        SymrobError: Values out of range, all of them at once.
    """

    algorithm: str = "maximal"
    backend: str = "auto"
    extra_states: int = 0
    limit: int | None = None
    largest: int | None = None
    weights: str | None = None
    timeout: float | None = None
    max_nodes: int | None = None
    max_memory: int | None = None
    max_states: int = MAX_STATES
    max_transitions: int = MAX_TRANSITIONS
    max_expansion: int = MAX_EXPANSION
    max_nesting: int = MAX_NESTING

    def __post_init__(self) -> None:
        """Check all values."""
        checks = [
            (
                self.algorithm in ALGORITHMS,
                "--algorithm",
                f"one of {_list(ALGORITHMS)}",
            ),
            (self.backend in BACKENDS, "--backend", f"one of {_list(BACKENDS)}"),
            (self.extra_states >= 0, "--extra-states", "0 or more"),
            (self.limit is None or self.limit > 0, "--limit", "at least 1"),
            (self.largest is None or self.largest > 0, "--top", "at least 1"),
            (
                self.largest is None or self.algorithm == "maximal",
                "--algorithm",
                "maximal where --largest or --top is given",
            ),
            (
                self.weights is None or self.largest is not None,
                "--weights",
                "given together with --largest or --top",
            ),
            (self.timeout is None or self.timeout > 0, "--timeout", "more than 0"),
            (self.max_nodes is None or self.max_nodes > 0, "--nodes", "at least 1"),
            (self.max_memory is None or self.max_memory > 0, "--memory", "at least 1"),
            (self.max_states > 0, "--max-states", "at least 1"),
            (self.max_transitions > 0, "--max-transitions", "at least 1"),
            (self.max_expansion > 0, "--max-expansion", "at least 1"),
            (self.max_nesting > 0, "--max-nesting", "at least 1"),
        ]
        problems = [
            Diagnostic("usage-option", f"{name} must be {expected}")
            for good, name, expected in checks
            if not good
        ]
        if problems:
            raise SymrobError(problems)

    @property
    def limits(self) -> Limits:
        """The bounds on time and space."""
        return Limits(
            self.timeout,
            self.max_memory,
            self.max_nodes,
            self.max_states,
            self.max_transitions,
            self.max_expansion,
            self.max_nesting,
        )


def _list(words: tuple[str, ...]) -> str:
    return ", ".join(words)
