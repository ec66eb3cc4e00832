"""`symrob repair` end to end: known answers, files, pictures, what it refuses."""

import json
from itertools import combinations
from random import Random
from xml.etree import ElementTree

import pytest

import symrob
from symrob.case import load_case
from symrob.formats import read
from symrob.lts import Network
from symrob.repair.suggest import suggest
from tests.cli.tools import ROOT, run
from tests.engines import said
from tests.oracles import definition
from tests.oracles.single_guards import Machine
from tests.repair.test_restriction import engine_of, random_question
from tests.schemas import validate
from tests.security import hostile

ANY_NURSE = "models/therac25/therac25_unconstrained.toml"
THERAC = "models/therac25/therac25.toml"
RUNNING = "models/running_example/running_example.toml"
PUMP = "models/pca_pump/pca_pump.toml"


def answer(*args, code=0):
    done = run("repair", *args, "--format", "json")
    assert done.code == code, done.err
    data = json.loads(done.out)
    validate(data, "repair")
    return data


def guards(data):
    """For each action the conditions: component to states, in one term."""
    found = data["repair"]["guards"]["guards"]
    return {
        g["action"]: [
            {c["component"]: c["states"] for c in term} for term in g["while"]
        ]
        for g in found
    }


@pytest.mark.parametrize("case", [ANY_NURSE, THERAC])
def test_the_interlock_of_the_therac_20_is_found(case, tmp_path):
    out = tmp_path / "repaired.lts"
    data = answer(case, "--not-disable", "rotate", "--out", out)
    assert guards(data) == {"fireXray": [{"TURNTABLE": ["TO_FLATTENER"]}]}
    assert data["worth"]["lost"]["run"] is None
    assert data["worth"]["checked"] is True
    assert data["worth"]["comparison"]["verdict"] == "more"
    # As robust as the machine that has it in hardware, whatever the nurse does.
    for rules in ([], ["--env-prop", "models/therac25/one_treatment.lts"]):
        compared = run(
            "compare",
            *("--env", "models/therac25/nurse.lts"),
            *("--ctrl", out, "--ctrl", "models/therac25/machines.lts#THERAC20"),
            *("--prop", "models/therac25/xflat.lts", *rules),
            *("--format", "json"),
        )
        assert json.loads(compared.out)["verdict"] == "equal", compared.err
    assert out.read_text().startswith("||REPAIRED = (TERMINAL || BEAM || TURNTABLE ")


def test_the_pump_keeps_its_medicine_once_the_power_was_lost():
    data = answer(PUMP, "--tolerate", "*,unplug,*")
    flow = "line.1.dispense_main_med_flow"
    assert guards(data) == {flow: [{"line.1:PUMP_LINE": ["POWER_LOST"]}]}
    assert data["worth"]["lost"]["run"] is None
    # What was asked for breaks an assumption.
    assert data["worth"]["comparison"]["verdict"] == "equal"
    assert data["worth"]["without"]["verdict"] == "more"


def test_four_lines_are_checked():
    case = "models/pca_pump/pca_pump_every_line.toml"
    data = answer(case, "--const", "LINES=4", "--tolerate", "*,unplug,*")
    assert len(guards(data)) == 4
    assert data["worth"]["checked"] is True


def test_a_memory_is_told_where_the_states_of_c_do_not_tell():
    text = run("repair", RUNNING).out
    assert "Disable a while MEMORY is 2" in text
    assert "0 → 1  a\n  1 → 2  a" in text
    assert guards(answer(RUNNING)) == {"a": [{"MEMORY": ["2"]}]}


