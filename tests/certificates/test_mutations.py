"""Faults that are put into the engine are found by certificates.

More of them, as changes of its text, were tried by hand; see docs/certificates.md.
"""

from random import Random

import pytest

from symrob.analyses.evidence import BreachError
from symrob.envelope import simulation
from symrob.envelope.extension import MaximalExtension
from symrob.envelope.horn import HornFormula
from symrob.envelope.monitors import TableMonitor
from symrob.errors import NominalViolation
from symrob.symbolic.encoding import SymbolicSystem
from tests.certificates import faults
from tests.certificates.tools import certify, verdict
from tests.fuzz import problems


def first_lost(self, key, before=HornFormula._variables_of):
    """A blocking clause excludes more than what was found."""
    return before(self, key)[1:]


def never_fails(self, found, fresh, present, before=MaximalExtension._walk):
    before(self, found, fresh, present)
    return True


def grows_little(self, row, grown, before=MaximalExtension._grow_row):
    """Every third row is left as it is."""
    if row % 3:
        before(self, row, grown)


def all_alike(determinised, actions, clock):
    """All monitor states are worse than all."""
    everything = (1 << len(determinised)) - 1
    return [everything] * len(determinised)


def no_harm(determinised, actions):
    return 0


def rejects_nothing(self, action):
    return 0


def stands_still(self, states, after=None):
    """Moves of C alone are not followed."""
    return states


def first_inner_move(self, states, after=None, before=SymbolicSystem.close):
    moves, self.clusters, self._known_near = self.clusters, self.clusters[:1], {}
    try:
        return before(self, states)
    finally:
        self.clusters, self._known_near = moves, {}


FAULTS = {
    "blocking": (HornFormula, "_variables_of", first_lost),
    "walk": (MaximalExtension, "_walk", never_fails),
    "grow": (MaximalExtension, "_grow_row", grows_little),
    "order": (simulation, "simulating_states", all_alike),
    "harm": (simulation, "harmful_states", no_harm),
    "rejects": (TableMonitor, "rejects", rejects_nothing),
    "close": (SymbolicSystem, "close", stands_still),
    "one inner move": (SymbolicSystem, "close", first_inner_move),
}
KINDS = (problems.small, problems.many, problems.wild, problems.chain)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found(name, tmp_path, monkeypatch):
    where, what, instead = FAULTS[name]
    monkeypatch.setattr(where, what, instead)
    for seed in range(200):
        rng = Random(seed)
        if found(rng.choice(KINDS)(rng), tmp_path / "certificate"):
            return
    pytest.fail("nothing was found")


def found(problem, path):
    """Whether certificates find a fault in the answer to a problem."""
    try:
        certify(problem, path, limit=40, timeout=3)
    except NominalViolation:
        return False
    except BreachError:
        return True
    except AssertionError:
        # The engine has found it itself.
        return False
    return verdict(path) != "right"


def test_without_a_fault_nothing_is_found(tmp_path):
    for seed in range(60):
        rng = Random(seed)
        assert not found(rng.choice(KINDS)(rng), tmp_path / "certificate")


def test_each_fault_of_the_list_fits_one_place():
    for fault in faults.FAULTS:
        text = (faults.ROOT / fault["file"]).read_text("utf-8")
        assert text.count(fault["old"]) == 1, fault
