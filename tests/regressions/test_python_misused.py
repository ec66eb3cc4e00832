"""Arguments of the wrong kind raised TypeError or AttributeError, without a word of
what was meant; paths and names of states were not taken."""

from pathlib import Path

import pytest

import symrob
from symrob import Lts, Network, SymrobError
from tests.cli.tools import ROOT

FOLDER = ROOT / "models/running_example"
E, C, P = (FOLDER / f"{n}.lts" for n in ("environment", "controller", "property"))


@pytest.fixture(scope="module")
def result():
    return symrob.compute(str(E), C, [P])


def test_models_paths_and_networks_mean_the_same(result):
    models = [symrob.load(path) for path in (E, C, P)]
    assert isinstance(E, Path)
    network = Network([symrob.product(symrob.load(str(C)))])
    assert set(symrob.compute(models[0], network, models[2])) == set(result)
    assert set(symrob.compute(E, C, models[2], ())) == set(result)
    assert len(result) == 3


def test_states_by_name_or_number(result):
    names = result.environment.names
    by_name = result.explain([(names[0], "a", names[1]), (names[1], "a", 2)])
    by_number = result.explain([(0, "a", 1), (1, "a", 2)])
    assert (by_name.verdict, by_name.new) == (by_number.verdict, by_number.new)


MISUSED = {
    "load a number": lambda _r: symrob.load(5),
    "load nothing": lambda _r: symrob.load(None),
    "process": lambda _r: symrob.load(E, process=5),
    "constants": lambda _r: symrob.load(E, constants=["N"]),
    "constant": lambda _r: symrob.load(E, constants={"N": "5"}),
    "environment": lambda _r: symrob.compute(None, C, P),
    "several controllers": lambda _r: symrob.compute(E, [], P),
    "controller": lambda _r: symrob.compute(E, 5, P),
    "property": lambda _r: symrob.compute(E, C, [P, None]),
    "properties": lambda _r: symrob.compute(E, C, None),
    "no properties": lambda _r: symrob.compute(E, C, []),
    "constraints": lambda _r: symrob.compute(E, C, P, None),
    "a path that leads nowhere": lambda _r: symrob.compute(E, "nowhere.lts", P),
    "a dict": lambda _r: symrob.compute(E, C, symrob.load(P).to_dict()),
    "progress": lambda _r: symrob.compute(E, C, P, on_progress=5),
    "timeout": lambda _r: symrob.compute(E, C, P, timeout="5"),
    "extra states": lambda _r: symrob.compute(E, C, P, extra_states="2"),
    "algorithm": lambda _r: symrob.compute(E, C, P, algorithm=None),
    "compare": lambda r: symrob.compare(r, None),
    "compare models": lambda r: symrob.compare(symrob.load(E), r),
    "one triple": lambda r: r.explain((0, "a", 1)),
    "one named triple": lambda r: r.explain(("S1", "a", "S2")),
    "a text": lambda r: r.explain("0,a,1"),
    "texts": lambda r: r.explain(["0,a,1"]),
    "no triples": lambda r: r.explain(None),
    "pairs": lambda r: r.explain([(0, "a")]),
    "no action": lambda r: r.explain([(0, 1, 1)]),
    "unknown state": lambda r: r.explain([("S9", "a", "S1")]),
    "cuts": lambda r: r.cuts(order="2"),
    "cuts limit": lambda r: r.cuts(limit=1.5),
    "explain deviations": lambda r: r.explain([(0, "a", 1)], deviations="3"),
    "side report": lambda r: r.side_report(most="3"),
    "one text": lambda r: symrob.parse_transitions("0,a,1", r.environment),
    "no environment": lambda r: symrob.parse_transitions(["0,a,1"], r),
    "alphabet": lambda _r: Lts(None, 1, []),
    "action": lambda _r: Lts([1], 1, []),
    "size": lambda _r: Lts(["a"], "1", []),
    "transitions": lambda _r: Lts(["a"], 1, None),
    "transition": lambda _r: Lts(["a"], 1, [(0, "a")]),
    "source": lambda _r: Lts(["a"], 1, [("0", "a", 0)]),
    "names": lambda _r: Lts(["a"], 1, [], names=[1]),
    "from_dict": lambda _r: Lts.from_dict(None),
    "components": lambda _r: Network([None]),
    "one component": lambda r: Network(r.environment),
}


@pytest.mark.parametrize("misuse", MISUSED)
def test_misuse_is_said(result, misuse):
    with pytest.raises(SymrobError) as error:
        MISUSED[misuse](result)
    assert str(error.value).startswith(("error:", "nowhere.lts: error:"))


def test_all_that_is_wrong_at_once():
    with pytest.raises(SymrobError) as error:
        symrob.compute(None, 5, [P, 7], None)
    assert len(error.value.diagnostics) == 4
    assert "omit the argument" in error.value.diagnostics[-1].hint
    with pytest.raises(SymrobError, match="give a list of triples"):
        symrob.compute(E, C, P).explain((0, "a", 1))
