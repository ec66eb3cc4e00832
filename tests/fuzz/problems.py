"""Random problems of many shapes, each from one number.

Most are tiny and take a few milliseconds, engine and reference together; some are
larger. They are made of the same systems and monitors as `tests.generate`.
"""

import json
from random import Random

from symrob.lts import ERROR, Lts, Network
from tests.generate import TINY, random_lts, random_monitor, random_problem, touched
from tests.oracles.product import TooLargeError
from tests.oracles.reference import MOST_STEPS, Reference
from tests.oracles.states import Asked, Stated

NAMES = "abcdefghij"


def sized(rng, states, actions):
    """A problem over an environment of so many states and actions."""
    return random_problem(
        rng, shapes=((states, actions),), machine=rng.choice((2, 3, 5))
    )


def tiny(rng):
    """Decided by looking at all sets."""
    return random_problem(rng, shapes=TINY, machine=rng.choice((2, 3, 5)))


def small(rng):
    """Up to some thirty candidates."""
    return sized(rng, *rng.choice(((2, 3), (2, 4), (2, 5), (3, 2), (3, 3), (4, 1))))


def large(rng):
    """Up to six states and five actions."""
    return sized(rng, rng.randint(3, 6), rng.randint(1, 5))


def empty(rng):
    """An environment that does next to nothing: many deviations, many alike."""
    shape = rng.choice(((2, 2), (2, 3), (3, 1), (3, 2), (4, 1), (5, 1)))
    environment, controller, properties, constraints = sized(rng, *shape)
    moves = rng.sample(environment.transitions, min(1, len(environment.transitions)))
    environment = Lts(environment.alphabet, environment.size, moves)
    return safe(environment, controller, properties, constraints)


def many(rng):
    """Often tens or hundreds of deviations: small machines, choosy monitors."""
    states, actions = rng.choice(((3, 2), (3, 2), (4, 2), (5, 1), (6, 1), (3, 3)))
    alphabet = tuple(NAMES[:actions])
    environment = random_lts(rng, alphabet, states, rng.choice((0, 0.1, 0.3)))
    controller = random_lts(rng, alphabet, rng.randint(1, 4), rng.choice((0.7, 1.0)))
    size = rng.randint(2, 4)
    properties = [random_monitor(rng, alphabet, size, rng.choice((0.2, 0.4)))]
    return safe(environment, controller, properties, [])


def wild(rng):
    """All that is odd at once: tau, nondeterminism, ERROR, hidden actions."""
    alphabet = tuple(NAMES[: rng.randint(1, 3)])
    states = rng.randint(1, 2 if len(alphabet) > 1 else 3)

    def system(actions, most, densities=(0.5, 1.0, 2.0), error=0.1):
        return random_lts(
            rng,
            [a for a in actions if rng.random() < 0.8],
            rng.randint(1, most),
            rng.choice(densities),
            tau=rng.choice((0, 0.3, 1.0)),
            error=rng.choice((0, 0, error)),
        )

    def watcher(actions, most):
        return system(actions, most, densities=(1.5, 2.5, 4.0), error=0.05)

    environment = random_lts(rng, alphabet, states, 0.6, tau=rng.choice((0, 0.5)))
    parts = [system((*alphabet, "u", "v"), 3) for _ in range(rng.randint(1, 3))]
    own = sorted({a for p in parts for a in p.alphabet})
    # A hidden action may have the name of one of the environment's.
    controller = Network(parts, hidden=[a for a in own if rng.random() < 0.25])
    seen = (*alphabet, "u", "never")
    properties = [watcher(seen, 3) for _ in range(rng.randint(1, 2))]
    if rng.random() < 0.3:
        properties[0] = Network([properties[0], watcher(seen, 2)])
    constraints = [watcher(alphabet, 3) for _ in range(rng.choice((0, 0, 1, 2)))]
    return safe(environment, controller, properties, constraints)


def wide(rng):
    """Few states, many actions."""
    alphabet = tuple(f"x{i}" for i in range(rng.randint(6, 30)))
    environment = random_lts(rng, alphabet, rng.choice((1, 1, 2)), 0.4)
    controller = random_lts(rng, alphabet, rng.randint(1, 3), 0.6)
    properties = [
        random_monitor(rng, rng.sample(alphabet, rng.randint(1, 6)), 2, 0.3)
        for _ in range(rng.randint(1, 2))
    ]
    return safe(environment, controller, properties, [])


