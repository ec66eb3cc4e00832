"""Monitors in every language against the definition, on random traces."""

import os
import shutil
from itertools import product
from random import Random

import pytest

from symrob.api.loading import Roles
from symrob.api.stages import open_engine
from symrob.errors import LimitExceeded, SymrobError
from symrob.monitor.build import runtime_monitor
from symrob.monitor.machine import minimal
from symrob.options import Options
from symrob.problem import Role
from tests.generate import random_problem
from tests.monitor import targets
from tests.monitor.definition import Watched

THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"
# The larger ones are 10^5 traces.
PROBLEMS, TRACES = (400, 260) if THOROUGH else (25, 12)


def opened(environment, controller, properties, constraints):
    roles = Roles(
        Role(environment, "E"),
        Role(controller, "C"),
        tuple(Role(p, f"P{i}") for i, p in enumerate(properties)),
        tuple(Role(p, f"R{i}") for i, p in enumerate(constraints)),
    )
    return open_engine(roles, Options())


def random_monitors(count, seed=1):
    """Monitors of random problems, each with its definition and random traces."""
    rng = Random(seed)
    while count:
        problem = random_problem(
            rng, shapes=((2, 2), (3, 2), (3, 3), (4, 3)), constrained=0.6
        )
        try:
            engine = opened(*problem)
        except SymrobError:
            continue
        environment, controller = engine.problem.environment, problem[1]
        known = sorted({*environment.alphabet, *controller.alphabet})
        observe = []
        if rng.random() < 0.5:
            observe = [a for a in known if rng.random() < 0.6] or known[:1]
        try:
            monitor = runtime_monitor(engine, "random", observe, most=400)
        except LimitExceeded:
            continue
        definition = Watched(
            environment,
            controller,
            [m.lts for m in engine.problem.properties],
            [m.lts for m in engine.problem.constraints],
            monitor.actions,
        )
        names = [*known, "nobody has this"]
        traces = [
            [rng.choice(names) for _ in range(rng.randint(1, 14))]
            for _ in range(TRACES)
        ]
        count -= 1
        yield monitor, definition, traces


def test_every_language_answers_as_the_definition_says(tmp_path):
    made = list(random_monitors(PROBLEMS))
    expected = [
        [list(definition.answers(trace)) for trace in traces]
        for _monitor, definition, traces in made
    ]
    for (monitor, _definition, traces), wanted in zip(made, expected, strict=True):
        assert list(targets.by_python(monitor, traces)) == wanted
        assert list(targets.by_mermaid(monitor, traces)) == wanted
        assert list(targets.by_st(monitor, traces)) == wanted
    # All that can be said is said somewhere.
    seen = {answer[1:] for some in expected for trace in some for answer in trace}
    assert {kind for kind, _, _ in seen} == {0, 1, 2, 3, 4}
    assert {kept for _, _, kept in seen} == {True, False}
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    found = targets.by_c(
        tmp_path, [m for m, _, _ in made], [traces for _, _, traces in made]
    )
    assert list(found) == expected


def test_machines_are_minimal():
    """No two states of a machine answer the same to every sequence of actions."""
    for monitor, _definition, _traces in random_monitors(30, seed=2):
        for machine in (monitor.plan, monitor.danger, monitor.assumptions):
            assert reachable(machine) == set(range(len(machine)))
            for one, other in product(range(len(machine)), repeat=2):
                assert one == other or told_apart(machine, one, other)


def reachable(machine):
    found, todo = {0}, [0]
    while todo:
        for target in machine.next[todo.pop()]:
            if target not in found:
                found.add(target)
                todo.append(target)
    return found


def told_apart(machine, one, other):
    """Oracle: whether some sequence of actions gets different answers, by a search."""
    seen, todo = {(one, other)}, [(one, other)]
    while todo:
        here = todo.pop()
        if machine.answers[here[0]] != machine.answers[here[1]]:
            return True
        for pair in zip(machine.next[here[0]], machine.next[here[1]], strict=True):
            if pair not in seen:
                seen.add(pair)
                todo.append(pair)
    return False


def test_minimal_machines_answer_as_before():
    """Long chains of equal answers, whose ends alone tell states apart, among them."""
    rng = Random(3)
    for _ in range(300):
        size = rng.randint(1, 12)
        rows = [[min(s + 1, size - 1), rng.randrange(s + 1)] for s in range(size)]
        answers = [rng.random() < 0.2 for _ in range(size)]
        small = minimal("ab", rows, answers, list(map(str, range(size))))
        seen, todo = {(0, 0)}, [(0, 0)]
        while todo:
            one, other = todo.pop()
            assert answers[one] == small.answers[other]
            for pair in zip(rows[one], small.next[other], strict=True):
                if pair not in seen:
                    seen.add(pair)
                    todo.append(pair)
        for one, other in product(range(len(small)), repeat=2):
            assert one == other or told_apart(small, one, other)
