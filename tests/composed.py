"""Random environments composed of components, with fault modes, for `oracles.modes`."""

from itertools import product

from symrob.lts import Network
from symrob.problem import FaultMode, LocalTransition
from tests.generate import random_lts, random_monitor
from tests.oracles import modes as oracle

HIDDEN = "h"


def random_composed(rng, *, components=3, states=3, constrained=0.5, strict=0.1):
    """A problem in the oracle's form; E and C may take actions together or alone."""
    alphabet = "abc"[: rng.randint(1, 3)]
    hides = rng.random() < 0.3
    parts = []
    for _ in range(rng.randint(2, components)):
        own = [a for a in alphabet if rng.random() < 0.7] or [alphabet[0]]
        own += [HIDDEN] if hides and rng.random() < 0.7 else []
        tau = 0.3 if rng.random() < 0.15 else 0.0
        parts.append(random_lts(rng, own, rng.randint(1, states), 0.7, tau=tau))
    seen = sorted({a for p in parts for a in p.alphabet} - {HIDDEN})
    own = tuple(a for a in (*seen, "u") if rng.random() < 0.85) or ("u",)
    odd = 0.3 if rng.random() < 0.2 else 0.0
    controller = random_lts(rng, own, rng.randint(1, 4), 1.4, tau=odd)
    watched = tuple(sorted({*seen, *own}))
    properties = [
        random_monitor(rng, watched, rng.randint(2, 4), rng.choice((0.05, 0.12, 0.2)))
        for _ in range(rng.choice((1, 1, 2)))
    ]
    constraints = [
        random_monitor(rng, seen, rng.randint(1, 3), strict)
        for _ in range(1 if seen and rng.random() < constrained else 0)
    ]
    problem = {
        "components": [p.to_dict() for p in parts],
        "controller": controller.to_dict(),
        "properties": [p.to_dict() for p in properties],
        "env_constraints": [p.to_dict() for p in constraints],
        "hidden": [HIDDEN] if any(HIDDEN in p.alphabet for p in parts) else [],
    }
    return problem if oracle.verdict(problem, {}, ()) == (True, True) else None


def lacking(problem):
    """All that components lack: (component, source, action, target)."""
    return [
        (i, q, a, r)
        for i, part in enumerate(problem["components"])
        for q, a, r in product(
            range(part["states"]), part["alphabet"], range(part["states"])
        )
        if [q, a, r] not in part["transitions"]
    ]


def random_modes(rng, problem, most=6):
    """Modes that overlap, that are empty, and that hold planned transitions."""
    free = lacking(problem)
    planned = [
        (i, *t)
        for i, part in enumerate(problem["components"])
        for t in part["transitions"]
        if t[1] != "tau"
    ]
    modes = {}
    for number in range(rng.randint(1, most)):
        held = rng.sample(free, min(len(free), rng.choice((0, 1, 1, 2, 3, 4))))
        if planned and rng.random() < 0.2:
            held.append(rng.choice(planned))
        modes[f"m{number}"] = held
    return modes


def network(problem):
    """E as symrob takes it."""
    from symrob.lts import Lts

    parts = [Lts.from_dict(c) for c in problem["components"]]
    return Network(parts, hidden=problem["hidden"])


def fault_modes(modes):
    """Modes as symrob takes them."""
    return [
        FaultMode(name, local=frozenset(LocalTransition(*t) for t in held))
        for name, held in modes.items()
    ]