def symmetric(rng):
    """Everything with its images under a permutation of states and actions."""
    environment, controller, properties, constraints = rng.choice((tiny, small))(rng)
    alphabet, others = environment.alphabet, range(1, environment.size)
    shift = rng.randrange(len(alphabet))
    after = dict(zip(alphabet, alphabet[shift:] + alphabet[:shift], strict=True))
    after |= rng.choice(({}, {"u": "v", "v": "u"}))
    place = [0, *rng.sample(others, len(others))]

    def turned(system):
        return Lts(
            [after.get(a, a) for a in system.alphabet],
            system.size,
            [(s, after.get(a, a), t) for s, a, t in system.transitions],
        )

    def move(t):
        return (place[t[0]], after.get(t[1], t[1]), place[t[2]])

    moves = _closed(map(tuple, environment.transitions), move)
    environment = Lts(alphabet, environment.size, moves)
    hidden = _closed(sorted(controller.hidden), lambda a: after.get(a, a))
    parts = _closed(controller.components, turned)
    controller = Network(parts[:3], hidden=set(hidden) & _actions(parts[:3]))
    return safe(
        environment,
        controller,
        _closed(properties, turned)[:4],
        _closed(constraints, turned)[:4],
    )


def _actions(parts):
    return {a for p in parts for a in p.alphabet}


def _closed(things, turn):
    """The things and all their images, each once, in a fixed order."""
    found = list(dict.fromkeys(things))
    for thing in found:
        if (image := turn(thing)) not in found:
            found.append(image)
    return found


def safe(environment, controller, properties, constraints):
    """The problem without some of R_E, where that makes its nominal system safe."""
    problem = (environment, controller, properties, constraints)
    if environment.transitions and is_unsafe(problem):
        bare = Lts(environment.alphabet, environment.size, ())
        return (bare, *problem[1:])
    return problem


def is_unsafe(problem):
    try:
        return Reference(problem).undefined
    except TooLargeError:
        return True


def chain(rng):
    """What is bad takes several actions in a row: large minimal unsafe sets."""
    length = rng.randint(2, 7)
    alphabet = tuple(NAMES[: rng.randint(1, length)])
    states = 1 if len(alphabet) > 3 else rng.randint(1, 3)
    environment = random_lts(rng, alphabet, states, rng.choice((0, 0.2)))
    controller = Lts(alphabet, 1, [(0, a, 0) for a in alphabet])
    if rng.random() < 0.3:
        controller = random_lts(rng, alphabet, rng.randint(1, 3), 1.5)
    properties = []
    for _ in range(rng.choice((1, 1, 2))):
        steps = rng.choices(alphabet, k=length)
        if rng.random() < 0.5:
            steps[: len(alphabet)] = rng.sample(alphabet, len(alphabet))
        ways = [
            (state, a, state + (a == steps[state]))
            for state in range(length)
            for a in alphabet
            if (state, a) != (length - 1, steps[-1])
        ]
        # Another action may undo a step.
        ways = [(s, a, rng.choice((t, t, t, 0)) if s == t else t) for s, a, t in ways]
        properties.append(Lts(alphabet, length, ways))
    return safe(environment, controller, properties, [])


def relaxed(rng, model):
    """A monitor that now and then stops to watch; what was safe stays safe."""
    if isinstance(model, Network) or not model.alphabet:
        return model
    rest = model.size
    moves = [(s, a, rest if rng.random() < 0.2 else t) for s, a, t in model.transitions]
    moves += [(rest, a, rest) for a in model.alphabet]
    return Lts(model.alphabet, rest + 1, moves)


def stated(rng):
    """With requirements on states of E and C, some of them guards of C."""
    environment, controller, properties, constraints = rng.choice((tiny, small, wild))(
        rng
    )
    properties, constraints = [*properties], [*constraints]
    for _ in range(rng.randint(1, 3)):
        properties.append(Stated(requirement(rng, environment, controller)))
    if rng.random() < 0.3:
        constraints.append(Stated(requirement(rng, environment, None)))
    return safe(environment, controller, properties, constraints)


def requirement(rng, environment, controller):
    """A random requirement; on states of E alone where there is no controller."""
    parts = controller.components if controller is not None else ()
    own = sorted(set(controller.alphabet)) if parts else []
    known = sorted({*environment.alphabet, *own})
    kinds = ("never", "only-while", "never-while", *["enabled-only-while"] * bool(own))
    kind = rng.choice(kinds)
    some = own if kind == "enabled-only-while" else known
    actions = frozenset(rng.sample(some, rng.randint(1, min(2, len(some)))))
    sizes = [("E", 0, environment.size)]
    sizes += [("C", i, p.size) for i, p in enumerate(parts)]

    def condition(depth):
        if depth and rng.random() < 0.6:
            operator = rng.choice(("not", "and", "or"))
            return operator, *(
                condition(depth - 1) for _ in range(1 + (operator != "not"))
            )
        side, component, size = rng.choice(sizes)
        met = frozenset(rng.sample(range(size), rng.randint(1, size)))
        return "is", side, component, met

    return kind, frozenset() if kind == "never" else actions, condition(2)


