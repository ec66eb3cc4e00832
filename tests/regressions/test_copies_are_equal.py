"""An envelope could be neither shown nor copied, and a copied network was another."""

import copy
import pickle

import pytest

from symrob import Lts, Network, compute
from symrob.analyses.deadlocks import idle_properties
from symrob.api import load_roles, open_engine
from symrob.case import load_case
from symrob.options import Options

COPIES = [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
E = Lts(["a", "b"], 2, [(0, "a", 1), (1, "b", 0)])
C = Lts(["a", "b"], 2, [(0, "a", 1), (1, "b", 0), (0, "b", 0)])
P = Lts(["a", "b"], 2, [(0, "a", 1), (1, "b", 0)])


@pytest.mark.parametrize("made", COPIES)
def test_a_copied_network_is_equal(made):
    network = Network([E, C], component_names=["E", "C"], hidden=["a"])
    again = made(network)
    assert again == network
    assert hash(again) == hash(network)
    assert network != Network([E, C], component_names=["E", "C"])
    assert network != Network([C, E], component_names=["E", "C"], hidden=["a"])


@pytest.mark.parametrize("made", COPIES)
@pytest.mark.parametrize("taken", [0, 1, None])
def test_a_copied_envelope_goes_on_where_it_stood(made, taken):
    whole = list(compute(E, C, P))
    assert whole
    envelope = compute(E, C, P)
    for deviation, _ in zip(envelope, range(taken or 0), strict=False):
        assert deviation in whole
    if taken is None:
        assert envelope.complete
    again = made(envelope)
    assert again.status == envelope.status
    assert list(again) == whole
    assert again.complete
    assert list(envelope) == whole


def test_an_envelope_says_what_it_is():
    envelope = compute(E, C, P)
    assert repr(envelope) == "SafetyEnvelope(lazy: iterate to compute)"
    count = len(envelope)
    assert f"(complete, {count} deviation" in repr(envelope)


def test_a_property_that_says_never_is_not_idle(tmp_path):
    (tmp_path / "e.lts").write_text("E = (a -> E).")
    (tmp_path / "c.lts").write_text("C = (a -> C) + {x, y}.")
    (tmp_path / "never.lts").write_text("property P = STOP + {x}.")
    (tmp_path / "idle.lts").write_text("property P = (y -> P).")
    (tmp_path / "case.toml").write_text(
        'environment = "e.lts"\ncontroller = "c.lts"\n'
        'properties = ["never.lts", "idle.lts"]'
    )
    case = load_case(str(tmp_path / "case.toml"))
    engine = open_engine(load_roles(case), Options())
    assert idle_properties(engine) == ("idle.lts",)
