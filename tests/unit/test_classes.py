"""The class of each candidate: against quantifiers over R_E, and by hand."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symrob.case.transitions import parse_transitions
from symrob.errors import SymrobError
from symrob.lts import Lts, Transition
from symrob.lts.masks import bits
from symrob.problem import with_extra_states
from symrob.problem.classes import CLASSES, Classes
from tests.generate import random_lts
from tests.oracles import classes as oracle
from tests.oracles.definition import candidates
from tests.strategies import rngs


def random_environment(rng):
    """States that nothing leads to, unused actions, `tau`, extra states: all likely."""
    alphabet = "abcd"[: rng.randint(1, 4)]
    planned = [a for a in alphabet if rng.random() < 0.8]
    tau = rng.choice((0.0, 0.0, 0.4))
    density = rng.choice((0.2, 0.5, 1.0))
    plain = random_lts(rng, planned, rng.randint(1, 8), density, tau=tau)
    environment = Lts(alphabet, plain.size, plain.transitions)
    extra = rng.choice((0, 0, 1, 2))
    return with_extra_states(environment, extra) if extra else environment, extra


def by_row(environment, extra):
    """(candidate, class, left out) of all, as the rows give them."""
    return [
        ((source, action, target), part.kind, part.left_out)
        for source, action, parts in Classes(environment, extra).rows()
        for part in parts
        for target in bits(part.targets)
    ]


@given(rngs())
def test_each_candidate_has_the_class_of_the_definition(rng):
    environment, extra = random_environment(rng)
    found = by_row(environment, extra)
    assert sorted(t for t, *_ in found) == sorted(candidates(environment))
    for candidate, kind, left_out in found:
        expected = oracle.kind(environment, extra, candidate)
        assert (kind, left_out) == expected, (candidate, expected)


def test_every_class_comes_up():
    """Else the test above would not be one of them."""
    rng = Random(1)
    met = {kind for _ in range(80) for _, kind, _ in by_row(*random_environment(rng))}
    assert met == set(CLASSES)


# 0 -a-> 1 -b-> 2 -a-> 3, a loop by c in 3; d is planned nowhere.
PLAN = Lts("abcd", 4, [(0, "a", 1), (1, "b", 2), (2, "a", 3), (3, "c", 3)])


@pytest.mark.parametrize(
    ("candidate", "kind", "left_out"),
    [
        ((0, "a", 0), "no-effect", None),
        ((0, "a", 3), "wrong-outcome", None),
        ((0, "d", 2), "foreign-action", None),
        ((1, "a", 1), "repetition", None),
        ((0, "b", 2), "omission", "a"),
        ((0, "c", 3), "jump-ahead", None),
        ((3, "b", 2), "jump-back", None),
        ((2, "b", 2), "repetition", None),
        ((0, "b", 0), "idle-action", None),
        ((0, "b", 1), "intrusion", None),
    ],
)
def test_by_hand(candidate, kind, left_out):
    assert Classes(PLAN).of(Transition(*candidate)) == (kind, left_out)


def test_what_is_planned_has_no_class():
    with pytest.raises(ValueError, match="not a candidate"):
        Classes(PLAN).of(Transition(0, "a", 1))


@given(rngs(), st.sampled_from(CLASSES))
def test_a_class_is_an_expression(rng, kind):
    environment, extra = random_environment(rng)
    known = Classes(environment, extra)
    expected = {t for t, k, _ in by_row(environment, extra) if k == kind}
    for pattern, fits in (
        ("", lambda _: True),
        (",*,a,*", lambda t: t[1] == "a"),
        (",*,*,0", lambda t: t[2] == 0),
    ):
        text = f"class:{kind}{pattern}"
        wanted = set(filter(fits, expected))
        try:
            (found,) = parse_transitions([text], environment, classes=known)
        except SymrobError as error:
            codes = {d.code for d in error.diagnostics}
            assert codes <= {"transition-none", "transition-action"}
            found = set()
        assert found == wanted


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("class:omision", "class", "did you mean 'omission'"),
        ("class:", "class", "foreign-state"),
        ("class:omission,a", "syntax", "source,action,target"),
        ("class:omission,0,x,1", "action", "unknown action 'x'"),
        ("class:omission,0,a,1", "none", "no candidate"),
        ("class:intrusion", "limit", "more than 5"),
    ],
)
def test_class_expressions_that_mean_nothing(text, code, says):
    with pytest.raises(SymrobError) as caught:
        parse_transitions([text], PLAN, limit=5)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == f"transition-{code}"
    assert says in str(diagnostic)


def test_a_state_may_be_called_like_a_class():
    """Where a state has the name, it is meant."""
    environment = Lts("a", 2, [(0, "a", 1)], names=["class:omission", "x"])
    (found,) = parse_transitions(["class:omission,a,x"], environment)
    assert found == {(0, "a", 1)}


def test_a_large_environment_is_classified_row_by_row():
    """Half a billion candidates; only rows are visited."""
    size, alphabet = 5000, [f"a{i}" for i in range(20)]
    steps = [(q, alphabet[q % 20], (q + 1) % size) for q in range(size)]
    environment = Lts(alphabet, size, steps)
    counts = dict.fromkeys(CLASSES, 0)
    for _source, _action, parts in Classes(environment).rows():
        for part in parts:
            counts[part.kind] += part.targets.bit_count()
    assert sum(counts.values()) == size * size * 20 - size
    # The step after the next one, from every state.
    assert counts["omission"] == size
