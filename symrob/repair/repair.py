"""One repair: from what must be tolerated to guards, and to C' as a model.

In:  an `Engine` whose nominal system is safe, the deviations, what may be disabled.
Out: a `Repair`: the guards and C'; or why there is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

from symrob.envelope.engine import Engine
from symrob.lts import Action, Lts, Network, Transition
from symrob.lts.deviation import Deviation
from symrob.repair.components import names_of
from symrob.repair.forced import Forced, forced, with_component
from symrob.repair.guards import Guards, guards_of
from symrob.repair.plant import Plant
from symrob.repair.possible import all_that_is_asked
from symrob.repair.restriction import most_permissive


@dataclass(frozen=True)
class Repair:
    """A repair, or why there is none.

    Attributes:
        engine: The problem, with C.
        deviations: What must be tolerated, each alone; new transitions, and the names
            of the fault modes that bring them, if given as modes.
        controllable: The actions of C that may be disabled.
        guards: When each of them is disabled; `None` if no repair is possible.
        forced: Why no repair is possible; `None` otherwise.
    """

    also: ClassVar = {"tolerate": "deviations"}

    engine: Engine = field(compare=False)
    deviations: tuple[Deviation, ...] = field(metadata={"json": False})
    controllable: frozenset[Action] = field(metadata={"json": False})
    guards: Guards | None
    forced: Forced | None = field(default=None)

    @property
    def needless(self) -> bool:
        """Whether C already tolerates all of it."""
        return self.guards is not None and not self.guards.guards

    @property
    def everything(self) -> bool:
        """Whether all that E lacks must be tolerated at once."""
        return any(d >= all_that_is_asked(self.engine) for d in self.deviations)

    @cached_property
    def repaired(self) -> Engine:
        """The same problem with C' in place of C."""
        assert self.guards is not None
        return guarded(self.engine, self.guards.components)

    @property
    def controller(self) -> Network:
        """C' as a network: the components of C, then the guards.

        A flat C is a component of it, with the name by which sentences about states
        call it, else `C`.
        """
        problem = self.engine.problem
        controller = self.repaired.problem.controller
        names = [*controller.component_names]
        if len(problem.controller.components) == 1:
            atoms = (a for r in problem.requirements for a in r.met.atoms())
            called = {a.called for a in atoms if a.side == "C"}
            names[0] = names[0] or min(called - {"C"}, default="C")
        return Network(
            controller.components, component_names=names, hidden=controller.hidden
        )


def guarded(engine: Engine, guards: Sequence[Lts]) -> Engine:
    """Return the engine of the same problem with guards beside C."""
    controller = engine.problem.controller
    for name, guard in zip(names_of(len(guards)), guards, strict=True):
        controller = with_component(controller, guard, name)
    problem = replace(engine.problem, controller=controller)
    return Engine(problem, engine.backend, engine.clock)


def repair(
    engine: Engine,
    deviations: Iterable[Iterable[Transition]],
    controllable: Set[Action],
) -> Repair:
    """Find the most permissive restriction of C that tolerates some deviations.

    Args:
        engine: The problem, with its preconditions checked.
        deviations: What E may get, each of them alone; at least one. The nominal E is
            always tolerated.
        controllable: The actions of C that may be disabled; others cannot be.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: see `observer`, `most_permissive` and `guards_of`.
    """
    nominal = frozenset(engine.environment.transitions)
    # Modes that bring the same transitions may have different budgets.
    each = (_new(d, nominal) for d in deviations)
    wanted = tuple({(d, d.modes): d for d in each}.values())
    chosen = frozenset(controllable).intersection(engine.problem.controller.alphabet)
    with engine.effort.stage("repair"):
        guards = _guards(engine, wanted, chosen)
    if guards is not None:
        return Repair(engine, wanted, chosen, guards)
    return Repair(engine, wanted, chosen, None, forced(engine, wanted, chosen))


def _new(deviation: Iterable[Transition], nominal: Set[Transition]) -> Deviation:
    modes = deviation.modes if isinstance(deviation, Deviation) else None
    return Deviation((), {*deviation} - nominal, modes=modes)


def _guards(
    engine: Engine,
    deviations: Sequence[frozenset[Transition]],
    controllable: frozenset[Action],
) -> Guards | None:
    graphs = [engine.extended(engine.brought_by(d)) for d in deviations]
    for whole in (False, True):
        plant = Plant(engine, graphs, whole=whole)
        restriction = most_permissive(plant, controllable)
        if restriction is None:
            break
        guards = guards_of(restriction, engine.clock)
        # A component that does not matter may know what had to be remembered else.
        if plant.is_whole or guards.memory.size == 1:
            return guards
    return None
