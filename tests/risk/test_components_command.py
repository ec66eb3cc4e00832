"""`symrob risk` and `cuts --by-probability` about components, end to end."""

import csv
import io
import json
import shutil
from math import isclose
from xml.etree import ElementTree

import pytest

import symrob
from tests.cli.tools import ROOT, run
from tests.risk.tools import told
from tests.schemas import validate

ABP = ROOT / "models/abp/abp.toml"
COMMIT = ROOT / "models/two_phase_commit/two_phase_commit.toml"
FORGETFUL = COMMIT.with_name("two_phase_commit_forgetful.toml")
CHANCES = """[probability]
messages.loss = 0.125
messages.corruption = 0.25
acks.spurious = 0.5
acks.loss = 0.25
"""
# Losses are tolerated; each of the two others is hazardous alone.
TOP = 1 - 0.75 * 0.5
FORMS = (*("text", "csv", "csv-sets", "markdown", "openpsa", "galileo", "dot", "json"),)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "chances.toml"
    path.write_text(CHANCES)
    return path


@pytest.fixture
def abp(tmp_path):
    """The protocol without its modes, to be filled in."""
    folder = shutil.copytree(ABP.parent, tmp_path / "abp")
    case = folder / "case.toml"
    case.write_text(ABP.read_text().partition("[faults]")[0])
    return case


def test_modes_of_components_have_probabilities(table):
    data = told(ABP, "--probability", table)
    assert data["probability"]["lower"] == data["probability"]["upper"] == TOP
    names = [[data["events"][n]["name"] for n in s["events"]] for s in data["sets"]]
    assert names == [["acks.spurious"], ["messages.corruption"]]
    assert data["modes"]["acks.spurious"]
    assert "messages.spurious" in data["missing"]["modes"]
    assert data["missing"]["transitions"] == 0


@pytest.mark.parametrize("form", FORMS)
def test_no_report_has_states_of_the_product(table, form):
    done = run("risk", ABP, "--probability", table, "--format", form, "--all")
    assert done.code == 0, done.err
    # In JSON they are the names of the environment, which traces refer to.
    out = done.out
    if form == "json":
        out = json.dumps({**json.loads(out), "environment": None})
    assert "acks.spurious" in out
    assert "(CHANNEL" not in out
    assert "CHANNEL, " not in out


def test_text_shows_what_components_get(table):
    out = run("risk", ABP, "--probability", table).out
    assert "\n    acks.spurious  (fault mode, 0.5)\n" in out
    assert "\n      acknowledgement channel: CHANNEL –acks.get.0→ CHANNEL\n" in out
    assert "Importance of each class" not in out


def test_rows_name_the_component(table):
    out = run("risk", ABP, "--probability", table, "--format", "csv").out
    rows = [*csv.DictReader(io.StringIO(out))]
    assert [*rows[0]][:3] == ["component", "event", "class"]
    found = {(r["component"], r["event"], r["individual effect"]) for r in rows}
    assert found == {
        ("message channel", "messages.loss", "tolerated"),
        ("message channel", "messages.corruption", "hazardous"),
        ("acknowledgement channel", "acks.spurious", "hazardous"),
        ("acknowledgement channel", "acks.loss", "tolerated"),
    }
    assert {(r["from"], r["to"]) for r in rows if r["event"] == "acks.spurious"} == {
        ("empty", "empty")
    }
    out = run("risk", ABP, "--probability", table, "--format", "csv-sets").out
    sets = {r["events"]: r for r in csv.DictReader(io.StringIO(out))}
    assert {n: float(r["probability"]) for n, r in sets.items()} == {
        "acks.spurious": 0.5,
        "messages.corruption": 0.25,
    }


def test_trees_for_other_tools(table):
    xml = run("risk", ABP, "--probability", table, "--format", "openpsa").out
    root = ElementTree.fromstring(xml.encode())
    events = {
        event.find("label").text: float(event.find("float").get("value"))
        for event in root.iter("define-basic-event")
    }
    assert events == {"acks.spurious": 0.5, "messages.corruption": 0.25}
    (top,) = root.iter("or")
    assert len(top) == 2
    galileo = run("risk", ABP, "--probability", table, "--format", "galileo").out
    assert '// acks.spurious\n"e4" prob=0.5 dorm=0.0;' in galileo


def test_each_transition_that_an_expression_means_is_an_event(abp, tmp_path):
    path = tmp_path / "p.toml"
    path.write_text(
        '[probability]\n"acks:CHANNEL,acks.get.*,CHANNEL" = 0.5\n'
        '"messages:FULL[0],messages.get.1,CHANNEL" = 0.25\n'
    )
    data = told(abp, "--probability", path)
    assert isclose(data["probability"]["lower"], 1 - 0.5 * 0.5 * 0.75, rel_tol=1e-12)
    assert len(data["events"]) == 3
    assert not any(event["mode"] for event in data["events"])
    spurious = "messages:CHANNEL:CHANNEL,messages.get.0,CHANNEL"
    assert spurious in data["missing"]["hazardous_alone"]
    out = run("risk", abp, "--probability", path).out
    assert "\n    acknowledgement channel: CHANNEL –acks.get.0→ CHANNEL  (0.5)\n" in out
    only = ("--by", "component", "--among", "messages:*,*,*")
    data = told(abp, "--probability", path, *only)
    assert data["probability"]["lower"] == 0.25


