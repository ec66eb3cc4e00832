"""What symrob relies on inside other libraries holds, and where not, answers stay.

`make test-borders` runs this folder with each version of Python that is supported.
"""

import inspect
import subprocess
import sys

import dd.cudd
import pysolvers
import pytest
from pysat.examples.rc2 import RC2
from pysat.solvers import Cadical195

import symrob
from symrob import borders
from symrob.borders import cudd, sat
from symrob.envelope.effort import Effort
from symrob.envelope.solvers import EnumerationSolver, MaxSatSolver, ProofSolver
from symrob.errors import LimitExceeded
from symrob.limits import Clock
from symrob.memory import MEBIBYTE
from symrob.symbolic.context import Context

REMEMBERED = (cudd._register, sat.cadical, sat._rc2)
THERAC = "models/therac25/therac25.toml"


@pytest.fixture(autouse=True)
def anew():
    """What was tried once is tried again, before a test and after it."""
    forget()
    yield
    forget()


def forget():
    cudd.BDD.takes_cubes = None
    for each in REMEMBERED:
        each.cache_clear()


def answers():
    """Δ, and the largest alone: BDDs, and each of the solvers."""
    case = symrob.load_case(THERAC)
    found = [case.compute(), case.compute(largest=1)]
    return [sorted(map(sorted, envelope)) for envelope in found]


@pytest.fixture(scope="module")
def expected():
    found = answers()
    assert [len(deviations) for deviations in found] == [4, 1]
    return found


# What holds.


def test_managers_call_back():
    assert Context("cudd").manager.breakable


def test_quantifying_takes_a_cube():
    assert takes_cubes()


def takes_cubes():
    ctx = Context("cudd")
    ctx.declare(["x", "y"])
    x = ctx.cube({"x": True})
    assert ctx.and_exists(x, ctx.true, ["x", "y"]) == ctx.true
    return cudd.BDD.takes_cubes


def test_the_length_of_a_manager_counts_its_sets():
    ctx = Context("cudd")
    ctx.declare(["x", "y"])
    before = len(ctx.manager)
    kept = ctx.cube({"x": True, "y": False})
    assert len(ctx.manager) > before
    del kept
    assert len(ctx.manager) == before


def test_memory_that_is_used_up_has_known_words():
    """Said while variables are declared, and while sets are joined."""
    complaints = set()
    for width in (4, 20_000):
        with pytest.raises((ValueError, RuntimeError)) as caught:
            fill(width)
        complaints.add(str(caught.value))
        assert isinstance(borders.why_given_up(caught.value), LimitExceeded)
    assert all(said.startswith(borders.COMPLAINTS) for said in complaints)
    assert len(complaints) == 2


def fill(width):
    """Variables; and pairs of them that are far apart are equal: that doubles often."""
    ctx = Context("cudd")
    ctx.manager.configure(max_memory=24 * MEBIBYTE)
    ctx.declare([f"x{number}" for number in range(width)])
    names = [f"y{i}" for i in range(60)]
    ctx.declare(names)
    found = ctx.true
    for x, y in zip(names[:30], names[30:], strict=True):
        a, b = ctx.cube({x: True}), ctx.cube({y: True})
        found &= (a & b) | (~a & ~b)


FIRST = """
import gc, sys, weakref
from symrob.symbolic.context import Context
gc.disable()
class Held: pass
def first():
    held = Held()
    assert Context({backend!r}).backend == {backend!r}
    return weakref.ref(held)
assert first()() is None
assert "networkx" not in sys.modules
"""


@pytest.mark.parametrize("backend", ["cudd", "autoref"])
def test_a_backend_needs_no_networkx(backend):
    """And the error that dd gets and keeps holds nothing of the callers."""
    script = FIRST.format(backend=backend)
    subprocess.run([sys.executable, "-c", script], check=True)


def test_cadical_leaves_signals_to_python():
    assert sat.cadical() is not Cadical195


