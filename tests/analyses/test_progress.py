"""Safe because stuck: lost goals, against known answers and the definition."""

import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, given, settings

import symrob
from symrob.analyses import deviated
from symrob.analyses.deadlocks import side_report
from symrob.envelope import tuning
from symrob.problem.goals import Goal
from tests.agreement.test_mode_parts import renamed
from tests.cli.tools import ROOT, run
from tests.composed import fault_modes, network, random_composed, random_modes
from tests.generate import MEDIUM, random_lts, random_problem
from tests.oracles import modes, progress
from tests.strategies import rngs
from tests.strength import examples

DATA = Path(__file__).parents[1] / "data/progress.jsonl"
KNOWN = [json.loads(line) for line in DATA.read_text().splitlines()]
READ = symrob.Lts.from_dict


def asked(known):
    return symrob.compute(
        READ(known["environment"]),
        READ(known["controller"]),
        [READ(p) for p in known["properties"]],
        [READ(p) for p in known["env_constraints"]],
        progress=known["goals"],
    )


def test_known_answers():
    for known in KNOWN:
        found = asked(known).explain(known["added"], deviations=0)
        want = tuple(known["goals"]) if known["lost"] else ()
        assert found.lost == want, known["id"]
        assert found.lost_by_plan == ()


def test_known_answers_of_the_command_line(tmp_path):
    for known in [k for k in KNOWN if k["added"]][:6]:
        for role in ("environment", "controller"):
            (tmp_path / f"{role}.json").write_text(json.dumps(known[role]))
        case = "environment = 'environment.json'\ncontroller = 'controller.json'\n"
        for role in ("properties", "env_constraints"):
            names = [f"{role}{n}.json" for n, _ in enumerate(known[role])]
            for name, monitor in zip(names, known[role], strict=True):
                (tmp_path / name).write_text(json.dumps(monitor))
            case += f"{role.removeprefix('env_')} = {names}\n"
        case += f"[progress]\nneeded = {known['goals']}\n"
        (tmp_path / "case.toml").write_text(case)
        added = [
            x for t in known["added"] for x in ("--transition", "{},{},{}".format(*t))
        ]
        done = run("explain", tmp_path / "case.toml", *added, "--format", "json")
        assert json.loads(done.out)["lost"] == ["needed"] * known["lost"]
        done = run("explain", tmp_path / "case.toml", *added)
        assert ("Lost goals: with " in done.out) == known["lost"]


def check_lost(lost, plan, walk, goals):
    """The goals that are lost, each with a shortest trace to where it is."""
    want = {name for name, does in goals.items() if walk.losing(does)}
    assert {one.goal.name for one in lost} == want
    for one in lost:
        (trace,) = one.traces
        losing = walk.losing(goals[one.goal.name])
        assert len(trace.steps) == min(walk.distance[state] for state in losing)
        assert walk.after(trace.actions) & losing


def forked(rng):
    """A machine that enters one of several parts for good."""
    moves, first = [], 1
    actions = "abcu"
    for _ in range(rng.randint(2, 3)):
        size = rng.randint(1, 2)
        states = range(first, first + size)
        moves.append((0, rng.choice("abu"), rng.choice(states)))
        for q in states:
            moves.append((q, rng.choice(actions), first + (q - first + 1) % size))
            moves.append((q, rng.choice(actions), rng.choice(states)))
        first += size
    machine = symrob.network([symrob.Lts(actions, first, moves)])
    environment = random_lts(rng, "abc", rng.randint(1, 2), 1.6)
    return environment, machine, ["never c"] if rng.random() < 0.2 else ["never z"], []


def asked_of(rng):
    problem = random_problem(rng, shapes=MEDIUM[:20], machine=4)
    problem = forked(rng) if rng.random() < 0.5 else problem
    try:
        return problem, symrob.compute(*problem)
    except symrob.NominalViolation:
        assume(False)


