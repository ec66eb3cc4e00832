"""Pictures against the transitions they stand for, read back from the SVG."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symrob
from symrob.analyses.choice import verdict_of_each
from symrob.api import analyse, load_roles
from symrob.case import load_case
from symrob.errors import EXIT_LIMIT, LimitExceeded, NominalViolation, SymrobError
from symrob.formats.dot import LOOKS, lts_picture
from symrob.lts import ERROR, TAU, Lts, Transition
from symrob.options import Options
from symrob.report import graphviz
from symrob.report import svg as svg_module
from symrob.report.picture import deviation_picture, judgement
from symrob.report.svg import drawn, edges_shown, is_graph
from symrob.verdicts import VERDICTS
from symrob.words import Words
from tests.generate import random_problem
from tests.oracles import definition
from tests.report.svgtools import SVG, all_of, of_class, read, states_of, transitions_of
from tests.strategies import rngs
from tests.strength import examples

TABLE1 = json.loads(
    (Path(__file__).parents[1] / "data" / "table1.json").read_text("utf-8")
)


def environment_of(name):
    return Lts.from_dict(TABLE1[name]["environment"])


def deviation_of(name, index=0):
    return frozenset(Transition(*t) for t in TABLE1[name]["delta"][index])


@pytest.mark.parametrize("name", list(TABLE1))
@pytest.mark.parametrize("max_edges", [None, 1], ids=["graph", "matrix"])
def test_a_deviation_picture_says_exactly_its_transitions(name, max_edges):
    environment, deviation = environment_of(name), deviation_of(name)
    picture = deviation_picture(environment, deviation, title=f"{name} & more")
    groups = read(drawn([picture], max_edges=max_edges))
    assert bool(of_class(groups, "graph")) == (max_edges is None)
    nominal = environment.visible_transitions
    added = {"added": deviation - nominal} if deviation - nominal else {}
    assert transitions_of(groups) == {"nominal": nominal} | added
    assert states_of(groups) == {
        f"s{q}": ("→ " if max_edges and not q else "") + environment.state_name(q)
        for q in range(environment.size)
    }
    assert [d.id for d in of_class(groups, "initial")] == ["s0"]
    heading = of_class(groups, "heading") or of_class(groups, "graph")
    assert f"{name} & more" in heading[0].lines


def test_comparison_shows_who_tolerates_what():
    """Therac-20 and Therac-25, as in the paper's Fig. 8."""
    environment = environment_of("therac25")
    first, second = deviation_of("therac20"), deviation_of("therac25")
    nominal = environment.visible_transitions
    names = ("Therac-20", "Therac-25")
    picture = deviation_picture(environment, first, second, names=names)
    groups = read(drawn([picture]))
    assert transitions_of(groups) == {
        "nominal": nominal,
        "both": (first & second) - nominal,
        "only_first": first - second - nominal,
        "only_second": second - first - nominal,
    }
    (graph,) = of_class(groups, "graph")
    assert "→ in the deviation of Therac-20 only" in graph.lines
    assert "⇢ in the deviation of Therac-25 only" in graph.lines


def rgb(colour):
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))


@pytest.mark.parametrize("max_edges", [None, 1], ids=["graph", "matrix"])
def test_each_kind_has_its_colour(max_edges):
    environment = Lts("abc", 2, [(0, "a", 1), (1, TAU, 0)])
    first = {Transition(0, "b", 1), Transition(0, "c", 1), Transition(0, "a", 0)}
    second = {Transition(0, "b", 1), Transition(1, "c", 0), Transition(0, "a", 0)}
    inert = {Transition(0, "a", 0)}
    picture = deviation_picture(environment, first, second, inert=inert)
    document = drawn([picture], max_edges=max_edges)
    groups = read(document)
    colours = {}
    for edge in picture.edges:
        (line,) = [d for d in groups if d.id == edge.id]
        (colours[edge.kind],) = line.colours
        assert edge.kind in line.classes
    assert set(colours) == set(LOOKS) - {"added", "guarded", *VERDICTS}
    red, green, blue = rgb(colours["only_first"])
    assert green > 1.5 * max(red, blue)
    red, green, blue = rgb(colours["only_second"])
    assert red > 1.5 * green
    assert all(is_grey(colours[kind]) for kind in ("nominal", "both", "inert"))
    assert sum(rgb(colours["nominal"])) < sum(rgb(colours["both"]))
    assert ("stroke-dasharray" in document) == (max_edges is None)


