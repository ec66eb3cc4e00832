"""`symrob draw`, end to end."""

import json
import re
import sys

import pytest

import symrob
from symrob.analyses import choice
from symrob.analyses.choice import inert
from symrob.api import analyse, load_roles
from symrob.case import load_case
from symrob.errors import (
    EXIT_INPUT,
    EXIT_INTERRUPTED,
    EXIT_LIMIT,
    EXIT_NOMINAL,
    LimitExceeded,
)
from symrob.limits import BUDGETS
from symrob.lts import Transition
from symrob.options import Options
from symrob.report import svg
from symrob.report.picture import portrait
from tests.cli.tools import run, spawn
from tests.report.svgtools import all_of, of_class, read, states_of, transitions_of

THERAC25 = "models/therac25/therac25.toml"
THERAC20 = "models/therac25/therac20.toml"
UNCONSTRAINED = "models/therac25/therac25_unconstrained.toml"


def envelope(case):
    data = json.loads(run("compute", case, "--format", "json").out)
    return [frozenset(Transition(*t) for t in d) for d in data["delta"]]


def drawn(svg):
    """The transitions of a picture by kind."""
    return transitions_of(read(svg))


def test_the_largest_deviation_by_default():
    done = run("draw", THERAC25)
    assert (done.code, done.err) == (0, "")
    delta = envelope(THERAC25)
    assert all_of(done.out) in delta
    assert len(all_of(done.out)) == max(map(len, delta))


@pytest.mark.parametrize("stop", [LimitExceeded("no more"), KeyboardInterrupt()])
def test_when_the_largest_takes_long_another_is_drawn_and_said_to_be_so(
    stop, monkeypatch
):
    def stopped(*_):
        raise stop

    monkeypatch.setattr(choice, "closest", stopped)
    done = run("draw", UNCONSTRAINED)
    assert done.code == (
        EXIT_LIMIT if isinstance(stop, LimitExceeded) else EXIT_INTERRUPTED
    )
    assert all_of(done.out) in envelope(UNCONSTRAINED)
    assert "another deviation may add more" in done.err
    done = run("draw", UNCONSTRAINED, "--compare", THERAC20, "--pair")
    assert (
        "Therac-25 with the bug, unconstrained nurse: large deviation" in done.out
        or ("Therac-20: large deviation" in done.out)
    )
    assert done.code in (EXIT_LIMIT, EXIT_INTERRUPTED)
    assert drawn(done.out)


def test_a_search_that_only_its_budget_ends_is_no_failure(monkeypatch):
    monkeypatch.setitem(BUDGETS, "largest", 0.0)
    done = run("draw", UNCONSTRAINED)
    assert done.code == 0
    assert "another deviation may add more" in done.err
    assert "not decided in 0 s; --timeout S allows more time" in done.err
    assert all_of(done.out) in envelope(UNCONSTRAINED)


def test_numbers_are_those_of_compute():
    shown = run("compute", THERAC25).out.split("\nDeviation ")[1:]
    for number in (1, 2, 3, 4):
        svg = run("draw", THERAC25, "--deviation", number).out
        head = shown[number - 1].splitlines()[0]
        assert f"{number}: {len(all_of(svg))} transitions" in head
        assert f"{len(drawn(svg)['added'])} new" in head
    done = run("draw", THERAC25, "--deviation", "5")
    assert done.code == EXIT_INPUT
    assert "numbered from 1 to 4" in done.err


def test_several_deviations_stand_below_each_other():
    both = run("draw", THERAC25, "--deviation", "1", "--deviation", "2").out
    assert both.count("<svg") == 3
    assert both.index("deviation 1,") < both.index("deviation 2,")
    both = run(
        *("draw", THERAC25, "--format", "dot"),
        *("--deviation", "1", "--deviation", "2"),
    ).out
    assert both.count("subgraph") == 2
    assert both.index("deviation 1,") < both.index("deviation 2,")


def test_a_deviation_from_a_file(tmp_path):
    result = tmp_path / "r.json"
    result.write_text(run("compute", THERAC25, "--format", "json").out, "utf-8")
    for number, deviation in enumerate(envelope(THERAC25), 1):
        svg = run("draw", THERAC25, "--deviation", f"{result}#{number}").out
        assert all_of(svg) == deviation


