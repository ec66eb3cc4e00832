"""Random problems and sets, as the page has them, with what the engine says of each."""

import random

from symrob.analyses.hazards import verdict
from symrob.analyses.reasons import loop_with
from symrob.envelope.counterexample import shortest_violation
from symrob.envelope.exploration import reach
from symrob.explorer.data import (
    action_numbers,
    actions_data,
    design_data,
    environment_data,
    identity,
)


def problem_data(problem):
    """The part of a page's data that its search needs."""
    numbers = action_numbers([problem])
    return {
        **actions_data(numbers),
        "environment": environment_data(problem.environment, numbers),
        "designs": [design_data(problem, numbers, "design")],
        "modes": [],
    }


def random_sets(rng: random.Random, engine, count):
    """Sets of candidates of every size, most of them small."""
    candidates = list(engine.candidates)
    for _ in range(count):
        most = min(len(candidates), rng.choice((1, 2, 3, 5, 8, len(candidates))))
        yield rng.sample(candidates, rng.randint(0, most))


def identities(problem, transitions):
    numbers = action_numbers([problem])
    return [identity(problem.environment, t, numbers) for t in transitions]


def said(engine, transitions):
    """What the engine says: the verdict; what breaks, with the length of a run."""
    graph = engine.extended(transitions)
    problem = engine.problem
    properties, constraints = {}, {}
    for index, monitor in enumerate(problem.properties):
        system = loop_with(engine, (monitor,)).system
        trace = shortest_violation(system, engine.environment, graph, engine.clock)
        if trace is not None:
            properties[str(index)] = len(trace.steps)
    tables = zip(problem.constraints, engine.constraints, strict=True)
    for index, (monitor, table) in enumerate(tables):
        if reach(table, graph, engine.clock) is None:
            trace = engine.constraint_trace(monitor, graph)
            constraints[str(index)] = len(trace.steps)
    return {
        "verdict": verdict(engine, transitions),
        "properties": properties,
        "constraints": constraints,
    }
