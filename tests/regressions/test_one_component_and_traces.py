"""A network of one component looked at wrong states; traces said what is not so."""

import json
import re
from random import Random

import pytest

from symrob import TAU, Lts, Network, SymrobError, compute
from tests.cli.tools import run
from tests.generate import random_lts

LINE = "at this point it allows only"


def shuffled(rng, hidden):
    """E with a name for each state, C, and a condition; E as a network of itself."""
    size = rng.randint(3, 5)
    names = [f"S{q}" for q in range(size)]
    plain = random_lts(rng, "abc", size, 0.5)
    flat = Lts("abc", size, plain.transitions, names=names)
    moves = [(q, TAU if a in hidden else a, r) for q, a, r in flat.transitions]
    alphabet = [a for a in "abc" if a not in hidden]
    alone = Lts(alphabet, size, moves, names=names)
    action, state = rng.choice(alphabet), rng.choice(names)
    controller = random_lts(rng, "".join(alphabet), rng.randint(1, 3), 0.8)
    composed = Network([flat], component_names=["AA"], hidden=[*hidden])
    return alone, composed, controller, f"never {action} while E is {state}"


def answer(environment, *others):
    try:
        return {frozenset(deviation) for deviation in compute(environment, *others)}
    except SymrobError as error:
        return error.diagnostics[0].code


@pytest.mark.parametrize("hidden", ["", "c"])
def test_a_network_of_one_component_is_that_component(hidden):
    codes = 0
    for seed in range(120):
        alone, composed, controller, sentence = shuffled(Random(seed), hidden)
        want = answer(alone, controller, [sentence])
        for of in ("E", "AA"):
            named = sentence.replace("E is", f"{of} is")
            assert answer(composed, controller, [named]) == want, (seed, of)
        codes += isinstance(want, str)
    assert 10 < codes < 100, codes


def test_a_certificate_of_one_component_is_about_its_states(tmp_path):
    e, c = tmp_path / "e.json", tmp_path / "c.lts"
    part = {"alphabet": ["a", "b", "c"], "states": 3, "names": ["X", "Y", "Z"]}
    part["transitions"] = [[0, "a", 2], [0, "c", 1], [2, "b", 2]]
    e.write_text(json.dumps({"components": [part], "names": ["AA"]}))
    c.write_text("FF = (a -> FF | b -> FF).")
    models = ("--env", e, "--ctrl", c)
    unsafe = run("check", *models, "--prop", "never b while AA is Z")
    assert (unsafe.code, "e: Z" in unsafe.err) == (1, True)
    certificate = tmp_path / "e.cert"
    safe = ("--prop", "never b while AA is Y", "--certificate", certificate)
    assert run("compute", *models, *safe).code == 0
    assert run("verify", certificate).code == 0


@pytest.fixture
def written(tmp_path):
    def write(models, case):
        (tmp_path / "m.lts").write_text(models)
        path = tmp_path / "case.toml"
        path.write_text(f'environment = "m.lts#USER"\ncontroller = "m.lts#DD"\n{case}')
        return path

    return write


USER = "USER = (a -> S1), S1 = (b -> USER).\nDD = (a -> DE), DE = STOP.\n"


def test_sentences_on_states_and_counted_assumptions_name_no_allowed_actions(written):
    case = written(USER, 'properties = ["never E is S1"]\n')
    assert LINE not in run("check", case).err
    of_e = 'constraints = ["at most 1 a until c"]\nproperties = ["never z"]\n'
    models = "USER = (a -> S1), S1 = (a -> b -> USER) + {c}.\nDD = (a -> DD).\n"
    done = run("check", written(models, f"{of_e}at_most = 1\n"))
    assert done.code == 1
    assert f"{LINE}: c\n" in f"{done.err}\n"


