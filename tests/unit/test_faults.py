"""`[faults]` of case files: which texts mean which transitions, and what is refused."""

import pytest

import symrob
from symrob import Lts, Network, SymrobError, Transition
from symrob.case import load_case
from symrob.case.faults import Faults, modes_of
from symrob.lts.product import product
from symrob.problem import FaultMode, LocalTransition

LEFT = Lts(["l.in", "mid"], 2, [(0, "l.in", 1), (1, "mid", 0)], names=["A", "B"])
RIGHT = Lts(["mid", "r.out"], 2, [(0, "mid", 1), (1, "r.out", 0)], names=["A", "B"])
BOTH = Network([LEFT, RIGHT], component_names=["l:CHANNEL", "r:CHANNEL"])
PLAIN = product(BOTH)
HEAD = 'environment = "e.aut"\ncontroller = "c.aut"\nproperties = ["p.aut"]\n'


def meant(*texts):
    (mode,) = modes_of(Faults({"m": texts}), BOTH, PLAIN)
    return mode


def read(tmp_path, text):
    path = tmp_path / "case.toml"
    path.write_text(HEAD + text, encoding="utf-8")
    return load_case(str(path)).faults


def test_a_component_is_named_whole_by_its_label_or_by_a_pattern():
    want = FaultMode("m", local=frozenset({LocalTransition(0, 0, "l.in", 0)}))
    assert meant("l:CHANNEL:A,l.in,A") == meant("l:A,l.in,A") == want
    assert {t.component for t in meant("*:A,*,A").local} == {0, 1}
    # Where only one of those meant can take it, that one is meant.
    assert {t.component for t in meant("*:B,r.out,B").local} == {1}


def test_on_the_whole_environment_and_on_components_in_one_mode():
    mode = meant("0,mid,0", "r:A,r.out,A")
    assert {tuple(t) for t in mode.transitions} == {(0, "mid", 0)}
    assert {tuple(t) for t in mode.local} == {(1, 0, "r.out", 0)}


def test_planned_transitions_can_be_meant_and_a_mode_can_be_empty():
    assert meant("l:A,l.in,B").local == {LocalTransition(0, 0, "l.in", 1)}
    assert meant() == FaultMode("m")


def test_all_wrong_texts_are_told():
    with pytest.raises(SymrobError) as error:
        modes_of(Faults({"m": ("l:A,out,A", "l:C,l.in,A")}), BOTH, PLAIN)
    first, second = error.value.diagnostics
    assert "unknown action 'out' of component l" in first.message
    assert first.hint == "its actions: l.in, mid"
    assert "unknown state 'C' of component l" in second.message
    assert second.hint == "its states: A, B"


def test_names_with_dots_single_texts_and_only(tmp_path):
    found = read(tmp_path, '[faults]\nonly = true\nl.x = "a,b,c"\n"l.y" = []\n')
    assert found == Faults({"l.x": ("a,b,c",), "l.y": ()}, only=True)
    assert read(tmp_path, "") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("faults = 3", "'faults' must be a table"),
        ("[faults]\nonly = 1", "'faults.only' must be true or false"),
        ("[faults]\nx = 1", "'faults.x' must be a transition"),
        ('[faults]\nx = ["a,b,c", ""]', "'faults.x' must be a transition"),
        ('[faults]\n"" = "a,b,c"', "must have a name"),
        ('[faults]\nx.y = "a,b,c"\n"x.y" = "a,b,c"', "'faults.x.y' is given twice"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path, text, message):
    with pytest.raises(SymrobError) as error:
        read(tmp_path, text)
    (diagnostic,) = error.value.diagnostics
    assert message in diagnostic.message
    assert diagnostic.line >= 4


@pytest.mark.parametrize(
    "mode",
    [
        FaultMode("m", frozenset([Transition(9, "mid", 0)])),
        FaultMode("m", frozenset([Transition(0, "tau", 0)])),
        FaultMode("m", local=frozenset([LocalTransition(2, 0, "mid", 0)])),
        FaultMode("m", local=frozenset([LocalTransition(0, 0, "r.out", 0)])),
        FaultMode("m", local=frozenset([LocalTransition(0, 0, "mid", 7)])),
    ],
)
def test_modes_of_python_hold_only_what_there_can_be(mode):
    free = Lts(["mid"], 1, [(0, "mid", 0)])
    with pytest.raises(SymrobError, match="fault mode 'm'"):
        symrob.compute(BOTH, free, free, faults=[mode], only=True)


