"""What must be forbidden: against the definition, known answers, unsafe plans."""

import json
import shutil
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings

import symrob
from symrob import Lts, Network
from symrob.analyses.assume import RANKED, SORTED
from symrob.api.repaired import assumption_of
from symrob.case.transitions import parse_transitions
from symrob.formats import write
from symrob.lts.product import product
from tests.cli.tools import ROOT, run
from tests.composed import random_composed
from tests.generate import random_lts, random_problem
from tests.oracles import forbidden, modes, replay, temporal
from tests.strategies import rngs
from tests.strength import examples

DATA = Path(__file__).parents[1] / "data/assume.jsonl"
KNOWN = [json.loads(line) for line in DATA.read_text().splitlines()]
MOST = 11


def unsafe_problem(rng):
    """A problem whose plan is unsafe more often than not, with few transitions."""
    while True:
        shapes = ((2, 2), (3, 2), (3, 1), (4, 2))
        _, controller, properties, _ = random_problem(rng, shapes=shapes)
        size, actions = rng.choice(shapes)
        tau = 0.3 if rng.random() < 0.3 else 0.0
        environment = random_lts(rng, "abcdef"[:actions], size, 0.9, tau=tau)
        if len(forbidden.planned(environment)) <= MOST:
            return environment, controller, properties


def asked(*problem, **options):
    """The answers; None where nothing helps."""
    try:
        return [*symrob.assume(*problem, **options)]
    except symrob.NominalViolation as error:
        # Who asks this is not sent here again.
        hint = "symrob.assume(" in str(error)
        return "no trace, or a hint" if hint or not error.trace.violated else None


@given(rngs())
def test_answers_are_those_of_the_definition(rng):
    environment, controller, properties = problem = unsafe_problem(rng)
    planned = forbidden.planned(environment)
    names = {str(t): t for t in planned}

    def is_safe(some):
        return forbidden.length(*problem, {names[name] for name in some}) is None

    hopeless = not is_safe(names)
    found = asked(*problem)
    assert (found is None) == hopeless
    if hopeless:
        return
    want = forbidden.minimal(names, is_safe)
    assert {frozenset(str(tuple(t)) for t in a.forbid) for a in found} == want
    assert len(found) == len(want)
    plan = forbidden.Losses(environment, controller, properties)
    if len(found) <= RANKED:
        ranks = [rank(problem, plan, answer) for answer in found]
    else:
        ranks = [(len(answer.forbid),) for answer in found[:SORTED]]
    assert ranks == sorted(ranks)
    for answer in found[:8]:
        check_reasons(problem, answer)
        check_losses(problem, answer, plan)


def rank(problem, plan, answer):
    """Without a new deadlock first, then by lost actions, then by size."""
    environment, controller, properties = problem
    gone = set(map(tuple, answer.forbid))
    left = forbidden.Losses(
        forbidden.without(environment, gone), controller, properties
    )
    stuck = bool(gone) and left.shortest_end(plan) is not None
    return stuck, len(plan.actions - left.actions), len(gone)


def check_reasons(problem, answer):
    """Each unit has a shortest violating trace, with all the others forbidden."""
    environment, controller, properties = problem
    assert [n.unit for n in answer.needed] == sorted(answer.forbid)
    for needed in answer.needed:
        others = set(map(tuple, answer.forbid)) - {tuple(needed.unit)}
        assert len(needed.trace.steps) == forbidden.length(*problem, others)
        left = forbidden.without(environment, others)
        assert replay.breaks(left, (), controller, properties, needed.trace)


def check_losses(problem, answer, plan):
    """What is lost is what the repaired plan lacks."""
    environment, controller, properties = problem
    gone = set(map(tuple, answer.forbid))
    left = forbidden.Losses(
        forbidden.without(environment, gone), controller, properties
    )
    lost = answer.lost
    assert set(lost.actions) == plan.actions - left.actions
    lengths = [None if t is None else len(t.steps) for t in (lost.run, lost.deadlock)]
    assert lengths == [plan.shortest_with(gone), left.shortest_end(plan)]
    if lost.run is not None:
        before, last = (lost.run.start, *lost.run.steps)[-2:]
        step = (int(before.environment), last.action, int(last.environment))
        assert step in gone


