"""Properties of a model by itself, for `symrob show`.

In:  a model as a reader returns it.
Out: `ModelShown`: for each of its components, or for its product, a `Portrait`.

A component shows what is in the file. What the components can do together, such as
deadlocks, only the product shows; it is built on request.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from symrob.errors import Diagnostic
from symrob.formats import ModelFile
from symrob.formats.fsp import ast
from symrob.limits import Status, watched
from symrob.lts import ERROR, TAU, Action, Lts, Network, StateId
from symrob.lts.reachability import breadth_first


@dataclass(frozen=True)
class Portrait:
    """A transition system and its notable properties.

    Attributes:
        name: Its name in the file.
        lts: The system.
    """

    also: ClassVar = {
        "system": "lts",
        "deterministic": "lts.deterministic",
        "nondeterminism": "nondeterminism",
        "deadlocks": "deadlocks",
        "deadlock_run": "deadlock_run",
        "error_run": "error_run",
        "unreachable": "unreachable",
        "unused": "lts.unused_actions",
        "error_transitions": "error_transitions",
    }

    name: str
    lts: Lts = field(metadata={"json": False})

    @cached_property
    def unreachable(self) -> tuple[StateId, ...]:
        """States that no trace reaches."""
        met = set(breadth_first(self.lts))
        return tuple(q for q in range(self.lts.size) if q not in met)

    @cached_property
    def deadlocks(self) -> tuple[StateId, ...]:
        """Reachable states without moves, other than END."""
        dead = set(self.unreachable)
        return tuple(
            q
            for q, row in enumerate(self.lts.successors)
            if not row and q != self.lts.end and q not in dead
        )

    @cached_property
    def nondeterminism(self) -> tuple[tuple[StateId, Action], ...]:
        """States with an internal move, or with several targets of one action."""
        return tuple(
            (q, action)
            for q, row in enumerate(watched(self.lts.successors))
            for action, targets in row.items()
            if action == TAU or len(targets) > 1
        )

    @property
    def error_transitions(self) -> int:
        """Number of transitions to ERROR."""
        return sum(t.target == ERROR for t in self.lts.transitions)

    @cached_property
    def deadlock_run(self) -> tuple[Action, ...] | None:
        """A shortest trace into a deadlock; `None` if there is none."""
        return _shortest_run(self.lts, frozenset(self.deadlocks))

    @cached_property
    def error_run(self) -> tuple[Action, ...] | None:
        """A shortest trace into ERROR; `None` if it cannot be reached."""
        return _shortest_run(self.lts, frozenset([ERROR]))


@dataclass(frozen=True)
class ModelShown:
    """The answer of `symrob show`.

    Attributes:
        alphabet: The actions of the model, sorted.
        hidden: The hidden actions.
        components: Its components, or its product.
        kept: Declarations of an FSP text that no analysis uses.
        meaning: The meaning of a property or constraint sentence; empty for a model.
        warnings: The warnings.
        status: `complete`, or what stopped the run.
        reason: Why something is missing; empty if nothing is.
    """

    schema: ClassVar = "show/2"

    alphabet: tuple[Action, ...]
    hidden: frozenset[Action]
    components: tuple[Portrait, ...]
    kept: tuple[str, ...]
    meaning: str
    warnings: tuple[Diagnostic, ...]
    status: Status = "complete"
    reason: str = ""

    @classmethod
    def of(cls, model: ModelFile, system: Lts | Network) -> ModelShown:
        """Return the properties of a model.

        Args:
            model: The model as it was read.
            system: Its network, or the product of it.
        """
        return cls(
            tuple(system.alphabet),
            frozenset(system.hidden),
            () if model.sentence is not None else portraits(model, system),
            tuple(kept(model)),
            model.meaning,
            tuple(model.warnings),
        )


def portraits(model: ModelFile, system: Lts | Network) -> tuple[Portrait, ...]:
    """Return the portrait of each component of a system.

    Args:
        model: The model as it was read, for its name.
        system: Its network, or the product of it.
    """
    if isinstance(system, Lts):
        return (Portrait(model.name, system),)
    return tuple(
        Portrait(name, lts)
        for name, lts in zip(system.component_names, system.components, strict=True)
    )


def _shortest_run(lts: Lts, goals: frozenset[StateId]) -> tuple[Action, ...] | None:
    """Return the actions of a shortest trace from the initial state into `goals`.

    Cost: linear in the transitions; stops at the first goal.
    """
    came_from: dict[StateId, tuple[StateId, Action] | None] = {0: None}
    queue = [0]
    for state in watched(queue):
        if state in goals:
            return tuple(_way_back(came_from, state))
        if state == ERROR:
            continue
        for action, targets in lts.successors[state].items():
            for target in targets:
                if target not in came_from:
                    came_from[target] = (state, action)
                    queue.append(target)
    return None


def _way_back(
    came_from: dict[StateId, tuple[StateId, Action] | None], state: StateId
) -> list[Action]:
    actions: list[Action] = []
    step = came_from[state]
    while step is not None:
        state, action = step
        actions.append(action)
        step = came_from[state]
    return actions[::-1]


def kept(model: ModelFile) -> list[str]:
    """Return the declarations of an FSP text that no analysis uses."""
    if not model.declarations or model.meaning:
        return []
    kinds = (ast.ProgressDef, ast.Menu, ast.Animation, ast.FluentDef, ast.Assert)
    return [
        f"{type(d).__name__.lower().removesuffix('def')} {d.name.text}"
        for d in model.declarations
        if isinstance(d, kinds)
        and not (isinstance(d, ast.ProgressDef) and d.condition is None)
    ]
