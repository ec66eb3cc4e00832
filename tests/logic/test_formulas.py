"""Monitors of random formulas against what the formulas mean on all short words."""

import os
from random import Random

import pytest

from symrob.errors import LimitExceeded
from symrob.limits import Limits
from symrob.logic.formula import FALSE, TRUE, Fluent, Formula, NormalForm, fluents
from symrob.logic.monitor import monitor_of
from symrob.lts import ERROR
from tests.oracles import temporal

COUNT = 3000 if os.environ.get("HYPOTHESIS_PROFILE") == "thorough" else 120
ALPHABET = ("a", "b", "c")
FLUENTS = (
    Fluent("a", frozenset("a")),
    Fluent("b", frozenset("b")),
    Fluent("F", frozenset("a"), frozenset("b")),
    Fluent("G", frozenset("a"), frozenset("b"), initially=True),
    Fluent("H", frozenset("b"), frozenset("c")),
)
UNARY, BINARY = ("!", "X", "[]", "<>"), ("&&", "||", "->", "<->", "W", "U")


def random_formula(rng, depth):
    if depth == 0 or rng.random() < 0.15:
        if rng.random() < 0.05:
            return rng.choice((TRUE, FALSE))
        return Formula("fluent", fluent=rng.choice(FLUENTS))
    if rng.random() < 0.45:
        return Formula(rng.choice(UNARY), (random_formula(rng, depth - 1),))
    parts = tuple(random_formula(rng, depth - 1) for _ in range(2))
    return Formula(rng.choice(BINARY), parts)


def fails(lts, word):
    """Whether a monitor has failed after a word."""
    state = 0
    for action in word:
        (state,) = lts.successors[state][action]
        if state == ERROR:
            return True
    return False


def test_monitors_fail_exactly_on_bad_words():
    rng = Random(7)
    found = sizes = 0
    while found < COUNT:
        formula = random_formula(rng, rng.choice((1, 2, 2, 3, 3, 4)))
        normal = NormalForm(formula)
        if normal.liveness:
            continue
        lts = monitor_of(normal.root, ALPHABET)
        found += 1
        sizes += lts.size > 2
        for word in temporal.words(ALPHABET, 5):
            good = temporal.holds(formula, word)
            assert fails(lts, word) != good, (formula, word)
    # Many of them are no mere constants.
    assert sizes > COUNT / 8


def test_what_is_refused_can_fail_without_a_bad_word():
    """A part that is named as liveness is a part, and waits for something."""
    rng = Random(8)
    for _ in range(300):
        formula = random_formula(rng, 3)
        for part in NormalForm(formula).liveness:
            assert part.operator in ("U", "<>", "[]", "W")
            assert part in parts_of(formula)


def parts_of(formula):
    yield formula
    for part in formula.parts:
        yield from parts_of(part)


@pytest.mark.parametrize("operator", ["<>", "U"])
def test_liveness_is_named(operator):
    a, b = (Formula("fluent", fluent=f) for f in FLUENTS[:2])
    waits = Formula(operator, (a,) if operator == "<>" else (a, b), place=5)
    whole = Formula(
        "&&", (Formula("[]", (a,)), Formula("!", (Formula("!", (waits,)),)))
    )
    assert [part.place for part in NormalForm(whole).liveness] == [5]
    assert NormalForm(Formula("!", (whole,))).liveness == [whole.parts[0]]
    assert NormalForm(Formula("!", (waits,))).liveness == []
    assert set(fluents(whole)) == {a.fluent, *([b.fluent] if operator == "U" else [])}


def test_a_run_may_stop_before_what_cannot_be_kept():
    a = Formula("fluent", fluent=FLUENTS[0])
    both = Formula("&&", (Formula("[]", (a,)), Formula("X", (Formula("!", (a,)),))))
    lts = monitor_of(NormalForm(both).root, ALPHABET)
    assert not fails(lts, "a")
    assert fails(lts, "aa")
    assert fails(lts, "ab")
    assert fails(monitor_of(FALSE, ALPHABET), "a")
    assert not fails(monitor_of(FALSE, ALPHABET), "")


def test_equivalences_in_a_row_do_not_double():
    whole = Formula("fluent", fluent=FLUENTS[0])
    for _ in range(40):
        whole = Formula("<->", (whole, Formula("fluent", fluent=FLUENTS[1])))
    assert monitor_of(NormalForm(Formula("[]", (whole,))).root, ALPHABET).size <= 2


def test_states_are_bounded():
    a = Formula("fluent", fluent=FLUENTS[0])
    deep = a
    for _ in range(12):
        deep = Formula("X", (deep,))
    whole = Formula("[]", (Formula("->", (a, deep)),))
    with pytest.raises(LimitExceeded, match="max_states"):
        monitor_of(NormalForm(whole).root, ALPHABET, limits=Limits(max_states=50))
