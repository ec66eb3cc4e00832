"""Certificates of right results hold, and say what they are of."""

import json
from random import Random

import pytest

from symrob.errors import LimitExceeded
from tests.certificates.tools import (
    MODELS,
    certify,
    certify_case,
    claims,
    records,
    verdict,
)
from tests.cli.tools import run as symrob
from tests.cli.tools import spawn
from tests.generate import random_problem
from tests.schemas import fits, validate

# Name, |Δ|, unsafe sets.
CASES = {
    "running_example/running_example": (3, 8),
    "therac25/therac25": (4, 66),
    "therac25/therac25_fix": (4, 69),
    "therac25/therac20": (4, 69),
    "voting/voting_cfm": (1, 240),
    "voting/voting_all": (1, 240),
    "oyster/oyster": (1, 32),
    "pca_pump/pca_pump": (1, 1285),
    "token_ring/token_ring": (3, 214),
    "therac25/therac25_unconstrained": (398, 1547),
}


@pytest.mark.parametrize("name", CASES)
def test_cases(name, tmp_path):
    path = tmp_path / "certificate"
    certify_case(name, path)
    assert verdict(path) == "right"
    rows = records(path)
    assert claims(path) == ["all-deviations"]
    counts = tuple(sum(k in r for r in rows) for k in ("deviation", "unsafe"))
    assert counts == CASES[name]


@pytest.mark.parametrize("seed", [6, 10, 100, 101, 102, 105])
def test_large_random_problems(seed, tmp_path):
    """Of 100 to 2,000 candidates; not all are complete within the limit."""
    rng = Random(seed)
    shapes = [(q, a) for q in range(4, 20) for a in range(2, 7)]
    shapes = [s for s in shapes if 110 <= s[0] ** 2 * s[1] <= 2050]
    problem = random_problem(rng, shapes=(rng.choice(shapes),), machine=3)
    path = tmp_path / "certificate"
    envelope = certify(problem, path, limit=30)
    assert verdict(path) == "right"
    claim = "all-deviations" if envelope.status == "complete" else "deviations"
    assert claims(path) == [claim]


def test_each_line_fits_the_schema(tmp_path):
    path = tmp_path / "certificate"
    certify_case("link/link", path)
    for line in path.read_text().splitlines():
        validate(json.loads(line), "certificate")
    assert not fits({"deviation": [-1]}, "certificate")
    assert not fits({"add": [0]}, "certificate")


def test_what_is_not_complete_does_not_say_so(tmp_path):
    path = tmp_path / "certificate"
    certify_case("therac25/therac25_unconstrained", path, limit=3)
    assert verdict(path) == "right"
    rows = records(path)
    assert claims(path) == ["deviations"]
    assert sum("deviation" in r for r in rows) == 3
    assert not any("add" in r for r in rows)


def test_a_bound_while_it_is_made(tmp_path):
    """Nothing is written where there is too little to say."""
    with pytest.raises(LimitExceeded, match="states and moves"):
        certify_case("therac25/therac25", tmp_path / "certificate", max_states=60)
    assert not list(tmp_path.iterdir())


def test_command(tmp_path):
    """Made with the result, packed, checked alone and against its case."""
    case = MODELS / "therac25" / "therac25.toml"
    plain, packed = tmp_path / "a.cert", tmp_path / "a.cert.gz"
    for path in (plain, packed):
        run = symrob("compute", case, "--certificate", path, "--stats")
        assert run.code == 0
        assert f"certificate written to {path}: 4 deviations" in run.err
        assert "\ncertificate  " in run.out
    assert packed.stat().st_size < plain.stat().st_size / 2
    for path in (plain, packed):
        run = symrob("verify", path)
        assert run.code == 0
        assert "steps of proof refute 70 clauses\n" in run.out
        assert "not checked: whether a case has these models" in run.out
        run = symrob("verify", path, case)
        assert run.code == 0
        assert "5. the models are those of the case" in run.out
        run = symrob("verify", path, case.with_name("therac25_fix.toml"))
        assert run.code == 4
        assert "wrong (model): controller" in run.out
    run = symrob("verify", plain, "--bound", "max-states=100")
    assert run.code == 3
    assert "raise --bound max-states" in run.err


CUTS = {
    ("therac25/therac25",): (["all-unsafe-sets", "unsafe-sets"], 71),
    ("therac25/therac25", "--order", "1"): (["unsafe-sets", "unsafe-sets"], None),
    ("therac25/therac25", "--resilience"): (["unsafe-sets"], None),
    ("therac25/therac20",): (["all-unsafe-sets"], 69),
    ("token_ring/token_ring_unconstrained", "--limit", "70"): (["unsafe-sets"], 70),
    ("abp/abp",): (["all-unsafe-sets"], 4),
    ("abp/abp", "--by", "component"): (["all-unsafe-sets"], 36),
}


@pytest.mark.parametrize("words", CUTS, ids=" ".join)
def test_cuts(words, tmp_path):
    """The hazardous sets; where all are there, also what breaks an assumption."""
    name, *options = words
    case = MODELS / f"{name}.toml"
    path = tmp_path / "cuts"
    claim, count = CUTS[words]
    listed = symrob("cuts", case, *options, "--format", "json", "--certificate", path)
    assert listed.code == (3 if "--limit" in options else 0)
    by = options if "--by" in options else ()
    run = symrob("verify", path, case, *by)
    assert run.code == 0
    assert claims(path) == claim
    sets = json.loads(listed.out)["cuts"]
    hazardous = sum(s["verdict"] == "hazardous" for s in sets)
    away = sum(s["verdict"] == "excluded-unsafe" for s in sets)
    assert f"hazardous (violate no assumption): {hazardous:,}" in run.out
    rows = records(path)
    count = hazardous + away if count is None else count
    assert sum("unsafe" in r for r in rows) == count


def test_the_result_is_there_though_its_certificate_is_not(tmp_path):
    case = MODELS / "therac25" / "therac25.toml"
    path = tmp_path / "none"
    bound = ("--bound", "max-states=60")
    run = symrob("compute", case, "--certificate", path, *bound)
    assert run.code == 3
    assert "|Δ| = 4: 4 maximal deviations" in run.out
    assert "incomplete: no certificate: more than 60 states and moves" in run.err
    assert not path.exists()


def test_equal_files_from_equal_questions(tmp_path):
    """Whatever the order of Python's sets."""
    case = MODELS / "therac25" / "therac25_unconstrained.toml"
    made = []
    for seed in ("1", "2"):
        path = tmp_path / seed
        options = ("--limit", "20", "--certificate", path)
        assert spawn("compute", case, *options, PYTHONHASHSEED=seed).code == 3
        made.append(path.read_bytes())
    assert made[0] == made[1]