@settings(max_examples=examples(30, 800))
@given(rngs())
def test_lost_goals_by_definition(rng):
    problem, envelope = asked_of(rng)
    environment, controller, *_ = problem
    parts = [c.to_dict() for c in controller.components]
    hidden = controller.hidden

    def walked(added):
        changed = environment.to_dict()
        changed["transitions"] = [*changed["transitions"], *map(list, added)]
        return progress.Walk([changed], parts, (), hidden)

    plan = walked(())
    goals = progress.default_goals(plan)
    space = envelope.space
    assert {goal.name for goal in space.progress.goals} == {*goals}
    everything = sorted(space.engine.candidates)
    sets = [d.new for d in envelope[:3]]
    sets += [
        frozenset(rng.sample(everything, min(len(everything), rng.randint(0, 4))))
        for _ in range(3)
    ]
    kept = {goal.name: goals[goal.name] for goal in space.progress.kept}
    assert {*kept} == {name for name, does in goals.items() if not plan.losing(does)}
    each = {a: progress.performing({a}) for a in (*plan.actions[0], *plan.actions[1])}
    for added in sets:
        walk = walked(added)
        found = space.outlook(added)
        check_lost(found.lost, plan, walk, kept)
        named = [Goal(a, (a,)) for a in each]
        check_lost(space.progress.losing([added], named), plan, walk, each)
        dead = {(s[0][0], s[1]) for s in walk.dead - plan.dead}
        assert {one.state for one in found.deadlocks} == {q for q, _ in dead}
    for deviation in envelope[:3]:
        names = tuple(one.goal.name for one in space.outlook(deviation.new).lost)
        assert deviation.lost == envelope.explain(deviation.new).lost == names


def counting(environment, added, most):
    """E with more transitions, multiplied out with a counter of those that it takes."""
    size, planned = environment.size, environment.transitions
    free = [
        (q + n * size, a, r + n * size) for q, a, r in planned for n in range(most + 1)
    ]
    paid = [
        (q + n * size, a, r + (n + 1) * size)
        for q, a, r in {*map(tuple, added)} - {*map(tuple, planned)}
        for n in range(most)
    ]
    return symrob.Lts(environment.alphabet, size * (most + 1), [*free, *paid]).to_dict()


@settings(max_examples=examples(20, 400))
@given(rngs())
def test_a_budget_counts_as_a_part_of_each_state(rng):
    problem, _ = asked_of(rng)
    environment, controller, *_ = problem
    parts, hidden = [c.to_dict() for c in controller.components], controller.hidden
    most, size = rng.choice((0, 1, 1, 2)), environment.size
    space = symrob.compute(*problem, at_most=most).space

    def walked(added):
        return progress.Walk([counting(environment, added, most)], parts, (), hidden)

    plan = walked(())
    goals = progress.default_goals(plan)
    assert {goal.name for goal in space.progress.goals} == {*goals}
    if "completion" in goals:
        of_plan = goals["completion"]
        goals["completion"] = lambda state, walk: of_plan(
            (tuple(q % size for q in state[0]), state[1]), walk
        )
    kept = {goal.name: goals[goal.name] for goal in space.progress.kept}
    everything = sorted(space.engine.candidates)
    each = {a: progress.performing({a}) for a in (*plan.actions[0], *plan.actions[1])}
    named = [Goal(a, (a,)) for a in each]
    for _ in range(3):
        some = min(len(everything), rng.randint(0, 4))
        added = frozenset(rng.sample(everything, some))
        walk, found = walked(added), space.outlook(added)
        check_lost(found.lost, plan, walk, kept)
        check_lost(space.progress.losing([added], named), plan, walk, each)
        dead = {(s[0][0] % size, s[1]) for s in walk.dead} - {
            (s[0][0], s[1]) for s in plan.dead
        }
        assert {one.state for one in found.deadlocks} == {q for q, _ in dead}


def test_no_budget_is_spent_at_the_start():
    """A deviated step leads out of where the plan ends; nothing else spends one."""
    environment = symrob.Lts("abg", 3, [(0, "a", 1), (2, "g", 2)])
    controller = symrob.Lts("abg", 1, [(0, action, 0) for action in "abg"])
    space = symrob.compute(environment, controller, ["never z"], at_most=1).space
    goal = Goal("g", ("g",))
    added = frozenset({symrob.Transition(1, "b", 2)})
    assert not space.progress.losing([added], [goal])
    assert space.progress.losing([frozenset()], [goal])


