"""Conditions on states: how they are read, what they name, where they are refused."""

import json
from random import Random

import pytest

import symrob
from symrob.errors import SymrobError
from symrob.formats import write
from symrob.logic.conditions import Condition, parse_condition, spoken, written
from symrob.logic.patterns import is_sentence, parse_pattern
from symrob.lts import Lts, Network
from tests.cli.tools import run
from tests.schemas import validate

THERAC = (
    *("--env", "models/therac25/nurse.lts"),
    *("--ctrl", "models/therac25/machines.lts#THERAC25"),
)
WHILE = "fireXray only while TURNTABLE is FLATTENER"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("E is A or B", "E is A or B"),
        ("E is A or C is B", "E is A or C is B"),
        ("E is A or B and C is D", "E is A or B and C is D"),
        ("not E is A and C is B", "not (E is A) and C is B"),
        ("not (E is A or C is B)", "not (E is A or C is B)"),
        ("E is A or not C is B", "E is A or not (C is B)"),
        ("E is A or (C is B)", "E is A or C is B"),
        ("a:b is 'is' or '(x, y)'", "a:b is is or (x, y)"),
        ("E is RUN[1] or RUN[*]", "E is RUN[1] or RUN[*]"),
    ],
)
def test_what_is_read(text, said):
    assert spoken(parse_condition(text, text)) == said


def test_not_binds_before_and_and_before_or():
    found = parse_condition("not E is A and C is B or C is D", "")
    assert found.operator == "or"
    assert found.parts[0].operator == "and"
    assert found.parts[0].parts[0].operator == "not"


@pytest.mark.parametrize(
    "text",
    [
        *("never E is", "never E is A and", "never (E is A", "never E is A)"),
        *("never E is A B", "never is is A", "a only while x", "never a while E is or"),
        *("a only while E is 'A", f"never {'(' * 200}E is A{')' * 200}"),
    ],
)
def test_what_is_not_read(text):
    assert is_sentence(text)
    with pytest.raises(SymrobError):
        parse_pattern(text)


def check(*sentences, of="--prop"):
    asked = [x for s in sentences for x in (of, s)]
    more = () if of == "--prop" else ("--prop", "models/therac25/xflat.lts")
    return run("check", *THERAC, *more, *asked)


def test_unknown_names_are_reported_with_those_that_there_are():
    done = check("fireXry only while TURNTABLE is FLAT", "never NURSE is TREATED")
    assert done.code == 2
    assert "unknown action 'fireXry'" in done.err
    assert "unknown state 'FLAT' of component TURNTABLE" in done.err
    assert "its states: FLATTENER, TO_SPREADER, SPREADER, TO_FLATTENER" in done.err
    assert "unknown component 'NURSE'" in done.err
    assert "the components: E, TERMINAL, BEAM, TURNTABLE" in done.err


def test_a_constraint_is_about_the_environment_alone():
    done = check("never TURNTABLE is SPREADER", of="--env-prop")
    assert done.code == 2
    assert "unknown component 'TURNTABLE' of the environment" in done.err
    done = check("b enabled only while E is CONFIRMED", of="--env-prop")
    assert "a guard restricts C" in done.err


def test_a_case_shows_the_place(tmp_path):
    path = tmp_path / "case.toml"
    path.write_text(
        'environment = "e.json"\ncontroller = "c.json"\n'
        'properties = [\n    "never E is 0 and C is LOST",\n]\n'
    )
    for name in ("e", "c"):
        system = {"alphabet": ["a"], "states": 2, "transitions": [[0, "a", 1]]}
        (tmp_path / f"{name}.json").write_text(json.dumps(system))
    done = run("check", path)
    assert done.code == 2
    assert f"{path}:4:5: error: 'never E is 0 and C is LOST': unknown state" in done.err
    assert "its states: 0, 1" in done.err


def two(alphabet, size=2):
    moves = [(s, a, (s + 1) % size) for s in range(size) for a in alphabet]
    return Lts(alphabet, size, moves)


def test_names_of_components():
    """By name, by FSP label, by the side where both have the name."""
    controller = Network([two("a"), two("b")], component_names=["x:DOOR", "y:DOOR"])
    environment = Network([two("a"), two("b")], component_names=["x:DOOR", "z"])
    for name in ("y", "y:DOOR", "C:x", "E:x:DOOR", "C:y", "z"):
        with pytest.raises(symrob.NominalViolation):
            symrob.compute(environment, controller, [f"never {name} is 0"])
    with pytest.raises(SymrobError, match="ambiguous: E:x:DOOR, C:x:DOOR"):
        symrob.compute(environment, controller, ["never x is 0"])
    with pytest.raises(SymrobError, match="unknown component 'DOOR'"):
        symrob.compute(environment, controller, ["never DOOR is 0"])