def test_an_unsafe_deviation_is_drawn_and_said_to_be_so(write):
    path = write("d.json", '["TREATED,b,NO_MODE"]')
    done = run("draw", THERAC25, "--deviation", path)
    assert done.code == 0
    assert "this deviation is not tolerated" in done.err
    assert drawn(done.out)["added"] == {Transition(3, "b", 0)}


@pytest.mark.parametrize("output", ["svg", "dot"])
def test_verdicts_are_those_of_the_summary(output):
    """Every candidate, drawn by what the summary says that it amounts to alone."""
    done = run("draw", THERAC25, "--verdicts", "--format", output)
    assert (done.code, done.err) == (0, "")
    alone = json.loads(run("summary", THERAC25, "--format", "json").out)["alone"]
    found = {k: len(v) for k, v in alone.items() if v}
    if output == "svg":
        kinds = drawn(done.out)
        assert kinds.pop("nominal")
        assert {k: sorted(map(list, v)) for k, v in kinds.items()} == {
            kind: alone[kind] for kind in found
        }
    else:
        assert set(re.findall(r'class="([a-z-]+)", label', done.out)) - {
            "state",
            "nominal",
        } == set(found)
    assert f"each of {sum(found.values())} added transitions alone" in done.out


@pytest.mark.parametrize(
    "other",
    [
        (THERAC25, "--hide-inert"),
        (THERAC25, "--deviation", "1"),
        (THERAC25, "--compare", THERAC20),
        ("models/therac25/nurse.lts",),
    ],
)
def test_verdicts_are_asked_of_a_case_alone(other):
    done = run("draw", "--verdicts", *other)
    assert (done.code, done.out) == (EXIT_INPUT, "")
    assert "[usage-verdicts]" in done.err


def test_hide_inert_leaves_out_exactly_what_never_fires():
    case = "models/running_example/running_example.toml"
    shown, hidden = run("draw", case).out, run("draw", case, "--hide-inert").out
    # The controller of the running example never lets b happen.
    assert {t for t in all_of(shown) if t.action == "b"} <= (
        drawn(shown)["inert"] | drawn(shown)["nominal"]
    )
    assert all_of(hidden) == all_of(shown) - drawn(shown)["inert"]
    count = len(drawn(shown)["inert"])
    assert f"{count} that can never fire omitted" in hidden
    assert "omitted" not in shown
    assert "inert" not in drawn(hidden)


def test_inert_in_a_comparison_is_what_never_fires_with_either():
    cases = ("models/token_ring/token_ring.toml", "--compare")
    cases += ("models/token_ring/token_ring_latched.toml", "--pair")
    without = run("draw", *cases, "--hide-inert").out
    shown, hidden = drawn(run("draw", *cases).out), drawn(without)
    assert f"{len(shown['inert'])} that can never fire omitted" in without
    assert shown["inert"]
    assert hidden == {k: v for k, v in shown.items() if k != "inert"}


@pytest.mark.parametrize("flipped", [False, True])
def test_pair_as_in_the_paper(flipped):
    """[S1] Fig. 8: nothing is drawn that only the less robust machine tolerates."""
    cases = (THERAC25, THERAC20) if flipped else (THERAC20, THERAC25)
    done = run("draw", cases[0], "--compare", cases[1], "--pair")
    assert done.code == 0
    kinds = drawn(done.out)
    more, less = "only_first", "only_second"
    if flipped:
        more, less = less, more
    assert less not in kinds
    both = kinds["nominal"] | kinds["both"]
    assert both in envelope(THERAC25)
    assert both | kinds[more] in envelope(THERAC20)
    assert kinds[more]
    assert "in the deviation of Therac-20 only" in done.out
    named = ("Therac-20: largest deviation", "Therac-25 w/bug: the one closest to it")
    others = ("Therac-20: the one closest to it", "Therac-25 w/bug: largest deviation")
    told = [each if not flipped else each[::-1] for each in (named, others)]
    assert any("; ".join(each) in done.out for each in told)


def compared(first, second):
    """How many transitions both designs tolerate individually, and which only one."""
    data = json.loads(run("compare", first, second, "--format", "json").out)
    surplus = [{Transition(*t) for t in each["alone"]} for each in data["surplus"]]
    return data["tolerated_by_both"], *surplus


