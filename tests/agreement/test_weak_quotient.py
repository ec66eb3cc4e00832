"""Classes of states of C‖P: the same words fail, and the same actions can be taken."""

from random import Random

from symrob.envelope.exploration import step
from symrob.envelope.product_monitor import ProductMonitor, product_table
from symrob.envelope.weak_quotient import weak_quotient
from symrob.limits import Clock
from symrob.lts import Network
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


def test_the_quotient_fails_on_the_same_words():
    """All words at once: pairs of the sets that they lead to, table and quotient."""
    fewer = failing = pairs = 0
    for seed in range(250):
        table = random_table(Random(seed))
        whole = ProductMonitor(table)
        if whole.initial & whole.failing:
            continue
        classes = weak_quotient(table, CLOCK)
        small = ProductMonitor(classes)
        fewer += len(small) < len(whole)
        todo = [(whole.initial, small.initial)]
        seen = set(todo)
        for ours, theirs in todo:
            pairs += 1
            for action in SHARED:
                after = step(whole, ours, action), step(small, theirs, action)
                assert (after[0] is None) == (after[1] is None)
                if after[0] is None:
                    failing += 1
                    continue
                assert bool(after[0]) == bool(after[1])
                if after not in seen:
                    seen.add(after)
                    todo.append(after)
        # Fewest: classes that nothing tells apart would be one.
        again = weak_quotient(classes, CLOCK)
        assert len(again.internal) == len(classes.internal)
    assert fewer > 60
    assert failing > 100
    assert pairs > 300
