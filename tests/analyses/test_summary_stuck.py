"""New deadlocks and idle properties against walking through the closed loop."""

from random import Random

import pytest
from hypothesis import given, settings

import symrob
from symrob import Lts
from symrob.analyses.candidate_space import CandidateSpace
from symrob.analyses.deadlocks import LOOKED_AT, side_report
from tests.engines import engine_if_safe
from tests.generate import TINY, random_problem
from tests.golden.test_reference import TABLE1, solve
from tests.oracles import definition
from tests.strategies import rngs


def walk(environment, deviation, controller):
    """The deadlocks of the closed loop, and the visible actions that it performs."""
    dead, performed = set(), set()
    for state, steps in definition.walk(environment, deviation, controller):
        performed |= {action for _, _, action in steps}
        if not steps:
            dead.add(state)
    return dead, performed


def says_never(model):
    """Whether a property has actions, and each of them breaks it at once."""
    watcher = definition._Watcher(model)
    return bool(model.alphabet) and all(
        watcher.after(watcher.start, action) is None for action in model.alphabet
    )


def check(problem):
    """Compare with walking; how many deviations get stuck and properties idle."""
    engine = engine_if_safe(problem)
    if engine is None:
        return 0, 0
    environment, controller, properties, _constraints = problem
    nominal = environment.visible_transitions
    known, performed = walk(environment, nominal, controller)
    deviations = list(engine.deviations())
    expected = {}
    for deviation in deviations:
        new = walk(environment, deviation, controller)[0] - known
        if new:
            expected[deviation] = {q for q, _ in new}
    report = side_report(CandidateSpace(engine), deviations, most=len(deviations))
    found = {
        s.deviation: {state for state, _ in s.deadlocks}
        for s in report.stuck
        if s.deadlocks
    }
    assert found == expected
    for stuck in report.stuck:
        dead = walk(environment, stuck.deviation, controller)[0] - known
        for state, components in stuck.deadlocks:
            assert (state, tuple(map(int, components))) in dead
    idle = tuple(
        f"property {number}"
        for number, model in enumerate(properties, 1)
        if performed.isdisjoint(model.alphabet) and not says_never(model)
    )
    assert report.idle == idle
    assert report.looked_at == len(deviations)
    assert report.all_of_them
    return len(found), len(idle)


@settings(max_examples=120)
@given(rngs())
def test_random_problems(rng):
    check(random_problem(rng, shapes=(*TINY, (3, 2))))


def test_random_problems_get_stuck_and_are_idle():
    found = [check(random_problem(Random(seed), shapes=TINY)) for seed in range(150)]
    assert sum(stuck > 0 for stuck, _ in found) > 10
    assert sum(idle > 0 for _, idle in found) > 5


def test_a_nurse_who_leaves_stops_the_therac_25():
    found = solve(TABLE1["therac25"])
    report = found.side_report()
    assert (report.looked_at, report.all_of_them) == (4, True)
    assert len(report.stuck) == 4
    assert report.idle == ()


def test_only_so_many_deviations_are_looked_at():
    found = solve(TABLE1["therac25"], constrained=False)
    report = found.side_report()
    assert (report.looked_at, report.all_of_them) == (LOOKED_AT, False)
    exactly = solve(TABLE1["therac25"]).side_report(4)
    assert (exactly.looked_at, exactly.all_of_them) == (4, True)
    some = solve(TABLE1["therac25"], limit=2).side_report()
    assert (some.looked_at, some.all_of_them) == (2, False)


@pytest.mark.parametrize("own", [True, False])
def test_what_the_machine_does_on_its_own_is_no_deadlock(own):
    """E stops after `a`; the machine may still tick, or not."""
    environment = Lts(["a"], 2, [])
    ticks = [(1, "tick", 1)] if own else []
    machine = Lts(["a", "tick"], 2, [(0, "a", 1), *ticks])
    found = symrob.compute(environment, machine, Lts(["alarm"], 1, []))
    (deviation,) = found
    assert len(deviation.new) == 4
    report = found.side_report()
    # The property says that the alarm never comes, which any plan keeps.
    assert report.idle == ()
    if own:
        # It ticks for ever: the plan cannot end any more.
        (stuck,) = report.stuck
        assert stuck.deadlocks == ()
        assert [one.goal.name for one in stuck.lost] == ["completion"]
    else:
        (stuck,) = report.stuck
        # The machine waits in vain for `a` at the start of E‖C already.
        assert stuck.deadlocks == ((0, ("1",)), (1, ("1",)))
