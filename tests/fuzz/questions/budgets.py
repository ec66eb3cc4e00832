"""Budgets of deviated steps: verdicts, Δ and cuts, each set of units tried."""

from itertools import combinations
from math import prod

import symrob
from symrob import Transition
from symrob.certify.check import ExplicitTransitions, verify
from symrob.limits import Clock
from symrob.lts import TAU, Lts
from symrob.problem import FaultMode
from symrob.problem.goals import Goal
from tests.engines import said
from tests.fuzz.questions.common import Skip, same
from tests.fuzz.questions.modes import draw_modes
from tests.oracles import budgets as oracle
from tests.oracles import definition, progress
from tests.oracles.states import Asked, Stated

MOST_UNITS = 5
# Of E with what is left, and C: from each of them goals are walked to.
MOST_STATES = 150


def draw_budget(rng, reference):
    modes = draw_modes(rng, reference)["modes"][:MOST_UNITS]
    return {
        "modes": modes,
        "run": rng.choice((None, 0, 1, 1, 2, 3)),
        "at_most": [rng.choice((None, None, 0, 1, 2)) for _ in modes],
        "single": rng.random() < 0.4,
    }


def check_budget(problem, reference, modes, run, at_most, single):
    """In fault modes that may overlap; or of single candidates."""
    environment, controller, properties, constraints = problem
    rules = (*properties, *constraints)
    if len(controller.components) > 1 or controller.hidden:
        raise Skip
    # `counted` asks about sentences on states.
    if any(isinstance(m, Stated) for m in rules):
        raise Skip
    if not all(m.components == (m,) and m.deterministic for m in rules):
        raise Skip
    transitions = reference.transitions
    if single:
        modes = [[n] for n in dict.fromkeys(n for held in modes for n in held)]
        planned = set(map(tuple, environment.transitions))
        modes = [m for m in modes if m[0] < len(transitions)][:MOST_UNITS]
        modes = [m for m in modes if tuple(transitions[m[0]]) not in planned]
        at_most = [None] * len(modes)
    held = {
        f"m{i}": [(0, *transitions[n]) for n in numbers if n < len(transitions)]
        for i, numbers in enumerate(modes)
    }
    told = {
        "components": [environment.to_dict()],
        "controller": controller.components[0].to_dict(),
        "properties": [m.to_dict() for m in properties],
        "env_constraints": [m.to_dict() for m in constraints],
    }
    bounds = dict(zip(held, at_most, strict=False))
    judged = oracle.every_verdict(told, held, run, bounds)
    if single:
        names = {t[0][1:]: name for name, t in held.items()}
        if not names:
            raise Skip
        among = [f"{q},{a},{r}" for q, a, r in names]
        envelope = symrob.compute(*problem, among=among, at_most=run)
        found = {frozenset(names[tuple(t)] for t in d.new) for d in envelope}
        cuts = [
            frozenset(names[tuple(t)] for t in cut.transitions)
            for cut in envelope.cuts()
            if cut.verdict == "hazardous"
        ]
    else:
        declared = [
            FaultMode(
                name,
                frozenset(Transition(*t[1:]) for t in several),
                at_most=bounds[name],
            )
            for name, several in held.items()
        ]
        envelope = symrob.compute(*problem, faults=declared, only=True, at_most=run)
        found = {frozenset(d.modes) for d in envelope}
        hazards = [c for c in envelope.cuts() if c.verdict == "hazardous"]
        cuts = [frozenset(c.modes) for c in hazards]
    same("maximal sets within the budget", found, oracle.maximal(judged))
    same("hazardous sets", set(cuts), oracle.minimal_hazardous(judged))


def draw_counted(rng, reference):
    numbers = range(len(reference.candidates))
    return {
        "numbers": rng.sample(numbers, min(len(numbers), rng.randint(1, MOST_UNITS))),
        "run": rng.choice((0, 1, 1, 2, 3)),
    }


def check_counted(problem, reference, numbers, run):
    """Any C and properties: E and what is left are one system of the definition.

    Δ, cuts, lost goals and what `verify` says, with hidden actions, components of C,
    guards and requirements on states.
    """
    environment, controller, properties, constraints = problem
    size, all_levels = environment.size, range(run + 1)
    units = [reference.candidates[n] for n in numbers if n < len(reference.candidates)]
    states = size * (run + 1) * prod(p.size for p in controller.components)
    if not units or states > MOST_STATES:
        raise Skip
    planned = [
        (q + n * size, a, r + n * size)
        for q, a, r in environment.transitions
        for n in all_levels
    ]

    def counted(added):
        more = [
            (q + n * size, a, r + (n + 1) * size)
            for q, a, r in added
            for n in range(run)
        ]
        return Lts(environment.alphabet, size * (run + 1), [*planned, *more])

    def everywhere(condition):
        operator, *parts = condition
        if operator != "is":
            return operator, *map(everywhere, parts)
        side, component, states = parts
        if side == "E":
            states = frozenset(q + n * size for q in states for n in all_levels)
        return operator, side, component, states

    def told(rules):
        return [
            Stated((*r.requirement[:2], everywhere(r.requirement[2])))
            if isinstance(r, Stated)
            else r
            for r in rules
        ]

    judged = {}
    for count in range(len(units) + 1):
        for some in combinations(units, count):
            e = counted(some)
            judged[frozenset(some)] = (
                definition.violation(e, (), None, told(constraints)) is None,
                definition.violation(e, (), controller, told(properties)) is None,
            )
    among = [f"{q},{a},{r}" for q, a, r in units]
    envelope = symrob.compute(*said(problem), among=among, at_most=run)
    found = {frozenset(map(tuple, d.new)) for d in envelope}
    same("maximal sets within the budget", found, oracle.maximal(judged))
    cuts = [c for c in envelope.cuts() if c.verdict == "hazardous"]
    hazards = {frozenset(map(tuple, c.transitions)) for c in cuts}
    same("hazardous sets", hazards, oracle.minimal_hazardous(judged))
    posed = envelope.engine.problem
    done = verify(
        ExplicitTransitions(posed), [*map(frozenset, envelope)], Clock(), complete=True
    )
    same("faults of a right result", [f.message for f in done.faults], [])
    for chosen in (frozenset(), frozenset(units)):
        walk = progress.Walk(
            [counted(chosen).to_dict()],
            [part.to_dict() for part in controller.components],
            (),
            controller.hidden,
            Asked(told(properties)),
        )
        actions = sorted(walk.actions[0] | walk.actions[1] - {TAU})
        lost = {a for a in actions if walk.losing(progress.performing({a}))}
        added = frozenset(Transition(*t) for t in chosen)
        goals = [Goal(a, (a,)) for a in actions]
        names = {
            one.goal.name for one in envelope.space.progress.losing([added], goals)
        }
        same("lost goals", names, lost)
