"""Random problems from a seed, most of them with several deviations.

Hypothesis likes small and simple systems, for which Δ is nearly always one
set. This generator makes dense machines and choosy monitors instead, and thins
out the environment until the nominal system is safe, most of the time.
"""

from itertools import product
from random import Random

from symrob.lts import ERROR, TAU, Lts, Network
from tests.oracles import definition
from tests.oracles.states import Stated


def random_lts(rng, alphabet, size, density, *, tau=0.0, error=0.0):
    """Each (state, action, target) is there with probability `density`/size."""
    moves = [
        (s, a, t)
        for s, a, t in product(range(size), alphabet, range(size))
        if rng.random() < density / size
    ]
    moves += [
        (s, TAU, t)
        for s, t in product(range(size), repeat=2)
        if rng.random() < tau / size
    ]
    moves += [
        (s, a, ERROR) for s, a in product(range(size), alphabet) if rng.random() < error
    ]
    return Lts(alphabet, size, moves)


def random_monitor(rng, alphabet, size, strictness):
    """A deterministic monitor that rejects (state, action) now and then."""
    watched = [a for a in alphabet if rng.random() < 0.8] or list(alphabet[:1])
    return Lts(
        watched,
        size,
        [
            (s, a, rng.randrange(size))
            for s, a in product(range(size), watched)
            if rng.random() > strictness
        ],
    )


# (states, actions) of environments with at most 9 candidate transitions, which
# the oracle decides by trying all sets of them.
TINY = ((1, 2), (2, 1), (2, 2), (2, 2), (3, 1), (3, 1))
# Beyond what trying all sets can do, most of them not by so much that the
# paper's algorithm would take minutes.
MEDIUM = (
    *((n, k) for n in range(2, 6) for k in range(1, 5) if n * n * k <= 40),
    (5, 2),
    (6, 1),
    (6, 2),
    (5, 3),
    (6, 4),
)


def random_problem(rng: Random, *, shapes=TINY, machine=5, constrained=0.4):
    """(environment, controller, properties, constraints), any of them odd."""
    size, actions = rng.choice(shapes)
    alphabet = tuple("abcdef"[:actions])
    environment = random_lts(
        rng, alphabet, size, 0.5, tau=0.3 if rng.random() < 0.1 else 0.0
    )
    internal = tuple("uv"[: rng.randint(0, 2)])
    odd = rng.random() < 0.15
    parts = [
        random_lts(
            rng,
            tuple(a for a in alphabet + internal if rng.random() < 0.85),
            rng.randint(1, machine),
            rng.choice((1.0, 1.6)),
            tau=0.3 if odd else 0.0,
            error=0.04 if odd else 0.0,
        )
        for _ in range(rng.choice((1, 1, 2)))
    ]
    own = sorted({a for p in parts for a in p.alphabet})
    hidden = [a for a in own if a in internal and rng.random() < 0.3]
    controller = Network(parts, hidden=hidden)
    watched = tuple(sorted({*alphabet, *controller.alphabet}))
    properties = [
        random_monitor(rng, watched, rng.randint(2, 5), rng.choice((0.05, 0.12)))
        for _ in range(rng.choice((1, 1, 2)))
    ]
    if rng.random() < 0.15:
        properties[0] = random_lts(rng, watched, 3, 1.4, tau=0.3, error=0.05)
    constraints = [
        random_monitor(rng, alphabet, rng.randint(1, 4), 0.1)
        for _ in range(rng.choice((1, 2)) if rng.random() < constrained else 0)
    ]
    problem = (environment, controller, properties, constraints)
    return thinned(rng, *problem) if rng.random() < 0.9 else problem


def touched(rng, model):
    """A system with a transition less, or with one that leads elsewhere."""
    if isinstance(model, Stated):
        return model
    if isinstance(model, Network):
        first, *others = model.components
        return Network([touched(rng, first), *others], hidden=model.hidden)
    moves = list(model.transitions)
    if moves:
        source, action, _ = moves.pop(rng.randrange(len(moves)))
        if rng.random() < 0.5:
            moves.append((source, action, rng.randrange(model.size)))
    return Lts(model.alphabet, model.size, moves)


def thinned(rng, environment, controller, properties, constraints):
    """Take transitions out of the environment until the nominal system is safe."""
    moves = list(environment.transitions)
    rng.shuffle(moves)
    while moves and not definition.robust(
        environment, frozenset(), controller, properties, constraints
    ):
        moves.pop()
        environment = Lts(
            *(environment.alphabet, environment.size, moves),
            initial=environment.initial,
        )
    return environment, controller, properties, constraints
