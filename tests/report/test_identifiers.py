"""Identifiers in every form, and what lies outside a question."""

import csv
import io
import json
from dataclasses import replace
from itertools import product
from xml.etree import ElementTree

import pytest

from symrob.analyses.coverage import not_covered
from symrob.api import load_roles
from symrob.api.stages import open_space
from symrob.case import Case, load_case
from symrob.cli.selection import with_selection
from symrob.errors import SymrobError
from symrob.options import Options
from tests.cli.tools import ROOT, run
from tests.schemas import validate

PUMP = ROOT / "models/infusion/infusion.toml"
SR_1 = {"id": "SR-1", "source": "hazard log, H-1"}


def test_text_shows_them_where_it_shows_the_names():
    text = run("risk", PUMP).out
    assert "SR-1: at most one stroke is made while air is in the line" in text
    assert "a misses air [FM-2]  (fault mode, 0.0002)" in text
    assert text.count("  FM-1  nurse.omission, nurse.repetition, 3 more") == 1
    assert "violates SR-1: requirements.lts#AIR_IN_LINE" in run("cuts", PUMP).out
    assert "nurse.back [FM-1], nurse.omission [FM-1]" in run("summary", PUMP).out
    assert "except b misses air [FM-3]" in run("compute", PUMP).out
    shown = run("explain", PUMP, "--mode", "a misses air", "--mode", "b misses air").out
    assert "'SR-1: at most one stroke" in shown


@pytest.mark.parametrize("command", ["compute", "cuts", "risk", "summary"])
def test_every_document_lists_them(command):
    data = json.loads(run(command, PUMP, "--format", "json").out)
    validate(data, "result" if command == "compute" else command)
    known = data["identifiers"]
    assert known["requirements.lts#AIR_IN_LINE"] == SR_1
    assert known["a misses air"] == {"id": "FM-2", "source": "FMEA, row 6"}
    assert len(known) == 15
    outside = data["not_covered"]
    assert outside["candidates"] == 360
    assert outside["components"] == ["power:POWER"]
    assert "only" in outside["because"]


def test_tables_and_fault_trees():
    rows = [*csv.DictReader(io.StringIO(run("risk", PUMP, "--format", "csv").out))]
    known = {(row["event"], row["id"], row["source"]) for row in rows}
    assert ("b misses air", "FM-3", "FMEA, row 7") in known
    (one,) = {row["properties"] for row in rows if row["id"] == "FM-2"}
    assert one.startswith("SR-1: ")
    modes = [*csv.DictReader(io.StringIO(run("summary", PUMP, "--format", "csv").out))]
    assert {row["id"] for row in modes} == {f"FM-{n}" for n in range(1, 6)}
    tree = ElementTree.fromstring(run("risk", PUMP, "--format", "openpsa").out)
    facts = {
        each.find("label").text: {
            a.get("name"): a.get("value") for a in each.iterfind("attributes/attribute")
        }
        for each in (*tree.iter("define-fault-tree"), *tree.iter("define-basic-event"))
    }
    assert facts["SR-1: at most one stroke is made while air is in the line"] == SR_1
    event = facts["a misses air [FM-2]"]
    assert (event["id"], event["source"]) == ("FM-2", "FMEA, row 6")
    text = run("risk", PUMP, "--format", "markdown").out
    assert "| FM-2 | a misses air | FMEA, row 6 |" in text
    assert "## Not covered" in text


def test_gates_know_those_of_rules_too():
    gate = ROOT / "models/infusion/gate.toml"
    data = json.loads(run("gate", gate, "--format", "json").out)
    validate(data, "gate")
    wanted = {"id": "SG-5", "source": "safety goals, 5"}
    assert wanted in [rule["identifier"] for rule in data["rules"]]
    report = ElementTree.fromstring(run("gate", gate, "--format", "junit").out)
    facts = {p.get("name"): p.get("value") for p in report.iter("property")}
    assert facts["SR-1"] == "requirements.lts#AIR_IN_LINE (hazard log, H-1)"
    assert facts["SG-5"] == "probability of a hazard, per year (safety goals, 5)"
    assert any(c.get("name").startswith("SG-5: ") for c in report.iter("testcase"))
    text = run("gate", gate, "--format", "markdown").out
    assert "| SR-4 | requirements.lts\\#DOOR | hazard log, H-4 |" in text
    assert "- actions of C and P that E does not have: stroke" in text


