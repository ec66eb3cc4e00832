"""`symrob risk` end to end: what it says, and what it refuses."""

import csv
import io
import json
import shutil
import tomllib
from importlib import import_module
from math import expm1, isclose
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

import symrob
from symrob.report.faulttree import drawn
from symrob.report.json import document
from symrob.risk.answer import Risk
from tests.cli.tools import ROOT, run
from tests.risk.tools import told
from tests.schemas import fits, validate

THERAC = ROOT / "models/therac25/therac25.toml"
CHANCES = """[probability]
"class:omission" = 1e-3
"MODE_CHOSEN,x,MODE_CHOSEN" = { rate = 1e-4, time = 24 }
"*,*,*" = 1e-4
"""


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "chances.toml"
    path.write_text(CHANCES)
    return path


def test_therac(table):
    """Its five hazardous sets are single transitions: one by a rate, four by `*`."""
    data = told(THERAC, "--probability", table)
    rate = -expm1(-24e-4)
    expected = 1 - (1 - rate) * (1 - 1e-4) ** 4
    assert isclose(data["probability"]["lower"], expected, rel_tol=1e-12)
    assert data["probability"]["exact"]
    found = [one["probability"] for one in data["sets"]]
    assert found == pytest.approx([rate, *[1e-4] * 4], rel=1e-12)
    (events,) = {tuple(one["events"]) for one in data["sets"][:1]}
    assert data["events"][events[0]]["name"] == "MODE_CHOSEN,x,MODE_CHOSEN"
    assert data["missing"]["hazardous_alone"] == []
    assert any("class:omission" in line for line in data["overlaps"])
    broken = {**data, "probability": {**data["probability"], "lower": -1}}
    assert not fits(broken, "risk")


def test_text_says_what_the_number_means(table):
    text = run("risk", THERAC, "--probability", table).out
    for words in (
        "independent",
        "possible event need not happen",
        "The order matters",
    ):
        assert words in text


def test_what_has_no_chance_is_named(tmp_path):
    path = tmp_path / "chances.toml"
    path.write_text('[probability]\n"NO_MODE,e,NO_MODE" = 0.25\n')
    result = run("risk", THERAC, "--probability", path)
    assert "MODE_CHOSEN,x,MODE_CHOSEN" in result.out
    assert "\n  individually hazardous: MODE_CHOSEN,e,NO_MODE, " in result.out
    data = told(THERAC, "--probability", path)
    assert data["probability"]["lower"] == 0.25
    assert len(data["missing"]["hazardous_alone"]) == 4


def test_assumptions_that_are_never_kept_condition_nothing(tmp_path):
    table = tmp_path / "chances.toml"
    table.write_text('[probability]\n"NO_MODE,b,NO_MODE" = 1.0\n')
    conditional = told(THERAC, "--probability", table)["given_assumptions"]
    assert conditional == {"probability": None, "assumptions_kept": 0.0}
    for form in "text", "markdown":
        out = run("risk", THERAC, "--probability", table, "--format", form).out
        assert "not applicable: E never keeps them" in " ".join(out.split())


def test_all_that_is_wrong_is_said_with_its_place(tmp_path):
    path = tmp_path / "chances.toml"
    path.write_text(
        "[probability]\n"
        '"NO_MODE,e,NO_MODE" = 1.5\n'
        '"NO_MODE,x,NO_MODE" = nan\n'
        '"a,b,c" = { rate = -1, tim = 3 }\n'
        "loss = true\n"
    )
    result = run("risk", THERAC, "--probability", path)
    assert result.code == 2
    for line in (2, 3, 4, 5):
        assert f"chances.toml:{line}:" in result.err
    path.write_text(
        "[probability]\n"
        '"NO_MODE,e,NOMODE" = 0.5\n'
        '"NO_MODE,x,MODE_CHOSEN" = 0.5\n'
        "los = 0.5\n"
        '"NO_MODE,e,NO_MODE" = 0.5\n'
        '"0,e,0" = 0.25\n'
    )
    result = run("risk", THERAC, "--probability", path)
    assert result.code == 2
    for line in (2, 3, 4, 6):
        assert f"chances.toml:{line}:" in result.err, result.err