def test_what_can_be_had_where_not_all_can():
    done = run("repair", RUNNING, "--not-disable", "a", "--limit", "10")
    assert done.code == 4
    assert "\nNo repair exists: no choice of disabled actions prevents" in done.out
    assert "\nIts first added transition: S1, a, S1\n" in done.out
    data = answer(RUNNING, "--not-disable", "a", "--limit", "10", code=4)
    delta = json.loads(run("compute", RUNNING, "--format", "json").out)
    nominal = delta["environment"]["transitions"]
    new = [[t for t in d if t not in nominal] for d in delta["delta"]]
    assert sorted(one["tolerate"][0] for one in data["had"]) == sorted(new)
    assert data["repair"]["forced"]["further"] == [["a"]]


def test_a_plan_that_has_to_be_kept():
    stroke = ("models/press/press.toml", "--tolerate", "*,pedal,*")
    still = run("repair", *stroke)
    assert still.code == 4
    assert "\nNo useful repair: with C', the plan loses down, pedal and" in still.out
    kept = run("repair", *stroke, "--keep", "plan")
    assert kept.code == 4
    assert "\nNo repair keeps the plan. Every repair loses this trace:\n" in kept.out
    nurse = run("repair", ANY_NURSE, "--keep", "plan")
    assert nurse.code == 0
    had = answer("models/press/press.toml", "--keep", "plan", code=4)
    assert had["had"]
    assert had["repair"]["guards"] is not None


def test_what_nothing_helps_against(tmp_path):
    (tmp_path / "e.lts").write_text("E = (a -> STOP) + {b}.")
    (tmp_path / "c.lts").write_text("C = (c -> C).")
    (tmp_path / "p.lts").write_text("property P = (a -> P) + {b}.")
    models = ("--env", tmp_path / "e.lts", "--ctrl", tmp_path / "c.lts")
    args = (*models, "--prop", tmp_path / "p.lts")
    done = run("repair", *args, "--tolerate", "0,b,0")
    assert done.code == 4
    assert "\nDisabling other actions of C would not help.\n" in done.out
    assert run("repair", *args, "--tolerate", "0,a,0").out.endswith(
        "\nNo change is needed: C already tolerates the required deviations.\n"
    )


def test_fault_modes_are_meant_by_name(tmp_path):
    folder = ROOT / "models/therac25"
    text = (folder / "therac25.toml").read_text()
    for name in ("nurse.lts", "machines.lts", "xflat.lts", "one_treatment.lts"):
        (tmp_path / name).write_text((folder / name).read_text())
    (tmp_path / "words.toml").write_text((folder / "words.toml").read_text())
    case = tmp_path / "case.toml"
    case.write_text(f'{text}\n[faults]\nediting = ["CONFIRMED,up,*"]\n')
    named = answer(case, "--tolerate", "editing")
    meant = answer(THERAC, "--tolerate", "CONFIRMED,up,*")
    assert named["repair"]["tolerate"] == [["editing"]]
    assert [named["modes"]["editing"]] == meant["repair"]["tolerate"]
    assert named["repair"]["guards"] == meant["repair"]["guards"]
    wrong = run("repair", case, "--tolerate", "editting")
    assert wrong.code == 2
    assert "did you mean 'editing'?" in wrong.err


def test_modes_that_add_nothing_alone_are_told_by_what_was_asked(tmp_path):
    """Both modes bring a step only together; each alone is tolerated."""
    (tmp_path / "m.lts").write_text(
        "K0 = A, A = (ok -> B), B = (ok -> A) + {a}.\n"
        "K1 = A, A = (ok -> B), B = (ok -> A) + {a}.\n"
        "||E = (K0 || K1).\nC = (ok -> C).\nproperty P = (ok -> P) + {a}.\n"
    )
    case = tmp_path / "case.toml"
    case.write_text(
        'environment = "m.lts#E"\ncontroller = "m.lts#C"\nproperties = ["m.lts#P"]\n'
        'controllable = ["ok"]\n[faults]\nonly = true\n'
        'm0 = "K0:A,a,A"\nm1 = "K1:A,a,A"\n'
    )
    data = answer(case, code=4)
    assert data["repair"]["tolerate"] == [["m0", "m1"]]
    assert sorted(had["tolerate"] for had in data["had"]) == [[["m0"]], [["m1"]]]
    named = answer(case, "--tolerate", "m0")
    assert named["repair"]["tolerate"] == [["m0"]]


