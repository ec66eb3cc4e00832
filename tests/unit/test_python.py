"""What people do with answers in Python: tables, graphs, copies, and what they show."""

import importlib.util
import pickle
import sys
from types import SimpleNamespace

import networkx
import pytest

import symrob
from symrob.lts import Lts

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
    with pytest.raises(symrob.SymrobError, match="two states have one name"):
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
    with pytest.raises(TypeError, match=r"list\(cuts\) can"):
        pickle.dumps(envelope.cuts())


def test_short_answers_name_states(envelope):
    cut = next(envelope.cuts())
    assert repr(cut).startswith("Cut(hazardous: NO_MODE –")
    shown = repr(envelope.explain([(1, "e", 0)]))
    assert shown == "Explanation(hazardous: MODE_CHOSEN –e→ NO_MODE)"
    assert repr(envelope.cuts()) == "Cuts(running, 0 sets found)"
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
    with pytest.raises(symrob.SymrobError, match="--target"):
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
    with pytest.raises(symrob.SymrobError, match="asks in fault modes"):
        symrob.compare(sides[0], envelope)