def test_in_an_extra_state_nothing_is():
    environment = Lts(["a"], 1, [(0, "a", 0)])
    controller = Lts(["a"], 1, [(0, "a", 0)])
    found = symrob.compute(
        environment, controller, ["never not E is 0"], extra_states=1
    )
    (deviation,) = found
    assert (0, "a", 1) not in deviation
    (deviation,) = symrob.compute(
        environment,
        controller,
        ["never E is 0 and not E is *"],
        extra_states=1,
    )
    assert (0, "a", 1) in deviation


def test_the_turntable_in_words_is_the_property_of_the_paper():
    xflat = "models/therac25/xflat.lts"
    rule = ("--env-prop", "models/therac25/one_treatment.lts")
    one, other = (
        run("compute", *THERAC, "--prop", p, *rule, "--format", "json").out
        for p in (xflat, WHILE)
    )
    one, other = json.loads(one), json.loads(other)
    assert one["delta"] == other["delta"]
    validate(other, "result")


def test_what_does_not_support_them_says_so(tmp_path):
    sentence = (
        "never E is TREATED and BEAM is FIRING_ELECTRON and TURNTABLE is FLATTENER"
    )
    asked = (*THERAC, "--prop", sentence)
    done = run("monitor", *asked, "--target", "python", "--out", tmp_path / "m.py")
    assert done.code == 2
    assert "not supported for requirements on states of E" in done.err
    page = tmp_path / "page.html"
    assert run("explore", *asked, "--out", page).code == 0
    assert sentence in page.read_text()
    # States of C are known to a monitor.
    asked = (*THERAC, "--prop", WHILE, "--target", "python", "--out")
    assert run("monitor", *asked, tmp_path / "m.py").code == 0


def test_the_guard_of_the_older_machine_is_suggested():
    done = run("repair", *THERAC, "--prop", WHILE, "--suggest")
    assert "fireXray while TURNTABLE is TO_FLATTENER\n     removes 10 of 10" in done.out


def test_repair_gives_the_guard_of_the_older_machine():
    asked = ("--tolerate", "MODE_CHOSEN,x,MODE_CHOSEN", "--not-disable", "rotate")
    done = run("repair", *THERAC, "--prop", WHILE, *asked)
    assert done.code == 0
    assert "Disable fireXray while TURNTABLE is TO_FLATTENER" in done.out
    guard = "fireXray enabled only while TURNTABLE is FLATTENER"
    older = "models/therac25/machines.lts#THERAC20"
    asked = ("--ctrl", older, "--prop", "models/therac25/xflat.lts", "--prop", guard)
    rule = ("--env-prop", "models/therac25/one_treatment.lts")
    done = run("compare", *THERAC, *asked, *rule)
    assert "A and B are equally robust." in done.out


def test_several_initial_states_in_files(tmp_path):
    lts = Lts(["a"], 3, [(0, "a", 1), (2, "a", 0)], initial=[2, 0])
    assert lts.initial == (0, 2)
    assert Lts.from_dict(lts.to_dict()) == lts
    path = tmp_path / "e.json"
    write(lts, str(path))
    assert symrob.load(path) == lts
    with pytest.raises(SymrobError, match="supports only the first state as initial"):
        write(lts, str(tmp_path / "e.aut"))
    named = {
        "schema": "symrob/model/1",
        "systems": [
            {
                "name": "E",
                "initial": ["Q", "P"],
                "transitions": [["P", "a", "R"], ["Q", "a", "P"]],
            }
        ],
    }
    path.write_text(json.dumps(named))
    (read,) = symrob.load(str(path)).components
    assert [read.state_name(q) for q in read.initial] == ["Q", "P"]
    with pytest.raises(SymrobError, match="initial state 3 is not"):
        Lts(["a"], 3, [], initial=[3])


def test_ends_that_differ_stay_apart():
    """A network's successful ends are one state, unless a condition names them."""
    ending = Lts("ab", 2, [(0, "a", 1), (0, "b", 1)], end=1)
    other = Lts("ab", 2, [(0, "a", 0), (0, "b", 1)], names=["X", "Y"])
    environment = Network([ending, other], component_names=["A", "D"])
    assert symrob.product(environment).size == 2
    controller = Lts("ab", 1, [(0, "a", 0), (0, "b", 0)])
    with pytest.raises(symrob.NominalViolation) as error:
        symrob.compute(environment, controller, ["never D is Y"])
    assert error.value.trace.actions == ("b",)


def random_condition(rng, depth=3):
    kind = rng.choice(("is", "not", "and", "or")) if depth else "is"
    if kind == "is":
        names = ("E", "a:B", "(A, B)", "is", "it's", 'say "x"', "two words", "or")
        states = tuple(dict.fromkeys(rng.choices(names, k=rng.randint(1, 3))))
        return Condition("is", (), rng.choice(names), states)
    count = 1 if kind == "not" else rng.randint(2, 3)
    parts = tuple(random_condition(rng, depth - 1) for _ in range(count))
    return Condition(kind, parts)


def test_what_is_written_is_read_again():
    rng = Random(7)
    for _ in range(500):
        condition = random_condition(rng)
        assert parse_condition(written(condition), "") == condition