def test_a_controller_of_one_part_that_needs_no_guard_is_written(tmp_path):
    file = tmp_path / "same.lts"
    assert run("repair", "models/press/press_door.toml", "--out", file).code == 0
    (part,) = read(str(file)).network.components
    assert part.size == 4


@pytest.mark.parametrize("form", ["lts", "json"])
def test_sentences_about_a_flat_controller_are_about_its_repair(tmp_path, form):
    """In C' the flat C is one of two components, and is called `C` as before."""
    (tmp_path / "e.lts").write_text(
        "U = (a -> W | x -> V), W = (b -> U), V = (c -> U).\n"
    )
    states = [[0, "a", 1], [0, "x", 2], [1, "b", 0], [2, "b", 0]]
    flat = {"alphabet": ["a", "b", "x"], "states": 3, "transitions": states}
    (tmp_path / "c.json").write_text(json.dumps(flat))
    case = tmp_path / "case.toml"
    text = 'environment = "e.lts"\ncontroller = "{}"\ncontrollable = ["x"]\n'
    text += 'properties = ["never b while C is {}"]\n'
    case.write_text(text.format("c.json", 2))
    out = tmp_path / f"repaired.{form}"
    answer(case, "--tolerate", "V,b,U", "--out", out)
    names = read(str(out)).network.component_names
    assert [*names] == ["C", "GUARD"]
    state = read(str(out)).network.components[0].state_name(2)
    case.write_text(text.format(out.name, f"'{state}'"))
    told = run("explain", case, "--transition", "V,b,U", "--expect", "tolerated")
    assert told.code == 0, told.err


@pytest.mark.parametrize("form", ["lts", "json"])
@pytest.mark.parametrize("called", [["DEV"], ["C:DEV"], ["C"], ["C", "DEV"]])
def test_sentences_that_name_a_process_are_about_its_repair(tmp_path, form, called):
    """The process keeps its name and its states; `C` is C without its guards."""
    (tmp_path / "m.lts").write_text(
        "U = (a -> W | x -> V), W = (b -> U), V = (c -> U).\n"
        "DEV = (a -> S1 | x -> S2), S1 = (b -> DEV), S2 = (b -> DEV).\n"
    )
    case = tmp_path / "case.toml"
    asked = [f"never b while {name} is S2" for name in called]
    asked += [f"never c while {called[0]} is DEV and E is W"]
    text = f'environment = "m.lts#U"\ncontrollable = ["x"]\nproperties = {asked}\n'
    case.write_text(f'{text}controller = "m.lts#DEV"\n')
    out = tmp_path / f"repaired.{form}"
    done = run("repair", case, "--tolerate", "V,b,U", "--out", out)
    assert done.code == 0
    assert "warning" not in done.err
    case.write_text(f'{text}controller = "{out.name}"\n')
    told = run("explain", case, "--transition", "V,b,U", "--expect", "tolerated")
    assert told.code == 0, told.err


def test_names_that_fsp_does_not_hold_are_reported(tmp_path):
    case = "models/pca_pump/pca_pump.toml"
    args = ("repair", case, "--tolerate", "*,unplug,*", "--out")
    done = run(*args, tmp_path / "out.lts")
    assert "components are written under other names: 'line.1:PUMP_LINE' as" in done.err
    assert "a .json file keeps the old names" in done.err
    assert "names" not in run(*args, tmp_path / "out.json").err