# How often each kind comes.
KINDS = {
    stated: 14,
    tiny: 32,
    small: 14,
    wild: 14,
    empty: 8,
    symmetric: 10,
    chain: 12,
    many: 6,
    wide: 2,
    large: 2,
}
# Of the problems whose nominal system is unsafe, and of those with one deviation,
# which are dull, how many are taken.
UNSAFE, DULL = 0.15, 0.3


def random_case(rng: Random, kinds=None):
    """A problem of a random kind, of those named where any are."""
    weights = {k: w for k, w in KINDS.items() if not kinds or k.__name__ in kinds}
    (kind,) = rng.choices(list(weights), weights.values())
    environment, controller, properties, constraints = kind(rng)
    if rng.random() < 0.2:
        properties = [relaxed(rng, p) for p in properties]
        constraints = [relaxed(rng, c) for c in constraints]
    return environment, controller, properties, constraints


def judged_problem(rng, kinds=None):
    """The same, mostly with several deviations, and what is right about it."""
    while True:
        problem = random_case(rng, kinds)
        # Now and then it may take ten times as long.
        steps = MOST_STEPS * (10 if rng.random() < 0.02 else 1)
        try:
            reference = Reference(problem, steps)
        except TooLargeError:
            continue
        if reference.undefined:
            taken = UNSAFE
        elif reference.solved and len(reference.maximal) == 1:
            taken = DULL
        else:
            taken = 1
        if rng.random() < taken:
            return problem, reference


def varied(rng, problem):
    """A design close to another one, in the same environment."""
    environment, controller, properties, constraints = problem
    kinds = ("part", "part", "property", "all", "more", "constraint", "forgiving")
    kind = rng.choice(kinds)
    if asked := Asked((*properties, *constraints)):
        # What they name has to be there.
        kind = rng.choice(("part", "more", "less"))
        if kind == "less" and len(properties) > 1:
            properties = [p for p in properties if p is not asked[0]] or properties
            constraints = [c for c in constraints if c is not asked[0]]
            return environment, controller, properties, constraints
    parts = list(controller.components)
    if kind == "part":
        at = rng.randrange(len(parts))
        parts[at] = touched(rng, parts[at])
        names = controller.component_names
        controller = Network(parts, component_names=names, hidden=controller.hidden)
    elif kind == "property":
        properties = [touched(rng, p) for p in properties]
    elif kind == "forgiving":
        properties = [_forgiving(p) for p in properties]
    elif kind == "more":
        more = random_monitor(rng, environment.alphabet or ("a",), 3, 0.12)
        properties = [*properties, more]
    elif kind == "constraint" and environment.alphabet:
        constraints = [random_monitor(rng, environment.alphabet, 3, 0.1)]
    else:
        actions = (*environment.alphabet, "u")
        controller = random_lts(rng, actions, rng.randint(1, 4), 1.3)
        properties = [random_monitor(rng, actions, rng.randint(2, 4), 0.1)]
    return environment, controller, properties, constraints


def _forgiving(model):
    """A monitor that starts again from where it fails, and fails the second time."""
    if isinstance(model, Network) or not model.deterministic:
        return model
    size = model.size
    moves = [(s, a, t) for s, a, t in model.transitions if t != ERROR]
    taken = {(s, a) for s, a, _ in moves}
    again = [
        (s, a, s + size)
        for s in range(size)
        for a in model.alphabet
        if (s, a) not in taken
    ]
    moves += again + [(s + size, a, t + size) for s, a, t in moves]
    return Lts(model.alphabet, 2 * size, moves)


# --- as JSON, and smaller ----------------------------------------------------


def to_dict(problem):
    """A problem as plain lists and dictionaries."""
    environment, controller, properties, constraints = problem
    return {
        "environment": _system(environment),
        "controller": _model(controller),
        "properties": [_model(p) for p in properties],
        "constraints": [_model(c) for c in constraints],
    }


def _system(lts):
    return {
        "alphabet": list(lts.alphabet),
        "states": lts.size,
        "transitions": [list(t) for t in lts.transitions],
    }


def _model(model):
    if isinstance(model, Stated):
        return {"stated": _listed(model.requirement)}
    return {
        "components": [_system(c) for c in model.components],
        "hidden": sorted(model.hidden),
    }


def _listed(value):
    """A requirement as lists; sets become sorted ones."""
    if isinstance(value, frozenset):
        return {"set": sorted(value)}
    return [*map(_listed, value)] if isinstance(value, tuple) else value


def _unlisted(value):
    if isinstance(value, dict):
        return frozenset(value["set"])
    return tuple(map(_unlisted, value)) if isinstance(value, list) else value