def test_cadical_logs_proofs():
    solver = EnumerationSolver(Clock(), Effort(), proof=True)
    for clause in ([1, 2], [1, -2], [-1, 2], [-1, -2]):
        solver.add(clause)
    assert solver.propose() is None
    assert solver.proof([0, 1, 2], [1, 2, 3, 4], 5)


def test_minisat_propagates():
    solver = ProofSolver(Clock(), Effort())
    solver.add([-1, 2])
    assert sorted(solver.derived([1])) == [1, 2]
    assert solver.derived([1, -2]) is None


def test_rc2_calls_its_oracle_by_the_method_that_is_replaced():
    source = inspect.getsource(RC2)
    assert "_call_oracle" in source
    assert source.count(".solve_limited(") == 2  # One in `_call_oracle`, and in words.


def test_rc2_tells_bounds_that_come_closer():
    told = []
    solver = MaxSatSolver([3, 2, 2], Clock(), Effort(), told.append)
    for clause in ([-1, -2], [-1, -3], [-2, -3]):
        solver.add(clause)
    assert solver.propose()[0] == 1
    assert told
    assert told == sorted(told, reverse=True)
    assert told[-1] == 3


# What is done without.


def no_address(monkeypatch):
    monkeypatch.setattr(cudd, "_address", lambda _manager: None)


def no_symbol(monkeypatch):
    monkeypatch.setattr(cudd, "_register", lambda _library: None)


def no_cubes(monkeypatch):
    monkeypatch.setattr(cudd.BDD, "cube", dd.cudd.BDD.cube)


def no_calls(monkeypatch):
    for name in ("cadical195_solve_lim", "minisat22_propagate"):
        usual = getattr(pysolvers, name)

        def other(*arguments, usual=usual):
            # Ours say 0: no handler. One that is absent, or takes more.
            if arguments[-1] == 0:
                raise TypeError("expected one more argument")
            return usual(*arguments)

        monkeypatch.setattr(pysolvers, name, other)


def no_oracle(monkeypatch):
    """RC2 calls what it has instead."""
    usual, compute = RC2._call_oracle, RC2.compute_

    def compute_(self):
        type(self)._call_oracle = usual
        try:
            return compute(self)
        finally:
            del type(self)._call_oracle

    monkeypatch.delattr(RC2, "_call_oracle")
    monkeypatch.setattr(RC2, "compute_", compute_)


LACKING = [no_address, no_symbol, no_cubes, no_calls, no_oracle]


@pytest.mark.parametrize("lacking", LACKING)
def test_answers_are_the_same_without(lacking, monkeypatch, expected):
    lacking(monkeypatch)
    assert answers() == expected


def test_each_is_found_to_be_absent(monkeypatch):
    for lacking, found in {
        no_address: lambda: Context("cudd").manager.breakable,
        no_symbol: lambda: Context("cudd").manager.breakable,
        no_cubes: takes_cubes,
        no_calls: lambda: sat.cadical() is not Cadical195,
        no_oracle: lambda: hasattr(sat._rc2(), "_call_oracle"),
    }.items():
        with monkeypatch.context() as patch:
            forget()
            lacking(patch)
            assert not found(), lacking.__name__


def test_without_proofs_no_certificate_is_made(monkeypatch):
    monkeypatch.delattr(pysolvers, "cadical195_tracepr")
    with pytest.raises(LimitExceeded, match="cannot log proofs"):
        EnumerationSolver(Clock(), Effort(), proof=True)


def test_words_that_are_not_known_are_no_bound():
    assert borders.why_given_up(ValueError("something else")) is None


def test_an_operation_that_is_aborted_needs_no_words():
    reason = LimitExceeded("enough")
    borders.note(reason)
    assert borders.why_given_up(ValueError("in other words")) is reason
    assert borders.why_given_up(ValueError("in other words")) is None


def test_what_was_noted_is_forgotten_when_an_operation_may_go_on():
    check = iter([LimitExceeded("enough"), None])

    def asked():
        if (error := next(check)) is not None:
            raise error

    answers = cudd._answers(asked)
    assert [next(answers), answers.send(None), answers.send(None)] == [0, 1, 0]
    assert borders.why_given_up(ValueError("a fault of ours")) is None