def test_files_and_pictures(tmp_path):
    files = [tmp_path / f"out.{suffix}" for suffix in ("lts", "json", "svg", "dot")]
    args = [part for file in files for part in ("--out", file)]
    assert run("repair", RUNNING, *args).code == 0
    fsp, as_json = (read(str(file)).network for file in files[:2])
    assert fsp.alphabet == as_json.alphabet
    assert [c.size for c in fsp.components] == [c.size for c in as_json.components]
    assert "guarded" in files[2].read_text()
    assert "no a" in files[3].read_text()


def test_suggestions(tmp_path):
    out = tmp_path / "front.svg"
    case = "models/voting/voting_all_unconstrained.toml"
    done = run("repair", case, "--suggest", "--disable", "select", "--out", out)
    assert done.code == 0
    assert "eo.enter while SCREEN is CHOOSING" in done.out
    circles = [e for e in ElementTree.parse(out).iter() if e.tag.endswith("circle")]
    data = run("repair", case, "--suggest", "--disable", "select", "--format", "json")
    found = json.loads(data.out)
    validate(found, "suggestions")
    assert len(circles) == len(found["front"]) + 1
    safe = run("repair", "models/therac25/therac20.toml", "--suggest")
    assert "\nNo set of up to 1 transition is hazardous: no guard is" in safe.out


def at_most(one, other):
    return all(x <= y for x, y in zip(one, other, strict=True))


def subsets(things, *, most):
    for count in range(1, most + 1):
        yield from combinations(things[:10], count)


def with_guards(problem, suggestion):
    """The problem of C with the components of suggested guards."""
    environment, controller, *others = problem
    parts = [*controller.components]
    for guards in suggestion.guards:
        parts += guards.components
    return environment, Network(parts, hidden=controller.hidden), *others


WORLDS = [{}] * 12 + [{"stated": 1.0}] * 24 + [{"stated": 0.5, "several": 1.0}] * 24


@pytest.mark.parametrize(("seed", "world"), [*enumerate(WORLDS)])
def test_suggested_guards_remove_what_they_say(seed, world):
    problem, _, controllable = random_question(Random(seed), **world)
    engine = engine_of(problem)
    if engine is None:
        return
    found = suggest(engine, controllable, 2)
    assert found.status == "complete"
    machine = Machine(problem)
    for one in (*found.single, *found.front):
        environment, guarded, properties, _ = other = with_guards(problem, one)
        removed = {
            number
            for number, hazard in enumerate(found.hazards)
            if definition.violation(
                environment, hazard.transitions, guarded, properties
            )
            is None
        }
        assert one.removes == removed
        # A lost trace is a shortest one.
        assert (one.cost.lost, one.cost.loses_trace) == machine.lost(one.guards)
        length = None if one.lost_trace is None else len(one.lost_trace.steps)
        assert length == machine.shortest_lost(one.guards)
        # What is promised is what the envelope of C with the guards has.
        delta = [d.new for d in symrob.compute(*said(other))]
        assert removed == {
            number
            for number, hazard in enumerate(found.hazards)
            if any(hazard.transitions <= d for d in delta)
        }
    best = [(*one.cost.loss, -len(one.removes)) for one in found.front]
    assert best == sorted(set(best))
    assert not any(a != b and at_most(a, b) for a in best for b in best)
    # No few guards together remove more and lose as little.
    for chosen in subsets(found.single, most=3):
        together = [g for one in chosen for g in one.guards]
        removed = set().union(*(one.removes for one in chosen))
        this = *machine.lost(together), machine.refused(together), -len(removed)
        assert not removed or any(at_most(a, this) for a in best)
    for best, number in zip(found.cheapest, range(len(found.hazards)), strict=True):
        assert (best is None) == all(number not in s.removes for s in found.single)
        if number in found.hopeless:
            assert best is None


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--disable", "fireXrays"], "did you mean 'fireXray'?"),
        (["--not-disable", "nothing"], "C has no action 'nothing'"),
        (["--tolerate", "NOWHERE,x,0"], "unknown state 'NOWHERE' of the environment"),
        (["--keep", "everything"], "--keep must be plan"),
        (["--suggest", "--tolerate", "*,x,*"], "--suggest does not support"),
        (["--suggest", "--limit", "2"], "--suggest does not support"),
        (["--order", "2"], "--order requires --suggest"),
        (["--out", "guard.pdf"], "--out takes .lts"),
        (["--format", "yaml"], "--format must be one of"),
    ],
)
def test_bad_questions(args, said):
    done = run("repair", THERAC, *args)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_what_may_be_disabled(tmp_path):
    names = ("nurse.lts", "machines.lts", "xflat.lts")
    for name in names:
        (tmp_path / name).write_text((ROOT / "models/therac25" / name).read_text())
    case = tmp_path / "case.toml"
    plain = (
        'environment = "nurse.lts"\ncontroller = "machines.lts#THERAC25"\n'
        'properties = ["xflat.lts"]\n'
    )
    own = ["beamReady", "fireElectron", "fireXray", "rotate"]
    for text, expected, assumed in (
        ("", own, True),
        ('controllable = ["fire*"]', own[1:3], False),
        ('controllable = ["*"]\nuncontrollable = ["?"]', None, None),
        ('uncontrollable = ["rotate"]', ["b", *own[:1], "e", "enter"], False),
        ('controllable = ["*"]\nuncontrollable = ["r*", "?*"]', None, None),
        ('controllable = ["fire*"]\nuncontrollable = ["fireE*"]', own[2:3], False),
        ('controllable = "fireXray"', None, None),
    ):
        case.write_text(plain + text)
        done = run("repair", case, "--tolerate", "*,up,*", "--format", "json")
        if expected is None:
            assert done.code == 2, done.out
            continue
        data = json.loads(done.out)
        assert sorted(data["controllable"])[: len(expected)] == sorted(expected)
        assert data["assumed"] is assumed
    assert load_case(str(ROOT / THERAC)).controllable == ("beamReady", "fire*")