def test_a_case_is_read_again_as_it_was_written():
    case = load_case(str(PUMP))
    again = Case.of(case.document(), case.path, root=case.environment.root)
    assert again.identities == case.identities
    assert again.faults.identities == case.faults.identities
    assert again.vocabulary.identities == case.vocabulary.identities


def write(tmp_path, **keys):
    models = {
        "e.lts": "E = A, A = (a -> B), B = (b -> A).",
        "c.lts": "C = ({a, b} -> C).",
    }
    for name, text in models.items():
        (tmp_path / name).write_text(text)
    known = {"environment": '"e.lts"', "controller": '"c.lts"', **keys}
    path = tmp_path / "case.toml"
    path.write_text("".join(f"{key} = {value}\n" for key, value in known.items()))
    return path


def test_a_sentence_has_one_too(tmp_path):
    path = write(tmp_path, properties='[{ model = "b only after a", id = "SR-9" }]')
    out = run("summary", path).out
    assert "Hazardous: 2, violating SR-9: 'b only after a'\n" in out
    assert "  SR-9  b only after a\n" in out
    known = json.loads(run("check", path, "--format", "json").out)["identifiers"]
    assert known == {"b only after a": {"id": "SR-9", "source": ""}}


@pytest.mark.parametrize(
    ("properties", "said", "column"),
    [
        ('[{ id = "SR-9" }]', "'properties.model' is missing", 15),
        ('[{ model = "b only after a" }]', "'properties.id' is missing", 15),
        ('[{ model = "never b", id = "" }]', "1 to 60 printable characters", 36),
        ('["never b", 3]', "a non-empty list of paths of models", 26),
        ('[{ model = "never b", id = "A", name = "x" }]', "unknown key", 46),
        ('[{ model = "no b", id = "A" }]', "known property sentence", 26),
    ],
)
def test_each_mistake_has_its_place(tmp_path, properties, said, column):
    path = write(tmp_path, properties=properties)
    with pytest.raises(SymrobError) as caught:
        load_case(str(path))
    (problem,) = caught.value.diagnostics
    assert said in problem.message
    assert problem.line == 3
    assert problem.column == column or said == "known property sentence"


def space_of(case):
    return open_space(load_roles(case), Options())


CASES = ("abp/abp", "infusion/infusion", "two_phase_commit/two_phase_commit")


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("only", [True, False])
def test_what_no_mode_of_a_component_holds(name, only):
    """Each triple of each component is looked at."""
    case = load_case(f"{ROOT}/models/{name}.toml")
    case = replace(case, faults=replace(case.faults, only=only))
    space = space_of(case)
    held = {t for mode in space.about.units.modes for t in mode.local}
    lacking, without = 0, []
    network = load_roles(case).environment.model
    for number, part in enumerate(network.components):
        states = range(part.size)
        triples = {*product(states, part.alphabet, states)} - {*part.transitions}
        own = {t for t in triples if (number, *t) in held}
        lacking += len(triples - own)
        without += [] if own else [network.component_names[number]]
    found = not_covered(space)
    assert (found.candidates, found.components) == (lacking, tuple(without))
    assert found.because == (("only",) if only and lacking else ())
    space.close()


@pytest.mark.parametrize("among", [(), ("NO_MODE,x,*", "class:repetition")])
def test_what_is_left_out_of_one_system(among):
    case = load_case(f"{ROOT}/models/therac25/therac25.toml")
    case = with_selection(case, None, list(among) or None, None, None)
    space = space_of(case)
    found = not_covered(space)
    environment = space.about.environment
    states = range(environment.size)
    everything = {*product(states, environment.alphabet, states)}
    new = everything - {*environment.transitions}
    asked = {*map(tuple, space.all)}
    assert found.candidates == len(new - asked)
    assert found.because == (("among",) if among else ())
    actions = {t[1] for t in asked} | {t.action for t in environment.transitions}
    of_machine = {
        action
        for problem in space.problems
        for model in (problem.controller, *(m.lts for m in problem.properties))
        for action in model.alphabet
    }
    own = {*environment.alphabet}
    assert {*found.never_performed} == of_machine & own - actions
    assert {*found.not_of_environment} == of_machine - own
    space.close()