def test_a_mode_with_a_budget_of_its_own_has_a_planned_outcome(written):
    models = (
        "USER = S0, S0 = (a -> S1 | c -> S2), S1 = (a -> S1), S2 = (c -> S2).\n"
        "DD = (a -> u -> DD | c -> DD).\n"
    )
    mode = '[faults]\nonly = true\n[faults.fh]\ntransitions = ["S0,a,S0"]\n'
    for budget in ("", "at_most = 1\n"):
        sentence = 'properties = ["never u while E is S0"]\n'
        text = run("summary", written(models, sentence + mode + budget)).out
        assert "planned outcome: USER: S0 → S1\n" in text


def test_more_outcomes_than_are_shown_are_hinted_at(written):
    models = (
        "USER = P, P = (a -> A | a -> B | a -> C | a -> D),\n"
        "A = (b -> P), B = (b -> P), C = (b -> P), D = (b -> P).\n"
        "DD = (a -> DD | b -> DD).\n"
    )
    case = written(models, 'properties = ["at most 1 a until b"]\n')
    text = run("explain", case, "--transition", "P,a,P").out
    assert "P → A, or USER: P → B, or USER: P → C, or …" in text


def test_who_acts_is_no_counter(written):
    case = written(USER, 'properties = ["never b while C is DD"]\nat_most = 1\n')
    text = run("explain", case, "--transition", "USER,b,USER").out
    assert "   1  USER  b (added)" in text


def test_who_acts_is_not_a_hidden_action_of_c(tmp_path):
    moves = [["D0", "a", "D0"], ["D0", "b", "D1"]]
    part = {"name": "DD", "initial": "D0", "transitions": moves}
    model = {"schema": "symrob/model/1", "systems": [part], "hidden": ["a"]}
    (tmp_path / "c.json").write_text(json.dumps(model))
    (tmp_path / "e.lts").write_text("USER = (b -> S1), S1 = STOP + {a}.")
    models = ("--env", tmp_path / "e.lts", "--ctrl", tmp_path / "c.json")
    sentence = ("--prop", "never a while C is D1", "--transition", "S1,a,S1")
    text = run("explain", *models, *sentence).out
    assert re.search(r"^   2  e +a \(added\)", text, re.M), text


def test_a_step_that_changes_nothing_has_no_empty_line(written):
    models = f"{USER}\nDD2 = (u -> DD2 | b -> DD2).\n".replace("DD =", "OLD =")
    words = f'[words.actions]\nu = "{"the machine warms up " * 5}"\n'
    case = written(
        models.replace("DD2", "DD"), f'properties = ["at most 1 u until b"]\n{words}'
    )
    done = run("check", case)
    assert done.code == 1
    assert all(line.strip() for line in done.err.splitlines())


def test_a_repair_shows_what_stays_and_what_is_planned(tmp_path):
    moves = [["P", "a", "P"], ["Q", "z", "Q"]]
    one = {"name": "AA", "initial": "P", "transitions": moves}
    two = {"name": "BB", "initial": "T", "transitions": [["T", "b", "T"]]}
    model = {"schema": "symrob/model/1", "systems": [one, two]}
    (tmp_path / "t.json").write_text(json.dumps(model))
    (tmp_path / "r.lts").write_text("DD = (a -> DD | b -> DD).")
    case = tmp_path / "t.toml"
    case.write_text(
        'environment = "t.json"\ncontroller = "r.lts#DD"\nproperties = ["never z"]\n'
        '[faults]\nonly = true\njump = ["AA:P,a,Q"]\n'
    )
    assert "planned outcome: AA: P (unchanged)\n" in run("repair", case).out


def test_equal_words_are_said_once(written):
    models = (
        "USER = (a -> S1), S1 = (b -> USER).\nDD = (a -> DD | u -> DD | b -> DD).\n"
        "property PP = (a -> PP | u -> PP) + {b}.\n"
    )
    words = '[words.actions]\na = "press"\nu = "press"\n'
    done = run("check", written(models, f'properties = ["m.lts#PP"]\n{words}'))
    assert f"{LINE}: press\n" in f"{done.err}\n"
