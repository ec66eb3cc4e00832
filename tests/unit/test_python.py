"""What people do with answers in Python: tables, graphs, copies, and what they show."""

import importlib.util
import pickle
import subprocess
import sys
from types import SimpleNamespace

import networkx
import pytest

import symrob
from symrob.lts import Lts
from symrob.lts.deviation import Deviation

FOLDER = "models/therac25/"
CASE = f"{FOLDER}therac25.toml"


@pytest.fixture(scope="module")
def envelope():
    return symrob.load_case(CASE).compute()


def rows_of(envelope):
    return [
        (number, *named, transition in deviation.new)
        for number, deviation in enumerate(envelope, 1)
        for named, transition in zip(deviation.named, sorted(deviation), strict=True)
    ]


def test_a_case_is_loaded_whole():
    case = symrob.load_case(CASE)
    assert case.title == "Therac-25 with the bug"
    assert case.environment == symrob.load(f"{FOLDER}nurse.lts")
    assert list(case.properties) == ["xflat.lts"]
    assert list(case.constraints) == ["one_treatment.lts"]
    assert case.controller == symrob.load(f"{FOLDER}machines.lts", "THERAC25")
    assert repr(case).startswith("LoadedCase('Therac-25 with the bug': E Lts(5 actions")
    assert len(case.compute()) == 4
    assert len(case.compute(limit=2)) == 2
    with pytest.raises(symrob.SymrobError):
        symrob.load_case("nowhere.toml")


def test_names_stand_for_numbers(envelope):
    first = next(iter(envelope))
    assert first.named == envelope.environment.named(sorted(first))
    assert ("NO_MODE", "e", "MODE_CHOSEN") in first.named
    two = Lts("a", 2, [(0, "a", 1)], names=["s", "t"])
    assert two.named([(0, "a", -1)]) == [("s", "a", "ERROR")]
    with pytest.raises(symrob.SymrobError, match="two states have the same name"):
        Lts("a", 2, [(0, "a", 1)], names=["s", "s"])


def test_a_table_has_a_row_for_each_transition(envelope, monkeypatch):
    """With a stand-in where pandas is not installed: its constructor is all we use."""
    if importlib.util.find_spec("pandas") is None:
        monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=Frame))
    frame = envelope.to_frame()
    assert list(frame.columns) == ["deviation", "source", "action", "target", "new"]
    assert [tuple(row) for row in frame.itertuples(index=False)] == rows_of(envelope)


class Frame:
    """What the table needs of pandas."""

    def __init__(self, rows, columns):
        self.columns, self._rows = columns, rows

    def __getitem__(self, columns):
        places = [self.columns.index(column) for column in columns]
        return Frame([[row[p] for p in places] for row in self._rows], columns)

    def itertuples(self, index):
        assert not index
        return self._rows