def test_a_filled_in_table_of_components_has_chances(abp):
    table = abp.with_name("table.csv")
    assert run("candidates", abp, "--by", "component", "--out", table).code == 0
    rows = [*csv.DictReader(io.StringIO(table.read_text()))]
    for row in rows:
        step = row["from"], row["action"], row["to"]
        if step == ("CHANNEL", "acks.get.0", "CHANNEL"):
            row["probability"] = "0.125"
        if row["action"] == "messages.get.1" and row["to"] == "CHANNEL":
            row["fault mode"], row["probability"] = "bad", "0.5"
    with table.open("w") as stream:
        writer = csv.DictWriter(stream, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    case = abp.read_text() + '[faults]\ntable = "table.csv"\n'
    abp.write_text(case)
    data = told(abp)
    assert data["probability"]["lower"] == 1 - 0.875 * 0.5
    abp.write_text(case + "[probability]\nbad = 0.25\n")
    assert told(abp)["probability"]["lower"] == 1 - 0.875 * 0.75


def test_each_kind_of_mistake_has_one_message(tmp_path):
    path = tmp_path / "p.toml"
    whole = [f'"*,messages.put.{n},X{m}" = 0.5' for n in range(6) for m in range(12)]
    path.write_text("[probability]\nlos = 0.5\n" + "\n".join(whole))
    done = run("risk", ABP, "--probability", path)
    assert done.code == 2
    assert done.err.count("error:") == 2
    assert "p.toml:3:1: error: '*,messages.put.0,X0' and 71 more name no" in done.err
    assert "messages:CHANNEL, acks:CHANNEL" in done.err


def test_what_cannot_happen_is_told(tmp_path):
    path = tmp_path / "p.toml"
    path.write_text(
        '[probability]\n"acks:FULL[0],acks.put.0,CHANNEL" = 0.5\nacks.spurious = 0.5\n'
    )
    data = told(ABP, "--probability", path)
    (said,) = data["ignored"]
    assert said.endswith("is in no fault mode, and only = true")
    assert "1 transition of '" in said
    assert f"\nIgnored: {said}\n" in run("risk", ABP, "--probability", path).out
    assert len(data["events"]) == 1


def test_modes_of_e_as_one_do_not_stand_beside_those_of_components(abp):
    abp.write_text(
        abp.read_text() + '[faults]\nloss = "messages:CHANNEL,messages.put.*,CHANNEL"\n'
        'all = "*,acks.put.0,*"\nonly = true\n[probability]\nloss = 0.5\nall = 0.5\n'
    )
    done = run("risk", abp)
    assert done.code == 2
    assert "fault mode 'all' changes E as a whole" in done.err


def test_cuts_by_probability(table):
    args = ("--by-probability", "--probability", table)
    data = json.loads(run("cuts", ABP, *args, "--format", "json").out)
    validate(data, "likely")
    assert [(s["modes"], s["probability"]) for s in data["sets"]] == [
        (["acks.spurious"], 0.5),
        (["messages.corruption"], 0.25),
    ]
    out = run("cuts", ABP, *args).out
    assert "acknowledgement channel: CHANNEL –acks.get.0→ CHANNEL" in out
    assert "(CHANNEL, " not in out
    assert run("cuts", ABP, *args, "--limit", "1").code == 3


def test_two_designs_are_about_the_same_events(tmp_path):
    path = tmp_path / "p.toml"
    path.write_text("[probability]\ncrash = 0.5\nvotes.duplication = 0.25\n")
    data = json.loads(
        run("risk", COMMIT, FORGETFUL, "--probability", path, "--format", "json").out
    )
    validate(data, "risk-change")
    first, second = (one["probability"]["lower"] for one in data["designs"])
    # The log keeps what a crash would lose.
    assert (first, second) == (0.25, 1 - 0.5 * 0.75)
    assert (data["only_first"], data["only_second"]) == (0, 0.5 * 0.75)


def test_from_python_and_in_a_batch(abp, tmp_path):
    chances = {"acks.spurious": 0.5, "messages.corruption": 0.25, "acks.loss": 0.25}
    risk = symrob.load_case(ABP).compute().risk(chances)
    assert risk.bounds == (TOP, TOP)
    case, out = abp.with_name("abp.toml"), tmp_path / "rows.jsonl"
    case.write_text(f'compute = ["risk"]\n{case.read_text()}\n{CHANCES}')
    assert run("batch", case, "--out", out).code == 0
    row = json.loads(out.read_text())
    validate(row, "row")
    assert row["risk"]["probability"]["lower"] == TOP
