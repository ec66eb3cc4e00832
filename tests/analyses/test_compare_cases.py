"""`symrob compare` on the case studies and from the command line."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

import symrob
from symrob.analyses.candidate_space import CandidateSpace
from symrob.analyses.compare import compare
from symrob.analyses.ranking import rank
from symrob.api import load_roles, open_sides
from symrob.case import load_case
from symrob.errors import LimitExceeded
from symrob.lts import Lts
from symrob.options import Options
from symrob.report.compare import comparison_lines
from symrob.report.json import document, dumps
from symrob.report.ranking import ranking_lines, ranking_picture
from symrob.report.svg import drawn
from symrob.words import PLAIN
from tests.cli.tools import run
from tests.oracles import definition
from tests.schemas import validate

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "models"
THERAC = MODELS / "therac25"
PUMP = MODELS / "pca_pump"
RACE = ("e", "up", "rotate", "x", "enter", "beamReady", "b", "fireXray")


def engines(*paths, **constants):
    cases = {path: load_case(str(MODELS / path)) for path in paths}
    roles = {
        path: load_roles(replace(case, constants={**case.constants, **constants}))
        for path, case in cases.items()
    }
    return open_sides(roles, Options())


def compared(*paths):
    return compare(*map(CandidateSpace, engines(*paths)))


def named(comparison, transitions):
    name = comparison.about.environment.state_name
    return {(name(q), a, name(r)) for q, a, r in transitions}


@pytest.mark.parametrize("constraint", ["", "_unconstrained"])
@pytest.mark.parametrize("better", ["therac20", "therac25_fix"])
def test_the_race_of_the_therac25(better, constraint):
    """[S1] Sect. 5.2: strictly more robust than the Therac-25, for its race."""
    comparison = compared(
        f"therac25/{better}{constraint}.toml", f"therac25/therac25{constraint}.toml"
    )
    assert comparison.verdict == "more"
    witness = comparison.first.witness
    assert named(comparison, witness.units) == {("MODE_CHOSEN", "up", "NO_MODE")}
    assert witness.trace.actions == RACE
    assert [s.action for s in witness.trace.steps if s.added] == ["up"]
    # The turntable is on its way to the flattener when the X-ray is fired.
    assert witness.trace.steps[-1].components[-1] == "TO_FLATTENER"
    assert witness.trace.violated == "xflat.lts"


def test_every_single_difference_of_the_therac25_is_its_race():
    """From electrons to X-rays, and fired before the turntable has turned."""
    sides = engines("therac25/therac20.toml", "therac25/therac25.toml")
    comparison = compare(*map(CandidateSpace, sides))
    assert named(comparison, comparison.first.alone) == {
        ("NO_MODE", "e", "NO_MODE"),
        ("MODE_CHOSEN", "e", "NO_MODE"),
        ("MODE_CHOSEN", "up", "NO_MODE"),
        ("MODE_CHOSEN", "x", "MODE_CHOSEN"),
        ("CONFIRMED", "up", "NO_MODE"),
    }
    assert comparison.second.alone == ()
    for transition in comparison.first.alone:
        actions = sides[1].violation([transition]).actions
        assert actions[-1] == "fireXray"
        last = len(actions) - 1 - actions[::-1].index("x")
        assert "e" in actions[:last]
        assert "rotate" not in actions[last:]


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ("therac25/therac25_fix.toml", "therac25/therac20.toml", "equal"),
        ("therac25/therac25_fix_unconstrained.toml",
         "therac25/therac20_unconstrained.toml", "equal"),
        ("therac25/therac25_fix.toml", "therac25/therac25_fix_underdose.toml", "equal"),
        ("voting/voting_all.toml", "voting/voting_cfm.toml", "equal"),
        ("voting/voting_cfm_unconstrained.toml",
         "voting/voting_all_unconstrained.toml", "more"),
        ("token_ring/token_ring.toml", "token_ring/token_ring_latched.toml", "less"),
        ("link/link_any_reply.toml", "link/link.toml", "more"),
    ],
)  # fmt: skip
def test_verdicts_on_the_case_studies(one, other, verdict):
    comparison = compared(one, other)
    assert (comparison.verdict, comparison.status) == (verdict, "complete")


def test_all_398_deviations_of_the_therac25_suit_the_therac20():
    """What `compare` finds without listing Δ, by listing it."""
    t20, t25 = engines(
        "therac25/therac20_unconstrained.toml", "therac25/therac25_unconstrained.toml"
    )
    listed = list(t25.deviations())
    assert len(listed) == 398
    assert all(t20.is_safe(t20.deviated(d)) for d in listed)
    (only,) = t20.deviations()
    assert not t25.is_safe(t25.deviated(only))


def test_the_witness_of_voting_by_its_definition():
    """Nobody lists 463,000 deviations twice: the official votes, nobody confirms."""
    sides = engines(
        "voting/voting_cfm_unconstrained.toml", "voting/voting_all_unconstrained.toml"
    )
    comparison = compare(*map(CandidateSpace, sides))
    assert not comparison.first.alone
    added = {tuple(t) for t in comparison.first.witness.units}
    assert comparison.first.witness.smallest
    assert len(added) == 2
    robust = [
        definition.robust(
            side.environment,
            added,
            side.problem.controller,
            [m.lts for m in side.problem.properties],
            (),
        )
        for side in sides
    ]
    assert robust == [True, False]


def test_two_pumps_that_differ_in_one_of_six_components():
    """The lock on the plug helps with any nurse, and not with the orderly one."""
    args = ["compare", "--env", PUMP / "nurse.lts", "--ctrl", PUMP / "pump_locked.lts",
            "--ctrl", PUMP / "pump.lts", "--prop", f"{PUMP / 'power_failure.lts'}"
            "#ON_LINE_1", "--format", "json"]  # fmt: skip
    any_nurse = json.loads(run(*args, "--const", "LINES=2").out)
    assert any_nurse["verdict"] == "more"
    (added,) = any_nurse["surplus"][0]["witness"]["units"]
    name = any_nurse["environment"]["names"]
    assert (name[added[0]], added[1], name[added[2]]) == ("UNPLUGGED", "turn_on", "ON")
    unplugged = [t for t in any_nurse["surplus"][0]["alone"] if t[1] == "unplug"]
    assert len(unplugged) > 10
    rules = [
        x for f in ("order", "interface") for x in ("--env-prop", PUMP / f"{f}.lts")
    ]
    orderly = json.loads(run(*args, "--const", "LINES=4", *rules).out)
    assert orderly["verdict"] == "equal"
    for data in (any_nurse, orderly):
        validate(data, "compare")


def therac(*controllers, prop=("xflat.lts",), more=()):
    args = ["compare", "--env", THERAC / "nurse.lts"]
    for controller in controllers:
        args += ["--ctrl", f"{THERAC / 'machines.lts'}#{controller}"]
    for p in prop:
        args += ["--prop", THERAC / p]
    return run(*args, "--env-prop", THERAC / "one_treatment.lts", *more)


def test_text_of_two_sides():
    done = run("compare", THERAC / "therac20.toml", THERAC / "therac25.toml")
    assert done.code == 0
    for part in (
        "A  Therac-20: the race prevented by a hardware interlock\n",
        "A is strictly more robust than B.\n",
        "Tolerated only by A: 1 new transition, a smallest set\n"
        "  up  MODE_CHOSEN → NO_MODE\nWith it B violates xflat.lts:\n",
    ):
        assert part in done.out
    counts = "20 by both, 51 by neither, 5 only by A, 0 only by B Only by A:"
    assert f"individually tolerated: {counts}" in " ".join(done.out.split())


def test_more_than_two_sides_are_put_in_order():
    done = therac("THERAC25", "THERAC20", "THERAC25_FIX")
    assert done.code == 0
    assert "#THERAC20\n  =  " in done.out
    assert (
        "more robust than 2: it also tolerates\n       up  MODE_CHOSEN → NO_MODE"
        in (done.out)
    )
    data = json.loads(
        therac("THERAC25", "THERAC20", "THERAC25_FIX", more=["--format", "json"]).out
    )
    validate(data, "ranking")
    assert data["classes"] == [[1, 2], [0]]
    assert data["at_least"] == [
        [True, False, False],
        [True, True, True],
        [True, True, True],
    ]


def test_the_order_of_designs_is_drawn():
    cases = [THERAC / f"{n}.toml" for n in ("therac25", "therac20", "therac25_fix")]
    others = [word for case in cases[1:] for word in ("--compare", case)]
    dot, svg = (
        run("draw", cases[0], *others, "--format", form).out for form in ("dot", "svg")
    )
    assert '"s0" -> "s1"' in dot
    assert 'label=" MODE_CHOSEN –up→ NO_MODE"' in dot.replace("\\l", "")
    # There is no initial state in an order.
    assert "start" not in dot
    assert 'class="start"' not in svg
    assert "MODE_CHOSEN –up→" in svg


def test_a_matrix_takes_each_controller_with_each_property(tmp_path):
    for name in ("nurse", "order", "interface", "pump", "pump_locked", "power_failure"):
        shutil.copy(PUMP / f"{name}.lts", tmp_path)
    case = tmp_path / "case.toml"
    case.write_text(
        """title = "pumps"