@settings(max_examples=examples(20, 400))
@given(rngs())
def test_goals_one_by_one_are_those_all_at_once(rng):
    _, envelope = asked_of(rng)
    space = envelope.space
    added = frozenset(rng.sample(sorted(space.all), min(len(space), 3)))
    found = []
    for most in (0, 1, 1000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(deviated, "MOST_PARTS", most)
            vars(space).pop("progress", None)
            found.append((space.progress.goals, space.outlook(added)))
    assert found[0] == found[1] == found[2]


@settings(max_examples=examples(20, 400))
@given(rngs())
def test_lost_goals_of_components(rng):
    problem = random_composed(rng)
    assume(problem)
    declared = random_modes(rng, problem)
    envelope = symrob.compute(
        network(problem),
        *(READ(problem["controller"]), [*map(READ, problem["properties"])]),
        [*map(READ, problem["env_constraints"])],
        faults=fault_modes(declared),
        only=True,
    )

    def walked(chosen):
        held = {tuple(t) for name in chosen for t in declared[name]}
        parts = modes.changed(problem["components"], held)
        return progress.Walk(parts, [problem["controller"]], problem["hidden"])

    plan = walked(())
    goals, space = progress.default_goals(plan), envelope.space
    assert {goal.name for goal in space.progress.goals} == {*goals}
    kept = {goal.name: goals[goal.name] for goal in space.progress.kept}
    report = side_report(space, iter(()))
    alone = {one.mode: one for one in report.modes}
    for name in declared:
        walk = walked([name])
        lost = alone[name].lost if name in alone else ()
        check_lost(lost, plan, walk, kept)
        dead = bool(walk.dead - plan.dead)
        assert (name in alone and alone[name].deadlock) == dead
    for deviation in envelope[:3]:
        walk = walked(deviation.modes)
        check_lost(space.outlook(frozenset(deviation.modes)).lost, plan, walk, kept)
        assert {*deviation.lost} == {n for n, does in kept.items() if walk.losing(does)}


@settings(max_examples=examples(8, 200))
@given(rngs())
def test_lost_goals_of_parts_are_those_of_the_whole(rng):
    problems = [random_composed(rng, states=2) for _ in range(2)]
    assume(None not in problems)
    problems = [renamed(p, mark) for p, mark in zip(problems, "xy", strict=True)]
    declared, shift = {}, 0
    for problem in problems:
        mark = problem["controller"]["alphabet"][0][0]
        for name, held in random_modes(rng, problem, 3).items():
            declared[mark + name] = [(i + shift, *t) for i, *t in held]
        shift += len(problem["components"])
    assume(any(declared.values()))
    whole = {
        key: [x for p in problems for x in p[key]]
        for key in ("components", "properties", "env_constraints", "hidden")
    }
    machines = [READ(p["controller"]) for p in problems]
    own = [machine.alphabet[0] for machine in machines if machine.alphabet]
    named = {"one": own[:1], "any": own, "completion": True}

    bounds = {name: rng.choice((None, None, 0, 1, 2)) for name in declared}

    def computed(**options):
        modes = fault_modes(declared)
        if options["at_most"] is not None:
            modes = [replace(m, at_most=bounds[m.name]) for m in modes]
        return symrob.compute(
            network(whole),
            symrob.network(machines),
            [*map(READ, whole["properties"])],
            [*map(READ, whole["env_constraints"])],
            faults=modes,
            only=True,
            **options,
        )

    run = rng.choice((0, 1, 1, 2, 3))
    for goals, most in product(((), named), (None, run)):
        together = computed(progress=goals, at_most=most).space
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tuning, "COMPOSED_STATES", 0)
            apart = computed(progress=goals, at_most=most).space
        assert together.progress.goals == apart.progress.goals
        assert together.progress.lost_by_plan == apart.progress.lost_by_plan
        for chosen in ({*declared}, {rng.choice([*declared])}):
            one, other = (s.outlook(frozenset(chosen)) for s in (together, apart))
            assert one.lost == other.lost
            assert bool(one.deadlocks) == bool(other.deadlocks)
            for lost, same in zip(one.lost, other.lost, strict=True):
                steps = [sum(step.added for step in t.steps) for t in same.traces]
                assert sum(steps) <= (sum(steps) if most is None else most)
                if len(same.traces) == 1 and lost.goal.actions and most is None:
                    assert len(lost.traces[0].steps) == len(same.traces[0].steps)


