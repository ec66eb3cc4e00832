"""Classes of states of C‖P: the same words fail, and the same actions can be taken."""

import tracemalloc
from random import Random

from symrob.envelope.exploration import step
from symrob.envelope.product_monitor import ProductMonitor, product_table
from symrob.envelope.weak_quotient import ProductTable, weak_quotient
from symrob.limits import Clock
from symrob.lts import Network
from symrob.lts.masks import bits
from symrob.problem import Role, monitors
from symrob.symbolic.context import Context
from symrob.symbolic.encoding import SymbolicSystem
from tests.generate import random_lts, random_monitor

CLOCK = Clock()
SHARED = ["a", "b", "c"]


def random_table(rng):
    """C‖P of a machine with actions of its own, a property, and now and then ERROR."""
    parts = [
        random_lts(rng, rng.sample([*SHARED, "u", "v"], 3), 3, 0.8, tau=0.3, error=e)
        for e in (0, 0.1)
    ]
    (watched,) = monitors(Role(random_monitor(rng, [*SHARED, "u"], 3, 0.1), "P"))
    system = SymbolicSystem(Context(), Network(parts), (watched,), SHARED)
    return product_table(system, 1000, CLOCK)


def closed(table, states):
    """What internal moves lead to; `None` if that may be ERROR."""
    found, todo = set(states), [*states]
    for state in todo:
        todo += set(table.internal[state]) - found
        found.update(table.internal[state])
    return None if found & {*bits(table.failing)} else frozenset(found)


def after(table, states, action):
    """What an action leads a closed set to; `None` if that may be ERROR."""
    if states & {*bits(table.rejects[action])}:
        return None
    return closed(table, {t for s in states for t in table.post[action][s]})


def test_the_quotient_fails_on_the_same_words():
    """All words at once: pairs of the sets that they lead to, table and quotient."""
    fewer = failing = pairs = 0
    for seed in range(250):
        table = random_table(Random(seed))
        initial = closed(table, {0})
        if initial is None:
            continue
        classes = weak_quotient(table, CLOCK)
        small = ProductMonitor(classes)
        fewer += len(small) < len(table.internal)
        todo = [(initial, small.initial)]
        seen = set(todo)
        for ours, theirs in todo:
            pairs += 1
            for action in SHARED:
                both = after(table, ours, action), step(small, theirs, action)
                assert (both[0] is None) == (both[1] is None)
                if both[0] is None:
                    failing += 1
                    continue
                assert bool(both[0]) == bool(both[1])
                if both not in seen:
                    seen.add(both)
                    todo.append(both)
        # Fewest: classes that nothing tells apart would be one.
        post = {a: [tuple(bits(m)) for m in row] for a, row in classes.post.items()}
        none = [()] * classes.size
        again = weak_quotient(ProductTable(post, classes.rejects, none, 0), CLOCK)
        assert again.size == classes.size
    assert fewer > 60
    assert failing > 100
    assert pairs > 300


def test_a_quotient_takes_little_more_than_its_table():
    """A mask for each state and action, not for each pair of those."""
    rng, states = Random(1), range(2000)
    post = {a: [(rng.randrange(2000),) for _ in states] for a in "abcdef"}
    fails = {a: rng.getrandbits(2000) & rng.getrandbits(2000) & ~1 for a in "abcdef"}
    table = ProductTable(post, fails, [()] * 2000, 0)
    tracemalloc.start()
    try:
        assert weak_quotient(table, CLOCK).size > 1900
        assert tracemalloc.get_traced_memory()[1] < 15_000_000
    finally:
        tracemalloc.stop()