def test_nothing_said_is_an_error():
    result = run("risk", THERAC)
    assert result.code == 2
    assert "[probability]" in result.err
    assert run("risk", THERAC, "--probability", "absent.toml").code == 2
    assert run("risk", THERAC, "--gap", "2").code == 2


def test_case_files_may_say_it(tmp_path):
    for name in ("nurse", "machines", "xflat", "one_treatment"):
        source = ROOT / f"models/therac25/{name}.lts"
        (tmp_path / source.name).write_text(source.read_text())
    case = tmp_path / "case.toml"
    head = 'environment = "nurse.lts"\ncontroller = "machines.lts#THERAC25"\n'
    chance = '[probability]\n"NO_MODE,e,NO_MODE" = 0.25\n'
    case.write_text(head + 'properties = ["xflat.lts"]\n' + chance)
    assert told(case)["probability"]["exact"]
    case.write_text(head + 'properties = ["xflat.lts"]\n[probability]\nx = 2\n')
    result = run("risk", case)
    assert (result.code, "case.toml:5:1" in result.err) == (2, True)


def test_fault_modes_are_events(tmp_path):
    for name in ("nurse", "machines", "xflat"):
        source = ROOT / f"models/therac25/{name}.lts"
        (tmp_path / source.name).write_text(source.read_text())
    case = tmp_path / "case.toml"
    case.write_text(
        'environment = "nurse.lts"\ncontroller = "machines.lts#THERAC25"\n'
        'properties = ["xflat.lts"]\n'
        '[faults]\nagain = ["MODE_CHOSEN,x,MODE_CHOSEN", "NO_MODE,e,NO_MODE"]\n'
        'other = "NO_MODE,e,NO_MODE"\nunsaid = "NO_MODE,up,*"\nonly = true\n'
        "[probability]\nagain = 0.5\nother = 0.25\n"
    )
    data = told(case)
    assert data["probability"]["lower"] == 1 - 0.5 * 0.75
    assert data["missing"]["modes"] == ["unsaid"]
    assert [event["mode"] for event in data["events"]] == [True, True]


def test_a_gap_ends_the_search(table, monkeypatch):
    # As soon as it is small: how much is known by then does not depend on the clock.
    monkeypatch.setattr(import_module("symrob.risk.assessment"), "_LEAST", 0.0)
    case = ROOT / "models/voting/voting_cfm_unconstrained.toml"
    table.write_text('[probability]\n"*,*,*" = 1e-4\n')
    data = told(case, "--probability", table, "--gap", "1e-2")
    assert not data["probability"]["complete"]
    between = data["probability"]["upper"] - data["probability"]["lower"]
    assert 0 < between <= 1e-2


def test_where_a_bound_was_hit_only_events_of_sets_are_listed(table):
    """There is no time for the others; sets are of the same events."""
    case = symrob.load_case(THERAC)
    chances, documents = tomllib.loads(table.read_text())["probability"], []
    for status in ("complete", "timeout"):
        found = case.compute().risk(chances)
        found.status = status
        documents.append(document(Risk.of(found)))
    whole, stopped = (
        [[each["events"][n]["name"] for n in one["events"]] for one in each["sets"]]
        for each in documents
    )
    assert whole == stopped
    counts = [len(each["events"]) for each in documents]
    assert counts == [len(found.events.events), len(found.ranked)]
    assert counts[0] > counts[1] > 0


def test_cuts_by_probability(table):
    args = ("--by-probability", "--probability", table)
    done = run("cuts", THERAC, *args, "--format", "jsonl")
    assert done.code == 0, done.err
    head, *sets, end = map(json.loads, done.out.splitlines())
    assert (head["schema"], head["status"]) == ("symrob/likely-lines/2", "running")
    assert end["status"] == "complete"
    assert [s["probability"] for s in sets] == [
        one["probability"] for one in told(THERAC, "--probability", table)["sets"]
    ]
    data = json.loads(run("cuts", THERAC, *args, "--format", "json").out)
    validate(data, "likely")
    fields = ("transitions", "probability")
    assert data["sets"] == sets
    assert all({*fields} <= {*one} for one in sets)
    first = run("cuts", THERAC, *args, "--limit", "1")
    assert first.code == 3
    assert "MODE_CHOSEN,x,MODE_CHOSEN" in first.out
    assert "NO_MODE,e,NO_MODE" not in first.out