def test_two_modes_of_one_name_are_refused():
    free = Lts(["mid"], 1, [(0, "mid", 0)])
    with pytest.raises(SymrobError, match="two fault modes are called 'mid'"):
        symrob.compute(BOTH, free, free, faults=[FaultMode("mid")], by="action")


def test_arguments_of_the_wrong_kind():
    free = Lts(["mid"], 1, [(0, "mid", 0)])
    for wrong in ({"faults": 3}, {"faults": ["m"]}, {"by": 3}, {"among": [1]}):
        with pytest.raises(SymrobError, match="expected"):
            symrob.compute(BOTH, free, free, **wrong)


def test_by_takes_units_with_commas_as_the_option_does():
    free = Lts(["mid"], 1, [(0, "mid", 0)])
    texts, listed = (
        symrob.compute(BOTH, free, free, by=by)
        for by in ("component, action", ["component", "action"])
    )
    assert texts.space.about.units.modes == listed.space.about.units.modes
    with pytest.raises(SymrobError, match="takes one or more of"):
        symrob.compute(BOTH, free, free, by="component,colour")


def test_a_lone_name_is_no_list_of_fault_modes():
    free = Lts(["mid"], 1, [(0, "mid", 0)])
    envelope = symrob.compute(BOTH, free, free, by="component")
    with pytest.raises(SymrobError, match="a list of fault modes by name, not 'mid'"):
        envelope.explain("mid")


def test_of_some_modes_the_others_are_not_looked_at(monkeypatch):
    space = symrob.load_case("models/abp/abp.toml").compute().space
    asked, judge = [], type(space).verdict

    def verdict(self, members):
        asked.append(members)
        return judge(self, members)

    monkeypatch.setattr(type(space), "verdict", verdict)
    some = frozenset(("acks.loss", "acks.spurious"))
    judged = space.each_alone(some, 1.0)
    assert sorted(map(set, asked), key=min) == [{"acks.loss"}, {"acks.spurious"}]
    assert [*judged.tolerated] == ["acks.loss"]
    assert [*judged.hazardous] == ["acks.spurious"]
    assert (
        not len(judged.excluded_unsafe)
        + len(judged.excluded_safe)
        + len(judged.undecided)
    )


def test_an_unknown_component_is_told_with_all_there_are():
    with pytest.raises(SymrobError) as error:
        modes_of(Faults({"m": ("left:A,l.in,A",)}), BOTH, PLAIN)
    (problem,) = error.value.diagnostics
    assert "unknown component 'left' of the environment" in problem.message
    assert problem.hint == "its components: l:CHANNEL, r:CHANNEL"


def test_of_many_names_the_nearest_are_told():
    many = Lts(["a"], 20, [], names=[f"S{i:02}" for i in range(20)])
    with pytest.raises(SymrobError) as error:
        modes_of(Faults({"m": ("S011,a,S00",)}), many, many)
    (problem,) = error.value.diagnostics
    assert problem.message.endswith("unknown state 'S011' of the environment")
    assert problem.hint == "did you mean 'S11' or 'S01'?"


def test_the_expression_of_a_mode_is_the_place(tmp_path):
    (tmp_path / "e.aut").write_text('des (0, 1, 2)\n(0, "a", 1)\n', encoding="utf-8")
    for name in ("c.aut", "p.aut"):
        (tmp_path / name).write_text('des (0, 1, 1)\n(0, "a", 0)\n', encoding="utf-8")
    text = '[faults]\none = "0,a,8"\ntwo = [\n  "0,a,0",\n  "0,x,0",\n]\n'
    read(tmp_path, text)
    with pytest.raises(SymrobError) as error:
        symrob.ask(str(tmp_path / "case.toml"), "check")
    first, second = error.value.diagnostics
    assert (first.line, first.column) == (5, 7)
    assert first.message == "transition '0,a,8': unknown state '8' of the environment"
    assert first.hint == "its states: 0, 1"
    assert (second.line, second.column) == (8, 3)
    assert second.hint == "its actions: a"
