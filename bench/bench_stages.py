"""Each stage of an analysis on its own, by pytest-benchmark.

    .venv/bin/python -m pytest bench/bench_stages.py --benchmark-json=stages.json

Stages: `parse` reads the models; `encode` checks the roles and writes them down
in bits; `reach` checks the nominal system; `winning` computes F and W, which the
default algorithm does without; `screen` goes as far as the first
deviation, which is screening for the most part; `enumerate` is the default
algorithm as a whole, screening included.
"""

from __future__ import annotations

from functools import cache
from itertools import islice
from typing import Any

import pytest

from bench.runner import ROOT
from symrob.api import Roles, load_roles, open_engine, pose
from symrob.case import load_case
from symrob.envelope.engine import Engine
from symrob.limits import Clock
from symrob.options import Options

CASES = {
    "therac25": "therac25/therac25.toml",
    "therac25_unconstrained": "therac25/therac25_unconstrained.toml",
    "voting_cfm": "voting/voting_cfm.toml",
    "pca_pump": "pca_pump/pca_pump.toml",
    "pca_pump_8": "pca_pump/pca_pump_8.toml",
    "link_2": "link/link_2.toml",
    "token_ring_4": "token_ring/token_ring_4.toml",
}
ROUNDS = 5
# Where Δ is large, so many deviations are enumerated.
MOST = 1000

each_case = pytest.mark.parametrize("name", CASES)


@cache
def roles_of(name: str) -> Roles:
    return load_roles(load_case(str(ROOT / "models" / CASES[name])))


def measure(benchmark: Any, name: str, stage: str, run: Any, prepare: Any) -> Any:
    """Time `run(prepare())`, the preparation anew and untimed for each round."""
    benchmark.group = name
    benchmark.name = f"{name}: {stage}"
    benchmark.extra_info["stage"] = stage
    return benchmark.pedantic(
        run, setup=lambda: ((prepare(),), {}), rounds=ROUNDS, warmup_rounds=1
    )


@each_case
def test_parse(benchmark: Any, name: str) -> None:
    path = str(ROOT / "models" / CASES[name])
    assert measure(benchmark, name, "parse", load_roles, lambda: load_case(path))


@each_case
def test_encode(benchmark: Any, name: str) -> None:
    assert measure(
        benchmark,
        name,
        "encode",
        lambda roles: Engine(pose(roles, Options()), "auto", Clock()),
        lambda: roles_of(name),
    )


@each_case
def test_reach(benchmark: Any, name: str) -> None:
    measure(benchmark, name, "reach", Engine.check_nominal, lambda: fresh(name))


@each_case
def test_winning(benchmark: Any, name: str) -> None:
    meta = measure(
        benchmark, name, "winning", lambda e: e.metasystem, lambda: fresh(name)
    )
    assert meta.size(meta.winning) > 0


@each_case
def test_screen(benchmark: Any, name: str) -> None:
    found = measure(
        benchmark,
        name,
        "screen",
        lambda e: next(iter(e.deviations())),
        lambda: fresh(name),
    )
    assert found


@each_case
def test_enumerate(benchmark: Any, name: str) -> None:
    found = measure(
        benchmark,
        name,
        "enumerate",
        lambda e: list(islice(e.deviations(), MOST)),
        lambda: fresh(name),
    )
    assert found
    benchmark.extra_info["deviations"] = len(found)


def fresh(name: str) -> Engine:
    return open_engine(roles_of(name), Options())
