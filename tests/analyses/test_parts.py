"""Components of E: those of each state, and in each step of a trace."""

import json
from random import Random

import pytest
from hypothesis import assume, given, settings

import symrob
from symrob.errors import NominalViolation
from symrob.lts import TAU, Network
from symrob.lts.product import compose
from symrob.problem.build import with_extra_states
from symrob.problem.units import Composition
from tests.cli.tools import run
from tests.composed import fault_modes, network, random_composed, random_modes
from tests.generate import random_lts
from tests.strategies import rngs
from tests.strength import examples

ABP = "models/abp/abp.toml"


def random_network(rng):
    """Two to four components that take some actions together, some of them hidden."""
    parts = [
        random_lts(rng, rng.sample("abcd", rng.randint(1, 3)), rng.randint(1, 3), 0.8)
        for _ in range(rng.randint(2, 4))
    ]
    hides = rng.random() < 0.6 and any("d" in part.alphabet for part in parts)
    return Network(parts, hidden=["d"] if hides else [])


def allowed(components, action, before, after, local):
    """Whether components that take an action together get from one state to another."""
    return all(
        (old, action, new) in local[i] if action in part.alphabet else old == new
        for i, (part, old, new) in enumerate(
            zip(components, before, after, strict=True)
        )
    )


def named(part, transitions):
    return {(part.state_name(q), a, part.state_name(r)) for q, a, r in transitions}


@given(rngs())
def test_a_state_of_a_product_is_made_of_those_of_its_components(rng):
    system = random_network(rng)
    whole = compose(system)
    parts = whole.parts
    assert parts.names == system.component_names
    assert whole.part_names(0) == tuple(p.state_name(0) for p in system.components)
    of = [whole.part_names(q) for q in range(whole.size)]
    assert len(set(of)) == whole.size
    local = [named(p, p.transitions) for p in system.components]
    for source, action, target in whole.transitions:
        taken = "d" if action == TAU else action
        assert allowed(system.components, taken, of[source], of[target], local)


@given(rngs())
def test_so_it_is_where_fault_modes_change_the_components(rng):
    problem = random_composed(rng)
    assume(problem is not None)
    system, modes = network(problem), fault_modes(random_modes(rng, problem))
    made = Composition(system, modes)
    environment = made.environment
    of = [environment.part_names(q) for q in range(environment.size)]
    assert len(set(of)) == environment.size
    local = [set(named(p, p.transitions)) for p in system.components]
    for mode in modes:
        for i, *move in mode.local:
            local[i] |= named(system.components[i], [move])
    for (source, action, target), _ in made.steps:
        if action not in (TAU, *system.hidden):
            before, after = of[source], of[target]
            assert allowed(system.components, action, before, after, local)


def test_states_that_were_added_have_no_components():
    whole = compose(random_network(Random(1)))
    wider = with_extra_states(whole, 2)
    assert [wider.part_names(q) for q in range(whole.size)] == [
        whole.part_names(q) for q in range(whole.size)
    ]
    assert wider.part_names(whole.size) == wider.part_names(whole.size + 1) == ()
    assert wider.part_names(-1) == ()
    assert random_lts(Random(1), "a", 2, 1.0).part_names(0) == ()


@settings(max_examples=examples(40))
@given(rngs())
def test_each_step_of_a_trace_has_them(rng):
    problem = random_composed(rng)
    assume(problem is not None)
    system = network(problem)
    rest = [
        [symrob.Lts.from_dict(m) for m in problem[key]]
        for key in ("properties", "env_constraints")
    ]
    controller = symrob.Lts.from_dict(problem["controller"])
    modes = fault_modes(random_modes(rng, problem))
    try:
        found = symrob.compute(system, controller, *rest, faults=modes)
    except NominalViolation:
        return
    environment = found.environment
    if environment is None:
        return
    names = {environment.state_name(q): q for q in range(environment.size)}
    for cut in found.cuts():
        trace = cut.trace
        assert trace.parts == environment.parts.names
        for step in (trace.start, *trace.steps):
            assert step.parts == environment.part_names(names[step.environment])


@pytest.mark.parametrize("command", ["cuts", "explain"])
def test_the_json_of_a_trace_has_them(command):
    asked = ["--traces"] if command == "cuts" else ["--mode", "messages.spurious"]
    data = json.loads(run(command, ABP, *asked, "--format", "json").out)
    sets = data["cuts"] if command == "cuts" else [data]
    for one in sets:
        steps = [one["trace"]["start"], *one["trace"]["steps"]]
        assert steps
        for step in steps:
            # What its states are called says of what they are made.
            assert f"({', '.join(step['parts'])})" == step["environment"]


def test_components_are_called_by_their_words():
    text = run("explain", ABP, "--mode", "messages.spurious").out
    assert "\n  start     message channel, acknowledgement channel: empty;" in text
    plain = run("explain", *PLAIN, "--by", "component", "--mode", SPURIOUS).out
    assert "\n  start     messages, acks: CHANNEL; SENDER: NEXT[0]; " in plain
    assert (
        "\n   1  NETWORK+PROTOCOL  messages.get.0 (added)  "
        "messages: CHANNEL (unchanged);" in plain
    )


PLAIN = (
    *("--env", "models/abp/network.lts#NETWORK"),
    *("--ctrl", "models/abp/protocol.lts#PROTOCOL"),
    *("--prop", "models/abp/in_order.lts"),
)
SPURIOUS = "messages:CHANNEL:CHANNEL,messages.get.0,CHANNEL"
