"""What two certificates tell of two designs, against the definition."""

from random import Random

import pytest

from symrob.certify.reading import WrongError
from symrob.certify.relation import relation
from symrob.errors import NominalViolation
from symrob.lts import Lts
from tests.certificates.tools import MODELS, certify, certify_case, read
from tests.cli.tools import run
from tests.generate import random_monitor, random_problem, thinned, touched
from tests.oracles import definition
from tests.strength import examples

VERDICTS = {
    (True, True): "A and B are equally robust",
    (True, False): "A is strictly more robust than B",
    (False, True): "B is strictly more robust than A",
    (False, False): "A and B are incomparable",
}


def test_random_designs(tmp_path):
    """Another controller or property: who is safe where the other is?"""
    seen = set()
    for seed in range(examples(100, 1_000)):
        rng = Random(seed)
        one = random_problem(rng, constrained=0)
        watched = random_monitor(rng, one[0].alphabet, 3, 0.15)
        other = rng.choice(
            (
                (one[0], touched(rng, one[1]), *one[2:]),
                thinned(rng, *one[:2], [watched], []),
            )
        )
        one = (other[0], *one[1:])
        if seed % 2:
            one, other = other, one
        try:
            for name, problem in ("a", one), ("b", other):
                certify(problem, tmp_path / name)
        except NominalViolation:
            continue
        of_one, of_other = (definition.delta(*p) for p in (one, other))
        holds = tuple(
            all(any(small <= large for large in larger) for small in smaller)
            for larger, smaller in ((of_one, of_other), (of_other, of_one))
        )
        lines = [*relation([read(tmp_path / "a"), read(tmp_path / "b")])]
        assert lines[-1] == VERDICTS[holds], seed
        for i, line in enumerate(lines[:2]):
            assert ("tolerates all" in line) == holds[i], seed
        seen.add(holds)
    assert len(seen) >= 3


def test_incomparable_designs(tmp_path):
    """The one never forgives x, the other never y."""
    environment = Lts(["x", "y"], 1, [])
    controller = Lts(["x", "y"], 1, [(0, "x", 0), (0, "y", 0)])
    for action in ("x", "y"):
        never = Lts([action], 1, [])
        certify((environment, controller, [never], []), tmp_path / action)
    assert [*relation([read(tmp_path / "x"), read(tmp_path / "y")])] == [
        "A does not tolerate deviation 1 of B",
        "B does not tolerate deviation 1 of A",
        "A and B are incomparable",
    ]


def test_what_tells_nothing(tmp_path):
    """Other environments; claims of less."""
    certify_case("oyster/oyster", tmp_path / "a")
    certify_case("therac25/therac25", tmp_path / "b")
    certify_case("oyster/oyster", tmp_path / "c", limit=1)
    with pytest.raises(WrongError, match="different environments"):
        [*relation([read(tmp_path / "a"), read(tmp_path / "b")])]
    certify_case("therac25/therac25", tmp_path / "c", limit=1)
    with pytest.raises(WrongError, match="does not claim"):
        [*relation([read(tmp_path / "b"), read(tmp_path / "c")])]


def test_command(tmp_path):
    for name in ("therac25", "therac25_fix"):
        case = MODELS / "therac25" / f"{name}.toml"
        assert run("compute", case, "--certificate", tmp_path / name).code == 0
    done = run("verify", tmp_path / "therac25", tmp_path / "therac25_fix")
    assert done.code == 0
    assert done.out.endswith("B is strictly more robust than A\n")
    (tmp_path / "therac25_fix").write_text("{}")
    assert run("verify", tmp_path / "therac25", tmp_path / "therac25_fix").code == 2