@pytest.mark.parametrize("max_edges", [None, 1], ids=["graph", "matrix"])
def test_error_end_and_tau_are_shown(max_edges):
    system = Lts(
        "ab",
        3,
        [(0, "a", 1), (1, "b", ERROR), (0, "b", ERROR), (1, TAU, 2)],
        names=["IDLE", "BUSY", "DONE"],
        end=2,
    )
    groups = read(drawn([lts_picture(system)], max_edges=max_edges))
    assert transitions_of(groups)["internal"] == {Transition(1, TAU, 2)}
    assert all_of(drawn([lts_picture(system)])) == set(system.transitions)
    (end,) = of_class(groups, "end")
    assert end.text == "DONE"
    if max_edges is None:
        assert [d.text for d in of_class(groups, "error")] == ["ERROR"]
        assert of_class(groups, "start")
    else:
        assert "ERROR" in [d.text for d in of_class(groups, "column")]
        assert not of_class(groups, "error"), "nothing leaves ERROR: it has no row"


UNUSUAL = [
    Lts("a", 1, []),
    Lts("a", 1, [(0, "a", 0)], end=0),
    Lts("a", 4, []),
    Lts("ab", 3, [(2, "a", 1), (1, "b", 2)]),
    Lts("ab", 60, [(q, "ab"[q % 2], q + 1) for q in range(59)]),
    Lts([f"line.{i}.rate" for i in range(60)], 3,
        [(q, f"line.{i}.rate", q) for i in range(60) for q in range(3)]
        + [(0, "line.1.rate", 1), (1, "line.1.rate", 2)]),
]  # fmt: skip


def test_unusual_systems_are_drawn_one_below_the_other():
    pictures = list(map(lts_picture, UNUSUAL))
    groups = read(drawn(pictures))
    assert len(of_class(groups, "graph")) == len(UNUSUAL)
    for number, system in enumerate(UNUSUAL, 1):
        mine = [d for d in groups if d.id.startswith(f"p{number}-")]
        graph = of_class(groups, "graph")[:1]
        found = transitions_of([*mine, *graph]).values()
        assert set().union(*found) == set(system.transitions)
        assert list(states_of(mine).values()) == list(
            map(system.state_name, range(system.size))
        )


def test_a_list_of_hundreds_is_counted_and_kept_in_the_tooltip():
    actions = [f"a{i:03}" for i in range(300)]
    groups = read(drawn([lts_picture(Lts(actions, 2, [(0, a, 1) for a in actions]))]))
    assert of_class(groups, "label")[0].text.endswith("a199, … 100 more")
    assert all(a in of_class(groups, "edge")[0].title for a in actions)


def test_tooltips_tell_the_words_of_a_case():
    words = Words({"a": "<b>begins</b>"}, {"E.q": "at rest", "r": "ready"})
    picture = lts_picture(Lts("ab", 2, [(0, "a", 1), (1, "b", 0)], names=("q", "r")))
    titles = {group.title for group in read(drawn([picture], words=words))}
    assert {"q (at rest)", "r (ready)"} <= titles
    assert any("(at rest) → r (ready): a (<b>begins</b>)" in t for t in titles if t)


def complete(size):
    pairs = [(q, "a", r) for q in range(size) for r in range(size)]
    return lts_picture(Lts("a", size, pairs))


def test_a_tangle_is_a_matrix_and_says_so():
    assert is_graph(complete(4))
    assert not is_graph(complete(5))
    (note,) = of_class(read(drawn([complete(5)])), "note")
    assert "25 edges, drawn as a matrix" in note.text
    assert of_class(read(drawn([complete(5)], max_edges=25)), "graph")
    assert edges_shown(lts_picture(Lts("a", 1000, []))) == 150


def test_a_row_of_the_matrix_leads_to_a_column():
    """By where the words stand: each in the row and the column that its id names."""
    svg = drawn([complete(5)])
    place = {
        group.get("id"): [float(group.find(f"{SVG}text").get(axis)) for axis in "xy"]
        for group in ElementTree.fromstring(svg).iter(f"{SVG}g")
        if group.get("id")
    }
    for source in range(5):
        for target in range(5):
            x, y = place[f"s{source}-s{target}-nominal"]
            assert (x, y) == (place[f"to-s{target}"][0], place[f"s{source}"][1])


def test_what_fits_neither_is_refused_with_a_way_out(monkeypatch):
    monkeypatch.setattr(svg_module, "MOST_STATES", 4)
    with pytest.raises(LimitExceeded, match="max_edges=25") as caught:
        drawn([complete(5)])
    assert caught.value.exit_code == EXIT_LIMIT
    assert of_class(read(drawn([complete(5)], max_edges=25)), "graph")
    monkeypatch.setattr(svg_module, "SECONDS", 0.001)
    with pytest.raises(LimitExceeded):
        drawn([complete(5)], max_edges=25)