# A user takes one of two tickets; without E's word the machine waits for ever.
MODELS = """
USER = (ask -> (take -> USER | leave -> USER)).
MACHINE = (ask -> OFFER), OFFER = (take -> MACHINE | leave -> MACHINE).
SULKS = (ask -> OFFER), OFFER = (take -> SULKS | leave -> STOP).
property POLITE = (ask -> {take, leave} -> POLITE).
progress SOLD = {take}
progress OTHER = {unknown}
progress IF = if ask then leave
"""
CASE = """
environment = "m.lts#USER"
controller = "m.lts#MACHINE"
properties = ["m.lts#POLITE"]
"""
GOALS = '[progress]\nserved = ["ta*", "leave"]\ncompletion = true\n'


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "m.lts").write_text(MODELS)
    (tmp_path / "case.toml").write_text(CASE)
    return tmp_path


def test_goals_are_named_by_cases_and_models(folder):
    case = symrob.load_case(str(folder / "case.toml"))
    assert case.compute().space.progress.goals == (("SOLD", ("take",)),)
    (folder / "case.toml").write_text(CASE + GOALS)
    done = run("explain", folder / "case.toml", "--transition", "USER,ask,USER")
    assert done.code == 0
    assert (
        "Lost goals: already in the plan, completion can become impossible" in done.out
    )
    found = symrob.load_case(str(folder / "case.toml")).compute().space.progress
    assert [goal.name for goal in found.goals] == ["served", "completion", "SOLD"]
    assert [one.goal.name for one in found.lost_by_plan] == ["completion"]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ('[progress]\na = ["take", "sell"]', "7:1", "unknown action 'sell' of E and C"),
        ("[progress]\na = []", "7:1", "an action or a list of actions"),
        ("[progress]\ncompletion = ['take']", "7:1", "'progress.completion' must be"),
        ("progress = 3", "6:1", "a table of goals"),
    ],
)
def test_wrong_goals_have_their_place(folder, text, place, message):
    (folder / "case.toml").write_text(f"{CASE}\n{text}\n")
    done = run("check", folder / "case.toml")
    assert done.code == 2
    assert message in done.err
    assert f"case.toml:{place.partition(':')[0]}:" in done.err


def test_wrong_goals_of_python():
    user = READ({"alphabet": ["a"], "states": 1, "transitions": [[0, "a", 0]]})
    for goals, message in (
        (["b"], "unknown action 'b' of E and C"),
        ({"g": []}, "an action or a list of actions"),
        (3, "a list of actions, or a dict"),
    ):
        with pytest.raises(symrob.SymrobError, match=message):
            symrob.compute(user, user, "never b", progress=goals)
    envelope = symrob.compute(user, user, "never b", progress=["a"])
    assert envelope[0].lost == ()
    with pytest.raises(symrob.SymrobError, match="copies"):
        _ = type(envelope[0])((), ()).lost


def test_designs_that_do_less(folder):
    sides = ("--ctrl", folder / "m.lts#MACHINE", "--ctrl", folder / "m.lts#SULKS")
    models = ("--env", folder / "m.lts#USER", "--prop", folder / "m.lts#POLITE")
    done = run("compare", *models, *sides)
    lost = "in the plan of B, SOLD can become impossible, at the earliest after: ask"
    assert f"Lost goals: {lost}" in done.out
    assert "in the plan of A" not in done.out
    found = json.loads(run("compare", *models, *sides, "--format", "json").out)
    assert [[one["goal"]["name"] for one in side] for side in found["lost"]] == [
        [],
        ["SOLD"],
    ]
    done = run("compare", *models, *sides, "--ctrl", folder / "m.lts#MACHINE")
    assert done.out.count("Lost goals:") == 1