def test_a_repair_lowers_the_risk(table):
    fixed = ROOT / "models/therac25/therac25_fix.toml"
    done = run("risk", THERAC, fixed, "--probability", table, "--format", "json")
    data = json.loads(done.out)
    validate(data, "risk-change")
    first, second = (one["probability"]["lower"] for one in data["designs"])
    assert (data["only_first"], data["only_second"]) == (pytest.approx(first), 0)
    assert first > second == 0
    text = run("risk", THERAC, fixed, "--probability", table).out
    assert "\n  the second design lowers it to 0\n" in text
    back = run("risk", THERAC, THERAC, "--probability", table).out
    assert "neither lowers nor raises" in back
    asked = ("risk", THERAC, fixed, "--probability", table, "--format")
    head, one, other = csv.reader(run(*asked, "csv").out.splitlines())
    assert head[1:] == ["at least", "at most", "hazardous only in this design"]
    assert list(map(float, one[1:])) == pytest.approx([first] * 3)
    assert list(map(float, other[1:])) == [0, 0, 0]
    assert run(*asked, "markdown").out.count("\n| ") == 3
    assert run(*asked, "openpsa").code == 2


def test_from_python_as_by_the_command(table):
    case = symrob.load_case(THERAC)
    chances = tomllib.loads(table.read_text())["probability"]
    found = case.compute().risk(chances)
    data = told(THERAC, "--probability", table)
    assert found.together.bounds.lower == data["probability"]["lower"]
    assert [p for _, p, _ in found.contributions] == [
        one["probability"] for one in data["sets"]
    ]
    with pytest.raises(symrob.SymrobError, match="0 to 1"):
        case.compute().risk({"*,x,*": 2})
    with pytest.raises(symrob.SymrobError, match="gap"):
        case.compute().risk(chances, gap=-1)


def test_a_batch_asks_for_it_too(tmp_path, table):
    folder = shutil.copytree(THERAC.parent, tmp_path / "models")
    case, out = folder / THERAC.name, tmp_path / "rows.jsonl"
    case.write_text(f'compute = ["risk"]\n{case.read_text()}\n{CHANCES}')
    assert run("batch", case, "--out", out).code == 0
    row = json.loads(out.read_text())
    validate(row, "row")
    assert row["status"] == "complete"
    expected = told(THERAC, "--probability", table)["probability"]
    assert row["risk"]["probability"] == expected


HOSTILE = "=cmd|' /C calc'!A0"


@pytest.fixture
def hostile(tmp_path):
    """A case with names that a spreadsheet, XML and Markdown would obey."""
    (tmp_path / "e.json").write_text(
        json.dumps(
            {
                "alphabet": [HOSTILE, "ok"],
                "states": 2,
                "names": ["+1+2", "<b>&|`"],
                "transitions": [[0, "ok", 1], [1, "ok", 0]],
            }
        )
    )
    (tmp_path / "c.lts").write_text("C = (ok -> C).")
    (tmp_path / "p.json").write_text(
        json.dumps({"alphabet": [HOSTILE], "states": 1, "transitions": []})
    )
    case = tmp_path / "case.toml"
    case.write_text(
        'title = "@SUM(1)"\nenvironment = "e.json"\ncontroller = "c.lts"\n'
        'properties = ["p.json"]\n[probability]\n"*,*,*" = 0.25\n'
    )
    return case


@pytest.mark.parametrize("form", ["csv", "csv-sets"])
def test_no_cell_is_a_formula(hostile, form):
    done = run("risk", hostile, "--format", form)
    assert done.code == 0, done.err
    rows = list(csv.reader(io.StringIO(done.out)))
    assert len(rows) > 2
    assert HOSTILE in done.out
    for row in rows:
        assert len(row) == len(rows[0])
        assert not any(cell[:1] in {*"=+-@"} for cell in row)