environment = "nurse.lts"
constraints = ["order.lts", "interface.lts"]
[constants]
LINES = 2
[matrix]
controllers = ["pump.lts", "pump_locked.lts"]
properties = ["power_failure.lts#ON_LINE_1", "power_failure.lts#ON_EVERY_LINE"]
"""
    )
    data = json.loads(run("compare", case, "--format", "json").out)
    validate(data, "ranking")
    assert data["sides"] == [
        f"pumps (controller={c}.lts, properties=power_failure.lts#ON_{p})"
        for c in ("pump", "pump_locked")
        for p in ("LINE_1", "EVERY_LINE")
    ]
    assert data["classes"] == [[0, 1, 2, 3]]


def test_with_one_controller_each_property_is_a_side():
    data = json.loads(
        therac(
            "THERAC25_FIX",
            prop=("xflat.lts", "xflat_espread.lts"),
            more=["--format", "json"],
        ).out
    )
    assert data["verdict"] == "equal"
    assert len(data["sides"]) == 2


def test_with_one_of_each_the_constraints_are_sides(tmp_path):
    (tmp_path / "free.lts").write_text("FREE = ({b, e, enter, up, x} -> FREE).")
    done = therac("THERAC25", more=["--env-prop", tmp_path / "free.lts"])
    assert "A is strictly less robust than B." in done.out
    assert "violates" in done.out


def test_one_case_file_can_hold_both_sides(tmp_path):
    for file in ("nurse", "machines", "xflat"):
        shutil.copy(THERAC / f"{file}.lts", tmp_path)
    case = tmp_path / "case.toml"
    case.write_text(
        """title = "T25"