@given(rngs())
@settings(max_examples=examples(25, 500))
def test_actions_can_be_forbidden_whole(rng):
    environment, controller, properties = problem = unsafe_problem(rng)
    groups = forbidden.by_action(environment)

    def is_safe(some):
        gone = set().union(*(groups[name] for name in some))
        return forbidden.length(environment, controller, properties, gone) is None

    found = asked(*problem, by="action")
    if not is_safe(groups):
        assert found is None
        return
    want = forbidden.minimal(groups, is_safe)
    assert {answer.units for answer in found} == want
    for answer in found:
        held = set().union(*(groups[name] for name in answer.units))
        assert set(map(tuple, answer.forbid)) == held
        for needed in answer.needed:
            others = held - groups[needed.unit]
            length = forbidden.length(environment, controller, properties, others)
            assert len(needed.trace.steps) == length


def small_composition(rng):
    """A composed E in the oracle's form, unsafe more often than not."""
    problem = None
    while problem is None:
        problem = random_composed(rng, components=2)
    wild = [
        random_lts(rng, part["alphabet"], part["states"], 1.2).to_dict()
        for part in problem["components"]
    ]
    return {**problem, "components": wild}


@pytest.mark.parametrize("by", ["component", "component,action"])
def test_transitions_of_components_can_be_forbidden(by):
    tried = 0
    for seed in range(400):
        problem = small_composition(Random(seed))
        parts = [Lts.from_dict(part) for part in problem["components"]]
        network = Network(parts, hidden=problem["hidden"])
        controller = Lts.from_dict(problem["controller"])
        properties = [Lts.from_dict(p) for p in problem["properties"]]
        groups = {}
        for i, part in enumerate(parts):
            for q, a, r in part.transitions:
                if a not in ("tau", *problem["hidden"]):
                    single = f"{network.component_names[i]}:{q},{a},{r}"
                    name = f"{network.component_names[i]},{a}" if "," in by else single
                    groups.setdefault(name, set()).add((i, q, a, r))
        if len(groups) > MOST:
            continue
        hidden = frozenset(problem["hidden"])

        def is_safe(some, groups=groups, problem=problem, hidden=hidden):
            gone = set().union(*(groups[name] for name in some))
            left = [
                {
                    **part,
                    "transitions": [
                        t for t in part["transitions"] if (i, *t) not in gone
                    ],
                }
                for i, part in enumerate(problem["components"])
            ]
            machine = [*left, problem["controller"]]
            return modes.is_safe(machine, problem["properties"], hidden)

        found = asked(network, controller, properties, by=by)
        if not is_safe(groups):
            assert found is None, seed
            continue
        assert {a.units for a in found} == forbidden.minimal(groups, is_safe), seed
        tried += bool(found[0].units)
        # What is forbidden are transitions of E as a whole, and they suffice.
        multiplied = product(network)
        for answer in found:
            assert answer.forbid <= multiplied.visible_transitions
            left = forbidden.without(multiplied, answer.forbid)
            assert forbidden.length(left, controller, properties) is None
    assert tried >= 20


@pytest.mark.parametrize("problem", KNOWN, ids=lambda p: p["id"])
def test_known_answers(problem):
    properties = [Lts.from_dict(p) for p in problem["properties"]]
    models = Lts.from_dict(problem["environment"]), Lts.from_dict(problem["controller"])
    found = asked(*models, properties)
    if problem["forbid"] is None:
        assert found is None
    else:
        shown = sorted(sorted(map(list, answer.forbid)) for answer in found)
        assert shown == sorted(problem["forbid"])


def test_known_answers_by_the_command(tmp_path):
    for problem in KNOWN[::6]:
        names = ["environment", "controller"]
        for name in names:
            (tmp_path / f"{name}.json").write_text(json.dumps(problem[name]))
        options = ["--env", tmp_path / "environment.json"]
        options += ["--ctrl", tmp_path / "controller.json"]
        for number, monitor in enumerate(problem["properties"]):
            path = tmp_path / f"property{number}.json"
            path.write_text(json.dumps(monitor))
            options += ["--prop", path]
        done = run("assume", *options, "--format", "json")
        assert done.code == (problem["forbid"] is None)
        if done.code:
            assert json.loads(done.out)["trace"]["violated"]
            assert "forbidding transitions of E cannot" in done.err
            continue
        answers = json.loads(done.out)["answers"]
        assert sorted(a["forbid"] for a in answers) == sorted(problem["forbid"])
        lines = run("assume", *options, "--format", "jsonl").out.splitlines()
        assert len(lines) == 2 + len(answers)
        assert json.loads(lines[-1])["status"] == "complete"


