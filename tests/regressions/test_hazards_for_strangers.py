"""Issue 15, what a stranger stumbled over: names, widths, assumptions, interrupts."""

import json
import re
import subprocess
import sys

import pytest

from tests.cli.tools import run

THERAC = [f"models/therac25/therac{name}.toml" for name in ("25", "25_fix", "20")]
RUNNING = "models/running_example/running_example.toml"
PUMP = "models/pca_pump/pca_pump.toml"
PUMP_BY = (PUMP, "--by")
ABP = "models/abp/abp.toml"
ALL = "models/voting/voting_all.toml"


@pytest.mark.parametrize(
    "command",
    [
        ("summary", "models/voting/voting_cfm_unconstrained.toml"),
        ("summary", "models/link/link.toml"),
        ("cuts", PUMP),
        ("compute", PUMP),
        ("compare", *THERAC[:2]),
    ],
)
def test_no_line_is_wider_than_100(command):
    assert max(map(len, run(*command).out.splitlines())) <= 100


def test_compute_tells_all_four_verdicts():
    done = run("compute", PUMP)
    text = " ".join(done.out.split())
    excluded = "1,285 excluded by assumptions (20 unsafe, 1,265 safe)"
    assert f" 4 tolerated, 0 hazardous, {excluded} " in text
    assert " 20 candidates violate power_failure.lts#ON_LINE_1 " in text
    result = json.loads(run("compute", PUMP, "--format", "json").out)
    alone = json.loads(run("summary", PUMP, "--format", "json").out)["alone"]
    counts = {name: len(found) for name, found in alone.items()}
    assert result["verdicts"] == counts
    end = run("compute", PUMP, "--format", "jsonl").out.splitlines()[-1]
    assert json.loads(end)["verdicts"] == counts
    plain = json.loads(
        run("compute", RUNNING, "--algorithm", "plain", "--format", "json").out
    )
    assert plain["verdicts"] is None


@pytest.mark.parametrize("case", [ABP, (*PUMP_BY, "action")], ids=["network", "whole"])
def test_fault_modes_are_counted_as_well(case, monkeypatch):
    case = (case,) if isinstance(case, str) else case
    alone = json.loads(run("summary", *case, "--format", "json").out)["alone"]
    counts = {name: len(found) for name, found in alone.items()}
    assert counts["hazardous"] or counts["excluded-unsafe"]
    result = json.loads(run("compute", *case, "--format", "json").out)
    assert result["verdicts"] == counts
    assert sum(counts.values()) == len(result["modes"])
    monkeypatch.setattr(
        "symrob.analyses.fault_mode_space._MOST_SOON", len(result["modes"]) - 1
    )
    result = json.loads(run("compute", *case, "--format", "json").out)
    assert result["verdicts"] is None


def test_too_many_are_left_undecided(monkeypatch):
    monkeypatch.setattr("symrob.analyses.hazards.SOON_MOST", 1284)
    result = json.loads(run("compute", PUMP, "--format", "json").out)
    assert result["verdicts"]["undecided"] == 1285
    assert result["status"] == "complete"


def test_an_order_says_what_the_assumptions_do_to_it():
    done = run("compare", *THERAC)
    assert "Without the assumptions: the same order." in done.out
    data = json.loads(run("compare", *THERAC, "--format", "json").out)
    assert data["without_constraints"]["classes"] == data["classes"] == [[1, 2], [0]]
    assert data["without_constraints"]["status"] == "complete"


def test_a_run_that_is_over_did_not_decide():
    done = run("compare", *THERAC[:2], "--timeout", "1e-6")
    assert done.code == 3
    done = run("compare", *THERAC, "--timeout", "1e-6")
    assert done.code == 3


def test_what_was_not_counted_is_not_said_to_be_none():
    text = run("cuts", THERAC[0], "--limit", "1").out
    for which in ("unsafe sets excluded by", "sets that violate only"):
        assert f"\nUnknown: the number of minimal {which} an assumption\n" in text
    assert "0 minimal" not in text


def test_resilience_shows_the_most_plausible_set():
    """A step left out before another one, however long their traces are."""
    asked = ("--traces", "--format", "json")
    (cut,) = json.loads(run("cuts", PUMP, "--resilience", *asked).out)["cuts"]
    every = json.loads(run("cuts", PUMP, *asked).out)["cuts"]
    omissions = [c for c in every if c["classes"][0]["class"] == "omission"]
    assert cut["classes"][0]["class"] == "omission"
    (only,) = omissions
    assert (cut["transitions"], cut["trace"]) == (only["transitions"], only["trace"])
    assert any(len(c["trace"]["steps"]) < len(cut["trace"]["steps"]) for c in every)


def test_a_hazardous_part_is_in_the_heading():
    done = run("explain", THERAC[0], "--transition", "*,*,*")
    assert "Unsafe, excluded by an assumption; a part of it is hazardous: E" in done.out
    done = run("explain", PUMP, "--transition", "*,*,*")
    assert "\nUnsafe, excluded by an assumption: E with 1,289" in done.out


def test_names_are_told_in_words():
    for command in (("summary", ALL), ("cuts", ALL), ("compute", ALL)):
        lines = run(*command).out.splitlines()
        start = lines.index("Names of E (booth user) in words:")
        told = [re.split(" {2,}", line.strip(), maxsplit=1) for line in lines[start:]]
        assert ["v.exit", "the voter leaves"] in told
        assert ["VOTED", "vote not yet confirmed"] in told


def test_equal_components_of_a_property_are_one():
    text = run("summary", ALL).out
    assert "~2" not in text
    assert text.count("The most plausible one violates") == 1
    assert "the voter leaves: logged in (unchanged)" in text


def test_actions_told_alike_are_warned_about(tmp_path):
    case = tmp_path / "case.toml"
    case.write_text(
        'environment = "e.lts"\ncontroller = "c.lts"\nproperties = ["p.lts"]\n'
        '[words.actions]\na = "it goes"\nb = "it goes"\n'
    )
    (tmp_path / "e.lts").write_text("E = (a -> b -> E).\n")
    (tmp_path / "c.lts").write_text("C = (a -> b -> C).\n")
    (tmp_path / "p.lts").write_text("property P = (a -> b -> P).\n")
    done = run("check", case)
    assert done.code == 0
    assert "words.actions: 'a' and 'b' have the same words 'it goes'" in done.err
    case.write_text(case.read_text().replace('b = "it goes"', 'b = "it stops"'))
    assert "all called" not in run("check", case).err


# Sends the signal when a module is looked for, as a user might at that moment.
INTERRUPTED = """
import os, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.{signal})

# What runs in the background ignores SIGINT, and its children do.
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Finder())
sys.argv = ["symrob", "summary", {case!r}]
from symrob.__main__ import main
main()
"""


@pytest.mark.parametrize("signal", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize(
    "module", ["symrob.cli", "typer", "symrob.lts.model", "symrob.analyses.story"]
)
def test_an_interrupt_while_it_starts_is_no_traceback(module, signal):
    code = INTERRUPTED.format(module=module, signal=signal, case=THERAC[0])
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
