"""E's components in bits, never multiplied out: every answer by definition."""

from hypothesis import assume, given, settings

import symrob
from tests.agreement.test_mode_parts import (
    TOLERATED,
    VERDICTS,
    check_every_answer,
    in_parts,
    parts_of_any_size,
)
from tests.composed import fault_modes, network, random_composed, random_modes
from tests.oracles import modes as oracle
from tests.oracles import replay
from tests.strategies import rngs


def models(problem):
    """The roles of a problem."""
    read = symrob.Lts.from_dict
    rest = ([read(m) for m in problem[k]] for k in ("properties", "env_constraints"))
    return network(problem), read(problem["controller"]), *rest


@settings(max_examples=25)
@given(rngs())
def test_every_answer(rng):
    problem = random_composed(rng)
    assume(problem is not None)
    named = random_modes(rng, problem, 4)
    # Modes that hold nothing change no component.
    assume(any(named.values()))
    want, judged = oracle.every_maximal(problem, named)
    of = {names: VERDICTS[verdict] for names, verdict in judged.items()}
    arguments, modes = models(problem), fault_modes(named)
    with parts_of_any_size(coupled=True):
        found = symrob.compute(*arguments, faults=modes, only=True)
    assert in_parts(found)
    assert {frozenset(one.modes) for one in found} == want
    assert found.status == "complete"
    check_every_answer(rng, found.space, want, of)
    whole = symrob.compute(*arguments, faults=modes, only=True)
    e, controller, properties, constraints = arguments
    composed = whole.engine.environment
    for names in of:
        added = whole.space.added(names)
        told = found.space.violations(names)
        assert len(told) == len(whole.space.violations(names))
        shortest = found.space.violation(names)
        assert (shortest is None) == (of[names] == TOLERATED)
        # A hidden step that is one more way to take a planned one is none to the whole.
        if shortest is None and not problem["hidden"]:
            assert found.space.idle(names) == whole.space.idle(names)
        beside = whole.space.violation(names)
        assert shortest is None or len(shortest.steps) == len(beside.steps)
        for trace in told:
            assert trace.parts == e.component_names
            own = trace.violated.startswith("constraint")
            part = None if own else controller
            number = int(trace.violated.rpartition(" ")[2]) - 1
            watching = [(constraints if own else properties)[number]]
            if any(step.added and step.action == "tau" for step in trace.steps):
                continue  # The oracle knows nothing of hidden steps that are added.
            assert replay.breaks(composed, added, part, watching, trace)