@pytest.mark.parametrize("more", [(), ("--compact",), ("--at-most", 2)])
def test_json_of_compute_has_lost_goals_with_details(more):
    case = ROOT / "models/abp/stop_and_wait.toml"
    plain = json.loads(run("compute", case, "--format", "json", *more).out)
    assert plain["side_report"] is None
    asked = "compute", case, "--details", *more
    side = json.loads(run(*asked, "--format", "json").out)["side_report"]
    (stuck,) = side["stuck"]
    assert "input" in [one["goal"]["name"] for one in stuck["lost"]]
    assert all(one["traces"][0]["steps"] for one in stuck["lost"])
    *_, last = run(*asked, "--format", "jsonl").out.splitlines()
    assert json.loads(last)["side_report"] == side


GATE = """
case = "{case}"
[[progress]]
name = "by default"
{goals}
[[progress]]
name = "with these"
goals = ["output"]
modes = ["messages.overwriting", "acks.overwriting"]
[[progress]]
name = "with this step"
goals = ["output", "input"]
transitions = ["0,messages.put.0,0"]
"""


def gate(tmp_path, goals="", case="stop_and_wait.toml"):
    policy = tmp_path / "gate.toml"
    policy.write_text(GATE.format(case=ROOT / "models/abp" / case, goals=goals))
    return run("gate", policy, "--allow-outside", "--format", "json")


def test_rules_of_a_gate(tmp_path):
    done = gate(tmp_path)
    rules = json.loads(done.out)["rules"]
    assert done.code == 4
    assert [r["answer"] for r in rules] == ["fails", "holds", "fails"]
    assert rules[0]["lost"] == [
        *("acks.get.0", "acks.put.0", "input", "messages.get.0", "messages.put.0"),
        "output",
    ]
    assert rules[0]["units"][:2] == ["acks.loss", "acks.overwriting"]
    assert len(rules[2]["trace"]["steps"]) == 2
    assert rules[0]["kind"] == "progress"
    done = gate(tmp_path, 'goals = ["output", "inputt"]')
    assert done.code == 2
    assert "gate.toml:5:20: error: by default: there is no goal and no" in done.err
    assert "did you mean 'input'?" in done.err
    done = gate(tmp_path, case="abp_uncorrupted.toml")
    assert [r["answer"] for r in json.loads(done.out)["rules"]][:2] == [
        "holds",
        "holds",
    ]


def test_a_plan_without_goals(folder):
    (folder / "m.lts").write_text("E = (go -> (a -> E | b -> B)), B = (b -> B).\n")
    text = 'environment = "m.lts#E"\ncontroller = "m.lts#C"\nproperties = ["never z"]'
    (folder / "m.lts").write_text(
        "E = (a -> E | b -> B), B = (c -> B).\nC = (a -> C | b -> C).\n"
    )
    (folder / "case.toml").write_text(text)
    plain = run("compute", folder / "case.toml").out
    assert "No goals" not in plain
    details = run("compute", folder / "case.toml", "--details").out
    assert "No goals: the plan does not end" in details
    (folder / "gate.toml").write_text('case = "case.toml"\n[[progress]]\n')
    done = run("gate", folder / "gate.toml")
    assert done.code == 4
    assert "progress of every goal: vacuous: the plan has no goal" in done.out


def test_a_budget_that_does_not_suffice_is_no_bound(folder):
    (folder / "case.toml").write_text(CASE + "[budgets]\nprogress = 1e-9\n")
    done = run("summary", folder / "case.toml", "--format", "json")
    found = json.loads(done.out)
    assert (done.code, found["status"]) == (0, "complete")
    assert found["side_report"]["looked_at"] == 0
    done = run("explain", folder / "case.toml", "--transition", "USER,ask,USER")
    assert done.code == 0


def test_what_seldom_happens_is_random():
    """The random problems lose goals, keep some, and have several parts never left."""
    kinds = set()
    for seed in range(150):
        problem = random_problem(Random(seed), shapes=MEDIUM[:20], machine=4)
        try:
            envelope = symrob.compute(*problem)
        except symrob.NominalViolation:
            continue
        outlook = envelope.space.outlook(envelope[0].new)
        kinds.add((bool(envelope.space.progress.goals), bool(outlook.lost)))
        kinds.add(bool(outlook.lost) and not outlook.deadlocks)
    assert kinds == {(False, False), (True, False), (True, True), True, False}