def test_a_layout_that_takes_long_is_stopped_and_a_matrix_drawn(monkeypatch):
    monkeypatch.setattr(svg_module, "SECONDS", 0.001)
    groups = read(drawn([complete(3)]))
    assert of_class(groups, "note")
    assert len(transitions_of(groups)["nominal"]) == 9


def test_without_the_engine_the_way_out_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    with pytest.raises(SymrobError, match=r"pip install 'symrob\[draw\]'"):
        drawn([complete(2)])


def test_an_engine_that_fails_is_no_traceback(monkeypatch):
    monkeypatch.setattr(graphviz, "__file__", "/nowhere.py")
    with pytest.raises(SymrobError, match="picture-engine"):
        drawn([complete(2)])


def test_all_foreign_transitions_are_reported():
    environment = Lts("a", 2, [(0, "a", 1)])
    strange = {Transition(0, "z", 1), Transition(5, "a", 0), Transition(0, "a", -1)}
    with pytest.raises(SymrobError) as caught:
        deviation_picture(environment, strange | {Transition(1, "a", 0)})
    assert len(caught.value.diagnostics) == 3
    with pytest.raises(SymrobError) as caught:
        deviation_picture(environment, strange, strange, names=("C1", "C2"))
    assert sum("C2" in str(d) for d in caught.value.diagnostics) == 3


ACTIONS = ("a", "b", "c")
STATES = 4
ANY = st.frozensets(
    st.builds(
        Transition,
        st.integers(0, STATES - 1),
        st.sampled_from(ACTIONS),
        st.integers(0, STATES - 1),
    ),
    max_size=40,
)


def partition_of(picture):
    """Transitions by kind; fails if one is drawn twice or an edge is double."""
    keys = [(e.source, e.target, e.kind) for e in picture.edges]
    assert len(keys) == len(set(keys))
    kinds = {}
    for edge in picture.edges:
        assert list(edge.actions) == sorted(set(edge.actions))
        for action in edge.actions:
            transition = Transition(edge.source, action, edge.target)
            assert transition not in kinds
            kinds[transition] = edge.kind
    return kinds


@given(nominal=ANY, deviation=ANY, inert=ANY, hide=st.booleans())
def test_edges_partition_the_transitions(nominal, deviation, inert, hide):
    environment = Lts(ACTIONS, STATES, nominal)
    picture = deviation_picture(environment, deviation, inert=inert, hide_inert=hide)
    expected = dict.fromkeys(nominal, "nominal")
    for transition in deviation - nominal:
        if transition not in inert:
            expected[transition] = "added"
        elif not hide:
            expected[transition] = "inert"
    assert partition_of(picture) == expected
    assert [s.id for s in picture.states] == list(range(STATES))
    assert {k for k, _ in picture.legend} | {"nominal"} == set(expected.values()) | {
        "nominal"
    }


@given(nominal=ANY, first=ANY, second=ANY, inert=ANY, hide=st.booleans())
def test_comparison_edges_partition_too(nominal, first, second, inert, hide):
    environment = Lts(ACTIONS, STATES, nominal)
    picture = deviation_picture(
        environment, first, second, inert=inert, hide_inert=hide
    )
    expected = dict.fromkeys(nominal, "nominal")
    for kind, members in {
        "both": first & second,
        "only_first": first - second,
        "only_second": second - first,
    }.items():
        expected |= dict.fromkeys(members - nominal - inert, kind)
    if not hide:
        expected |= dict.fromkeys((first | second) & inert - nominal, "inert")
    assert partition_of(picture) == expected


@given(nominal=ANY, deviation=ANY, inert=ANY)
def test_a_matrix_says_exactly_its_transitions(nominal, deviation, inert):
    environment = Lts(ACTIONS, STATES, nominal, names=["IDLE", "R[1]", "x", "end.1"])
    picture = deviation_picture(environment, deviation, inert=inert)
    # Fewer than none: whatever there is, it is a matrix.
    document = drawn([picture], max_edges=-1)
    expected = {kind: set() for kind in LOOKS}
    for transition, kind in partition_of(picture).items():
        expected[kind].add(transition)
    assert transitions_of(read(document)) == {k: v for k, v in expected.items() if v}


