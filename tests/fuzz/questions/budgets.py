"""Budgets of deviated steps: verdicts, Δ and cuts, each set of units tried."""

import symrob
from symrob import Transition
from symrob.problem import FaultMode
from tests.fuzz.questions.common import Skip, same
from tests.fuzz.questions.modes import draw_modes
from tests.oracles import budgets as oracle

MOST_UNITS = 5


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
