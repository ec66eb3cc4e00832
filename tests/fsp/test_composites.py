"""Random composites mean what the definition says; see `fuzz_composites`."""

import pytest

from symrob.formats.fsp import load_text
from tests.fsp.fuzz_composites import difference, read_back
from tests.oracles import fsp_composites as oracle
from tests.oracles.fsp_composites import TooLarge, Unclear
from tests.strength import examples


@pytest.mark.parametrize("block", range(examples(3, 60)))
def test_random_composites(block):
    compared = 0
    for seed in range(block * 40, block * 40 + 40):
        try:
            text, what = difference(seed)
        except (TooLarge, Unclear):
            continue
        compared += 1
        assert what is None, f"seed {seed}: the {what} differs\n{text}"
    assert compared >= 5


def test_the_oracle_on_examples_of_ltsa():
    """Two products that LTSA 3.0 gave: 4 states and 8 transitions, 2 and 2."""
    moves = frozenset({(0, "x.go", 1), (1, "y.go", 0)})
    machine = oracle.Machine(frozenset({"x.go", "y.go"}), 0, moves)
    group = oracle.Group(
        tuple(oracle.Renamed(oracle.prefixes([n]), machine) for n in "ab")
    )
    pairs = [(new, f"{name}.{new}") for new in "xy" for name in "ab"]
    merging = oracle.relabels(pairs)
    for inside, states, transitions in [
        (oracle.Composite(group), 4, 8),
        (group, 2, 2),
    ]:
        found = oracle.whole(oracle.Composite(oracle.Renamed(merging, inside)))
        assert (len(found.states()), len(found.moves)) == (states, transitions)


def test_the_comparison_can_say_no():
    one = read_back(load_text("P = (a -> b -> END).").network)
    for other in ("P = (a -> b -> STOP).", "P = (a -> END) + {b}.", "P = (a -> END)."):
        assert not oracle.same(one, read_back(load_text(other).network))
    stop = read_back(load_text("P = (a -> b -> STOP).").network)
    assert oracle.same(one, stop, ends=False)
