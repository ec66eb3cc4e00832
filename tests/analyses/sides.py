"""Random designs in one environment, close enough to each other to be compared."""

from itertools import combinations

from symrob.lts import Network
from tests.generate import TINY, random_lts, random_monitor, random_problem, touched
from tests.oracles import definition


def random_sides(rng, count=4, **generator):
    """A few problems over one environment that differ from each other.

    Each differs from the first one in a transition of the machine or of a
    property, in a property, in the constraints, or in machine and property.
    """
    base = random_problem(rng, **{"shapes": TINY, **generator})
    return [base, *(_varied(rng, *base) for _ in range(count - 1))]


def _varied(rng, environment, controller, properties, constraints):
    kind = rng.choice(
        ("machine", "machine", "property", "monitor", "constraint", "all")
    )
    if kind == "all":
        actions = (*environment.alphabet, "u")
        controller = random_lts(rng, actions, rng.randint(2, 5), 1.6)
        properties = [random_monitor(rng, actions, rng.randint(2, 4), 0.1)]
    elif kind == "machine":
        parts = list(controller.components)
        at = rng.randrange(len(parts))
        parts[at] = touched(rng, parts[at])
        controller = Network(parts, hidden=controller.hidden)
    elif kind == "property":
        properties = [touched(rng, properties[0]), *properties[1:]]
    elif kind == "monitor":
        properties = [random_monitor(rng, environment.alphabet, 3, 0.12)]
    else:
        constraints = [random_monitor(rng, environment.alphabet, 3, 0.1)]
    return environment, controller, properties, constraints


def with_delta(problems):
    """Those whose nominal system is safe, with Δ by its definition."""
    found = []
    for problem in problems:
        delta = definition.delta(*problem)
        if delta is not None:
            found.append((problem, delta))
    return found


def smallest_surplus(environment, one, other):
    """The smallest number of transitions that only one side tolerates, or None.

    By the definition of Δ: what lies below a deviation of one side, and below
    none of the other. It is enough to look at the smallest sets that leave all
    deviations of the other side.

    Args:
        environment: E.
        one: Δ of the side that tolerates it.
        other: Δ of the other side.
    """
    nominal = {tuple(t) for t in environment.transitions}
    best = None
    for deviation in one:
        new = sorted(set(deviation) - nominal)
        if any(deviation <= d for d in other):
            continue
        for chosen in _subsets(new):
            if best is not None and len(chosen) >= best:
                break
            if not any(chosen <= d for d in other):
                best = len(chosen)
                break
    return best


def _subsets(items):
    for size in range(len(items) + 1):
        for chosen in combinations(items, size):
            yield frozenset(chosen)
