"""Random systems for round trips, nasty names included."""

from hypothesis import strategies as st

from symrob.lts import ERROR, TAU, Lts, Network

FSP_ACTIONS = ("a", "b", "line.1.set_rate", "line.2.set_rate", "x.-3", "_up", "0.a")
# Quotes, backslashes, commas, brackets, blanks inside, other scripts, keywords,
# prefixes of one another, and names that collide once they are made tame.
NASTY_ACTIONS = (
    'PUT !"x", 1)',
    "back\\slash",
    "two\\\\slashes",
    '\\"',
    '"',
    "a,b",
    "(0, a, 1)",
    "émission",
    "when",
    "a.when",
    "Up",
    "a.01",
    "a b",
    "a_b",
    "internal",
    "internal.x",
    "-1",
    "des (0, 1, 1)",
)
NASTY_NAMES = ("RUN[1]", "RUN", "ERROR", "a b", "", "STOP", '"\\', "A", "S0", "SYSTEM")


@st.composite
def systems(
    draw, actions=FSP_ACTIONS + NASTY_ACTIONS, max_states=5, names=True, unique=True
):
    """Any `Lts`: nondeterministic, with `tau`, ERROR, END, unreachable states."""
    size = draw(st.integers(1, max_states))
    alphabet = draw(st.sets(st.sampled_from(actions), max_size=4))
    triple = st.tuples(
        st.integers(0, size - 1),
        st.sampled_from([*sorted(alphabet), TAU]),
        st.integers(ERROR, size - 1),
    )
    transitions = draw(st.sets(triple, max_size=10))
    named = names and draw(st.booleans())
    state_names = (
        draw(
            st.lists(
                st.sampled_from(NASTY_NAMES),
                min_size=size,
                max_size=size,
                unique=unique,
            )
        )
        if named
        else None
    )
    end = draw(st.none() | st.integers(0, size - 1))
    return Lts(alphabet, size, transitions, names=state_names, end=end)


@st.composite
def networks(draw, actions=FSP_ACTIONS):
    """A network of up to three systems, some of whose actions are hidden."""
    components = draw(st.lists(systems(actions), min_size=1, max_size=3))
    alphabet = sorted({a for lts in components for a in lts.alphabet})
    hidden = draw(st.sets(st.sampled_from(alphabet))) if alphabet else set()
    names = draw(
        st.none()
        | st.lists(
            st.sampled_from(["A", "b c", "", "Ä", "1"]),
            min_size=len(components),
            max_size=len(components),
        )
    )
    return Network(components, component_names=names, hidden=hidden)
