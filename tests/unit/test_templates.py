"""Templates of `[faults]`: each row against its definition, and what is refused."""

import json
from pathlib import Path
from random import Random

import pytest

import symrob
from symrob import Lts, Network, SymrobError
from symrob.case import Case, load_case
from symrob.case.faults import Faults, modes_of
from symrob.case.templates import TEMPLATES, Template
from symrob.lts.product import product
from symrob.problem.classes import Classes
from tests.cli.tools import run
from tests.generate import random_lts
from tests.oracles.classes import kind

ABP = Path("models/abp")
SEND, DELIVER = ["put.a", "put.b"], ["get.a", "get.b", "get.c"]
KEYS = {
    "channel": {"send": ("put.*",), "deliver": ("get.*",)},
    "sensor": {"sense": ("put.*",), "report": ("get.*",)},
    "human": {},
}
CLASS_OF = {
    "omission": "omission",
    "repetition": "repetition",
    "too-early": "jump-ahead",
    "back": "jump-back",
    "wrong-outcome": "wrong-outcome",
}


def is_of(template, row, lts, t):
    """Whether a candidate belongs to a row, as the definition says it."""
    q, a, r = t
    plan = {*lts.transitions}
    states = range(lts.size)
    plans = {(p, b) for p, b, _ in plan}
    send, deliver = a in SEND, a in DELIVER
    if template == "human":
        return kind(lts, 0, t)[0] == CLASS_OF[row]
    if row in ("loss", "stuck"):
        return send and q == r and (q, a) in plans
    if row == "duplication":
        return deliver and q == r and (q, a) in plans
    if row in ("corruption", "wrong"):
        return deliver and any((q, b, r) in plan for b in DELIVER if b != a)
    if row == "spurious":
        return deliver and q == r and not any((q, b) in plans for b in DELIVER)
    assert row == "overwriting"
    rests = not any((q, b) in plans for b in SEND)
    return send and rests and any((p, a, r) in plan for p in states)


def wanted(template, row, lts):
    plan = {*lts.transitions}
    every = [
        (q, a, r)
        for q in range(lts.size)
        for a in lts.alphabet
        for r in range(lts.size)
    ]
    return {t for t in every if t not in plan and is_of(template, row, lts, t)}


def machine(rng):
    alphabet = [*SEND, *DELIVER, "other"]
    return random_lts(rng, alphabet, rng.randint(1, 4), rng.choice([0.2, 0.5]), tau=0.1)


ROWS = [(t, row) for t, each in TEMPLATES.items() for row in each.rows]


@pytest.mark.parametrize(("template", "row"), ROWS)
def test_each_row_by_its_definition_on_one_system(template, row):
    seen = 0
    for seed in range(60):
        lts = machine(Random(seed))
        given = Faults(templates={"x": Template(template, "", KEYS[template], (row,))})
        (mode,) = modes_of(given, lts, lts)
        assert mode.name == f"x.{row}"
        assert {*map(tuple, mode.transitions)} == wanted(template, row, lts), seed
        seen += len(mode.transitions)
    assert seen


@pytest.mark.parametrize(("template", "row"), ROWS)
def test_each_row_by_its_definition_on_labelled_components(template, row):
    for seed in range(20):
        rng = Random(seed)
        parts = [machine(rng) for _ in range(3)]
        labelled = [
            Lts(
                [f"c.{i}.{a}" for a in part.alphabet],
                part.size,
                [
                    (q, a if a == "tau" else f"c.{i}.{a}", r)
                    for q, a, r in part.transitions
                ],
            )
            for i, part in enumerate(parts)
        ]
        network = Network(labelled, component_names=["c.0:X", "c.1:X", "c.2:Y"])
        given = Template(template, "c.*:X", KEYS[template], (row,))
        (mode,) = modes_of(Faults(templates={"x": given}), network, None)
        assert {tuple(t) for t in mode.local} == {
            (i, q, f"c.{i}.{a}", r)
            for i in (0, 1)
            for q, a, r in wanted(template, row, parts[i])
        }


def test_states_that_were_added_are_no_part_of_the_plan():
    nominal = Lts(["put.a", "get.a"], 2, [(0, "put.a", 1), (1, "get.a", 0)])
    wider = Lts(nominal.alphabet, 3, [*nominal.transitions])
    for template, keys in KEYS.items():
        given = Faults(templates={"x": Template(template, "", keys)})
        meant = [
            modes_of(given, nominal, lts, classes=Classes(lts, lts.size - 2))
            for lts in (nominal, wider)
        ]
        assert meant[0] == meant[1]
    # In E with three states of its own the third has nothing to get.
    spurious = Template("channel", "", KEYS["channel"], ("spurious",))
    (mode,) = modes_of(Faults(templates={"x": spurious}), wider, wider)
    assert (2, "get.a", 2) in mode.transitions


def test_a_limit_on_what_a_row_may_add():
    lts = machine(Random(3))
    given = Faults(templates={"x": Template("channel", "", KEYS["channel"])})
    with pytest.raises(SymrobError, match="adds more than 1 transitions"):
        modes_of(given, lts, lts, limit=1)


def test_the_alternating_bit_protocol():
    """Design: six modes are tolerated together, the four others are hazardous alone."""
    channel = {"template": "channel", "send": "put.*", "deliver": "get.*"}
    envelope = symrob.compute(
        ABP / "network.lts",
        ABP / "protocol.lts",
        ABP / "in_order.lts",
        faults={name: channel | {"component": name} for name in ("messages", "acks")},
        only=True,
    )
    (found,) = envelope
    rows = ("loss", "duplication", "overwriting")
    assert {*found.modes} == {f"{n}.{r}" for n in ("messages", "acks") for r in rows}
    cuts = json.loads(run("cuts", ABP / "abp.toml", "--format", "json").out)["cuts"]
    assert sorted(cut["modes"] for cut in cuts) == [
        [f"{n}.{r}"] for n in ("acks", "messages") for r in ("corruption", "spurious")
    ]


