"""The safety case says what its models say; its commands run in `test_case_studies`."""

import json
import re
import shutil

import pytest

from symrob.case import load_case
from symrob.gate.policy import load_policy
from tests.cli.tools import ROOT, run

PAGE = (ROOT / "docs/safety-case.md").read_text("utf-8")
CASE = ROOT / "models/infusion/infusion.toml"


def rows(head):
    """The cells of the table that begins with a head."""
    table = PAGE[PAGE.index(head) :].split("\n\n", 1)[0].splitlines()[2:]
    return [
        tuple(cell.strip() for cell in line.strip("|").split("|")) for line in table
    ]


@pytest.fixture(scope="module")
def case():
    return load_case(str(CASE))


def test_requirements_and_assumptions(case):
    words = case.vocabulary
    said = {one.id: words.said(name) for name, one in words.identities.items()}
    sources = {one.id: one.source for one in words.identities.values()}
    shown = {i: what for i, what, _ in rows("| id | requirement |")}
    assumed = {i: what for i, what, _ in rows("| id | assumption |")}
    assert shown | assumed == said
    assert {i: s for i, _, s in rows("| id | assumption |")} == {
        i: source for i, source in sources.items() if i.startswith("A-")
    }


def test_fault_modes_and_their_probabilities(case):
    ids = {}
    for name, one in case.faults.identities.items():
        template = case.faults.templates.get(name)
        for mode in (name,) if template is None else template.names(name):
            ids[mode] = one.id
    chances = case.probabilities.chances
    assert rows("| id | fault mode |") == [
        (ids[name], name, str(float(chances[name]))) for name in ids
    ]


def test_every_goal_and_piece_of_evidence_is_there():
    goals = {
        rule.identity.id
        for rule in load_policy(str(ROOT / "models/infusion/gate.toml")).rules
    }
    assert goals == {f"SG-{n}" for n in range(1, 7)}
    assert set(re.findall(r"SG-\d", PAGE)) == goals
    given = re.findall(r"^\*\*(E-\d)\.", PAGE, re.M)
    assert given == [f"E-{n}" for n in range(1, len(given) + 1)]
    assert set(re.findall(r"E-\d", PAGE)) == set(given)


def test_numbers_in_sentences_stand_in_what_commands_print():
    printed = "".join(re.findall(r"^```console\n(.*?)^```$", PAGE, re.M | re.S))
    for number in ("1e-07", "0.05025", "360 transitions", "73 minimal", "4e-08"):
        assert number in printed


WEAK = """
property DOOR_SHUT = STOPPED,
STOPPED = ( {stop, alarm, power_fails, open_door} -> STOPPED | start -> RUNNING ),
RUNNING = ( start -> RUNNING | {stop, alarm, power_fails} -> STOPPED ).
"""


def test_what_the_first_assumption_about_the_door_left_open(tmp_path):
    folder = shutil.copytree(ROOT / "models/infusion", tmp_path / "infusion")
    text = (folder / "assumptions.lts").read_text("utf-8")
    purge = text[text.index("// After an alarm") :]
    (folder / "assumptions.lts").write_text(WEAK + purge, "utf-8")
    args = ("--by", "component", "--order", "1", "--format", "json")
    found = json.loads(run("cuts", folder / "infusion.toml", *args).out)
    hazardous = sum(cut["verdict"] == "hazardous" for cut in found["cuts"])
    assert f"then found {hazardous} hazardous transitions" in " ".join(PAGE.split())
    assert f"{len(found['modes'])} of them" in PAGE
