"""Many actions of one kind took seconds and gigabytes: 200 of them over 15 s.

All of them can be exchanged, and their symmetries were searched for.
"""

import symrob
from symrob.lts import Lts


def test_a_thousand_equal_actions_are_no_harder_than_one():
    first = [f"x{i}" for i in range(500)]
    second = [f"x{i}" for i in range(500, 1000)]
    every = [*first, *second]

    def two_states(there, back):
        moves = [(0, a, 1) for a in there] + [(1, a, 0) for a in back]
        return Lts(every, 2, moves)

    plan, watch = two_states(first, second), two_states(first, every)
    envelope = symrob.compute(plan, watch, plan, timeout=20)
    (deviation,) = envelope
    # In state 0 nobody offers the second half, in state 1 it may come to nothing.
    useless = {(0, a, r) for a in second for r in (0, 1)}
    assert deviation.new == useless | {(1, a, 1) for a in second}
    assert envelope.status == "complete"
