"""The options of a run: defaults and ranges in one place, checked once.

In:  the user's choices.
Out: `Options`, frozen; every stage reads the fields that it needs.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from symrob.errors import Diagnostic, SymrobError
from symrob.limits import (
    MAX_EXPANSION,
    MAX_NESTING,
    MAX_STATES,
    MAX_TRANSITIONS,
    Limits,
)

ALGORITHMS = ("maximal", "connected", "plain", "brute-force")
BACKENDS = ("auto", "cudd", "autoref")
# Deeper texts would need more of Python's stack than there is.
_DEEPEST = 10_000
# (field, option, least, most): whole numbers, or `None` where that is the default.
_NUMBERS = (
    ("extra_states", "--extra-states", 0, sys.maxsize),
    ("limit", "--limit", 1, sys.maxsize),
    ("largest", "--top", 1, sys.maxsize),
    ("processes", "-j", 1, 1024),
    ("max_nodes", "--bound max-nodes", 1, sys.maxsize),
    ("max_memory", "--memory", 1, sys.maxsize),
    ("max_states", "--bound max-states", 1, sys.maxsize),
    ("max_transitions", "--bound max-transitions", 1, sys.maxsize),
    ("max_expansion", "--bound max-expansion", 1, sys.maxsize),
    ("max_nesting", "--bound max-nesting", 1, _DEEPEST),
)


@dataclass(frozen=True)
class Options:
    """Options of a run.

    Attributes:
        algorithm: One of `ALGORITHMS`.
        backend: `cudd`, `autoref`, or `auto` for the first that is installed.
        extra_states: Number of extra states to add to E before A is formed.
        limit: Stop after this many deviations; at least 1.
        largest: Return only this many deviations, those that add the most first; at
            least 1, and only for `maximal`.
        weights: A file with the weight of each transition for `largest`; see
            `symrob.case.weights`.
        timeout: Stop after this many seconds of reading and computing; positive.
        max_nodes: Stop when the BDDs have more nodes; positive.
        max_memory: Stop when the process uses more MiB of memory; positive.
        max_states: Bound on each process, and on each product or subset construction
            that has to be built explicitly; positive.
        max_transitions: Bound on the transitions of each system that is read; positive.
        max_expansion: Bound on the number of names that one FSP label, set or range can
            expand to; positive.
        max_nesting: Bound on the depth of brackets and composites in FSP; positive.
        processes: Number of processes that search for deviations; at least 1, more only
            for all deviations by `maximal`.
        cluster: Address of a Dask scheduler whose workers search instead.
        strict: Whether warnings about the models are errors.
        budgets: Seconds for parts of an answer, by names of `symrob.limits.BUDGETS`, in
            place of the defaults there.

    Raises:
        SymrobError: Values are out of range; all of them are reported at once.
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
    processes: int = 1
    cluster: str | None = None
    strict: bool = False
    budgets: Mapping[str, float] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        """Check all values."""
        problems: list[Diagnostic] = []

        def requires(good: bool, message: str) -> None:
            if not good:
                problems.append(Diagnostic("usage-option", message))

        def require(good: bool, name: str, expected: str) -> None:
            requires(good, f"{name} must be {expected}")

        require(self.algorithm in ALGORITHMS, "--algorithm", _one_of(ALGORITHMS))
        require(self.backend in BACKENDS, "backend", _one_of(BACKENDS))
        usual = self.algorithm == "maximal"
        every = self.largest is None
        requires(every or usual, "--top requires --algorithm maximal")
        weighted = self.weights is not None
        requires(not (weighted and every), "--weights requires --top")
        rule = "-j and --dask require --algorithm maximal and do not support --top"
        requires(not self.spread or (usual and every), rule)
        timed = self.timeout is None or is_seconds(self.timeout)
        require(timed, "--timeout", "a number of seconds, more than 0")
        for name, option, least, most in _NUMBERS:
            require(self._fits(name, least, most), option, _range(least, most))
        if problems:
            raise SymrobError(problems)

    def _fits(self, name: str, least: int, most: int) -> bool:
        """Whether a field has a whole number in a range, or may be left out and is."""
        value = getattr(self, name)
        if value is None:
            return self.__dataclass_fields__[name].default is None
        number = isinstance(value, int) and not isinstance(value, bool)
        return number and least <= value <= most

    @classmethod
    def of(cls, *layers: Mapping[str, Any]) -> Options:
        """Merge options from several sources, by field name.

        Args:
            layers: Later ones override earlier ones; `None` means "not given".

        Raises:
            SymrobError: Values are out of range; all of them are reported at once.
        """
        return cls(
            **{k: v for layer in layers for k, v in layer.items() if v is not None}
        )

    @property
    def spread(self) -> bool:
        """Whether several processes search for deviations."""
        return self.processes > 1 or self.cluster is not None

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
            tuple(sorted(self.budgets.items())),
        )


def _one_of(words: tuple[str, ...]) -> str:
    return f"one of {', '.join(words)}"


def is_seconds(value: object) -> bool:
    """Whether a value is a valid number of seconds for a run."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and 0 < value <= sys.float_info.max  # type: ignore[operator]


def _range(least: int, most: int) -> str:
    if most == sys.maxsize:
        return f"a whole number of at least {least}, below 2^63"
    return f"a whole number from {least} to {most:,}"