def test_trees_and_tables_hold_hostile_names(hostile):
    xml = run("risk", hostile, "--format", "openpsa").out
    root = ElementTree.fromstring(xml.encode())
    labels = [label.text for label in root.iter("label")]
    assert any("<b>&|`" in label for label in labels)
    # Each of four candidates by the hostile action hurts alone.
    assert len(list(root.iter("define-basic-event"))) == 4
    markdown = run("risk", hostile, "--format", "markdown").out
    assert "<b>" not in markdown.replace("\\<b\\>", "")
    dot = run("risk", hostile, "--format", "dot").out
    assert dot.count("{") == dot.count("}") == 1


@pytest.mark.parametrize(
    ("status", "reason"), [("complete", ""), ("interrupted", "interrupted")]
)
def test_a_tree_that_takes_too_long_says_why_there_was_no_time(
    monkeypatch, status, reason
):
    monkeypatch.setattr("symrob.report.svg.laid_out", lambda _: [None])
    with pytest.raises(symrob.LimitExceeded, match=f"^error: {reason}.*too long") as e:
        drawn("digraph {}", SimpleNamespace(status=status, reason=reason))
    assert e.value.reason == (reason or "limit")


def test_fault_tree_is_drawn(table, tmp_path):
    out = tmp_path / "tree.svg"
    done = run("risk", THERAC, "--probability", table, "--format", "svg", "--out", out)
    assert done.code == 0, done.err
    text = out.read_text()
    assert "MODE_CHOSEN,x,MODE_CHOSEN" in text
    ElementTree.fromstring(text)


def test_rows_of_an_fmea(table):
    rows = csv.DictReader(
        io.StringIO(run("risk", THERAC, "--probability", table, "--format", "csv").out)
    )
    found = {row["event"]: row for row in rows}
    assert len(found) == 76
    worst = found["MODE_CHOSEN,x,MODE_CHOSEN"]
    assert (worst["class"], worst["individual effect"]) == ("repetition", "hazardous")
    assert "X-rays" in worst["shortest trace"]
    assert 0.8 < float(worst["criticality"]) < 0.9
    fine = found["NO_MODE,e,TREATED"]
    assert (fine["individual effect"], fine["smallest set"]) == ("tolerated", "")


def test_a_filled_in_table_has_chances(tmp_path):
    for name in ("nurse", "machines", "xflat"):
        source = ROOT / f"models/therac25/{name}.lts"
        (tmp_path / source.name).write_text(source.read_text())
    case = tmp_path / "case.toml"
    text = (
        'environment = "nurse.lts"\ncontroller = "machines.lts#THERAC25"\n'
        'properties = ["xflat.lts"]\n'
    )
    case.write_text(text)
    table = tmp_path / "table.csv"
    assert run("candidates", case, "--out", table).code == 0
    rows = list(csv.DictReader(io.StringIO(table.read_text())))
    for row in rows:
        if (row["from"], row["action"], row["to"]) == ("NO_MODE", "e", "NO_MODE"):
            row["probability"] = "0.125"
    with table.open("w") as stream:
        writer = csv.DictWriter(stream, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    case.write_text(text + '[faults]\ntable = "table.csv"\n')
    assert told(case)["probability"]["lower"] == 0.125


@pytest.mark.parametrize(
    ("budget", "alone"), [(1, [[1, "a", 0]]), (2, [[1, "a", 0], [1, "a", 1]])]
)
def test_hazards_without_a_probability_within_a_budget(tmp_path, budget, alone):
    """By (1, a, 0) once the plan's own `a` follows two; by (1, a, 1) only twice."""
    (tmp_path / "e.lts").write_text("E = (a -> F), F = (b -> E).\n")
    (tmp_path / "c.lts").write_text("C = (a -> C | b -> C).\n")
    case = tmp_path / "case.toml"
    case.write_text(
        'environment = "e.lts"\ncontroller = "c.lts"\n'
        'properties = ["at most 2 a until b"]\n'
        f'at_most = {budget}\n[probability]\n"E,b,*" = 0.5\n'
    )
    told = run("risk", case, "--format", "json")
    assert told.code == 0, told.err
    missing = json.loads(told.out)["missing"]
    assert [t for t in missing["hazardous_alone"] if t != [0, "a", 0]] == alone
    assert ([0, "a", 0] in missing["hazardous_alone"]) == (budget == 2)
    assert "individually hazardous: " in run("risk", case).out
