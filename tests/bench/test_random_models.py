"""The generator of random problems: same seed, same problem; always safe."""

import json

from bench.random_models import Shape, as_dict, main, random_problem
from tests.oracles import definition

SMALL = Shape(states=3, actions=2, component_states=3, constraints=1, strictness=0.2)


def test_a_seed_gives_one_problem():
    one, two = (as_dict(random_problem(7, SMALL), 7, SMALL) for _ in range(2))
    assert one == two
    assert one != as_dict(random_problem(8, SMALL), 7, SMALL)


def test_the_nominal_system_is_safe_by_the_definition():
    empty = 0
    for seed in range(60):
        p = random_problem(seed, SMALL)
        assert definition.robust(
            p.environment, (), p.controller, p.properties, p.constraints
        )
        empty += not p.environment.transitions
    assert empty < 20


def test_sizes_are_those_asked_for(capsys):
    main(["--seed", "3", "--states", "6", "--components", "3", "--properties", "2"])
    data = json.loads(capsys.readouterr().out)
    assert data["environment"]["states"] == 6
    assert len(data["controller"]) == 3
    assert len(data["properties"]) == 2
    assert data["shape"]["states"] == 6
    assert data["seed"] == 3