def from_dict(data):
    """The problem that `to_dict` made a dictionary of."""

    def model(part):
        if "stated" in part:
            return Stated(_unlisted(part["stated"]))
        parts = [Lts.from_dict(c) for c in part["components"]]
        if len(parts) == 1 and not part["hidden"]:
            return parts[0]
        return Network(parts, hidden=part["hidden"])

    return (
        Lts.from_dict(data["environment"]),
        model(data["controller"]),
        [model(p) for p in data["properties"]],
        [model(c) for c in data["constraints"]],
    )


def smaller(data):
    """Yield problems, as dictionaries, with a little less; what is most comes first."""
    for role, least in (("constraints", 0), ("properties", 1)):
        for i in range(len(data[role])):
            if len(data[role]) > least:
                yield {**data, role: data[role][:i] + data[role][i + 1 :]}
    models = [("controller", None)]
    models += [
        (r, i) for r in ("properties", "constraints") for i in range(len(data[r]))
    ]
    for role, i in models:
        model = data[role] if i is None else data[role][i]
        if "stated" in model or (i is None and '"stated"' in json.dumps(data)):
            # What requirements name has to be there.
            continue
        for other in _smaller_model(model):
            if i is None:
                yield {**data, role: other}
            else:
                yield {**data, role: [*data[role][:i], other, *data[role][i + 1 :]]}
    if '"stated"' in json.dumps(data):
        for i, t in enumerate(data["environment"]["transitions"]):
            del t
            moves = [*data["environment"]["transitions"]]
            moves.pop(i)
            smaller_e = {**data["environment"], "transitions": moves}
            yield {**data, "environment": smaller_e}
        return
    for action in data["environment"]["alphabet"]:
        yield _everywhere(data, lambda lts, a=action: _without_action(lts, a))
    for environment in _smaller_system(data["environment"], keep_actions=True):
        yield {**data, "environment": environment}


def _everywhere(data, change):
    def model(part):
        parts = [change(c) for c in part["components"]]
        left = {a for c in parts for a in c["alphabet"]}
        return {"components": parts, "hidden": [a for a in part["hidden"] if a in left]}

    return {
        "environment": change(data["environment"]),
        "controller": model(data["controller"]),
        "properties": [model(p) for p in data["properties"]],
        "constraints": [model(c) for c in data["constraints"]],
    }


def _smaller_model(model):
    parts, hidden = model["components"], model["hidden"]

    def with_parts(parts):
        left = {a for c in parts for a in c["alphabet"]}
        return {"components": parts, "hidden": [a for a in hidden if a in left]}

    if len(parts) > 1:
        for i in range(len(parts)):
            yield with_parts(parts[:i] + parts[i + 1 :])
    for i in range(len(hidden)):
        yield {**model, "hidden": hidden[:i] + hidden[i + 1 :]}
    for i, part in enumerate(parts):
        for other in _smaller_system(part):
            yield with_parts([*parts[:i], other, *parts[i + 1 :]])


def _without_action(lts, action):
    return {
        **lts,
        "alphabet": [a for a in lts["alphabet"] if a != action],
        "transitions": [t for t in lts["transitions"] if t[1] != action],
    }


def _smaller_system(lts, keep_actions=False):
    for state in range(1, lts["states"]):
        kept = [t for t in lts["transitions"] if state not in (t[0], t[2])]
        yield {
            **lts,
            "states": lts["states"] - 1,
            "transitions": [[q - (q > state), a, r - (r > state)] for q, a, r in kept],
        }
        # Its moves are those of another one now.
        merged = [
            [0 if q == state else q, a, 0 if r == state else r]
            for q, a, r in lts["transitions"]
        ]
        yield {
            **lts,
            "states": lts["states"] - 1,
            "transitions": [
                list(t)
                for t in sorted(
                    {(q - (q > state), a, r - (r > state)) for q, a, r in merged}
                )
            ],
        }
    if not keep_actions:
        for action in lts["alphabet"]:
            yield _without_action(lts, action)
    moves = lts["transitions"]
    for i, (source, action, target) in enumerate(moves):
        yield {**lts, "transitions": moves[:i] + moves[i + 1 :]}
        if target not in (source, ERROR):
            loop = [source, action, source]
            if loop not in moves:
                yield {**lts, "transitions": [*moves[:i], loop, *moves[i + 1 :]]}


def size_of(data):
    """What shrinking makes smaller: systems, states, actions, transitions."""
    systems = [data["environment"]]
    for model in (data["controller"], *data["properties"], *data["constraints"]):
        systems += model.get("components", ())
    return sum(
        10
        + 3 * s["states"]
        + 2 * len(s["alphabet"])
        + sum(2 - (q == r) for q, _, r in s["transitions"])
        for s in systems
    )
