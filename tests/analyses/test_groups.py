"""Which deviations are one to C and P: against a search for a word between them."""

from collections import deque

import pytest
from hypothesis import given

from symrob.analyses import groups
from symrob.analyses.groups import Groups, bisimilar
from symrob.lts import Lts
from tests.engines import engine_if_safe
from tests.generate import random_lts, random_problem
from tests.oracles.definition import delta
from tests.strategies import rngs


def told_apart(environment, seen, one, other):
    """Whether some word of seen actions is a trace of E with one set and not the other.

    Both systems walk side by side, each as the set of states that it may be in; no
    minimal form and no numbering is needed.
    """

    def after(moves, states, action):
        found = {r for q, a, r in moves if q in states and a == action}
        return silent(moves, found)

    def silent(moves, states):
        todo, states = list(states), set(states)
        while todo:
            here = todo.pop()
            for q, a, r in moves:
                if q == here and a not in seen and r not in states:
                    states.add(r)
                    todo.append(r)
        return frozenset(states)

    first = {*environment.transitions, *one}, {*environment.transitions, *other}
    start = tuple(silent(moves, {0}) for moves in first)
    met, queue = {start}, deque([start])
    while queue:
        pair = queue.popleft()
        for action in seen:
            then = tuple(
                after(m, states, action) for m, states in zip(first, pair, strict=True)
            )
            if bool(then[0]) != bool(then[1]):
                return True
            if then[0] and then not in met:
                met.add(then)
                queue.append(then)
    return False


def seen_of(problem):
    environment, controller, properties, _ = problem
    known = set(controller.alphabet).union(*(p.alphabet for p in properties))
    # Hidden actions are silent, even where E has one of the same name.
    return sorted(known & set(environment.alphabet))


@given(rngs())
def test_groups_are_those_that_no_word_tells_apart(rng):
    problem = random_problem(rng)
    if rng.random() < 0.5:
        # C and P do not see all that E does.
        blind = rng.choice(problem[0].alphabet)
        problem = (problem[0], *without(blind, problem[1:3]), problem[3])
    engine = engine_if_safe(problem)
    if engine is None:
        return
    found = list(engine.safe_sets.deviations())
    assert len(found) == len(delta(*problem))
    known = Groups(engine)
    numbers = [known.of(d) for d in found]
    assert list(dict.fromkeys(numbers)) == list(range(len(set(numbers))))
    for i, one in enumerate(found):
        for j, other in enumerate(found[:i]):
            apart = told_apart(problem[0], seen_of(problem), one, other)
            assert (numbers[i] == numbers[j]) != apart


def without(action, parts):
    """Systems that do not have an action."""

    def less(model):
        components = [
            Lts(
                [a for a in c.alphabet if a != action],
                c.size,
                [t for t in c.transitions if t[1] != action],
            )
            for c in model.components
        ]
        return (
            components[0]
            if len(components) == 1
            else type(model)(components, hidden=model.hidden - {action})
        )

    controller, properties = parts
    return less(controller), [less(p) for p in properties]


@given(rngs())
def test_bisimilar_systems_have_the_same_traces(rng):
    one = random_lts(rng, "ab", rng.randint(1, 4), 0.8, tau=rng.choice((0.0, 0.4)))
    other = random_lts(rng, "ab", rng.randint(1, 4), 0.8, tau=rng.choice((0.0, 0.4)))
    assert bisimilar(one, one)
    joined = Lts("ab", max(one.size, other.size), ())
    if bisimilar(one, other):
        assert not told_apart(joined, "ab", one.transitions, other.transitions)


@pytest.mark.parametrize("most_states", [1, 300])
def test_what_is_too_large_to_determinise_is_joined_by_bisimulation(most_states):
    """0 -a-> 1 or 0 -a-> 2, both of which can do all: the same to C."""
    environment = Lts("ab", 3, [(0, "a", 1), (1, "b", 1), (2, "b", 2)])
    machine = Lts("ab", 1, [(0, "a", 0), (0, "b", 0)])
    engine = engine_if_safe((environment, machine, [machine], []))
    known = Groups(engine, most_states)
    assert known.of({(0, "a", 2)}) == known.of(frozenset()) == 0
    assert known.of({(0, "b", 1)}) == 1


def test_what_is_not_compared_stays_apart(monkeypatch):
    monkeypatch.setattr(groups, "MOST_COMPARED", 0)
    environment = Lts("a", 2, [(0, "a", 1)])
    machine = Lts("a", 1, [(0, "a", 0)])
    known = Groups(engine_if_safe((environment, machine, [machine], [])), 1)
    assert [known.of(frozenset()), known.of(frozenset())] == [0, 1]
