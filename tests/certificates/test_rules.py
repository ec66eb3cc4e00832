"""Claims about goals and about few deviated steps: right ones hold, others do not."""

from dataclasses import replace
from random import Random

from symrob.api.certificates.answers import maker_of
from symrob.api.functions import models_in_roles
from symrob.api.stages import open_engine
from symrob.lts import Lts
from symrob.options import Options
from tests.agreement.test_budgets import drawn
from tests.certificates.tools import groups, records, verdict, write
from tests.cli.tools import ROOT, run
from tests.composed import fault_modes, network
from tests.engines import engine_if_safe, roles_of
from tests.fuzz.problems import stated
from tests.generate import random_problem
from tests.oracles import budgets, definition, progress
from tests.oracles.states import Asked
from tests.strength import examples

ABP = ROOT / "models/abp"


def asked_of(seed):
    """A problem, perhaps with requirements on states, and an engine with a budget."""
    rng = Random(seed)
    problem = stated(rng) if rng.random() < 0.3 else random_problem(rng, machine=3)
    if engine_if_safe(problem) is None:
        return None
    roles = replace(roles_of(problem), at_most=rng.choice((None, None, 1, 2)))
    return rng, problem, roles, open_engine(roles, Options())


def walked(problem, added, most):
    """E and C by the definition, with a counter of the steps that E lacks."""
    environment, controller, properties, _ = problem
    size, planned = environment.size, {*map(tuple, environment.transitions)}
    levels = range(1 if most is None else most + 1)
    moves = [(q + n * size, a, r + n * size) for q, a, r in planned for n in levels]
    for q, a, r in {*map(tuple, added)} - planned:
        down = 0 if most is None else size
        moves += [
            (q + n * size, a, r + n * size + down)
            for n in levels
            if most is None or n < most
        ]
    e = Lts(environment.alphabet, size * len(levels), moves).to_dict()
    parts = [part.to_dict() for part in controller.components]
    return progress.Walk([e], parts, (), controller.hidden, OfE(properties, size))


class OfE(Asked):
    """Requirements, asked where E is, whatever was counted."""

    def __new__(cls, properties, size):
        found = super().__new__(cls, properties)
        found.size = size
        return found

    def refuse(self, action, q, locals_):
        """See `Asked`."""
        return super().refuse(action, q % self.size, locals_)


def test_goals_by_the_definition(tmp_path):
    path, kinds = tmp_path / "certificate", set()
    for seed in range(examples(60, 1_200)):
        if (asked := asked_of(seed)) is None:
            continue
        rng, problem, roles, engine = asked
        candidates = sorted(definition.candidates(problem[0]))
        maker = maker_of([(roles, engine)])
        actions = sorted(engine.problem.happening - problem[1].hidden)
        for _ in range(3):
            some = min(len(candidates), rng.choice((0, 1, 2, 4)))
            added = rng.sample(candidates, some)
            walk = walked(problem, added, roles.at_most)
            goal = rng.sample(actions, min(len(actions), rng.choice((1, 1, 2))))
            lost = bool(walk.losing(progress.performing({*goal})))
            chosen = maker.sides[0].numbers(added)
            maker.goals(0, [chosen], [goal], kept=not lost)
            other = maker_of([(roles, engine)])
            other.goals(0, [chosen], [goal], kept=lost)
            other.written(str(path), "")
            assert verdict(path) == "goals", (seed, lost)
            kinds.add((lost, roles.at_most is None, bool(engine.problem.guards)))
        maker.written(str(path), "")
        assert verdict(path) == "right", seed
    assert len(kinds) == 8


def test_few_deviated_steps_by_the_definition(tmp_path):
    path, kinds = tmp_path / "certificate", {}
    for seed in range(examples(80, 2_000)):
        if (case := drawn(seed)) is None:
            continue
        problem, held, run_, at_most = case
        models = [network(problem), Lts.from_dict(problem["controller"])]
        models += [
            [Lts.from_dict(m) for m in problem[k]]
            for k in ("properties", "env_constraints")
        ]
        modes = [replace(m, at_most=at_most[m.name]) for m in fault_modes(held)]
        roles = models_in_roles(*models, faults=modes, only=True, at_most=run_)
        engine = open_engine(roles, Options())
        maker, right = maker_of([(roles, engine)]), {}
        for most in range(3):
            judged = budgets.every_verdict(problem, held, most, at_most)
            right[most] = not budgets.minimal_hazardous(judged)
            assert maker.within(0, most, "rule") == right[most]
        maker.written(str(path), "")
        assert verdict(path) == "right"
        rows = records(path)
        for most, (head, *_) in enumerate(groups(rows)):
            for other in {0, 1, 2} - {most}:
                head["most"] = other
                if right[most] != right[other]:
                    write(rows, path)
                    kind = verdict(path)
                    kinds[kind] = kinds.get(kind, 0) + 1
                    assert kind != "right"
            head["most"] = most
    assert kinds.keys() >= {"trace", "unsafe"}, kinds


POLICY = """
case = "{case}"
[[progress]]
name = "goes on"
goals = ["output"]
modes = ["messages.overwriting", "acks.overwriting"]
[[progress]]
name = "by default"
[[budget]]
at_most = 1
{more}
"""


def gate(tmp_path, more=""):
    policy, path = tmp_path / "gate.toml", tmp_path / "certificate"
    case = ABP / "stop_and_wait.toml"
    policy.write_text(POLICY.format(case=case, more=more))
    done = run("gate", policy, "--allow-outside", "--certificate", path)
    return done, run("verify", path, case)


def test_a_gate_is_certified(tmp_path):
    done, checked = gate(tmp_path)
    assert "not confirmed" not in done.out + done.err, done
    assert checked.code == 0
    claims = [line for line in checked.out.splitlines() if line.startswith("claim")]
    said = ["keeps-goals", "loses-goals", "hazards-within"]
    assert [line.split()[1].rstrip(",") for line in claims] == said


def test_a_gate_of_two_sensors_is_certified(tmp_path):
    policy, path = tmp_path / "gate.toml", tmp_path / "certificate"
    case = ROOT / "models/two_sensors/two_sensors.toml"
    rules = "".join(f"[[budget]]\nat_most = {most}\n" for most in (1, 2))
    policy.write_text(f'case = "{case}"\n{rules}')
    done = run("gate", policy, "--allow-outside", "--certificate", path)
    assert done.code == 4
    checked = run("verify", path, case)
    assert checked.code == 0
    kinds = [line.split()[1] for line in checked.out.splitlines() if "claim:" in line]
    assert kinds == ["no-hazard-within,", "hazards-within,"]


def test_what_a_certificate_of_a_gate_leaves_out_is_said(tmp_path):
    more = '[[progress]]\nname = "step"\ntransitions = ["0,messages.put.0,0"]\n'
    done, checked = gate(tmp_path, more)
    told = done.out + done.err
    assert "not confirmed: " in told
    assert "step (the rule names transitions, but the case uses fault modes)" in told
    assert checked.code == 0
