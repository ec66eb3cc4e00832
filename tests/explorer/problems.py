"""Problems and sets, as the page has them, with what the engine says of each."""

import random
from functools import cache
from pathlib import Path

from symrob.analyses.fault_mode_space import space_of
from symrob.analyses.hazards import verdict
from symrob.api import load_roles, open_engine
from symrob.api.functions import models_in_roles
from symrob.case import load_case
from symrob.envelope.counterexample import shortest_violation
from symrob.envelope.engine import Engine
from symrob.envelope.exploration import reach
from symrob.errors import SymrobError
from symrob.explorer.data import (
    action_numbers,
    actions_data,
    design_data,
    environment_data,
    identity,
    mode_data,
)
from symrob.limits import DEFAULT_LIMITS, Clock
from symrob.lts import Network
from symrob.options import Options
from symrob.problem import build_problem
from tests.engines import roles_of
from tests.fuzz.problems import requirement
from tests.generate import MEDIUM, TINY, random_problem
from tests.oracles.states import Stated
from tests.states import Asked

CASES = sorted(
    path
    for path in Path("models").glob("*/*.toml")
    if "environment" in path.read_text(encoding="utf-8")
)


def random_engines(seed):
    """Engines of random problems whose nominal system is safe, without end."""
    rng = random.Random(seed)
    while True:
        shapes = rng.choice((TINY, MEDIUM))
        env, ctrl, properties, constraints = random_problem(rng, shapes=shapes)
        if rng.random() < 0.2:
            # A hidden action may only share its name with one of E's.
            own = {a for part in ctrl.components for a in part.alphabet}
            hidden = {a for a in sorted(own) if rng.random() < 0.5}
            ctrl = Network(ctrl.components, hidden=hidden)
        if rng.random() < 0.4:
            asked = range(rng.randint(1, 2))
            properties = [
                *properties,
                *(Stated(requirement(rng, env, ctrl)) for _ in asked),
            ]
            if rng.random() < 0.4:
                constraints = [*constraints, Stated(requirement(rng, env, None))]
        try:
            roles = roles_of((env, ctrl, properties, constraints))
            problem = build_problem(
                roles.environment, roles.controller, roles.properties, roles.constraints
            )
            engine = Engine(problem, "cudd", Clock(DEFAULT_LIMITS))
            engine.check_nominal()
        except SymrobError:
            continue
        yield engine


def started_engines(seed):
    """Engines of random problems, E and C with several initial states, without end.

    They have requirements on states too, and C may have hidden actions and ERROR.
    """
    rng = random.Random(seed)
    while True:
        problem = Asked(rng, odd=True, several=True)
        try:
            roles = models_in_roles(*problem.models())
            engine = open_engine(roles, Options())
            engine.check_nominal()
        except SymrobError:
            continue
        initial = [engine.problem.environment.initial]
        initial += [part.initial for part in engine.problem.controller.components]
        if any(len(each) > 1 for each in initial):
            yield engine


@cache
def case_engine(path):
    case = load_case(str(path))
    options = case.options({})
    return open_engine(load_roles(case, options.limits), options)


def problem_data(problem):
    """The part of a page's data that its search needs."""
    numbers = action_numbers([problem])
    return {
        **actions_data(numbers),
        "environment": environment_data(problem.environment, numbers),
        "designs": [design_data(problem, numbers, "design")],
        **mode_data(problem, numbers),
    }


def random_sets(rng, engine, count):
    """Sets of candidates of every size, most of them small."""
    candidates = list(engine.candidates)
    for _ in range(count):
        most = min(len(candidates), rng.choice((1, 2, 3, 5, 8, len(candidates))))
        yield rng.sample(candidates, rng.randint(0, most))


def likely_sets(rng, engine, count):
    """Sets of what is tolerated alone, with something else now and then."""
    tolerated = list(engine.safe_sets.alone)
    candidates = list(engine.candidates)
    for _ in range(count):
        most = min(len(tolerated), rng.choice((1, 2, 5, len(tolerated))))
        chosen = rng.sample(tolerated, rng.randint(0, most))
        if rng.random() < 0.6:
            chosen.append(rng.choice(candidates))
        yield sorted(set(chosen))


def identities(problem, transitions):
    numbers = action_numbers([problem])
    return [identity(problem.environment, t, numbers) for t in transitions]


def question(engine, sets, more=None):
    """What the JavaScript is asked; with `more`, for parts and what could be added."""
    problem = engine.problem
    asked = {
        "problem": problem_data(problem),
        "sets": [identities(problem, s) for s in sets],
    }
    return asked if more is None else asked | {"more": identities(problem, more)}


def said(engine, transitions):
    """What the engine says: the verdict; what breaks, with the length of a run."""
    graph = engine.extended(transitions)
    properties, constraints = {}, {}
    for index, monitor in enumerate(engine.walked.properties):
        system = engine.loop_with((monitor,)).system
        trace = shortest_violation(system, engine.environment, graph, engine.clock)
        if trace is not None:
            properties[str(index)] = len(trace.steps)
    tables = zip(engine.walked.constraints, engine.constraints, strict=True)
    for index, (monitor, table) in enumerate(tables):
        if reach(table, graph, engine.clock) is None:
            trace = engine.constraint_trace(monitor, graph)
            constraints[str(index)] = len(trace.steps)
    return {
        "verdict": verdict(engine, transitions),
        "properties": properties,
        "constraints": constraints,
    }


def addable(engine, transitions, among):
    """What could be added to a tolerated set, each alone, and what never fires."""
    space = space_of(engine)
    found = {"safe": [], "idle": [], "unsafe": [], "bound": []}
    for candidate in among:
        new = {*transitions, candidate}
        if candidate in transitions:
            continue
        if not engine.is_safe(engine.extended(new)):
            found["unsafe"].append(candidate)
            continue
        idle = candidate in space.idle(frozenset(new))
        found["idle" if idle else "safe"].append(candidate)
    return found
