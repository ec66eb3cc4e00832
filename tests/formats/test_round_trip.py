"""`read(write(x))` gives back x, as far as the format's warnings say it can."""

import html
import re

import pygraphviz
import pytest
from hypothesis import given

from symrob.errors import SymrobError, printable
from symrob.formats import read, write
from symrob.lts import ERROR, TAU, Lts, Network
from tests.formats.strategies import networks, systems


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("formats")


def back(system, path):
    """Write, read; returns what was read and the warnings of writing."""
    warnings = write(system, str(path))
    return read(str(path)).network, warnings


@given(systems())
def test_json_holds_everything(folder, lts):
    again, warnings = back(lts, folder / "x.json")
    assert again == lts
    assert warnings == ()


@given(networks())
def test_json_holds_networks(folder, network):
    again, warnings = back(network, folder / "n.json")
    assert isinstance(again, Network)
    assert again.components == network.components
    assert again.component_names == network.component_names
    assert again.hidden == network.hidden
    assert warnings == ()


@given(systems())
def test_aut_holds_the_transitions(folder, lts):
    again, warnings = back(lts, folder / "x.aut")
    assert again.transitions == lts.transitions
    assert again.size == lts.size
    lost = {w.message.split(" ")[0] for w in warnings}
    used = {a for _s, a, _t in lts.transitions} - {TAU}
    assert set(again.alphabet) == used
    assert ("actions" in lost) == (used != set(lts.alphabet))
    assert ("state" in lost) == (lts.names is not None)
    assert ("the" in lost) == (lts.end is not None)
    assert ("ERROR" in lost) == any(t == ERROR for _s, _a, t in lts.transitions)


@given(systems())
def test_fsm_holds_transitions_and_good_names(folder, lts):
    again, warnings = back(lts, folder / "x.fsm")
    assert again.transitions == lts.transitions
    assert again.size == lts.size
    text = "\n".join(w.message for w in warnings)
    if lts.names is not None and "state names" not in text:
        assert again.names == lts.names
    used = {a for _s, a, _t in lts.transitions} - {TAU}
    assert ("never happen" in text) == (used != set(lts.alphabet))
    assert ("END is" in text) == (lts.end is not None)


@pytest.mark.parametrize("suffix", [".aut", ".fsm"])
def test_single_system_formats_refuse_networks(tmp_path, suffix):
    lts = Lts(["a"], 1, [(0, "a", 0)])
    with pytest.raises(SymrobError, match="network of 2"):
        write(Network([lts, lts]), str(tmp_path / f"x{suffix}"))
    assert not (tmp_path / f"x{suffix}").exists()
    write(Network([lts]), str(tmp_path / f"x{suffix}"))
    assert read(str(tmp_path / f"x{suffix}")).network.transitions == lts.transitions


@pytest.mark.parametrize(
    ("suffix", "action"),
    [
        (".aut", "i"),
        (".aut", " a"),
        (".aut", "a\nb"),
        (".fsm", "a\tb"),
        (".fsm", "a "),
    ],
)
def test_actions_that_cannot_be_written_are_refused(tmp_path, suffix, action):
    lts = Lts([action], 1, [(0, action, 0)])
    with pytest.raises(SymrobError, match=r"action|line break"):
        write(lts, str(tmp_path / f"x{suffix}"))
    assert not (tmp_path / f"x{suffix}").exists()


@given(systems())
def test_dot_shows_states_and_transitions(folder, lts):
    """Read back by Graphviz; its escapes of labels are undone here."""
    path = folder / "x.dot"
    assert write(lts, str(path)) == ()
    graph = pygraphviz.AGraph(string=path.read_text("utf-8"))
    names = {n: _label(n.attr) for n in graph.nodes() if n not in ("start", "error")}
    assert names == {
        f"s{q}": "".join(printable(lts.state_name(q)).split()) for q in range(lts.size)
    }
    arrows = {}
    for source, action, target in lts.transitions:
        head = "error" if target == ERROR else f"s{target}"
        kind = "internal" if action == TAU else "nominal"
        arrows.setdefault(f"s{source}-{head}-{kind}", []).append(action)
    assert {e.attr["id"]: _label(e.attr) for e in graph.edges() if e[0] != "start"} == {
        arrow: "".join(printable(",".join(sorted(actions))).split())
        for arrow, actions in arrows.items()
    }


def _label(attributes):
    """The text of a label without any space, at which lines are broken."""
    raw = attributes["label"] or ""
    text = re.sub(r"\\(.)", lambda m: " " if m[1] in "ln" else m[1], raw)
    return "".join(html.unescape(text).split())


def test_dot_draws_a_network_as_boxes(tmp_path):
    lts = Lts(["a", "b"], 2, [(0, "a", 1), (1, "b", 0)])
    network = Network([lts, lts], component_names=["LEFT", "RIGHT"], hidden=["b"])
    write(network, str(tmp_path / "n.dot"))
    text = (tmp_path / "n.dot").read_text("utf-8")
    assert text.count("subgraph") == 2
    assert ">RIGHT<" in text
    assert text.count('class="internal"') == 2