def test_what_is_not_installed_is_told(envelope, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(symrob.SymrobError, match="pip install pandas"):
        envelope.to_frame()


def test_a_graph_has_an_edge_for_each_transition(envelope):
    graph = envelope.to_networkx()
    assert isinstance(graph, networkx.MultiDiGraph)
    assert graph.nodes["NO_MODE"] == {"state": 0, "initial": True}
    edges = {
        (number, s, key, t, data["new"])
        for s, t, key, data in graph.edges(keys=True, data=True)
        for number in data["deviations"]
    }
    assert edges == set(rows_of(envelope))
    assert all(
        key == data["action"] for *_, key, data in graph.edges(keys=True, data=True)
    )


def answers(envelope):
    cut = next(envelope.cuts())
    yield from (envelope, next(iter(envelope)), envelope.environment, cut, cut.trace)
    yield from (envelope.explain([(1, "e", 0)]), envelope.explain([]))
    yield from (envelope.summary(), envelope.side_report(), envelope.statistics)
    yield symrob.compare(envelope, envelope)
    yield symrob.load_case(CASE)


def test_answers_can_be_copied_and_say_what_they_are(envelope):
    for answer in answers(envelope):
        again = pickle.loads(pickle.dumps(answer))
        assert type(again) is type(answer)
        assert repr(again) == repr(answer)
        assert " object at 0x" not in repr(answer)
    again = pickle.loads(pickle.dumps(next(envelope.cuts())))
    assert again.trace == next(envelope.cuts()).trace
    with pytest.raises(TypeError, match=r"copy list\(cuts\)"):
        pickle.dumps(envelope.cuts())


def test_short_answers_name_states(envelope):
    cut = next(envelope.cuts())
    assert repr(cut).startswith("Cut(hazardous: NO_MODE –")
    shown = repr(envelope.explain([(1, "e", 0)]))
    assert shown == "Explanation(hazardous: MODE_CHOSEN –e→ NO_MODE)"
    assert repr(envelope.cuts()) == "Cuts(lazy: iterate to compute)"
    assert repr(symrob.compare(envelope, envelope)) == "Comparison(equal, complete)"
    assert repr(envelope.summary()).startswith(
        "Summary(12 always tolerated, 8 contested"
    )


def raised():
    def unsafe():
        symrob.compute(
            f"{FOLDER}nurse.lts",
            f"{FOLDER}machines.lts#THERAC25",
            f"{FOLDER}xflat_espread.lts",
        )

    def late():
        case = symrob.load_case(CASE)
        case.compute(timeout=1e-9)

    return [lambda: symrob.load("nowhere.lts"), unsafe, late]


@pytest.mark.parametrize("number", [0, 1, 2])
def test_errors_can_be_copied(number):
    with pytest.raises(symrob.SymrobError) as caught:
        raised()[number]()
    error = caught.value
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (again.diagnostics, again.args) == (error.diagnostics, error.args)
    assert str(again) == str(error)
    assert getattr(again, "trace", None) == getattr(error, "trace", None)


def test_a_monitor_is_written_from_python(envelope):
    assert "class watch:" in envelope.monitor(name="watch")
    assert "fireXray" in envelope.monitor("c", ["fire*"])
    with pytest.raises(symrob.SymrobError, match="target="):
        envelope.monitor("pyton")


def test_fault_modes_are_compared_and_not_with_single_transitions(envelope):
    models = "models/therac25/"
    sides = [
        symrob.compute(
            models + "nurse.lts",
            models + f"machines.lts#{machine}",
            models + "xflat.lts",
            by="action",
        )
        for machine in ("THERAC20", "THERAC25")
    ]
    found = symrob.compare(*sides)
    assert (found.verdict, found.status) == ("more", "complete")
    # Whatever the second tolerates the first does, in every set of modes.
    tolerated = [{frozenset(d.modes) for d in side} for side in sides]
    assert all(any(low <= high for high in tolerated[0]) for low in tolerated[1])
    modes = frozenset(found.first.witness.units)
    assert not any(modes <= high for high in tolerated[1])
    with pytest.raises(symrob.SymrobError, match="one of the sides uses fault modes"):
        symrob.compare(sides[0], envelope)


def test_deviations_are_found_by_place_and_no_more_are_computed():
    envelope = symrob.load_case("models/voting/voting_all_unconstrained.toml").compute()
    assert repr(envelope) == "SafetyEnvelope(lazy: iterate to compute)"
    first = envelope[0]
    one = "SafetyEnvelope(1 deviation found so far; lazy: iterate to compute)"
    assert repr(envelope) == one
    assert envelope[1:3] == [envelope[1], envelope[2]]
    assert "3 deviations found so far" in repr(envelope)
    assert first == next(iter(envelope))
    with pytest.raises(symrob.SymrobError, match="index: expected a whole number"):
        envelope["LOADED"]


def test_places_from_the_end_need_all(envelope):
    known = list(envelope)
    assert [envelope[i] for i in range(len(known))] == known
    assert envelope[-1] == known[-1]
    assert envelope[::-1] == known[::-1]
    assert envelope[1:] == known[1:]
    with pytest.raises(IndexError, match="no deviation 4: 4 deviations; complete"):
        envelope[4]


def test_a_transition_is_in_a_deviation_by_numbers_and_by_names():
    envelope = symrob.load_case("models/press/press.toml").compute()
    for deviation in envelope:
        numbers = {(q, a, r) for q, a, r in deviation}
        environment = envelope.environment
        names = {tuple(named) for named in environment.named(sorted(deviation))}
        states = range(environment.size)
        for q in states:
            for a in environment.alphabet:
                for r in states:
                    by_name = (environment.state_name(q), a, environment.state_name(r))
                    there = (q, a, r) in numbers
                    assert ((q, a, r) in deviation) == there
                    assert (by_name in deviation) == (by_name in names) == there
                    assert ((by_name[0], a, r) in deviation) == there
                    is_new = (q, a, r) not in environment.visible_transitions
                    assert (by_name in deviation.new) == (there and is_new)


@pytest.mark.parametrize(
    ("triple", "message"),
    [
        (("LOADING", "LOADED", "reach"), "unknown action 'LOADED'.*source, action"),
        (("LOADDING", "reach", "LOADED"), "did you mean 'LOADING'"),
        (("LOADING", "reech", "LOADED"), "did you mean 'reach'"),
    ],
)
def test_wrong_names_are_no_silent_no(triple, message):
    deviation = symrob.load_case("models/press/press.toml").compute()[0]
    with pytest.raises(symrob.SymrobError, match=f"(?s){message}"):
        assert triple in deviation
    assert "text" not in deviation
    assert 3 not in deviation

    alone = Deviation([], [symrob.Transition(0, "a", 1)])
    assert (0, "a", 1) in alone
    with pytest.raises(symrob.SymrobError, match="give states by number"):
        assert ("A", "a", "B") in alone


LAMP = {
    "states": ["OFF", "ON"],
    "transitions": [
        ["OFF", "press", "ON"],
        ["ON", "press", "OFF"],
        ["ON", "x", "ERROR"],
    ],
}


def test_a_dict_may_name_its_states():
    lamp = symrob.Lts.from_dict(LAMP)
    transitions = [(0, "press", 1), (1, "press", 0), (1, "x", -1)]
    assert lamp == symrob.Lts(["press", "x"], 2, transitions, names=["OFF", "ON"])
    more = symrob.Lts.from_dict({**LAMP, "alphabet": ["y", "press", "x"], "end": "ON"})
    assert more.alphabet == ("press", "x", "y")
    assert more.end == 1
    assert symrob.Lts.from_dict(more.to_dict()) == more


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"transitions": [["OF", "press", "ON"]]}, "unknown state 'OF'.*mean 'OFF'"),
        ({"transitions": [["OFF", "press", 1]]}, "unknown state 1"),
        ({"transitions": [["OFF", "press"]]}, r"must be \[source, action, target\]"),
        ({"states": ["OFF", "OFF"]}, "unknown state 'ON'"),
        ({"states": ["OFF", "ON", "ON"]}, "two states have the same name"),
        ({"states": ["OFF", 1]}, "'states' must be a number, or a list of names"),
        ({"names": ["A", "B"]}, "omit 'names'"),
        ({"end": "END"}, "unknown state 'END'"),
        ({"start": "OFF"}, "unknown key: start"),
    ],
)
def test_a_wrong_dict_with_names_is_refused(change, message):
    with pytest.raises(symrob.SymrobError, match=f"(?s){message}"):
        symrob.Lts.from_dict({**LAMP, **change})


