"""Nondeterministic controllers took half a minute, or ended in nothing.

C‖P was determinised, which made 56,659 monitor states of 91. Answers are compared with
growing and shrinking over an explicit product; sizes say that the small form is taken.
"""

import json
from pathlib import Path

import pytest

from symrob.analyses.candidate_space import CandidateSpace
from symrob.analyses.cuts import Cuts
from symrob.envelope import tuning
from symrob.lts import Lts
from tests.engines import engine_of
from tests.oracles.reference import Reference

LINES = (Path(__file__).parent / "branching_controllers.jsonl").read_text().splitlines()


def problem(line):
    data = json.loads(line)

    def systems(key):
        return [Lts.from_dict(d) for d in data[key]]

    return (
        Lts.from_dict(data["environment"]),
        Lts.from_dict(data["controller"]),
        systems("properties"),
        systems("env_constraints"),
    )


@pytest.mark.parametrize("number", range(2, len(LINES)))
def test_delta_is_that_of_the_reference(number):
    given = problem(LINES[number])
    engine = engine_of(given, timeout=60)
    reference = Reference(given, steps=10**8)
    found = [reference.mask(d) for d in engine.deviations()]
    assert len(found) == len(set(found))
    assert set(found) == set(reference.maximal)
    assert len(engine.safe_sets.determinised) < 2_000


# The first one takes the reference seven seconds, and it agreed; the other one is too
# large for it.
@pytest.mark.parametrize(("number", "deviations"), [(0, 22), (1, 2)])
def test_those_that_had_no_answer_in_20_seconds(number, deviations):
    engine = engine_of(problem(LINES[number]), timeout=60)
    assert sum(1 for _ in engine.deviations()) == deviations
    assert len(engine.safe_sets.determinised) < 2_000


def test_minimal_unsafe_sets_of_one():
    """Of two transitions at most; there are 247 in all."""
    given = problem(LINES[4])
    reference = Reference(given, steps=10**8)
    expected = {c for c in reference.cuts if c.bit_count() <= 2}
    found = Cuts(CandidateSpace(engine_of(given, timeout=60)), order=2)
    assert {reference.mask(c.transitions) for c in found} == expected
    assert len(reference.cuts) == 247


@pytest.mark.parametrize("states", [0, 1, 5000])
def test_both_forms_agree(monkeypatch, states):
    monkeypatch.setattr(tuning, "MERGED_STATES", 3)
    monkeypatch.setattr(tuning, "PRODUCT_STATES", states)
    given = problem(LINES[2])
    controller = Lts(given[1].alphabet, 15, given[1].transitions[::2])
    given = (given[0], controller, *given[2:])
    found = set(engine_of(given, timeout=60).deviations())
    reference = Reference(given)
    assert {reference.mask(d) for d in found} == set(reference.maximal)
