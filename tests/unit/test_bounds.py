"""What stops one long call into C: of the solver, and of CUDD."""

import os
import signal
import sys
import time
from threading import Timer

import pytest

from symrob.errors import LimitExceeded
from symrob.limits import Clock, Limits
from symrob.memory import MEBIBYTE, resident
from symrob.robustness.effort import Effort
from symrob.robustness.proposers import SatProposer
from symrob.symbolic.context import Context

HOLES = 11


def pigeons(clock):
    """A solver that has to put 12 pigeons into 11 holes, and works for minutes."""
    solver = SatProposer((HOLES + 1) * HOLES, clock, Effort())
    for pigeon in range(HOLES + 1):
        solver.add([pigeon * HOLES + hole + 1 for hole in range(HOLES)])
        for other in range(pigeon):
            for hole in range(HOLES):
                solver.add([-(p * HOLES + hole + 1) for p in (pigeon, other)])
    return solver


def test_time_stops_one_call_of_the_solver():
    solver = pigeons(Clock(Limits(seconds=0.2)))
    begun = time.monotonic()
    with pytest.raises(LimitExceeded, match="--timeout"):
        solver.propose()
    assert time.monotonic() - begun < 5
    solver.close()


def test_a_signal_stops_one_call_of_the_solver():
    solver = pigeons(Clock())
    begun = time.monotonic()
    timer = Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        solver.propose()
    assert time.monotonic() - begun < 5
    timer.join()
    solver.close()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_cudd_does_not_take_more_than_it_may():
    pytest.importorskip("dd.cudd")
    limit = resident() // MEBIBYTE + 20
    ctx = Context("cudd", Clock(Limits(memory=limit)))
    with pytest.raises(LimitExceeded, match="--memory"):
        doubling(ctx, Effort())
    assert resident() < (limit + 100) * MEBIBYTE


def doubling(ctx, effort):
    """Pairs far apart: the BDD doubles each time. No image, so no check."""
    names = [f"x{i}" for i in range(44)]
    ctx.declare(names)
    with effort.stage("test"):
        equal = ctx.true
        for x, y in zip(names[:22], names[22:], strict=True):
            a, b = ctx.cube({x: True}), ctx.cube({y: True})
            equal = equal & ((a & b) | (~a & ~b))
