"""Hostile texts: each is refused at once, with the option that would allow it."""

import sys
import time

import pytest

from symrob.errors import SymrobError
from symrob.formats.fsp import Limits, lint_text, load_text
from symrob.option_spelling import spelled

HUGE = "0..1000000000"
BODIES = " || ".join(["C{0}"] * 8)

HOSTILE = {
    "a range of a billion in a label": (
        f"P = (a[i:{HUGE}] -> P).",
        "--bound max-expansion",
    ),
    "a named range": (f"range R = {HUGE} P = (a[R] -> P).", "--bound max-expansion"),
    "a local process": (f"P = Q[0], Q[i:{HUGE}] = (a -> P).", "--bound max-expansion"),
    "forall": (
        f"P = (a -> P). ||S = forall [i:{HUGE}] p[i]:P.",
        "--bound max-expansion",
    ),
    "a product of sets": (
        "set S = {a, b, c, d, e, f, g, h} P = (" + ".".join("S" * 12) + " -> P).",
        "--bound max-expansion",
    ),
    "relabels": (f"P = (a -> P) / {{x[i:{HUGE}]/a}}.", "--bound max-expansion"),
    "pairs of relabels": (
        "P = (a -> P) / {forall [i:1..50000] {x[1..50000]/a[i]}}.",
        "--bound max-expansion",
    ),
    "states": (
        "P = Q[0][0], Q[i:0..99][j:0..99] = (a -> b -> c -> d -> e -> f -> g -> h"
        " -> i -> j -> k -> l -> m -> Q[i][j]).",
        "--bound max-states",
    ),
    "transitions": (
        "P = Q[0], Q[i:0..99] = (a[0..9999] -> Q[i]).",
        "--bound max-transitions",
    ),
    "a product on demand": (
        "P = Q[0], Q[i:0..9] = (a -> Q[(i+1)%10])."
        " minimal ||S = forall [i:1..9] p[i]:P.",
        "--bound max-states",
    ),
    "components that double": (
        "P = (a -> P). ||C0 = (P || P)."
        + "".join(f"||C{i + 1} = ({BODIES.format(i)})." for i in range(9)),
        "--bound max-expansion",
    ),
    "a recursion without end": (
        "P = (a -> P). ||S(N=0) = (P || S(N+1)).",
        "--bound max-nesting",
    ),
    "processes in sequence without end": (
        "P(N=0) = (a -> P(N+1); END).",
        "--bound max-nesting",
    ),
    "brackets": ("P = (a[" + "(" * 100_000 + "1", "--bound max-nesting"),
    "braces": ("P = (" + "{" * 100_000, "--bound max-nesting"),
    "choices": ("P = " + "(a -> " * 100_000, "--bound max-nesting"),
    "then if": ("P = " + "if 1 then " * 100_000 + "STOP.", "--bound max-nesting"),
    "groups": ("P = (a -> P). ||S = " + "(" * 100_000, "--bound max-nesting"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_refused_with_the_option_named(case):
    text, option = HOSTILE[case]
    limits = Limits(max_states=20_000, max_transitions=40_000)
    start = time.process_time()
    with pytest.raises(SymrobError) as caught:
        load_text(text, limits=limits)
    assert time.process_time() - start < 5
    assert any(spelled(option) in (p.hint or "") for p in caught.value.diagnostics)
    assert any(
        spelled(option) in (p.hint or "") for p in lint_text(text, limits=limits)
    )


def test_a_billion_values_do_no_harm_unused():
    text = f"range R = {HUGE} P = (a -> P)."
    assert [w.code for w in load_text(text).warnings] == ["fsp-unused"]


def test_limits_can_be_raised():
    text = "P = (a[0..9] -> P)."
    with pytest.raises(SymrobError, match="max_expansion="):
        load_text(text, limits=Limits(max_expansion=9))
    assert load_text(text, limits=Limits(max_expansion=10)).network.size == 1


NESTED = {
    "brackets": "P = (a[{}1{}] -> P).".format("(" * 98, ")" * 98),
    "signs": "P = (a[{}1{}] -> P).".format("-(" * 98, ")" * 98),
    "braces": "P = ({}a{} -> P).".format("{" * 98, "}" * 98),
    "indices": "P = ({}1{} -> P).".format("[{a" * 49 + "[", "]" + "}]" * 49),
    "choices": "P = {}P{}.".format("(a -> " * 100, ")" * 100),
    "then if": "P = " + "if 1 then " * 100 + "STOP.",
    "groups": "P = (a -> P). ||S = {}P{}.".format("(" * 100, ")" * 100),
    "relabels": "P = (a -> P) / {}b/a{}.".format(
        "{forall [0..0] " * 98 + "{", "}" * 99
    ),
    "composites": "P = (a -> P). ||S(N=98) = if N == 0 then P else S(N-1).",
    "formulas": "P = (a -> P). assert A = {}a{}".format("(" * 100, ")" * 100),
    "quotes": "P = (a[{}'b{}] -> P).".format("'c[" * 98, "]" * 98),
}


@pytest.mark.parametrize("case", NESTED)
def test_nesting_up_to_the_limit_is_read(case):
    """However deep the caller already is: no RecursionError."""

    def deep(frames):
        return deep(frames - 1) if frames else load_text(NESTED[case])

    used = 0
    frame = sys._getframe()
    while frame:
        frame, used = frame.f_back, used + 1
    assert deep(sys.getrecursionlimit() - used - 60).network.size in (1, 100)


def test_long_chains_are_no_nesting():
    assert load_text("P = (" + "a -> " * 5_000 + "P).").network.size == 5_000
    assert load_text("P = (a[" + "1 + " * 5_000 + "1] -> P).").network.size == 1
    chain = "".join(f"if N == {i} then STOP else " for i in range(2_000))
    assert load_text(f"P(N=2000) = {chain} (a -> P).").network.size == 1
    aliases = "P = Q0" + "".join(f", Q{i} = Q{i + 1}" for i in range(2_000))
    assert load_text(aliases + ", Q2000 = (a -> P).").network.size == 1


def test_twenty_components_are_not_multiplied_out():
    text = """P(I=0) = S[0], S[i:0..3] = (when (i<3) up[I] -> S[i+1]
        | when (i>0) down[I] -> S[i-1] | when (i==3) reset[I] -> S[0]).
    ||SYS = (forall [i:1..20] c[i]:P(i))."""
    start = time.process_time()
    network = load_text(text).network
    assert time.process_time() - start < 1
    assert [c.size for c in network.components] == [4] * 20
