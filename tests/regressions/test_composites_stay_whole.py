"""Relabels that merge actions of a named composite acted on its parts.

Only a name right before the relabels was seen to be one: brackets around it, a group, a
prefix, copies or a condition gave another system, without a word.
"""

import pytest

from symrob.formats.fsp import load_text
from symrob.lts.product import product

TWO = "P = (x.go -> y.go -> P). ||G = (a:P || b:P). Q = (z -> Q).\n"
ONE = "P = (x -> y -> P). ||G = (a:P).\n"


def merging(prefix=""):
    return f"{{x/{prefix}{{a,b}}.x, y/{prefix}{{a,b}}.y}}"


@pytest.mark.parametrize(
    ("body", "states", "transitions"),
    [
        (f"G/{merging()}", 4, 8),
        (f"(G)/{merging()}", 4, 8),
        (f"((G))/{merging()}", 4, 8),
        (f"(if 1 then G)/{merging()}", 4, 8),
        (f"(d:G)/{merging('d.')}", 4, 8),
        (f"({{c,d}}::G)/{merging('{c,d}.')}", 4, 8),
        # Q goes its own way; two composites synchronise on x and y.
        (f"(G || Q)/{merging()}", 4, 12),
        (f"(forall [i:0..1] p[i]:G)/{merging('p[0..1].')}", 6, 16),
        (f"p[0..1]:G/{merging('p[0..1].')}", 6, 16),
        # The members of a group without a name are renamed one by one.
        (f"(a:P || b:P)/{merging()}", 2, 2),
    ],
)
def test_brackets_and_copies_change_nothing(body, states, transitions):
    lts = product(load_text(f"{TWO}||C = {body}.", process="C").network)
    assert (lts.size, len(lts.transitions)) == (states, transitions)


@pytest.mark.parametrize(
    "inner", ["p[0..1]:G/{x/p[0..1].a.x}", "p[0..1]:P/{x/p[0..1].x}"]
)
def test_each_copy_is_relabelled_alone(inner):
    network = load_text(f"{ONE}||C = {inner}.", process="C").network
    lts = product(network)
    assert (lts.size, len(lts.transitions)) == (4, 5)
    assert len(network.components) == 2


def test_only_what_merges_is_multiplied_out():
    network = load_text(f"{TWO}||C = (G || c:G)/{merging()}.", process="C").network
    assert [lts.size for lts in network.components] == [4, 2, 2]


def test_one_copy_with_names_that_merge():
    """`b.c` and `c` both become `a.b.c`, and stay moves of two parts of one copy."""
    text = "P = (c -> STOP). Q = (b.c -> STOP). ||G = (P || Q). ||C = {a, a.b}::G."
    lts = product(load_text(text).network)
    assert (lts.size, len(lts.alphabet), len(lts.transitions)) == (4, 3, 8)


def test_what_is_hidden_outside_is_shared_until_then():
    """H is composed first, but `a` is hidden around it only: Q may forbid it."""
    text = """P = (a -> END). R = (c -> END). Q = (b -> a -> END).
    ||H = (P || R) \\ {c}. ||T = (H || Q) \\ {a}. ||U = T >> {none}."""
    lts = load_text(text, process="U").network
    assert set(lts.successors[0]) == {"tau", "b"}
    assert lts.size == 6


def test_end_is_decided_inside_what_is_composed_first():
    """H cannot end, since Q has an action that P has not; so Z ends wherever P is."""
    text = """P = (a -> END | c -> STOP). Q = (b -> Q). Z = (a -> b -> END).
    ||H = (P || Q) \\ {a, c}. ||T = (H || Z) >> {none}."""
    lts = load_text(text, process="T").network
    stuck = [state for state, row in enumerate(lts.successors) if not row]
    assert stuck == [lts.end]
