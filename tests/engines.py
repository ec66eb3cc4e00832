"""Engines of problems that are given as parts: E, C, properties, constraints."""

from symrob.api import Roles, open_engine
from symrob.errors import NominalViolation
from symrob.options import Options
from symrob.problem import Role


def roles_of(problem):
    """The parts in their roles, properties and constraints numbered from 1."""
    environment, controller, properties, constraints = problem
    return Roles(
        Role(environment, "environment"),
        Role(controller, "controller"),
        tuple(Role(p, f"property {i}") for i, p in enumerate(properties, 1)),
        tuple(Role(c, f"constraint {i}") for i, c in enumerate(constraints, 1)),
    )


def engine_of(problem, clock=None, **options):
    """The engine of a problem; raises `NominalViolation` where it is unsafe."""
    return open_engine(roles_of(problem), Options(**options), clock)


def engine_if_safe(problem, **options):
    """The same, None where the nominal system is unsafe."""
    try:
        return engine_of(problem, **options)
    except NominalViolation:
        return None
