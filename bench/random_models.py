"""Random problems from a seed, with given sizes and densities.

In:  a seed and a `Shape`.
Out: a problem as a JSON text: `environment`, `controller` (a list of components),
     `properties` and `env_constraints`, each system as `symrob.Lts.from_dict`
     reads it; and the seed and the shape that it was made from.

    python -m bench.random_models --seed 1 --states 6 --actions 4 > problem.json

The nominal system is safe: transitions that make it unsafe are taken out of the
environment, the last of a shortest bad run first, until no bad run is left. The
same seed and shape give the same problem.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from random import Random
from typing import Any

from symrob.certify.closed_loop import ExplicitLoop
from symrob.errors import Trace
from symrob.limits import Clock
from symrob.lts import Action, Lts, Network, Transition
from symrob.problem import Monitor, Role, monitors


@dataclass(frozen=True)
class Shape:
    """Sizes and densities of a random problem.

    Attributes:
        states: States of the environment.
        actions: Actions of the environment.
        components: Components of the controller.
        component_states: States of each.
        internal: Actions that the controller does not share with anyone else.
        properties: Number of properties.
        property_states: States of each property and constraint.
        constraints: Number of environmental constraints.
        environment_density: Expected transitions for each state and action of
            the environment, before unsafe ones are taken out.
        controller_density: The same for the components.
        strictness: Probability that a monitor rejects an action in a state.
        sharing: Probability that a component has an action.
    """

    states: int = 5
    actions: int = 4
    components: int = 2
    component_states: int = 6
    internal: int = 2
    properties: int = 1
    property_states: int = 4
    constraints: int = 0
    environment_density: float = 0.5
    controller_density: float = 1.2
    strictness: float = 0.08
    sharing: float = 0.8


@dataclass(frozen=True)
class RandomProblem:
    """The parts of a problem; its nominal system is safe."""

    environment: Lts
    controller: Network
    properties: tuple[Lts, ...]
    constraints: tuple[Lts, ...]


def random_problem(seed: int, shape: Shape) -> RandomProblem:
    """Return the problem of a seed.

    Args:
        seed: Any number; the same one gives the same problem.
        shape: Sizes and densities.

    Cost: one explicit search of the closed loop for each transition that is
        taken out.
    """
    rng = Random(seed)
    while True:
        problem = _safe(_any_problem(rng, shape))
        # Now and then the controller breaks a property on its own; nothing that
        # the environment lacks can mend that, so another problem is drawn.
        if problem is not None:
            return problem


def _any_problem(rng: Random, shape: Shape) -> RandomProblem:
    alphabet = tuple(f"a{i}" for i in range(shape.actions))
    internal = tuple(f"u{i}" for i in range(shape.internal))
    environment = _system(rng, alphabet, shape.states, shape.environment_density)
    controller = Network(
        [
            _system(
                rng,
                [a for a in alphabet + internal if rng.random() < shape.sharing],
                shape.component_states,
                shape.controller_density,
            )
            for _ in range(shape.components)
        ]
    )
    seen = sorted({*alphabet, *controller.alphabet})

    def watchers(count: int, actions: Sequence[Action]) -> tuple[Lts, ...]:
        return tuple(
            _monitor(rng, actions, shape.property_states, shape.strictness)
            for _ in range(count)
        )

    return RandomProblem(
        environment,
        controller,
        watchers(shape.properties, seen),
        watchers(shape.constraints, alphabet),
    )


def _system(rng: Random, alphabet: Sequence[Action], size: int, density: float) -> Lts:
    """Each transition is there with probability density/size."""
    moves = product(range(size), alphabet, range(size))
    return Lts(alphabet, size, [m for m in moves if rng.random() < density / size])


def _monitor(
    rng: Random, alphabet: Sequence[Action], size: int, strictness: float
) -> Lts:
    """A deterministic monitor that rejects an action here and there."""
    return Lts(
        alphabet,
        size,
        [
            (state, action, rng.randrange(size))
            for state, action in product(range(size), alphabet)
            if rng.random() > strictness
        ],
    )


def _safe(problem: RandomProblem) -> RandomProblem | None:
    """Take the last environment transition of a bad run out, until none is bad.

    Ends, as each round takes one out. `None` if a bad run has none.
    """
    environment = problem.environment
    properties = _watch(problem.properties)
    constraints = _watch(problem.constraints)
    while True:
        alone = ExplicitLoop(environment, None, constraints)
        together = ExplicitLoop(environment, problem.controller, properties)
        trace = alone.violation((), Clock()) or together.violation((), Clock())
        if trace is None:
            return replace(problem, environment=environment)
        last = _last_move(environment, trace)
        if last is None:
            return None
        kept = [t for t in environment.transitions if t != last]
        environment = Lts(environment.alphabet, environment.size, kept)


def _watch(models: Sequence[Lts]) -> tuple[Monitor, ...]:
    return tuple(m for i, x in enumerate(models) for m in monitors(Role(x, str(i))))


def _last_move(environment: Lts, trace: Trace) -> Transition | None:
    """The last transition of the environment in a run; its states are numbers."""
    here, last = 0, None
    for step in trace.steps:
        there = int(step.environment)
        if step.action in environment.alphabet:
            last = Transition(here, step.action, there)
        here = there
    return last


def as_dict(problem: RandomProblem, seed: int, shape: Shape) -> dict[str, Any]:
    """Return what is written to the JSON file."""
    return {
        "seed": seed,
        "shape": asdict(shape),
        "environment": problem.environment.to_dict(),
        "controller": [c.to_dict() for c in problem.controller.components],
        "properties": [p.to_dict() for p in problem.properties],
        "env_constraints": [c.to_dict() for c in problem.constraints],
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the problem of a seed to standard output."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.random_models", description="Write a random problem."
    )
    parser.add_argument("--seed", type=int, required=True)
    for name, default in asdict(Shape()).items():
        parser.add_argument(
            f"--{name.replace('_', '-')}", type=type(default), default=default
        )
    chosen = vars(parser.parse_args(arguments))
    seed = chosen.pop("seed")
    shape = Shape(**chosen)
    json.dump(as_dict(random_problem(seed, shape), seed, shape), sys.stdout)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
