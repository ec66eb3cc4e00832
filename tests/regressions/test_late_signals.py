"""A signal loses nothing: what is known is printed, the verdicts first.

`summary` of a composed environment knew its 3,822 verdicts after 5 s, and had lost them
when a signal came four minutes later.
"""

import json
import os
import signal
import time

import pytest

from symrob.analyses.candidate_space import CandidateSpace
from symrob.analyses.candidate_summary import _Summariser
from symrob.analyses.fault_mode_space import FaultModeSpace
from symrob.analyses.story import Teller
from symrob.api.cases import load_case
from symrob.envelope.safe_sets import SafeSets
from symrob.errors import LimitExceeded
from symrob.interrupts import Endable
from symrob.limits import Stages
from symrob.questions.check import CheckQuestion
from symrob.questions.session import Session
from symrob.risk.assessment import Assessment
from symrob.risk.decision import Builder
from tests.cli.tools import run

THERAC = "models/therac25/therac25.toml"
MODES = "models/abp/abp.toml"
NURSE = "docs/risk/nurse.toml"


def signalled(self, **_options):
    """A part of an answer that takes for ever, and a signal that comes meanwhile."""
    os.kill(os.getpid(), signal.SIGTERM)
    while True:
        (self.clock if hasattr(self, "clock") else self._space.clock).check()


@pytest.mark.parametrize(
    ("case", "kind"), [(THERAC, CandidateSpace), (MODES, FaultModeSpace)]
)
def test_verdicts_and_story_are_printed_before_what_takes_long(monkeypatch, case, kind):
    whole = run("summary", case).out.splitlines()
    monkeypatch.setattr(kind, "summarised", signalled)
    done = run("summary", case)
    assert done.code == 130
    printed = done.out.splitlines()
    assert printed[-1] == "Incomplete (interrupted): the results above are valid"
    known = printed[: printed.index(printed[-1]) - 1]
    assert known == whole[: len(known)]
    assert any("hazardous" in line for line in known)
    assert any(line.startswith("Added to the plan: ") for line in known)


@pytest.mark.parametrize("case", [THERAC, MODES])
def test_a_document_has_all_that_is_known(monkeypatch, case):
    whole = json.loads(run("summary", case, "--format", "json").out)
    monkeypatch.setattr(Teller, "_tell_the_smallest", signalled)
    done = run("summary", case, "--format", "json")
    assert done.code == 130
    found = json.loads(done.out)
    assert found["status"] == "interrupted"
    assert found["alone"] == whole["alone"]
    # How often they deviate is counted last.
    for hazard in (*found["story"]["hazards"], *whole["story"]["hazards"]):
        hazard.pop("deviated_steps")
    assert found["story"]["hazards"] == whole["story"]["hazards"]


def test_compute_prints_the_verdicts_that_it_knows(monkeypatch):
    def tell_apart(self, **_options):
        signalled(self._engine)

    monkeypatch.setattr(_Summariser, "_tell_apart", tell_apart)
    done = run("compute", THERAC)
    assert done.code == 130
    assert "20 tolerated (unknown), 5 hazardous" in " ".join(done.out.split())
    assert done.out.endswith("Incomplete (interrupted): the results above are valid\n")


def test_what_a_signal_breaks_is_no_fault(monkeypatch):
    """Raised in the midst of an import, it leaves a module half made."""

    def broken(*_args, **_options):
        os.kill(os.getpid(), signal.SIGINT)
        raise ImportError("cannot import name 'x' from partially initialized module")

    monkeypatch.setattr(CheckQuestion, "ask", broken)
    done = run("check", THERAC)
    assert (done.code, done.err) == (130, "interrupted\n")


def test_a_document_is_whole_when_a_signal_breaks_an_import(monkeypatch):
    def broken(*_args, **_options):
        os.kill(os.getpid(), signal.SIGINT)
        raise OverflowError("timestamp too large")
        yield

    monkeypatch.setattr(SafeSets, "deviations", broken)
    done = run("compute", THERAC, "--format", "json")
    assert done.code == 130
    assert json.loads(done.out)["status"] == "interrupted"


def test_verdicts_so_far_are_counted(monkeypatch):
    space = Session(
        {"": load_case(MODES).case}, load_case(MODES).case.options({})
    ).space
    seen = []

    def check():
        seen.append(1)
        if len(seen) > 3:
            raise LimitExceeded("stopped", reason="timeout")

    monkeypatch.setattr(space.clock, "check", check)
    monkeypatch.setattr(FaultModeSpace, "verdict", lambda _space, _members: "tolerated")
    with pytest.raises(LimitExceeded) as error:
        space.alone()
    message = error.value.diagnostics[0].message
    assert message == "stopped; judged 3 of 10 fault modes: 3 tolerated"
    assert error.value.status == "timeout"


def busy(seconds):
    """Work that comes to no check of a clock."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_a_signal_while_figures_are_made_loses_none_that_are_known(monkeypatch):
    usual, seen = Builder.holds_one, []

    def slow(self, *args):
        if not seen:
            seen.append(1)
            os.kill(os.getpid(), signal.SIGTERM)
            with Endable():
                busy(1.0)
        return usual(self, *args)

    monkeypatch.setattr(Builder, "holds_one", slow)
    done = run("risk", THERAC, "--probability", NURSE, "--format", "json")
    assert done.code == 130
    found = json.loads(done.out)
    assert found["status"] == "interrupted"
    assert len(found["sets"]) == 5


def test_what_follows_an_interrupted_stage_is_not_ended(monkeypatch):
    """A beat of the timer ended what was presented between two stages."""
    usual = Assessment._bounds

    def slow(self, *args, **options):
        if not self.space.clock.interrupted:
            with Stages(self.space.clock):
                os.kill(os.getpid(), signal.SIGTERM)
                self.space.clock.check()
            busy(1.0)
        return usual(self, *args, **options)

    monkeypatch.setattr(Assessment, "_bounds", slow)
    done = run("risk", THERAC, "--probability", NURSE)
    assert done.code == 130
    assert "5 minimal hazardous sets" in done.out
