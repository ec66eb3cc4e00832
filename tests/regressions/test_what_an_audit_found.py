"""Leftovers that a fresh user found: each was accepted, or failed, in silence."""

import sys
from pathlib import Path

import pytest

import symrob
from symrob.files import read_text
from symrob.lts import Lts
from tests.cli.tools import run

NURSE = "models/therac25/nurse.lts"


@pytest.mark.parametrize("given", [None, 3, ["a"]])
def test_a_product_of_what_is_no_model(given):
    with pytest.raises(
        symrob.SymrobError, match="expected an Lts, a Network or a path"
    ):
        symrob.product(given)


def test_a_product_of_a_path():
    assert symrob.product(Path(NURSE)).size == 4


def test_a_network_of_systems_and_of_something_else():
    nurse = symrob.load(NURSE)
    assert len(symrob.network([nurse, nurse]).components) == 2
    with pytest.raises(symrob.SymrobError, match=r"components\[1\]"):
        symrob.network([nurse, "nurse"])


@pytest.mark.parametrize("name", ["", "\ud800"])
def test_names_of_actions_that_no_file_can_hold(name):
    with pytest.raises(
        symrob.SymrobError, match=r"must not be an empty string|contains a lone"
    ):
        Lts.from_dict({"alphabet": [name], "states": 1, "transitions": []})


def test_a_closed_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(symrob.SymrobError, match="standard input is closed"):
        read_text("-")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("P = (drive-on -> P).", "names consist of letters, digits and '_'"),
        ("# hello\nP = (a -> P).", "write comments"),
    ],
)
def test_hints_for_other_languages(tmp_path, text, hint):
    path = tmp_path / "m.lts"
    path.write_text(text)
    assert hint in run("show", path).err


def test_a_heading_does_not_name_all_reasons():
    out = run("summary", "models/pca_pump/pca_pump_every_line.toml").out
    heading = "violating power_failure.lts#ON_EVERY_LINE (line.1:P_PFAIL), order.lts "
    others = "(SESSION), order.lts (LOCK_THE_LINE) and 5 more unplug DISPENSING[1]"
    assert heading + others in " ".join(out.split())
    assert max(map(len, out.splitlines())) <= 100


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("resilience = 1", "the nominal system is safe"),
        (
            '[[as_robust_as]]\ncontroller = "machines.lts#THERAC25"',
            "both controllers are the same",
        ),
    ],
)
def test_rules_that_hold_by_definition_fail(tmp_path, rule, reason):
    policy = tmp_path / "gate.toml"
    folder = Path("models/therac25").resolve()
    text = f'case = "{folder}/therac25.toml"\n{rule}\n'
    policy.write_text(text.replace('"machines', f'"{folder}/machines'))
    done = run("gate", policy, "--allow-outside")
    assert done.code == 4
    assert reason in done.out
    policy.write_text("vacuous = true\n" + policy.read_text())
    assert run("gate", policy, "--allow-outside").code == 0
