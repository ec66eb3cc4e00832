"""What stops one long call into C: of the solver, and of CUDD."""

import itertools
import mmap
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from types import SimpleNamespace

import pytest

from symrob import interrupts, limits
from symrob.envelope.effort import Effort
from symrob.envelope.solvers import EnumerationSolver, ProofSolver
from symrob.errors import LimitExceeded, SymrobError
from symrob.interrupts import OverError, graceful
from symrob.limits import Clock, Limits, Stages, begun, ending, running, tick, watched
from symrob.memory import MEBIBYTE, resident
from symrob.symbolic.context import Context

HOLES = 11


def sat_solver(clock):
    return with_pigeons(ProofSolver(clock, Effort()))


def with_pigeons(solver):
    """A solver that has to put 12 pigeons into 11 holes, and works for minutes."""
    for pigeon in range(HOLES + 1):
        solver.add([pigeon * HOLES + hole + 1 for hole in range(HOLES)])
        for other in range(pigeon):
            for hole in range(HOLES):
                solver.add([-(p * HOLES + hole + 1) for p in (pigeon, other)])
    return solver


def test_time_stops_one_call_of_the_solver():
    solver = sat_solver(Clock(Limits(seconds=0.2)))
    begun = time.monotonic()
    with pytest.raises(LimitExceeded, match="timeout="):
        solver.propose()
    assert time.monotonic() - begun < 5
    solver.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("many", [False, True])
def test_a_signal_stops_one_call_of_the_solver(number, many):
    """Also of the one that has a way of its own with SIGINT, which breaks it."""
    clock = Clock()
    solver = (
        with_pigeons(EnumerationSolver(clock, Effort())) if many else sat_solver(clock)
    )
    begun = time.monotonic()
    # From outside: a thread of ours would wait until the call is over.
    kill = f"sleep 0.3; kill -{int(number)} {os.getpid()}"
    with subprocess.Popen(["sh", "-c", kill]):
        with graceful(), pytest.raises(KeyboardInterrupt):
            solver.propose()
        assert time.monotonic() - begun < 5
    solver.close()


def test_memory_is_what_is_used_and_not_what_is_reserved():
    before = resident()
    with mmap.mmap(-1, 1 << 30):
        assert abs(resident() - before) < 1 << 28


def test_cudd_does_not_take_more_than_it_may():
    pytest.importorskip("dd.cudd")
    limit = resident() // MEBIBYTE + 20
    ctx = Context("cudd", Clock(Limits(memory=limit)))
    with pytest.raises(LimitExceeded, match="max_memory="):
        doubling(ctx, Effort())
    assert resident() < (limit + 100) * MEBIBYTE


def doubling(ctx, effort, count=22):
    """Pairs far apart: the BDD doubles each time. No image, so no check."""
    names = [f"x{i}" for i in range(2 * count)]
    ctx.declare(names)
    with effort.stage("test"):
        equal = ctx.true
        for x, y in zip(names[:count], names[count:], strict=True):
            a, b = ctx.cube({x: True}), ctx.cube({y: True})
            equal = equal & ((a & b) | (~a & ~b))


def busy():
    while True:
        pass


@pytest.fixture
def hasty(monkeypatch):
    """An alarm that rings soon."""
    for module in (interrupts, limits):
        monkeypatch.setattr(module, "PATIENCE", 0.02)
    monkeypatch.setattr(interrupts, "LAST", 0.1)


def test_what_never_looks_at_the_clock_ends(hasty):
    with begun(), graceful():
        stages = Stages(Clock(Limits(seconds=0.05)))
        with stages:
            busy()
        assert stages.status == "timeout"
        # What is shown may take a little longer, and no more.
        with pytest.raises(OverError):
            busy()


def test_what_is_shown_ends_with_the_run(hasty):
    def block():
        with begun(), graceful():
            clock = Clock(Limits(seconds=0.05))
            with Stages(clock), clock.suspended():
                busy()

    with pytest.raises(LimitExceeded, match="timeout="):
        block()