@settings(max_examples=examples(80, 2000))
@given(rngs())
def test_a_judgement_shows_every_candidate_by_the_definition(rng):
    environment, controller, properties, constraints = problem = random_problem(rng)

    def breaks(transition, machine, watchers):
        added = {transition}
        return definition.violation(environment, added, machine, watchers) is not None

    verdicts = {
        (False, False): "tolerated",
        (False, True): "hazardous",
        (True, True): "excluded-unsafe",
        (True, False): "excluded-safe",
    }
    try:
        space = symrob.compute(*problem).space
        picture = judgement(space.about.environment, verdict_of_each(space), "all")
    except NominalViolation:
        return
    expected = dict.fromkeys(map(tuple, environment.visible_transitions), "nominal")
    for candidate in definition.candidates(environment):
        unassumed = breaks(candidate, None, constraints)
        expected[candidate] = verdicts[
            unassumed, breaks(candidate, controller, properties)
        ]
    kinds = {tuple(t): kind for t, kind in partition_of(picture).items()}
    assert {t: k for t, k in kinds.items() if k != "internal"} == expected


@pytest.mark.parametrize("max_edges", [99, 1], ids=["graph", "matrix"])
def test_each_verdict_has_its_look(max_edges):
    """Red; red and grey; grey; green: in lines of a graph, in text and shade else."""
    case = load_case("models/therac25/therac25.toml")
    space = analyse(load_roles(case), Options()).space
    verdicts = verdict_of_each(space)
    picture = judgement(space.about.environment, verdicts, case.title)
    groups = read(drawn([picture], max_edges=max_edges))
    seen = {}
    for edge in picture.edges:
        (line,) = [d for d in groups if d.id == edge.id]
        assert edge.kind in line.classes
        seen.setdefault(edge.kind, set()).add(line.colours)
    assert set(seen) == {"nominal", *VERDICTS}
    ((red, *shade),) = map(by_redness, seen["hazardous"])
    assert not shade or max_edges == 1
    ((same, grey),) = map(by_redness, seen["excluded-unsafe"])
    assert (same, is_grey(red), is_grey(grey)) == (red, False, True)
    ((grey,),) = seen["excluded-safe"]
    assert is_grey(grey)
    ((green,),) = seen["tolerated"]
    assert rgb(green)[1] > 1.5 * max(rgb(green)[::2])
    if max_edges == 1:
        assert all(of_class(of_class(groups, "legend"), kind) for kind in VERDICTS)
    else:
        legend = [
            line for line in of_class(groups, "graph")[0].lines if line[0] in "→⇒⇢"
        ]
        assert [line[0] for line in legend] == ["→", "→", "⇒", "⇢", "→"]


def by_redness(colours):
    return sorted(colours, key=lambda c: rgb(c)[1] - rgb(c)[0])


def is_grey(colour):
    return max(rgb(colour)) - min(rgb(colour)) < 40


DRAW_ALL = """
import json, sys
from symrob.formats.dot import pictures_dot
from symrob.lts import Lts, Transition
from symrob.report.picture import deviation_picture, judgement
from symrob.report.svg import drawn
for row in json.load(sys.stdin).values():
    deviation = frozenset(Transition(*t) for t in row["delta"][0])
    picture = deviation_picture(Lts.from_dict(row["environment"]), deviation)
    sys.stdout.write(drawn([picture], "dot") + drawn([picture]))
assert "pygraphviz" not in sys.modules
"""


WITHOUT_A_FOLDER = """
import runpy, sys, tempfile
tempfile.TemporaryFile = tempfile.NamedTemporaryFile = tempfile.mkstemp = None
runpy.run_path(sys.argv.pop(1), run_name="__main__")
"""


def test_graphviz_needs_no_temporary_folder():
    done = subprocess.run(
        [sys.executable, "-P", "-c", WITHOUT_A_FOLDER, graphviz.__file__],
        input=drawn([complete(2)], "dot").encode(),
        capture_output=True,
    )
    assert b"</svg>" in done.stdout, done.stderr


def test_the_same_bytes_in_every_run_whatever_the_fonts():
    """Nor does the font library, which finds no configuration, print anything."""
    nothing = {"FONTCONFIG_FILE": "/nowhere", "HOME": "/nowhere"}
    outputs = set()
    for seed, more in (("0", {}), ("1", nothing)):
        done = subprocess.run(
            [sys.executable, "-c", DRAW_ALL],
            input=json.dumps(TABLE1).encode(),
            env=os.environ | {"PYTHONHASHSEED": seed} | more,
            cwd=Path(__file__).parents[2],
            capture_output=True,
            check=True,
        )
        assert done.stderr == b""
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert next(iter(outputs)).count(b"</svg>") == len(TABLE1)