def test_a_system_goes_through_networkx_and_back(monkeypatch):
    lamp = symrob.Lts.from_dict(
        {**LAMP, "alphabet": ["press", "x", "idle"], "end": "ON"}
    )
    graph = lamp.to_networkx()
    assert isinstance(graph, networkx.MultiDiGraph)
    assert set(graph) == {"OFF", "ON", "ERROR"}
    assert [n for n, initial in graph.nodes(data="initial") if initial] == ["OFF"]
    assert graph.has_edge("OFF", "ON", key="press")
    assert symrob.Lts.from_networkx(graph) == lamp
    nurse = symrob.product("models/therac25/nurse.lts")
    assert symrob.Lts.from_networkx(nurse.to_networkx()) == nurse
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(symrob.SymrobError, match="networkx is not installed"):
        lamp.to_networkx()


def test_graphs_that_others_made_are_read():
    plain = networkx.DiGraph()
    plain.add_edge(7, 8, label="go")
    plain.add_edge(8, 7, action="back")
    seven = symrob.Lts.from_networkx(plain)
    assert seven == symrob.Lts(
        ["back", "go"], 2, [(0, "go", 1), (1, "back", 0)], names=["7", "8"]
    )
    assert symrob.Lts.from_networkx(plain, initial=8).names == ("8", "7")
    keyed = networkx.MultiDiGraph()
    keyed.add_edge("A", "B", key="a")
    keyed.add_edge("A", "B", key="b")
    assert len(symrob.Lts.from_networkx(keyed).transitions) == 2


@pytest.mark.parametrize(
    ("edges", "initial", "message"),
    [
        ([(0, 1, {})], None, "the edge 0 → 1 has no action"),
        ([(0, 1, {"label": "a"})], 5, "initial=NODE"),
        ([], None, "initial=NODE"),
    ],
)
def test_graphs_without_what_is_needed_are_refused(edges, initial, message):
    with pytest.raises(symrob.SymrobError, match=message):
        symrob.Lts.from_networkx(networkx.DiGraph(edges), initial)
    with pytest.raises(symrob.SymrobError, match="a directed graph of networkx"):
        symrob.Lts.from_networkx(networkx.Graph([(0, 1)]))


def test_repair_answers_what_the_command_answers():
    wanted = ["*,up,*"]
    for case in (CASE, symrob.load_case(CASE), symrob.load_case(CASE).compute()):
        answer = symrob.repair(case, tolerate=wanted)
        assert answer.possible
        assert answer.repair.controller.alphabet
        assert answer.repair.guards is not None
    assert symrob.repair(CASE, suggest=True).schema == "suggestions/1"
    with pytest.raises(symrob.SymrobError, match="has no option 'tolerates'"):
        symrob.repair(CASE, tolerates=wanted)


def test_risk_gives_bounds():
    chances = {"*,up,*": 0.01}
    envelope = symrob.load_case(CASE).compute()
    assert symrob.risk(CASE, chances).bounds == envelope.risk(chances).bounds
    low, high = symrob.risk(envelope, chances, gap=0.5).bounds
    assert 0 <= low <= high <= 1
    with pytest.raises(symrob.SymrobError, match="an envelope requires a dict"):
        symrob.risk(envelope)
    with pytest.raises(symrob.SymrobError, match="probability"):
        symrob.risk(CASE, {"*,up,*": 2})


def test_calls_stay_calls_when_rooms_of_their_name_are_loaded():
    code = (
        "import symrob.notebook, symrob.risk.search, symrob.repair.repair\n"
        "import symrob\n"
        "assert callable(symrob.risk) and callable(symrob.repair)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
