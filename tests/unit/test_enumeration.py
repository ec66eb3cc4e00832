"""The parts of the enumeration: caches, solvers, extension, the quotient."""

import json
import pickle
from itertools import combinations, islice
from random import Random

import pytest

import symrob
from symrob.api.delta import Delta
from symrob.envelope import tuning
from symrob.envelope.cache import Cache
from symrob.envelope.effort import Effort
from symrob.envelope.solvers import EnumerationSolver
from symrob.errors import LimitExceeded, NominalViolation
from symrob.limits import Clock, Limits
from symrob.lts import Transition
from symrob.lts.deviation import Deviation
from symrob.report.result import _Whole
from tests.engines import engine_if_safe
from tests.fuzz.problems import many, wild
from tests.generate import MEDIUM, random_problem
from tests.golden.test_reference import TABLE1, solve


def test_a_memo_asks_once_and_forgets_when_it_is_full():
    asked = []

    def double(number):
        asked.append(number)
        return 2 * number

    memo = Cache(double, most=2)
    assert [memo[k] for k in (1, 1, 2, 2)] == [2, 2, 4, 4]
    assert asked == [1, 2]
    assert memo[3] == 6
    assert len(memo) == 1
    assert memo[1] == 2
    assert asked == [1, 2, 3, 1]


def test_found_deviations_come_back_as_they_were():
    delta = symrob.compute(*random_problem(Random(5), shapes=((3, 2),)))
    alphabet, size = delta.environment.alphabet, delta.environment.size
    every = [Transition(q, a, r) for q in range(size) for a in alphabet for r in (0, 1)]
    rng = Random(1)
    kept, nominal = Delta(delta.environment), delta.environment.visible_transitions
    chosen = [
        Deviation(nominal, rng.sample(every, rng.randrange(len(every))))
        for _ in range(40)
    ]
    for deviation in (Deviation(nominal, ()), *chosen):
        kept.append(deviation)
    assert list(kept) == [nominal, *chosen]
    assert list(pickle.loads(pickle.dumps(kept))) == list(kept)
    assert kept[-1] == chosen[-1]
    assert kept[3:5] == chosen[2:4]
    assert kept[-1].environment is delta.environment


def test_deviations_with_their_bits_are_kept_and_written_like_any_others():
    """With those of another search among them, and moves of E by itself."""
    seen = 0
    for seed in range(60):
        rng = Random(seed)
        engines = [engine_if_safe(kind(rng)) for kind in (wild, many)]
        if None in engines:
            continue
        found = [d for engine in engines for d in islice(engine.deviations(), 20)]
        rng.shuffle(found)
        written = _Whole()
        for deviation in found:
            plain = Deviation(deviation - deviation.new, deviation.new)
            text = written(deviation)
            assert text == _Whole()(plain)
            assert json.loads(text) == [list(t) for t in sorted(deviation)]
            seen += deviation.packed is not None
        own = [d for d in found if d.environment is engines[0].environment]
        kept = Delta(engines[0].environment)
        for deviation in own:
            kept.append(deviation)
        assert list(kept) == own
        assert list(pickle.loads(pickle.dumps([*kept]))) == own
    assert seen > 50


def test_a_memo_does_not_keep_its_owner():
    class Owner:
        def __init__(self):
            self.memo = Cache(self.double)

        def double(self, number):
            return 2 * number

    memo = Owner().memo
    with pytest.raises(AssertionError, match="owner"):
        memo[1]


def pigeons(holes):
    """One pigeon too many: no model, and hard to see."""

    def inside(pigeon, hole):
        return pigeon * holes + hole + 1

    for pigeon in range(holes + 1):
        yield [inside(pigeon, hole) for hole in range(holes)]
    for one, other in combinations(range(holes + 1), 2):
        for hole in range(holes):
            yield [-inside(one, hole), -inside(other, hole)]


def solver_of(clauses, seconds=None):
    solver = EnumerationSolver(Clock(Limits(seconds=seconds)), Effort())
    for clause in clauses:
        solver.add(clause)
    return solver


def true_ones(model):
    return sum(value > 0 for value in model)


def test_models_are_large():
    solver = solver_of([[1, 2, 3, 4, 5, 6]])
    assert true_ones(solver.propose()) == 6
    assert true_ones(solver.propose([-3, -5])) == 4
    solver.add([-1, -2])
    assert true_ones(solver.propose()) > 1
    assert solver.propose([1, 2]) is None


@pytest.mark.parametrize(("conflicts", "size"), [(-1, 1), (5, 5)])
def test_models_become_small_after_many_conflicts(monkeypatch, conflicts, size):
    """As few variables are true as the clauses ask for, from then on."""
    monkeypatch.setattr(tuning, "MANY_CONFLICTS", conflicts)
    solver = solver_of([[1, 2, 3, 4, 5, 6]])
    for _ in range(tuning.CALLS_WATCHED):
        assert true_ones(solver.propose()) == 6
    # A model stands until something excludes it.
    solver.add([-1])
    assert true_ones(solver.propose()) == size


def test_a_proof_takes_more_than_one_call_of_the_solver():
    """More conflicts than the first call may have."""
    assert solver_of(pigeons(7)).propose() is None


def test_calls_of_the_solver_do_not_get_longer_than_signals_can_wait(monkeypatch):
    monkeypatch.setattr(tuning, "FIRST_CONFLICTS", 50)
    budgets = []

    def calls(long):
        monkeypatch.setattr(tuning, "LONG_CALL", long)
        solver = solver_of(pigeons(6))
        budgets.clear()
        set_budget = solver._solver.conf_budget
        solver._solver.conf_budget = lambda n: (budgets.append(n), set_budget(n))
        assert solver.propose() is None
        return budgets

    assert calls(60)[:3] == [50, 100, 200]
    assert set(calls(0)) == {50}
    assert len(budgets) > 3


def test_a_long_proof_is_stopped_when_the_time_is_up():
    solver = solver_of(pigeons(11), seconds=0.3)
    with pytest.raises(LimitExceeded) as caught:
        solver.propose()
    assert caught.value.reason == "timeout"
    assert solver._clock.elapsed < 5


def test_growth_is_safe_and_maximal_beyond_what_brute_force_can_do():
    """By the fixpoints on BDDs: each deviation is safe, and with one more unsafe.

    Every set is grown on its own, and some mistakes in extension show in one set
    of a hundred only; hence many problems.
    """
    several = 0
    for seed in range(200):
        problem = random_problem(Random(seed), shapes=MEDIUM, machine=6)
        try:
            found = symrob.compute(*problem, limit=20)
        except NominalViolation:
            continue
        engine, deviations = found.engine, list(found)
        several += len(deviations) > 1
        for deviation in deviations:
            assert engine.is_safe(engine.deviated(deviation)), seed
        for extra in engine.candidates:
            if extra not in deviations[-1]:
                larger = engine.deviated({*deviations[-1], extra})
                assert not engine.is_safe(larger), (seed, extra)
    assert several > 50


def test_what_is_new_in_a_deviation():
    old, new = Transition(0, "a", 1), Transition(1, "a", 0)
    deviation = Deviation([old], [new, old])
    assert deviation == {old, new}
    assert deviation.new == {new}
    assert isinstance(deviation.new, frozenset)


def test_the_solver_is_asked_once_for_each_deviation():
    found = solve(TABLE1["therac25"], constrained=False)
    assert len(found) == 398
    effort = found.engine.effort
    # The rest wrote down clauses that were missing.
    assert 399 <= effort.solver_calls <= 410
    # 4 states of E, and at most 8 states of the minimal monitor that can do harm.
    assert effort.pairs <= 32
