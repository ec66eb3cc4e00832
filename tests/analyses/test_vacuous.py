"""A property that nothing can violate is not called safe without a word."""

import json
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import symrob
from symrob.envelope import tuning
from symrob.lts import ERROR, Lts
from tests.cli.tools import run

MODELS = """E = (a -> b -> E).
C = (a -> b -> C).
NEVER = (a -> b -> NEVER) + {c}.
property P = (a -> b -> P).
property ABSENT = (c -> d -> ABSENT).
property MISSPELT = (a -> b -> MISSPELT | aa -> MISSPELT).
property ANY = (a -> ANY | b -> ANY).
property NO_C = (a -> NO_C) + {c}.
MAY = (a -> b -> MAY) + {c}.
"""


@pytest.fixture
def case(tmp_path):
    def make(*properties, controller="C", environment="E"):
        (tmp_path / "m.lts").write_text(MODELS)
        named = ", ".join(f'"m.lts#{name}"' for name in properties)
        path = tmp_path / "case.toml"
        path.write_text(
            f'environment = "m.lts#{environment}"\n'
            f'controller = "m.lts#{controller}"\nproperties = [{named}]\n'
        )
        return path

    return make


CASES = [
    (("P",), ()),
    (("P", "ABSENT"), ("ABSENT",)),
    (("ABSENT",), ("ABSENT",)),
    (("P", "MISSPELT"), ()),
    (("ANY", "P", "ABSENT"), ("ANY", "ABSENT")),
]


@pytest.mark.parametrize(("properties", "vacuous"), CASES)
def test_the_verdict_says_what_cannot_be_violated(case, properties, vacuous):
    path = case(*properties)
    note = "; the property cannot be violated\n"
    if len(properties) > 1:
        note = f"; {len(vacuous)} of {len(properties)} properties cannot be violated\n"
    names = [f"m.lts#{name}" for name in vacuous]
    for command in ("check", "compute"):
        told = run(command, path)
        assert told.code == 0
        assert (note in told.out.replace("\n    ", " ")) == bool(vacuous)
        assert run(command, path, "--strict").code == (2 if vacuous else told.code) or (
            "MISSPELT" in properties
        )
        assert (
            json.loads(run(command, path, "--format", "json").out)["vacuous"] == names
        )
    *_, last = run("compute", path, "--format", "jsonl").out.splitlines()
    assert json.loads(last)["vacuous"] == names
    assert symrob.ask(str(path), "check").vacuous == tuple(names)


def test_the_gate_says_it_too(case, tmp_path):
    path = case("P", "ABSENT")
    policy = tmp_path / "policy.toml"
    policy.write_text("vacuous = true\nresilience = 1\n")
    told = run("gate", policy, path)
    assert told.code == 0
    end = "1 rule: 1 held; 1 of 2 properties cannot be violated"
    assert told.out.splitlines()[-1] == end
    data = json.loads(run("gate", policy, path, "--format", "json").out)
    assert data["vacuous"] == ["m.lts#ABSENT"]
    assert run("gate", policy, path, "--strict").code == 2
    assert "cannot be violated" not in run("gate", policy, case("P")).out


def test_what_the_controller_never_does_cannot_happen(case):
    for environment, controller, vacuous in (
        ("E", "C", True),  # No model has c.
        ("MAY", "C", False),
        ("MAY", "NEVER", True),  # C has c, and takes it in no state.
    ):
        path = case("NO_C", controller=controller, environment=environment)
        assert bool(symrob.ask(str(path), "check").vacuous) == vacuous


def test_a_vacuous_property_of_an_environment_in_parts_is_told(monkeypatch):
    monkeypatch.setattr(tuning, "COMPOSED_STATES", 10)

    def turns(i):
        return Lts([f"a{i}", f"b{i}"], 2, [(0, f"a{i}", 1), (1, f"b{i}", 0)])

    absent, free = Lts(["x"], 2, [(0, "x", 1)]), Lts(["a0"], 1, [(0, "a0", 0)])
    found = symrob.compute(
        symrob.network([turns(i) for i in range(4)]),
        free,
        [free, turns(1), absent],
        faults={"one": "0:0,a0,0", "other": "1:0,a1,0"},
        only=True,
    )
    assert found.space.whole is None, "E is in parts"
    assert len(found.space.vacuous) == 2
    assert "; 2 of 3 properties cannot be violated " in " ".join(f"{found} ".split())
    codes = [warning.code for warning in found.warnings]
    assert codes.count("problem-vacuous-property") == 2


@given(st.data())
def test_it_is_what_no_run_of_possible_actions_violates(data):
    """Against all words up to the length that reaches every state."""
    size = data.draw(st.integers(1, 3))
    actions = ["a", "b", "x"]
    moves = {}
    for state in range(size):
        for action in actions:
            target = data.draw(st.integers(-1, size - 1), label=f"{state} {action}")
            if target >= 0 or data.draw(st.booleans()):
                moves[state, action] = target
    transitions = [(q, a, r) for (q, a), r in moves.items()]
    monitor = Lts(actions, size, transitions)

    def fails(word):
        state = 0
        for action in word:
            state = moves.get((state, action), ERROR)
            if state == ERROR:
                return True
        return False

    violated = any(
        fails(word)
        for length in range(size + 1)
        for word in product("ab", repeat=length)
    )
    environment = Lts(["a", "b"], 1, [])
    controller = Lts(["a", "b"], 1, [(0, "a", 0), (0, "b", 0)])
    found = symrob.compute(environment, controller, monitor)
    assert bool(found.space.vacuous) == (not violated)
