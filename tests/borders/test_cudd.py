"""Managers of BDDs: when they are freed, and operations that end in their midst."""

import ctypes
import gc
import os
import signal
import subprocess
import time
import weakref

import pytest

from symrob.envelope.effort import Effort
from symrob.errors import LimitExceeded
from symrob.interrupts import graceful
from symrob.limits import Clock, Limits
from symrob.memory import MEBIBYTE, resident
from symrob.symbolic.context import Context

cudd = pytest.importorskip("dd.cudd")
borders = pytest.importorskip("symrob.borders.cudd")


def in_a_ring():
    """A manager that Python must collect; it comes to the sets before their list."""
    ctx = Context("cudd")
    ctx.declare(["x", "y"])
    ring = [ctx.cube({"x": True}), ctx.cube({"y": True})]
    ring.append(ring)
    return weakref.ref(ctx.manager)


def test_a_manager_in_a_cycle_is_freed_after_its_sets():
    """Else dd complains, which fails this test, and the memory is never given back."""
    managers = [in_a_ring() for _ in range(3)]
    gc.collect()
    Context("cudd")
    assert [manager() for manager in managers] == [None] * 3


def test_a_manager_is_freed_at_once_with_its_last_set():
    ctx = Context("cudd")
    ctx.declare(["x"])
    manager, kept = weakref.ref(ctx.manager), ctx.cube({"x": True})
    del ctx
    assert manager() is not None
    del kept
    assert manager() is None


def halves(ctx, pairs):
    """Pairs that are far apart are equal: small sets, and their union doubles often."""
    left, right = [f"x{i}" for i in range(pairs)], [f"y{i}" for i in range(pairs)]
    ctx.declare([*left, *right])
    sets = [ctx.true, ctx.true]
    for i, (x, y) in enumerate(zip(left, right, strict=True)):
        a, b = ctx.cube({x: True}), ctx.cube({y: True})
        sets[i % 2] &= (a & b) | (~a & ~b)
    return sets, left


OPERATIONS = {
    "and": lambda ctx, u, v, _: u & v,
    "or": lambda ctx, u, v, _: ~u | ~v,
    "and_exists": lambda ctx, u, v, names: ctx.and_exists(u, v, names[:2]),
    "exists": lambda ctx, u, v, names: ctx.exists(u & v, names[4:6]),
}


class Stopping(Clock):
    """Says at one of its checks that the run must end."""

    left = -1

    def check(self):
        self.left -= 1
        if self.left == 0:
            raise LimitExceeded("enough")


def inside(ctx, name):
    """What CUDD says of itself."""
    function = getattr(ctypes.CDLL(cudd.__file__), name)
    function.argtypes = (ctypes.c_void_p,)
    address = borders._address(ctx.manager)
    assert address is not None
    return function(address)


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_manager_is_as_before_when_an_operation_has_ended_in_its_midst(name):
    """Wherever that is: it holds nothing, and finds itself in order."""
    clock = Stopping()
    ctx = Context("cudd", clock)
    (u, v), names = halves(ctx, 24)
    # What is quantified is kept from now on.
    ctx.and_exists(ctx.true, ctx.true, names[:2])
    before = inside(ctx, "Cudd_CheckZeroRef")
    for calls in (2, 3, 4):
        clock.left = calls
        with pytest.raises(LimitExceeded, match="enough"), Effort().stage("test"):
            OPERATIONS[name](ctx, u, v, names)
        assert inside(ctx, "Cudd_CheckZeroRef") == before
        assert inside(ctx, "Cudd_DebugCheck") == inside(ctx, "Cudd_CheckKeys") == 0
    del u, v
    assert inside(ctx, "Cudd_CheckZeroRef") < before


@pytest.mark.parametrize("number", [None, signal.SIGTERM])
def test_one_operation_ends_with_the_run(number):
    """By the clock or by a signal; nothing but the operation looks at them."""
    clock = Clock()
    ctx = Context("cudd", clock)
    assert ctx.manager.breakable
    (u, v), _names = halves(ctx, 26)
    expected = LimitExceeded if number is None else KeyboardInterrupt
    kill = f"sleep 0.3; kill -{int(number)} {os.getpid()}" if number else "true"
    begun = time.monotonic()
    with graceful(), subprocess.Popen(["sh", "-c", kill]):
        with pytest.raises(expected), clock.at_most(60 if number else 0.3):
            u & v
        assert time.monotonic() - begun < 10


def test_many_variables_take_no_more_memory_than_they_may():
    """CUDD's cache doubles with them, and would take 64 MiB."""
    before = resident()
    ctx = Context("cudd", Clock(Limits(memory=before // MEBIBYTE + 30)))
    with pytest.raises(LimitExceeded, match="max_memory="), Effort().stage("test"):
        ctx.declare([f"x{number}" for number in range(20_000)])
    assert resident() - before < 36 * MEBIBYTE