environment = "nurse.lts"
controller = "machines.lts#THERAC25"
properties = ["xflat.lts"]
compute = ["compare"]
[against]
controller = "machines.lts#THERAC20"
"""
    )
    done = run("compare", case)
    assert done.out.startswith("A  T25\nB  T25 (against)\n\nA is strictly less robust")


def test_a_side_can_be_compared_with_itself():
    done = therac("THERAC25", "THERAC25")
    assert "A and B are equally robust." in done.out


def test_deviations_on_demand():
    done = run(
        "compare",
        THERAC / "therac25.toml",
        THERAC / "therac20.toml",
        "--delta",
        "--format",
        "json",
    )
    data = json.loads(done.out)
    validate(data, "compare")
    mine, theirs = data["delta"]
    assert (len(mine), len(theirs)) == (0, 3)
    text = run(
        "compare", THERAC / "therac25.toml", THERAC / "therac20.toml", "--delta",
        "--limit", 1,
    )  # fmt: skip
    assert text.code == 3
    assert "Maximal deviations of A that B does not tolerate:\n  none" in text.out
    assert (
        "Maximal deviations of B that A does not tolerate:\nDeviation 1: " in text.out
    )
    assert "Deviation 2" not in text.out


def test_a_side_without_an_envelope_is_named():
    done = therac("THERAC25", "THERAC20", prop=("xflat_espread.lts",))
    assert done.code == 1
    assert "machines.lts#THERAC25: the nominal system already violates" in done.err
    assert "fireElectron" in done.err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([THERAC / "therac20.toml"], "a comparison requires two sides"),
        ([THERAC / "therac20.toml", "--ctrl", "x"], "not both"),
        (["--ctrl", "x"], "give case files, or --env"),
        ([THERAC / "therac20.toml", MODELS / "voting/voting_all.toml"],
         "different actions"),
        ([PUMP / "pca_pump.toml", PUMP / "pca_pump_2.toml"], "different states"),
        ([THERAC / "therac20.toml", THERAC / "therac25.toml", "--format", "dot"],
         "--format must be one of text, json"),
        ([THERAC / f"{n}.toml" for n in ("therac20", "therac25", "therac25_fix")]
         + ["--delta"], "--delta requires two sides"),
    ],
)  # fmt: skip
def test_wrong_use(args, message):
    done = run("compare", *args)
    assert done.code == 2
    assert message in done.err
    assert not done.out


def stopping(engine, ticks):
    left = [ticks]

    def tick():
        left[0] -= 1
        if left[0] < 0:
            raise LimitExceeded("enough", reason="timeout")

    engine.clock._on_tick = tick


def test_a_bound_is_told_and_nothing_is_guessed():
    """At whatever moment it is hit: what is said is true, the rest is unknown."""
    paths = (
        "voting/voting_all_unconstrained.toml", "voting/voting_cfm_unconstrained.toml"
    )  # fmt: skip
    verdicts = set()
    for ticks in (0, 100, 200, 300, 400, 10_000):
        sides = engines(*paths)
        stopping(sides[0], ticks)
        comparison = compare(*map(CandidateSpace, sides))
        assert comparison.first.exists in (None, False)
        assert comparison.second.exists in (None, True)
        verdicts.add((comparison.verdict, comparison.status))
        data = json.loads(dumps(document(replace(comparison, sides=paths))))
        validate(data, "compare")
        told = SimpleNamespace(first=replace(comparison, sides=paths))
        told.without_constraints = None
        text = "\n".join(comparison_lines(told, [PLAIN, PLAIN]))
        assert ("unknown (enough)" in text) == (comparison.verdict == "unknown")
        ranking = rank([*map(CandidateSpace, sides)])
        data = document(replace(ranking, sides=paths))
        validate(json.loads(dumps(data)), "ranking")
        assert ranking.at_least[0][1] in (None, False)
        assert list(ranking_lines(ranking, paths))
    assert ("unknown", "timeout") in verdicts
    assert ("less", "complete") in verdicts


def test_names_of_strangers_are_made_harmless():
    nasty = 'a"\\\x1b[31m\u202e'
    sides = engines("therac25/therac20.toml", "therac25/therac25.toml")
    ranking = rank([*map(CandidateSpace, sides)])
    text = "\n".join(ranking_lines(ranking, [nasty, nasty]))
    picture = ranking_picture(ranking, [nasty, nasty])
    dot, svg = (drawn([picture], form, title="") for form in ("dot", "svg"))
    first = replace(compare(*map(CandidateSpace, sides)), sides=(nasty, nasty))
    told = SimpleNamespace(first=first, without_constraints=None)
    comparison = "\n".join(comparison_lines(told, [PLAIN, PLAIN]))
    for shown in (text, dot, svg, comparison):
        assert "\x1b" not in shown
        assert "\u202e" not in shown
    assert r"a&quot;\\\\x1b[31m\\u202e" in dot


def test_from_python():
    """Nothing is enumerated for a comparison."""
    nurse = symrob.load(str(THERAC / "nurse.lts"))
    safety = symrob.load(str(THERAC / "xflat.lts"))
    t25, t20 = (
        symrob.compute(nurse, symrob.load(str(THERAC / "machines.lts"), name), safety)
        for name in ("THERAC25", "THERAC20")
    )
    comparison = symrob.compare(t25, t20)
    assert comparison.verdict == "less"
    assert comparison.first.witness is None
    assert t25.status == "running"
    other = symrob.compute(Lts(["b"], 1, []), Lts(["b"], 1, []), Lts(["b"], 1, []))
    with pytest.raises(symrob.SymrobError, match="different actions"):
        symrob.compare(t25, other)
