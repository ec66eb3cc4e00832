"""E with a deviation could be written in no format."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symrob import load
from symrob.case.deviations import with_deviation
from symrob.formats import write
from symrob.lts import TAU, Lts, Transition
from symrob.lts.deviation import Deviation
from symrob.lts.product import product
from tests.cli.tools import ROOT, run
from tests.formats.strategies import FSP_ACTIONS, systems
from tests.formats.test_fsp_writer import expected_name, meaning, reached, read_name

CASE = ROOT / "models/therac25/therac25.toml"


@st.composite
def deviated(draw):
    """An environment, and one with transitions of A added to it."""
    base = draw(systems(FSP_ACTIONS, names=False))
    kept = [t for t in base.transitions if t.target >= 0]
    environment = Lts(base.alphabet, base.size, kept)
    states = st.integers(0, base.size - 1)
    triple = st.tuples(states, st.sampled_from(base.alphabet or ("",)), states)
    added = draw(st.sets(triple, max_size=6)) if base.alphabet else ()
    new = frozenset(Transition(*t) for t in added)
    nominal = environment.visible_transitions
    return environment, with_deviation(environment, Deviation(nominal, new - nominal))


@given(deviated())
def test_reading_gives_the_same_system_back(tmp_path_factory, pair):
    environment, e_d = pair
    folder = tmp_path_factory.mktemp("round", numbered=True)
    assert set(environment.transitions) <= set(e_d.transitions)
    for suffix in ("json", "aut", "fsm", "lts"):
        path = str(folder / f"e.{suffix}")
        lost = " ".join(w.message for w in write(e_d, path))
        again = product(load(path))
        if suffix == "json":
            assert again == e_d
        elif suffix == "aut" or suffix == "fsm":
            assert (again.size, again.transitions) == (e_d.size, e_d.transitions)
        else:
            name = read_name(again, e_d)
            assert meaning(again, name) == meaning(e_d, expected_name(e_d))
            assert ("unreachable" in lost) == (len(reached(e_d)) < e_d.size)
        if suffix in ("aut", "fsm"):
            assert ("never happen" in lost) == bool(e_d.unused_actions)
        else:
            assert again.alphabet == e_d.alphabet


@pytest.mark.parametrize("suffix", ["lts", "aut", "fsm", "json", "dot"])
def test_the_command_adds_the_deviation_that_is_named(tmp_path, suffix):
    result = tmp_path / "result.json"
    result.write_text(run("compute", CASE, "--format", "json").out)
    data = json.loads(result.read_text())
    out = tmp_path / f"e.{suffix}"
    number = len(data["delta"])
    done = run("convert", CASE, out, "--deviation", f"{result}#{number}")
    assert done.code == 0, done.err
    if suffix == "dot":
        assert out.read_text().startswith("digraph")
        return
    written = product(load(str(out)))
    assert len(written.transitions) == len(data["delta"][-1])
    if suffix == "json":
        assert [list(t) for t in written.transitions] == data["delta"][-1]
    # It is the environment of the next question.
    models = ("--env", out, *_others())
    assert run("check", *models).code == 0


def _others():
    folder = CASE.parent
    return (
        *("--ctrl", f"{folder}/machines.lts#THERAC25"),
        *("--prop", folder / "xflat.lts"),
    )


def test_a_lone_model_takes_one_too(tmp_path):
    model = tmp_path / "e.lts"
    model.write_text("E = (a -> F), F = (b -> E).")
    added = tmp_path / "d.json"
    added.write_text('[["E", "b", "F"]]')
    out = tmp_path / "out.json"
    assert run("convert", model, out, "--deviation", added).code == 0
    assert json.loads(out.read_text())["transitions"] == [
        [0, "a", 1],
        [0, "b", 1],
        [1, "b", 0],
    ]
    added.write_text('[["E", "c", "F"]]')
    assert run("convert", model, out, "--deviation", added).code == 2
    done = run("convert", model, out, "--extra-states", 1)
    assert done.code == 0
    assert json.loads(out.read_text())["states"] == 3


def test_internal_moves_stay():
    e = Lts(["a"], 2, [(0, TAU, 1)])
    d = Deviation(e.visible_transitions, {Transition(1, "a", 0)}, e)
    assert with_deviation(e, d).transitions == ((0, TAU, 1), (1, "a", 0))