PAIRS = [
    ("models/press/press_door.toml", "models/press/press.toml"),
    (THERAC20, THERAC25),
    (THERAC25, THERAC20),
    ("models/token_ring/token_ring.toml", "models/token_ring/token_ring_latched.toml"),
]


@pytest.mark.parametrize("cases", PAIRS)
def test_a_comparison_is_what_its_legend_says(cases):
    """Green is what only the first tolerates, grey what both do: each alone."""
    done = run("draw", cases[0], "--compare", cases[1], "--bound", "max-edges=500")
    assert done.code == 0, done.err
    both, first, second = compared(*cases)
    kinds = drawn(done.out)
    assert kinds.get("only_first", set()) == first
    assert kinds.get("only_second", set()) == second
    assert len(kinds.get("both", ())) == both
    assert ("individually tolerated by both" in done.out) == bool(both)
    assert "each added transition alone" in done.out


def test_what_both_presses_tolerate_is_grey():
    door, pedal = PAIRS[0]
    kinds = drawn(run("draw", door, "--compare", pedal).out)
    environment = symrob.load_case(door).compute().environment
    names = environment.numbers
    reach = Transition(names["LOADED"], "reach", names["LOADING"])
    assert reach in kinds["both"]
    assert reach not in kinds["only_first"]


def test_of_fault_modes_what_tolerated_ones_bring_is_drawn(tmp_path):
    two = "models/two_phase_commit/two_phase_commit.toml"
    forgetful = "models/two_phase_commit/two_phase_commit_forgetful.toml"
    done = run("draw", two, "--compare", forgetful, "--bound", "max-edges=500")
    assert done.code == 0, done.err
    data = json.loads(run("compare", two, forgetful, "--format", "json").out)
    kinds = drawn(done.out)
    for side, kind in zip(data["surplus"], ("only_first", "only_second"), strict=True):
        assert bool(side["alone"]) == bool(kinds.get(kind))


@pytest.mark.parametrize(
    "arguments",
    [
        (THERAC25, "--pair"),
        (THERAC25, "--pair", "--compare", THERAC20, "--compare", THERAC25),
        (THERAC25, "--hide-inert", "--compare", THERAC20),
    ],
)
def test_what_a_pair_is_for(arguments):
    done = run("draw", *arguments)
    assert (done.code, done.out) == (EXIT_INPUT, "")
    assert "--pair" in done.err


def test_comparison_with_a_deviation_that_is_named():
    case = "models/token_ring/token_ring.toml"
    for number in (1, 2, 3):
        alone = all_of(run("draw", case, "--deviation", number).out)
        latched = "models/token_ring/token_ring_latched.toml"
        kinds = drawn(
            run("draw", case, "--compare", latched, "--deviation", number).out
        )
        mine = ("nominal", "both", "only_first", "inert")
        assert alone <= frozenset().union(*(kinds.get(k, set()) for k in mine))


def test_what_cannot_be_compared():
    done = run("draw", THERAC25, "--compare", "models/voting/voting_cfm.toml")
    assert done.code == EXIT_INPUT
    assert done.err.count("[compare-environment]") == 3
    done = run(
        *("draw", THERAC25, "--compare", THERAC20),
        *("--deviation", "1", "--deviation", "2"),
    )
    assert done.code == EXIT_INPUT
    assert "give --deviation once" in done.err


def test_both_sides_get_the_constants_and_the_extra_states():
    cases = ("models/link/link.toml", "models/link/link_any_reply.toml")
    done = run("draw", cases[0], "--compare", cases[1], "--format", "dot")
    assert done.code == 0
    done = run(
        *("draw", THERAC20, "--compare", THERAC25, "--extra-states", "1"),
    )
    assert "new1" in states_of(read(done.out)).values()
    done = run("draw", THERAC20, "--compare", THERAC25, "--const", "N=2")
    assert done.code == EXIT_INPUT
    case = "models/token_ring/token_ring.toml"
    latched = "models/token_ring/token_ring_latched.toml"
    done = run("draw", case, "--compare", latched, "--const", "N=3", "--format", "dot")
    assert (done.code, "AT[3]" in done.out) == (0, True)


