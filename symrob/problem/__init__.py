"""The problem: who is environment, controller, property and constraint, checked.

In:  models (`Lts` or `Network`) in their roles.
Out: a `Problem`, with every mistake that can be seen without running anything reported
     at once, and warnings for what may be one.

Imports the transition systems and the limits; knows nothing of BDDs. The engine, the
checker and the stages import it.
"""

from symrob.problem.build import Problem, build_problem, monitors, with_extra_states
from symrob.problem.counted import (
    Budget,
    CountedLts,
    budget_of,
    counted,
    counted_as,
    counting_machine,
    plain,
    plan_of,
    planned_as,
    purse_of,
    walked_steps,
    watching,
)
from symrob.problem.modes import FaultMode, LocalTransition
from symrob.problem.roles import Model, Monitor, Role
from symrob.problem.units import Composition, Many, Modes, Unit, Units, UnitSet

__all__ = [
    "Budget",
    "Composition",
    "CountedLts",
    "FaultMode",
    "LocalTransition",
    "Many",
    "Model",
    "Modes",
    "Monitor",
    "Problem",
    "Role",
    "Unit",
    "UnitSet",
    "Units",
    "budget_of",
    "build_problem",
    "counted",
    "counted_as",
    "counting_machine",
    "monitors",
    "plain",
    "plan_of",
    "planned_as",
    "purse_of",
    "walked_steps",
    "watching",
    "with_extra_states",
]
