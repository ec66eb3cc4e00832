"""The fuzzer: its references, the constants it sets, a fault that it finds."""

import json
from random import Random

import pytest

from symrob.envelope import tuning
from symrob.envelope.extension import MaximalExtension
from tests.fuzz import problems
from tests.fuzz.cases import cases, failure, to_json
from tests.fuzz.knobs import KNOBS, turned
from tests.fuzz.questions import Skip
from tests.fuzz.shrink import shrunk
from tests.oracles import definition, reference
from tests.strength import examples

KINDS = [problems.tiny, problems.wild, problems.symmetric, problems.chain]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("at_once", [reference.MOST_AT_ONCE, -1])
def test_reference(kind, at_once, monkeypatch):
    """Δ and what fires; with all sets at once, and by growing and shrinking."""
    monkeypatch.setattr(reference, "MOST_AT_ONCE", at_once)
    several = 0
    for seed in range(examples(60, 1_500)):
        problem = kind(Random(seed))
        if len(definition.candidates(problem[0])) > 8:
            continue
        found = reference.Reference(problem)
        expected = definition.delta(*problem)
        assert found.undefined == (expected is None), seed
        if found.undefined:
            continue
        nominal = frozenset(found.nominal)
        assert {found.members(d) | nominal for d in found.maximal} == expected, seed
        for chosen in found.cuts:
            parts = [chosen & ~(1 << c) for c in range(8) if chosen >> c & 1]
            assert not definition.robust(
                problem[0], found.members(chosen), *problem[1:]
            )
            assert all(
                definition.robust(problem[0], found.members(p), *problem[1:])
                for p in parts
            )
        for deviation in expected:
            fired = definition.firing(problem[0], deviation, problem[1])
            taken = found.taken(found.mask(deviation))
            assert {t for t, n in found.number.items() if taken >> n & 1} == fired
        several += len(expected) > 1
    assert several


def test_constants_are_set_and_back_again():
    assert {"MERGED_STATES", "FIRST_DEVIATIONS", "CACHED"} <= set(KNOBS)
    before = tuning.MERGED_STATES
    with turned({"MERGED_STATES": 1}):
        assert tuning.MERGED_STATES == 1
    assert before == tuning.MERGED_STATES


def test_a_fault_is_found_and_shrunk(monkeypatch):
    """Growing forgets to look at what a candidate newly leads to."""
    monkeypatch.setattr(MaximalExtension, "_lead_on", lambda *_: True)
    for seed in range(200):
        for case, problem, right in cases(seed):
            try:
                found = failure(case, problem, right)
            except Skip:
                continue
            if found is not None:
                case = json.loads(to_json(case))
                small = shrunk(case, found[0], seconds=30)
                assert failure(small)[0] == found[0]
                size = problems.size_of(small["problem"])
                assert size < min(90, problems.size_of(case["problem"]))
                monkeypatch.undo()
                assert failure(small) is None
                return
    raise AssertionError("the fault was not found")