def test_a_side_that_is_unsafe_is_named():
    done = run(
        *("draw", "--env", "models/therac25/nurse.lts", "--prop"),
        *("models/therac25/xflat_espread.lts", "--ctrl"),
        *("models/therac25/machines.lts#THERAC25", "--compare", THERAC20),
    )
    assert done.code == EXIT_NOMINAL
    assert "the first: " in done.err


def test_a_design_beside_itself():
    kinds = drawn(run("draw", THERAC25, "--compare", THERAC25).out)
    assert set(kinds) == {"nominal", "both"}


def test_out_tells_the_format(tmp_path):
    for name, start in (("a.svg", "<svg"), ("a.dot", "digraph"), ("a.DOT", "digraph")):
        done = run("draw", THERAC25, "--out", tmp_path / name)
        assert (done.code, done.out) == (0, "")
        assert (tmp_path / name).read_text("utf-8").startswith(start)
    done = run("draw", THERAC25, "--out", tmp_path / "a.png")
    assert done.code == EXIT_INPUT
    assert ".svg, .dot, .mmd or .puml" in done.err
    assert not (tmp_path / "a.png").exists()
    done = run("draw", THERAC25, "--out", tmp_path / "a.png", "--format", "dot")
    assert done.code == 0
    done = run("draw", THERAC25, "--format", "png")
    assert (done.code, "usage-format" in done.err) == (EXIT_INPUT, True)
    assert run("draw", THERAC25, "--bound", "max-edges=0").code == EXIT_INPUT


def test_beyond_the_edges_that_can_be_read_a_matrix_is_drawn():
    def is_matrix(*args):
        done = run("draw", "models/link/link.toml", *args)
        assert (done.code, done.err) == (0, "")
        groups = read(done.out)
        assert len(transitions_of(groups)) == 2 + ("--hide-inert" not in args)
        return not of_class(groups, "graph")

    assert is_matrix()
    assert is_matrix("--bound", "max-edges=66")
    assert not is_matrix("--bound", "max-edges=67")
    assert not is_matrix("--bound", "max-edges=66", "--hide-inert")
    dot = run("draw", THERAC25, "--bound", "max-edges=1", "--format", "dot")
    assert (dot.code, dot.out[:7]) == (0, "digraph")
    done = run("draw", THERAC25, "--bound", "max-edges=3")
    assert "11 edges, drawn as a matrix" in done.out


def test_what_fits_neither_says_what_to_do(monkeypatch):
    monkeypatch.setattr(svg, "MOST_STATES", 6)
    done = run("draw", "models/link/link.toml")
    assert (done.code, done.out) == (EXIT_LIMIT, "")
    assert "--hide-inert" in done.err
    assert "--bound max-edges=67" in done.err


def test_what_was_found_can_be_drawn_when_the_time_is_up(monkeypatch):
    (deviation,) = (envelope := analyse_case("models/voting/voting_cfm.toml"))
    monkeypatch.setattr(envelope.engine.clock, "_end", 0.0)
    with pytest.raises(LimitExceeded):
        envelope.engine.clock.check()
    never = inert(envelope.engine, deviation)
    picture = portrait(envelope.environment, deviation, never, "late")
    assert sum(len(edge.actions) for edge in picture.edges) == len(deviation)


def analyse_case(case):
    return analyse(load_roles(load_case(case)), Options())


def test_the_same_bytes_in_every_run(monkeypatch):
    arguments = ("draw", THERAC20, "--compare", THERAC25)
    runs = {spawn(*arguments, PYTHONHASHSEED=seed).out for seed in ("0", "7")}
    assert len(runs) == 1
    assert run(*arguments).out in runs
    monkeypatch.setitem(sys.modules, "dd.cudd", None)
    assert run(*arguments).out in runs


def test_names_of_strangers_stay_text(write):
    name = "'<script>&'"
    environment = symrob.Lts(["a<b"], 2, [(0, "a<b", 1)], names=[name, "</svg>"])
    path = write("e.json", json.dumps(environment.to_dict()))
    free = write(
        "c.json", json.dumps(symrob.Lts(["a<b"], 1, [(0, "a<b", 0)]).to_dict())
    )
    done = run("draw", "--env", path, "--ctrl", free, "--prop", free)
    assert done.code == 0
    assert list(states_of(read(done.out)).values()) == [name, "</svg>"]
