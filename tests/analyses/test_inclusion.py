"""Where a proof by inclusion would be wrong: the smallest systems for each guard.

In each of them the keeper tolerates something that breaks the breaker, and only
one condition keeps `breaks_too` from saying otherwise.
"""

import pytest

from symrob.analyses.inclusion import breaks_too
from symrob.envelope.transitions import Candidates
from symrob.limits import Clock
from symrob.lts import ERROR, Lts, Network
from tests.engines import engine_of
from tests.oracles import definition

IDLE = Lts(["a"], 1, [])
ANY = Lts(["a"], 1, [(0, "a", 0)])
ONCE = Lts(["a"], 2, [(0, "a", 1)])
NO_U = Lts(["u"], 1, [])
A_THEN_U = Lts(["a", "u"], 3, [(0, "a", 1), (1, "u", 2)])
A_U_A = Lts(["a", "u"], 4, [(0, "a", 1), (1, "u", 2), (2, "a", 3)])

TRAPS = {
    "a component of the breaker fails by itself": (
        (IDLE, Network([ANY]), [ANY]),
        (IDLE, Network([ANY, Lts(["a"], 1, [(0, "a", ERROR)])]), [ANY]),
    ),
    "what one hides the other shows": (
        (IDLE, Network([A_THEN_U], hidden=["u"]), [NO_U]),
        (IDLE, Network([A_THEN_U]), [NO_U]),
    ),
    "what one hides the other needs the environment for": (
        (Lts(["a", "u"], 1, []), Network([A_U_A]), [ONCE]),
        (Lts(["a", "u"], 1, []), Network([A_U_A], hidden=["u"]), [ONCE]),
    ),
    "an action of a component that another one does not allow": (
        (
            IDLE,
            Network([Lts(["a", "u"], 2, [(0, "u", 1), (1, "a", 1)]), NO_U]),
            [ONCE],
        ),
        (IDLE, Network([ANY]), [ONCE]),
    ),
    "an action that is watched and only the breaker has": (
        (IDLE, Network([ANY]), [NO_U]),
        (IDLE, Network([ANY, A_THEN_U]), [NO_U]),
    ),
    "a hidden action with the name of a visible one": (
        (
            Lts(["a", "u"], 1, []),
            Network([A_U_A], hidden=["u"]),
            [Lts(["a", "u"], 2, [(0, "a", 0), (0, "u", 1)])],
        ),
        (
            Lts(["a", "u"], 1, []),
            Network([A_U_A], hidden=["u"]),
            [ONCE],
        ),
    ),
    "an own action of a component that the property watches": (
        (
            IDLE,
            Network([Lts(["a", "u"], 2, [(0, "u", 1), (1, "a", 1)])]),
            [Lts(["a", "u"], 2, [(0, "u", 1), (1, "a", 1)])],
        ),
        (IDLE, Network([ANY]), [Lts(["a", "u"], 2, [(0, "u", 1), (1, "a", 1)])]),
    ),
    "a step that the keeper cannot take and that would fail it": (
        (IDLE, Network([Lts(["a"], 1, [])]), [Lts(["a"], 1, [])]),
        (IDLE, Network([ANY]), [Lts(["a"], 2, [(0, "a", 1)])]),
    ),
    "a component of the keeper that cannot follow": (
        (IDLE, Network([ONCE]), [ONCE]),
        (IDLE, Network([ANY]), [ONCE]),
    ),
}


def proved(keeper, breaker):
    one, other = engine_of((*keeper, ())), engine_of((*breaker, ()))
    everything = Candidates.all_new(one.environment).with_nominal(one.environment)
    return breaks_too(one.problem, other.problem, everything, "auto", Clock())


@pytest.mark.parametrize("name", TRAPS)
def test_each_guard_is_needed(name):
    keeper, breaker = TRAPS[name]
    deviation = {(0, "a", 0)}
    assert definition.robust(keeper[0], deviation, *keeper[1:], ())
    assert not definition.robust(breaker[0], deviation, *breaker[1:], ())
    assert not proved(keeper, breaker)


@pytest.mark.parametrize(
    ("keeper", "breaker"),
    [
        # The same machine, a property less.
        ((IDLE, ANY, [ONCE]), (IDLE, ANY, [ANY])),
        # A stronger property that fails at the same step.
        ((IDLE, ANY, [Lts(["a"], 1, [])]), (IDLE, ANY, [ONCE])),
        # A machine that does less.
        ((IDLE, ANY, [ONCE]), (IDLE, ONCE, [ONCE])),
        # A component that follows with the help of an action of its own.
        (
            (IDLE, Lts(["a", "u"], 2, [(0, "u", 1), (1, "a", 0)]), [ONCE]),
            (IDLE, ANY, [ONCE]),
        ),
        # Copies of a component.
        ((IDLE, Network([ANY, ANY]), [ONCE]), (IDLE, Network([ANY]), [ONCE])),
    ],
)
def test_what_is_proved(keeper, breaker):
    assert proved(keeper, breaker)
