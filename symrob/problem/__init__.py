"""The problem: models in the roles of environment, controller, property and constraint.

In:  models (`Lts` or `Network`) in their roles.
Out: a `Problem`; every error that can be found without running anything is reported at
     once, and warnings for possible mistakes.

Imports the transition systems and the limits; does not depend on BDDs. The engine, the
checker and the stages import it.
"""

from symrob.problem.build import Problem, build_problem, monitors, with_extra_states
from symrob.problem.counted import (
    Budget,
    CountedLts,
    action_of,
    budget_of,
    counted,
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
