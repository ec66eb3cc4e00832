"""What is pushed to components equals what is done to the product.

Prefixes, relabels and hiding never multiply components out. Here they are
applied to random networks both ways, and the two results must be the same.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symrob.errors import SymrobError
from symrob.formats.fsp import load_text
from symrob.formats.fsp.renaming import hidden_actions, longest_prefix, merges, rename
from symrob.lts import Lts, Network
from symrob.lts.product import compose, hide, product
from tests.oracles.equivalence import strongly_bisimilar

LABELS = ("a", "a.x", "a[1]", "b", "b.x", "c")


@st.composite
def choices(draw, name):
    """The text of a process with two states over some labels."""

    def branch():
        label = draw(st.sampled_from(LABELS))
        return f"{label} -> {draw(st.sampled_from((name, name + '2')))}"

    def body():
        return "(" + " | ".join(branch() for _ in range(draw(st.integers(1, 3)))) + ")"

    return f"{name} = {body()}, {name}2 = {body()} + {{b.x}}.\n"


@st.composite
def pairs(draw):
    return draw(choices("P")) + draw(choices("Q"))


label_sets = st.sets(st.sampled_from(LABELS), min_size=1).map(sorted)


def braces(labels):
    return "{" + ", ".join(labels) + "}"


def plain(text):
    return load_text(text + "||ALL = (P || Q).").network


def same(network, expected):
    lts = product(network)
    return lts.alphabet == expected.alphabet and strongly_bisimilar(lts, expected)


@given(pairs(), label_sets, st.booleans())
def test_hiding(text, labels, keep):
    sign = "@" if keep else "\\"
    network = load_text(text + f"||S = (P || Q) {sign} {braces(labels)}.").network
    whole = compose(plain(text))
    names = [label.replace("[1]", ".1") for label in labels]
    gone = {
        action
        for action in whole.alphabet
        if any(action == n or action.startswith(n + ".") for n in names) != keep
    }
    assert same(network, hide(whole, frozenset(gone)))
    assert len(network.components) == 2


@given(pairs(), label_sets, label_sets)
def test_hidden_actions_of_two_parts_stay_apart(text, labels, more):
    """Two copies hide the same names, and neither hears the other."""
    text += f"||S = (P || Q) \\ {braces(labels)}. ||T = (x:S || y:S) \\ {braces(more)}."
    network = load_text(text).network
    one = compose(load_text(text, process="S").network)
    both = Network([prefixed(one, "x"), prefixed(one, "y")])
    assert same(network, compose(both))
    assert len(network.components) == 4


def prefixed(lts, name):
    return rename(lts, lambda action: (f"{name}.{action}",))


@given(pairs())
def test_prefix_and_share(text):
    network = load_text(text + "||S = {u,v}::w:(P || Q).").network
    whole = rename(compose(plain(text)), lambda a: (f"u.w.{a}", f"v.w.{a}"))
    assert same(network, whole)


@given(pairs(), st.lists(st.tuples(st.sampled_from(LABELS), label_sets), max_size=3))
def test_relabels_of_a_named_composite(text, relabels):
    """Where relabels merge actions, the product is made; else not."""
    table = {}
    for old, new in relabels:
        table.setdefault(old.replace("[1]", ".1"), []).extend(
            n.replace("[1]", ".1") for n in new
        )
    words = ", ".join(f"{braces(new)}/{old}" for old, new in relabels)
    suffix = f" / {{{words}}}" if words else ""
    network = load_text(text + f"||IN = (P || Q). ||S = IN{suffix}.").network
    whole = compose(plain(text))

    def renaming(action):
        old = longest_prefix(action, table)
        if old is None:
            return (action,)
        return tuple(dict.fromkeys(n + action[len(old) :] for n in table[old]))

    assert same(network, rename(whole, renaming))
    assert (len(network.components) == 1) == merges(whole.alphabet, renaming)


def test_oracles_can_say_no():
    text = "P = (a -> b -> P). Q = (b -> Q).\n"
    network = load_text(text + "||S = (P || Q) \\ {b}.").network
    assert not same(network, hide(compose(plain(text)), frozenset("a")))
    assert hidden_actions(["a", "ab", "a.b"], ["a"], keep=False) == {"a", "a.b"}
    assert hidden_actions(["a", "b#1"], ["a"], keep=True) == set()


def test_a_lone_hidden_action_is_tau():
    lts = load_text("P = (a -> b -> P). ||S = P \\ {b}.").network
    assert isinstance(lts, Lts)
    assert lts.transitions == ((0, "a", 1), (1, "tau", 0))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("P = Q, Q = (a -> b -> Q).", ("Q", "Q/a")),
        ("P = Q[0][1], Q[i:0..1][j:0..1] = (a -> Q[j][i]).", ("Q[0][1]", "Q[1][0]")),
        ("P = (a -> DONE), DONE = STOP.", ("P", "DONE")),
        ("P = (a -> STOP | b -> DONE), DONE = STOP.", ("P", "STOP")),
        ("P = FINE, FINE = STOP + {timeout}.", ("FINE",)),
        ("P = (a -> FINE | b -> GONE), FINE = STOP, GONE = FINE.", ("P", "FINE")),
        ("P = (a -> FINE | b -> GONE), FINE = STOP, GONE = STOP.", ("P", "STOP")),
        ("P = (a -> END).", ("P", "END")),
        ("P = (a -> (b -> P | c -> P) | d -> e -> P).", ("P", "P/a", "P/d")),
        ("P = (a -> b -> P | a -> c -> P).", ("P", "P/a", "P/a~2")),
        ("A = (x -> END). P = (a -> A; P).", ("P", "A:A")),
    ],
)
def test_state_names(text, names):
    lts = load_text(text, process="P").network
    assert sorted(lts.names) == sorted(names)
    assert lts.names[0] == names[0]


def test_component_names():
    text = "P(N=1) = (a -> P). ||IN = (x:P || P(2)). ||S = ({u,v}::IN || P || P)."
    network = load_text(text).network
    assert network.component_names == ("{u,v}::x:P", "{u,v}::P(2)", "P", "P~2")


def test_processes_that_only_end_are_skipped_in_sequences():
    lts = load_text("N = END. P = (a -> N; N; P).", process="P").network
    assert lts.transitions == ((0, "a", 0),)
    with pytest.raises(SymrobError, match="never reaches END"):
        load_text("N = STOP. P = (a -> N; P).", process="P")
