"""A deviation that came twice made |Δ| wrong: 31 was printed where there are 29.

Images of a deviation under symmetries of the problem were given without asking
whether they had been given before, from the 33rd answer on.
"""

import json
import pkgutil
from itertools import combinations
from pathlib import Path

import pytest

import symrob
from symrob.envelope import extension
from symrob.envelope.antichain import antichain

HERE = Path(__file__).parent
PROBLEMS = [
    json.loads(line)
    for line in (HERE / "symmetric_environments.jsonl").read_text().splitlines()
]


def lts(data):
    return symrob.Lts.from_dict(data)


def asked(problem, **options):
    return symrob.compute(
        lts(problem["environment"]),
        lts(problem["controller"]),
        [lts(p) for p in problem["properties"]],
        [lts(c) for c in problem["env_constraints"]],
        **options,
    )


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: str(p["deviations"]))
def test_the_number_of_deviations_is_right(problem):
    found = list(asked(problem))
    assert len(found) == len(set(found)) == problem["deviations"]
    assert not any(a < b or b < a for a, b in combinations(found, 2))


def test_extra_states_can_be_exchanged_and_give_no_deviation_twice():
    problem = min(PROBLEMS, key=lambda p: p["environment"]["states"])
    found = list(asked(problem, extra_states=1))
    assert len(found) == len(set(found)) == 121
    assert set(found) == set(asked(problem, extra_states=1, algorithm="connected"))


def sets(*words):
    return [frozenset(word) for word in words]


def test_an_enumeration_that_keeps_its_contract_passes():
    assert list(antichain(sets("ab", "bc", "ca"))) == sets("ab", "bc", "ca")


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (sets("ab", "bc", "ab"), "twice"),
        (sets("ab", "abc"), "inside another"),
        (sets("abc", "bcd", "ab"), "inside another"),
        ([frozenset({k}) for k in (*range(500), 250)], "twice"),
        ([*(frozenset({k}) for k in range(500)), frozenset({499, 500})], "inside"),
        ([*(frozenset({k}) for k in range(500)), frozenset({0, 500})], "inside"),
    ],
)
def test_an_enumeration_that_breaks_it_ends_with_an_error(found, message):
    with pytest.raises(AssertionError, match=message):
        list(antichain(found))


def again(generate):
    """The same enumeration, which gives its first answer twice."""

    def repeated(*args):
        found = list(generate(*args))
        return iter([*found, *found[:1]])

    return repeated


@pytest.mark.parametrize(
    ("module", "name", "algorithm"),
    [
        ("symrob.envelope.maximal.MaximalSets", "search", "maximal"),
        ("symrob.baselines.brute_force", "brute_force", "brute-force"),
        ("symrob.baselines.algorithm_1", "synthesise", "connected"),
        ("symrob.baselines.algorithm_1", "synthesise", "plain"),
    ],
)
def test_every_algorithm_is_watched(monkeypatch, module, name, algorithm):
    place = pkgutil.resolve_name(module)
    monkeypatch.setattr(place, name, again(getattr(place, name)))
    # Whichever of the two actions comes first, the other one must not come.
    either = [(0, "a", 1), (0, "b", 2), (1, "a", 1), (2, "b", 2)]
    idle = symrob.Lts("ab", 1, ())
    offers = symrob.Lts("ab", 1, [(0, "a", 0), (0, "b", 0)])
    rule = symrob.Lts("ab", 3, either)
    with pytest.raises(AssertionError, match="twice"):
        list(symrob.compute(idle, offers, rule, algorithm=algorithm))


def test_a_set_may_not_lose_a_member_while_it_grows(monkeypatch):
    grow = extension.MaximalExtension.grow

    def shrinking(self, chosen, found):
        grown, found = grow(self, chosen, found)
        return [0 for _ in grown], found

    monkeypatch.setattr(extension.MaximalExtension, "grow", shrinking)
    with pytest.raises(AssertionError, match=r"lost a member|twice"):
        list(asked(PROBLEMS[0]))