def test_what_never_looks_at_the_memory_ends():
    bound = resident() // MEBIBYTE + 20
    with begun(), graceful():
        stages = Stages(Clock(Limits(memory=bound)))
        with stages:
            held = []
            while True:
                held.append(b"x" * (MEBIBYTE // 10))
        assert "max_memory=" in stages.reason
    # What a fast machine fills between two beats comes to it.
    assert len(held) < 10 * (bound + 500)


def test_a_signal_ends_what_is_shown(hasty, monkeypatch):
    monkeypatch.setattr(interrupts, "SHOWN", 0.3)

    def block():
        with begun(), graceful():
            clock = Clock()
            while True:
                with Stages(clock):
                    busy()

    kill = f"sleep 0.3; kill -{int(signal.SIGHUP)} {os.getpid()}"
    with subprocess.Popen(["sh", "-c", kill]), pytest.raises(KeyboardInterrupt):
        block()


def test_all_clocks_of_a_run_count_from_its_beginning():
    with begun(time.monotonic() - 5), begun():
        assert Clock(Limits(seconds=9)).remaining < 4.1
    assert Clock(Limits(seconds=9)).remaining > 8


def test_a_block_ends_at_its_next_look_at_the_clock():
    """Not as a problem of a file, which readers collect."""
    seen = []

    def block():
        for number in watched(itertools.count(), 4):
            seen.append(number)
            if number == 9:
                clock.interrupt()
            with suppress(SymrobError):
                tick()

    clock = Clock()
    with pytest.raises(LimitExceeded), running(clock):
        block()
    assert seen[-1] == 9
    # Nobody is watched outside of the block.
    assert list(watched(range(3), 1)) == [0, 1, 2]


def test_what_a_stage_finds_after_an_interrupt_is_that_interrupt():
    """The next stages do not say that the time is up."""
    clock = Clock(Limits(seconds=60))
    clock.interrupt()
    stages = Stages(clock)
    with stages:
        clock.check()
    assert (stages.status, stages.reason) == ("interrupted", "interrupted")


def test_what_evaluates_for_a_moment_keeps_what_it_has_when_a_signal_comes():
    """It sees a bound, and not an interrupt, which would end all that surrounds it."""
    with graceful():
        clock = Clock()
        with clock.suspended(1.0):
            os.kill(os.getpid(), signal.SIGTERM)
            with pytest.raises(LimitExceeded, match="interrupted"):
                clock.check()
        assert clock.interrupted
        with pytest.raises(LimitExceeded, match="interrupted"):
            clock.check()


def test_moments_after_an_interrupt_do_not_add_up():
    clock = Clock()
    with clock.suspended(1.0), clock.suspended(1.0):
        clock.interrupt()
    end = clock.remaining
    for _ in range(100):
        with clock.suspended(1.0):
            assert clock.remaining <= 1.0
    assert clock.remaining <= end <= 0.0


def test_an_interrupt_tells_how_a_run_ended():
    complete, limit, timeout, stopped = (
        SimpleNamespace(status=status, reason="")
        for status in ("complete", "limit", "timeout", "interrupted")
    )
    assert ending([complete, timeout, limit, stopped]) is stopped
    assert ending([complete, timeout, limit]) is timeout
    assert ending([complete, complete]) is complete


class Block:
    """Its methods return their own frames."""

    def __exit__(self, *_):
        return sys._getframe()

    def within(self):
        return sys._getframe()


def test_no_beat_comes_between_a_block_and_its_end(monkeypatch):
    """What is raised in `__exit__` misses the block that records why a stage ended."""

    def over(_late):
        raise LimitExceeded("out of memory", reason="limit")

    monkeypatch.setattr(interrupts._Run, "watch", staticmethod(over))
    interrupts._ring(0, Block().__exit__())
    with pytest.raises(LimitExceeded):
        interrupts._ring(0, Block().within())