@pytest.mark.parametrize("group", hostile.GROUPS)
def test_hostile_names_stay_names(group, tmp_path):
    """They neither steer a terminal nor break a document."""
    given = hostile.models(tmp_path, group)
    outs = [tmp_path / name for name in ("out.svg", "out.json", "front.svg")]
    # `*` is a pattern, which a name that holds one would be, too.
    asked = (*given, "--disable", "*")
    files = [part for out in outs[:2] for part in ("--out", out)]
    for args in (
        (*asked, *files),
        (*asked, "--all"),
        (*given, "--not-disable", "*"),
        (*asked, "--suggest", "--out", outs[2]),
        (*asked, "--disable", group[0] + "x", "--tolerate", group[0]),
    ):
        done = run("repair", *args)
        assert done.code in (0, 2, 4), done.err
        hostile.check_terminal(done.out)
        hostile.check_terminal(done.err)
    ElementTree.parse(outs[0])
    ElementTree.parse(outs[2])
    json.loads(outs[1].read_text())


@pytest.mark.parametrize("form", ["cif", "wmod"])
def test_a_file_with_roles_says_what_may_be_disabled(form):
    """By itself it would only be assumed, and without what E takes part in."""
    data = answer(f"tests/data/formats/two_machines.{form}", "--env", "MACHINE1")
    assert data["controllable"] == ["start1", "start2"]
    assert data["assumed"] is False


def test_fault_modes_of_components():
    """The known protocol: what corrupts or invents is all that needs a guard."""
    abp = "models/abp/abp.toml"
    data = answer(abp, "--tolerate", "messages.corruption")
    assert data["repair"]["tolerate"] == [["messages.corruption"]]
    better = data["worth"]["comparison"]["surplus"][0]
    assert "messages.corruption" in better["alone"]
    assert data["worth"]["comparison"]["verdict"] == "more"
    assert data["worth"]["lost"]["run"] is None
    assert data["worth"]["checked"] is True
    loss = answer(abp, "--tolerate", "messages.loss", "--tolerate", "acks.loss")
    assert loss["repair"]["guards"]["guards"] == []
    whole = answer(abp, "--limit", "1", code=4)
    (had,) = whole["had"]
    assert len(had["tolerate"][0]) == 9
    found = json.loads(run("repair", abp, "--suggest", "--format", "json").out)
    validate(found, "suggestions")
    hazards = [h["modes"] for h in found["hazards"]]
    alone = ["acks.corruption", "acks.spurious"]
    alone += ["messages.corruption", "messages.spurious"]
    assert sorted(hazards) == [[name] for name in alone]