# Each with one guard removed: a component of C lets an action happen at any time.
UNGUARDED = [
    ("oyster/oyster", "GATE(0)", "enter.0"),
    ("running_example/running_example", "", "b"),
    ("press/press", "", "up"),
    ("therac25/therac20", "INTERLOCKED_BEAM", "fireXray"),
    ("therac25/therac25_fix", "TURNTABLE", "rotate"),
    ("therac25/therac25_fix_underdose", "REPAIRED_TERMINAL", "b"),
    ("level_crossing/barriers", "WARNING", "close"),
    ("level_crossing/lights", "OPEN", "pass"),
    ("link/link", "SENDER", "send.0"),
    ("pca_pump/pca_pump", "POWER", "power_failure"),
    ("abp/stop_and_wait", "SENDER", "messages.put.0"),
    ("abp/abp", "RECEIVER", "acks.put.0"),
]


def test_a_plan_that_nothing_makes_safe():
    """C performs `c` without E, and no internal move takes part."""
    a = Lts(["a"], 1, [(0, "a", 0)])
    c = Lts(["a", "c"], 1, [(0, "a", 0), (0, "c", 0)])
    with pytest.raises(symrob.NominalViolation) as caught:
        list(symrob.assume(a, c, Lts(["c"], 1, [])))
    said = "internal moves, and actions that C performs without E, suffice to violate"
    assert said in str(caught.value)


def test_a_trace_is_shown_once():
    nurse, machine = "nurse.lts", "machines.lts#THERAC25"
    given = ("--env", nurse), ("--ctrl", machine), ("--prop", "xflat_espread.lts")
    words = [x for key, name in given for x in (key, f"models/therac25/{name}")]
    told = " ".join(run("assume", *words).out.split())
    line = "otherwise, the plan violates models/therac25/xflat_espread.lts: "
    assert f"{line}e → enter" in told
    assert f"{line}the trace of answer 1" in told


def unguarded(case, component, action, folder):
    """A case whose C takes an action at any time, in a copy of its folder."""
    folder = shutil.copytree((ROOT / "models" / case).parent, folder / "models")
    path = folder / f"{Path(case).name}.toml"
    controller = symrob.load_case(path).controller
    number = controller.component_names.index(component)
    parts = [*controller.components]
    part = parts[number]
    lacking = [q for q, row in enumerate(part.successors) if action not in row]
    free = [*part.transitions, *((q, action, q) for q in lacking)]
    parts[number] = Lts(part.alphabet, part.size, free, names=part.names)
    names = controller.component_names
    write(
        Network(parts, component_names=names, hidden=controller.hidden),
        str(folder / "unguarded.json"),
    )
    lines = path.read_text("utf-8").splitlines()
    changed = [
        'controller = "unguarded.json"' if line.startswith("controller =") else line
        for line in lines
    ]
    path.write_text("\n".join(changed), "utf-8")
    return path


@pytest.mark.parametrize(("case", "component", "action"), UNGUARDED)
def test_a_repaired_plan_is_a_case(case, component, action, tmp_path):
    """What `--out` writes passes `check`, and has a Δ without what is gone."""
    path = unguarded(case, component, action, tmp_path)
    with pytest.raises(symrob.NominalViolation, match=r"symrob\.assume\(\.\.\.\)"):
        symrob.load_case(path).compute()
    repaired = path.with_name("repaired.toml")
    done = run("assume", path, "--out", repaired)
    assert done.code == 0
    assert f"repaired plan written to {repaired}" in done.err
    assert run("check", repaired).code == 0
    smallest = min(symrob.ask(path, "assume"), key=len)
    before, after = symrob.load_case(path), symrob.load_case(repaired)
    environment = product(after.environment)
    assert smallest.forbid
    assert environment.alphabet == product(before.environment).alphabet
    gone = {
        t
        for text in after.case.faults.not_among
        for several in parse_transitions([text], environment)
        for t in several
    }
    assert not gone & environment.visible_transitions
    assert len(gone) == len(smallest.forbid)
    envelope = after.compute(limit=5)
    found = [*envelope]
    assert found
    assert all(not gone & {*getattr(d, "new", ())} for d in found)
    # Whoever excludes more does not bring back what is forbidden.
    text = after.case.faults.not_among[0]
    done = run("explain", repaired, "--transition", text, "--not-among", "0,*,0")
    assert (done.code, "explain-among" in done.err) == (2, True)


