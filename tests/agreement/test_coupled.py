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
from tests.strength import examples


def models(problem):
    """The roles of a problem."""
    read = symrob.Lts.from_dict
    rest = ([read(m) for m in problem[k]] for k in ("properties", "env_constraints"))
    return network(problem), read(problem["controller"]), *rest


@settings(max_examples=examples(12, 250))
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


STATIONS, PLACES = 10, 9
ALL = STATIONS * PLACES
LINE = f"""
    STATION = HELD[0],
    HELD[h:0..{PLACES}] =
        ( when (h < {PLACES}) in -> HELD[h+1] | when (h > 0) out -> HELD[h-1] ).
    ||LINE = (s[i:1..{STATIONS}]:STATION)
        / {{feed/s[1].in, deliver/s[{STATIONS}].out,
           forall [i:1..{STATIONS - 1}] {{move[i]/s[i].out, move[i]/s[i+1].in}}}}.
"""
MACHINE = "MACHINE = (feed -> MACHINE | deliver -> MACHINE)."
KEPT = f"""
    property P = Q[0],
    Q[q:0..{ALL}] = ( when (q < {ALL}) feed -> Q[q+1] | when (q == {ALL}) feed -> Q[q]
                    | when (q > 0) deliver -> Q[q-1] ).
"""


def test_ten_stations_in_a_line(tmp_path):
    """10^10 states are met in the plan; an item that is there by itself comes out."""
    models = []
    for name, text in (("line", LINE), ("machine", MACHINE), ("kept", KEPT)):
        path = tmp_path / f"{name}.lts"
        path.write_text(text, encoding="utf-8")
        models.append(symrob.load(str(path)))
    line, machine, kept = models
    faults = {
        "lost": "s.1:STATION:HELD[0],feed,HELD[0]",
        "there": f"s.{STATIONS}:STATION:HELD[0],deliver,HELD[0]",
        "blocked": "s.3:STATION:HELD[0],move.3,HELD[5]",
    }
    found = symrob.compute(line, machine, [kept], faults=faults, only=True)
    assert in_parts(found)
    assert found.space.verdict(frozenset({"lost"})) == TOLERATED
    told = found.space.violations(frozenset({"there"}))
    assert [step.action for trace in told for step in trace.steps] == ["deliver"]
    assert told[0].steps[0].added
    assert told[0].steps[0].who == "both"
    assert found.space.verdict(frozenset({"blocked"})) == "hazardous"