def test_suggested_guards_with_memory_may_lose_traces(tmp_path):
    """`m` stays possible at the start, so no step is lost for good; traces are."""
    plan = {
        "name": "E",
        "role": "environment",
        "initial": "E0",
        "states": ["E0", "E1"],
        "transitions": [["E0", "u", "E0"], ["E0", "v", "E0"], ["E1", "v", "E1"]],
    }
    machine = {
        "name": "C",
        "role": "controller",
        "initial": "Y",
        "transitions": [["Y", "u", "Y"], ["Y", "v", "Y"], ["Y", "m", "Y"]],
    }
    model = {"schema": "symrob/model/1", "systems": [plan, machine]}
    (tmp_path / "k.json").write_text(json.dumps(model))
    asked = tmp_path / "k.json", "--prop", "m only while E is E0"
    done = run("repair", *asked, "--suggest")
    assert "loses nothing" not in done.out
    found = json.loads(run("repair", *asked, "--suggest", "--format", "json").out)
    validate(found, "suggestions")
    lost = [[s["action"] for s in g["lost_trace"]["steps"]] for g in found["single"]]
    assert lost == [["u", "m"], ["v", "m"]]
    assert {(g["cost"]["lost"], g["cost"]["loses_trace"]) for g in found["single"]} == {
        (0, True)
    }
    for number, step in enumerate(("E0,u,E1", "E0,v,E1")):
        # What `repair` says of the same guard.
        (guards,) = found["single"][number]["guards"]
        (hazard,) = found["hazards"][number]["transitions"]
        assert hazard[1] == step[3]
        same = json.loads(
            run("repair", *asked, "--tolerate", step, "--format", "json").out
        )
        assert same["repair"]["guards"]["guards"] == guards["guards"]
        actions = [s["action"] for s in same["worth"]["lost"]["run"]["steps"]]
        assert actions == lost[number]
        assert run("repair", *asked, "--tolerate", step, "--keep", "plan").code == 4
    out = tmp_path / "front.svg"
    run("repair", *asked, "--suggest", "--out", out)
    assert "the plan loses traces but no step" in out.read_text()
    assert "a shortest lost trace: u → m" in done.out


@pytest.mark.parametrize("also", ["", ', "never b while E is S0 and C is 0"'])
def test_an_environment_starts_once(tmp_path, also):
    """E may begin in S1 and takes `a` once then; it does not begin again behind it."""
    plan = {
        "name": "U",
        "initial": ["S0", "S1"],
        "transitions": [["S1", "a", "S0"]],
        "alphabet": ["b"],
    }
    model = {"schema": "symrob/model/1", "systems": [plan]}
    (tmp_path / "e.json").write_text(json.dumps(model))
    (tmp_path / "c.lts").write_text("C = (a -> C | b -> C).\n")
    (tmp_path / "p.lts").write_text("P = (a -> Q), Q = (b -> Q).\n")
    case = tmp_path / "case.toml"
    case.write_text(
        'environment = "e.json"\ncontroller = "c.lts"\ncontrollable = ["b"]\n'
        f'properties = ["p.lts"{also}]\n'
    )
    found = answer(case, "--tolerate", "S0,b,S0")["repair"]
    assert found["forced"] is None
    assert [guard["action"] for guard in found["guards"]["guards"]] == ["b"]
