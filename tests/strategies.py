"""Random systems for Hypothesis, small enough for the oracles.

The shapes that make trouble are all likely: `tau`, nondeterminism, ERROR in
controllers and properties, hidden and internal actions, actions that are
never used, states that are never reached, several properties, constraints.
"""

from hypothesis import strategies as st

from symrob.lts import ERROR, TAU, Lts, Network


def rngs():
    """Generators for `tests.generate`, whose draws Hypothesis shrinks when one fails.

    A number as a seed would shrink to a smaller number, and to any problem at all.
    """
    return st.randoms(use_true_random=False)


ENVIRONMENT_ACTIONS = ("a", "b")
INTERNAL_ACTIONS = ("u", "v")


@st.composite
def systems(
    draw, alphabet, max_states=3, tau=False, error=False, dense=False, max_moves=None
):
    """A system over some of the given actions."""
    actions = [a for a in alphabet if draw(st.integers(0, 5)) > 0]
    size = draw(st.integers(1, max_states))
    labels = [*actions, TAU] if tau else actions
    if not labels:
        return Lts((), size, ())
    targets = st.integers(0, size - 1)
    if error:
        targets = st.one_of(targets, targets, targets, st.just(ERROR))
    moves = st.tuples(st.integers(0, size - 1), st.sampled_from(labels), targets)
    most = max_moves or 2 * size * len(labels)
    least = min(most, size * len(labels)) if dense else 0
    return Lts(actions, size, draw(st.lists(moves, min_size=least, max_size=most)))


@st.composite
def environments(draw):
    """An environment with at most 9 candidate transitions."""
    size = draw(st.integers(1, 3))
    count = 2 if size <= 2 else 1
    alphabet = ENVIRONMENT_ACTIONS[: draw(st.integers(1, count))]
    labels = [*alphabet, TAU] if draw(st.integers(0, 4)) == 0 else list(alphabet)
    moves = st.tuples(
        st.integers(0, size - 1), st.sampled_from(labels), st.integers(0, size - 1)
    )
    return Lts(alphabet, size, draw(st.lists(moves, max_size=4)))


@st.composite
def controllers(draw, environment):
    """A machine of one or two components, some of its actions hidden."""
    alphabet = (*environment.alphabet, *INTERNAL_ACTIONS)
    wild = draw(st.integers(0, 5)) == 0
    one = draw(systems(alphabet, tau=wild, error=wild))
    if draw(st.booleans()):
        return one
    two = draw(systems(alphabet, max_states=2, tau=wild))
    names = sorted({*one.alphabet, *two.alphabet})
    hidden = [a for a in names if a in INTERNAL_ACTIONS and draw(st.booleans())]
    return Network([one, two], hidden=hidden)


@st.composite
def properties(draw, alphabet):
    """A monitor; nondeterministic now and then, or two side by side."""
    kind = draw(st.integers(0, 7))
    wild = kind == 0
    one = draw(systems(alphabet, tau=wild, error=kind < 2, dense=True, max_states=3))
    if kind != 1:
        return one
    two = draw(systems(alphabet, max_states=2, dense=True))
    return Network([one, two])


@st.composite
def problems(draw):
    """(environment, controller, properties, constraints)."""
    environment = draw(environments())
    controller = draw(controllers(environment))
    watched = sorted({*environment.alphabet, *controller.alphabet, "never"})
    props = draw(st.lists(properties(watched), min_size=1, max_size=2))
    constraints = draw(
        st.one_of(st.just([]), st.lists(properties(environment.alphabet), max_size=2))
    )
    return environment, controller, props, constraints
