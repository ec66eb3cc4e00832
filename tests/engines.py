"""Engines of problems that are given as parts: E, C, properties, constraints."""

from symrob.api import Roles, open_engine
from symrob.errors import NominalViolation
from symrob.logic.patterns import parse_pattern
from symrob.options import Options
from symrob.problem import Role
from tests.oracles.states import Stated


def roles_of(problem):
    """The parts in their roles, properties and constraints numbered from 1."""
    environment, controller, properties, constraints = problem

    def role(model, name):
        stated = isinstance(model, Stated)
        said = parse_pattern(model.text(controller)) if stated else None
        return Role(model, name, said)

    return Roles(
        Role(environment, "environment"),
        Role(controller, "controller"),
        tuple(role(p, f"property {i}") for i, p in enumerate(properties, 1)),
        tuple(role(c, f"constraint {i}") for i, c in enumerate(constraints, 1)),
    )


def said(problem):
    """The parts as `symrob.compute` takes them: requirements on states as sentences."""
    environment, controller, *lists = problem
    return (
        environment,
        controller,
        *(
            [m.text(controller) if isinstance(m, Stated) else m for m in models]
            for models in lists
        ),
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
