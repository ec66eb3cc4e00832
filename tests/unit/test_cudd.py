"""Managers of BDDs: when they are freed."""

import gc
import weakref

import pytest

pytest.importorskip("dd.cudd")

from symrob.symbolic.context import Context


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