def test_sentences_about_components_hold_of_a_repaired_plan_too(tmp_path):
    """E' is one system; what they say of components they say of its states.

    `open` in (LEFT, MOVING) is forbidden. What leads to (OPENED, MOVING) from the three
    other states is hazardous, and `halt` breaks the constraint in two of these.
    """
    (tmp_path / "e.lts").write_text(
        "LEFT = (open -> OPENED), OPENED = (close -> LEFT).\n"
        "MOVING = (halt -> STILL), STILL = STOP.\n||E = (LEFT || MOVING).\n"
    )
    actions = ("beep", "open", "close", "halt")
    (tmp_path / "c.lts").write_text(f"C = ({' -> C | '.join(actions)} -> C).\n")
    path, repaired = tmp_path / "case.toml", tmp_path / "repaired.toml"
    path.write_text(
        'environment = "e.lts"\ncontroller = "c.lts"\n'
        'properties = ["never LEFT is OPENED and MOVING is MOVING", '
        '"never beep while LEFT is OPENED", "beep enabled only while LEFT is LEFT"]\n'
        'constraints = ["halt only while MOVING is MOVING"]\n[words.properties]\n'
        '"never LEFT is OPENED and MOVING is MOVING" = "shut"\n'
    )
    done = run("assume", path, "--out", repaired)
    assert done.code == 0, done.err
    done = run("compute", repaired, "--format", "json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["verdicts"] == {
        "tolerated": 28,
        "hazardous": 6,
        "excluded-unsafe": 2,
        "excluded-safe": 6,
        "undecided": 0,
    }
    told = run(
        "explain", repaired, "--transition", "(LEFT, STILL),open,(OPENED, MOVING)"
    )
    assert "violates\n  'shut' (never (E is '(OPENED, MOVING)' or" in told.out


def can_do(lts, word):
    """Whether a system has a run with these actions, `tau` moves between them."""
    states = {0}
    for action in (*word, None):
        todo = list(states)
        for state in todo:
            todo += {*lts.successors[state].get("tau", ())}.difference(todo)
        states = {*todo}
        if action is not None:
            states = {t for q in states for t in lts.successors[q].get(action, ())}
    return bool(states)


@settings(max_examples=examples(20, 400))
@given(rngs())
def test_the_assumption_as_a_monitor(rng):
    """Broken exactly where a trace of E' goes on as E could and E' could not."""
    environment, *others = unsafe_problem(rng)
    for answer in (asked(environment, *others) or [])[:2]:
        monitor, left = assumption_of(answer), answer.plan.without(answer.forbid)
        for word in temporal.words(environment.alphabet, 4):
            states = [0]
            for action in word:
                (state,) = monitor.successors[states[-1]][action]
                states.append(state)
                if state == -1:
                    break
            broken = any(
                can_do(environment, word[:n])
                and can_do(left, word[: n - 1])
                and not can_do(left, word[:n])
                for n in range(1, len(word) + 1)
            )
            assert (states[-1] == -1) == broken, word


def test_the_assumption_is_kept_by_the_repaired_plan_alone(tmp_path):
    models = (
        *("--ctrl", "models/therac25/machines.lts#THERAC25"),
        *("--prop", "models/therac25/xflat_espread.lts"),
    )
    plan, rule = tmp_path / "plan.toml", tmp_path / "rule.json"
    nurse = "models/therac25/nurse.lts"
    done = run("assume", "--env", nurse, *models, "--out", plan, "--monitor", rule)
    assert f"written to {rule}" in done.err + done.out
    repaired = plan.with_suffix(".json")
    assert run("check", "--env", repaired, *models, "--env-prop", rule).code == 0
    done = run("check", "--env", nurse, *models, "--env-prop", rule)
    assert done.code == 1
    assert "the environment itself violates assumption" in done.err
    done = run("assume", "--env", nurse, *models, "--monitor", "rule.txt")
    assert (done.code, "--monitor takes a .lts" in done.err) == (2, True)