HEAD = 'environment = "n.lts#N"\ncontroller = "c.lts"\nproperties = ["p.lts"]\n'
MODELS = {
    "n.lts": "CHANNEL = (put[b:0..1] -> get[b] -> CHANNEL).\n"
    "||N = (up:CHANNEL || down:CHANNEL).",
    "c.lts": "C = (up.put[b:0..1] -> up.get[b] -> C)+{down.put[0..1],down.get[0..1]}.",
    "p.lts": "property P = (up.put[b:0..1] -> up.get[b] -> P).",
}
GOOD = '[faults.m]\ntemplate = "channel"\ncomponent = "up"\nsend = "put.*"\n'
DELIVERS = 'deliver = ["get.0", "up.get.1"]\n'


def case_with(folder, text):
    for name, model in MODELS.items():
        (folder / name).write_text(model, encoding="utf-8")
    path = folder / "case.toml"
    path.write_text(HEAD + text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        (GOOD, "'faults.m' lacks the key 'deliver' of the template", (5, 1)),
        (GOOD + DELIVERS + 'sense = "x"', "the template 'channel' has no such", (9, 1)),
        (GOOD + DELIVERS + "rows = []", "'faults.m.rows' must be a list", (9, 1)),
        (GOOD + DELIVERS + 'rows = ["loss", "lost"]', "'lost' is not a row", (9, 17)),
        (GOOD + DELIVERS + "x = 1", "unknown key 'faults.m.x'", (9, 1)),
        ('[faults]\nm.template = "tube"', "must be one of channel, sensor", (5, 1)),
        (
            f'[faults]\n"m.loss" = "a,b,c"\n{GOOD}{DELIVERS}',
            "'faults.m.loss' is given twice: the template 'm' also declares it",
            (5, 1),
        ),
        (
            '[faults]\nx = ["a,b,c", {template = "human"}]',
            "'faults.x' must be",
            (5, 15),
        ),
    ],
)
def test_what_is_wrong_with_a_table(tmp_path, text, message, place):
    with pytest.raises(SymrobError) as error:
        load_case(str(case_with(tmp_path, text)))
    (problem,) = error.value.diagnostics
    assert message in problem.message
    assert (problem.line, problem.column) == place


@pytest.mark.parametrize(
    ("old", "new", "message", "hint", "place"),
    [
        (
            '"up"',
            '"left"',
            "unknown component 'left' of the environment",
            "its components: up:CHANNEL, down:CHANNEL",
            (6, 13),
        ),
        (
            '"put.*"',
            '"send.*"',
            "send: no action of component 'up' is called 'send.*'",
            "its actions: up.get.0, up.get.1, up.put.0, up.put.1",
            (7, 8),
        ),
        (
            '"get.0"',
            '"get.2"',
            "deliver: no action of component 'up' is called 'get.2'",
            "its actions: up.get.0, up.get.1, up.put.0, up.put.1",
            (8, 12),
        ),
    ],
)
def test_names_that_there_are_not(tmp_path, old, new, message, hint, place):
    path = case_with(tmp_path, (GOOD + DELIVERS).replace(old, new))
    with pytest.raises(SymrobError) as error:
        symrob.ask(str(path), "check")
    (problem,) = error.value.diagnostics
    assert problem.message == message
    assert problem.hint == hint
    assert (problem.line, problem.column) == place


def test_a_case_is_written_with_its_templates(tmp_path):
    text = '[faults]\nonly = true\nother = "up:CHANNEL,*,CHANNEL"\n'
    text += GOOD + DELIVERS + 'rows = ["loss", "spurious"]\n'
    case = load_case(str(case_with(tmp_path, text)))
    assert [*case.faults.templates] == ["m"]
    assert Case.of(case.document(), case.path).faults == case.faults


def test_an_empty_row_is_warned_of_and_can_be_left_out(tmp_path):
    human = '[faults]\nonly = true\n[faults.m]\ntemplate = "human"\ncomponent = "up"\n'
    done = run("check", case_with(tmp_path, human))
    assert "fault mode 'm.too-early' is empty, so it changes nothing" in done.err
    done = run("check", case_with(tmp_path, human + 'rows = ["omission"]'))
    assert "m." not in done.err


def test_probabilities_are_of_rows(tmp_path):
    chances = "x = 1\n[probability]\nm.loss = 0.1\nm.gone = 0.1\n"
    with pytest.raises(SymrobError) as error:
        load_case(str(case_with(tmp_path, chances + GOOD + DELIVERS)))
    messages = [each.message for each in error.value.diagnostics]
    assert any("m.gone" in message for message in messages)
    assert not any("m.loss" in message for message in messages)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"send": "put.*"}, "the key 'template'"),
        ({"template": "channel", "send": "put.*"}, "lacks the key 'deliver'"),
        ({"template": "tube"}, "must be one of channel"),
    ],
)
def test_dicts_of_python_are_checked_alike(wrong, message):
    free = Lts(["mid"], 1, [(0, "mid", 0)])
    with pytest.raises(SymrobError, match=message):
        symrob.compute(free, free, free, faults={"m": wrong})


def test_a_component_of_what_is_not_composed():
    lts = machine(Random(3))
    given = Faults(templates={"x": Template("human", "up")})
    with pytest.raises(SymrobError, match="the environment is a single process"):
        modes_of(given, lts, product(lts))
