"""Certificates of random problems with 100 to 2,000 deviations: made and checked.

In:  how many problems of each kind.
Out: for each problem what its certificate holds, and the processor seconds for finding
     Δ, for making the certificate, and for checking it.

    python -m bench.bench_certificates --count 35 --out new.jsonl

All in one process, warm. Problems of a kind are drawn from the seeds 1, 2, … until
there are enough with so many deviations; the others are passed over.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count, islice, pairwise, product
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

from bench.random_models import RandomProblem, Shape, random_problem
from bench.setting import setting
from symrob.api import Roles, analyse
from symrob.api.certificates.answers import write_certificate
from symrob.case.faults import Faults
from symrob.certify.certificate import Checker
from symrob.certify.reading import Certificate
from symrob.certify.watching import CheckBudget
from symrob.lts import Lts, Network, Transition
from symrob.options import Options
from symrob.problem import FaultMode, Role

SCHEMA = "symrob/bench-certificates/1"
LEAST, MOST = 100, 2000
# Seconds of wall time for finding Δ; a problem that takes longer is passed over.
PATIENCE = 20.0
BASE = Shape(
    states=4,
    actions=3,
    components=1,
    component_states=4,
    internal=0,
    property_states=4,
    environment_density=0.1,
    controller_density=0.9,
    strictness=0.2,
    sharing=1.0,
)
STEPS = ("found", "made", "checked")
# The yardstick for both, in seconds.
YARDSTICK = 8.0


def deterministic(problem: RandomProblem, _rng: Random) -> RandomProblem:
    """Return it with one target for each state and action of C."""
    parts = [
        Lts(
            part.alphabet,
            part.size,
            {t[:2]: Transition(*t) for t in part.transitions}.values(),
        )
        for part in problem.controller.components
    ]
    return replace(problem, controller=Network(parts))


def hiding(problem: RandomProblem, _rng: Random) -> RandomProblem:
    """Return it with the actions of C's own hidden."""
    parts = problem.controller.components
    own = {a for part in parts for a in part.alphabet if a.startswith("u")}
    return replace(problem, controller=Network(parts, hidden=own))


def as_it_is(problem: RandomProblem, _rng: Random) -> RandomProblem:
    return problem


Change = Callable[[RandomProblem, Random], RandomProblem]
KINDS: dict[str, tuple[list[Shape], Change]] = {
    "deterministic": ([BASE, replace(BASE, states=5, actions=2)], deterministic),
    "nondeterministic": ([replace(BASE, controller_density=1.6)], as_it_is),
    "hidden actions": ([replace(BASE, internal=2, controller_density=1.2)], hiding),
    "several properties": ([replace(BASE, properties=3, strictness=0.1)], as_it_is),
    "composed": ([replace(BASE, components=3, component_states=3)], as_it_is),
    "constraints": ([replace(BASE, constraints=1, strictness=0.12)], as_it_is),
    "fault modes": ([replace(BASE, states=5)], as_it_is),
}


def drawn(kind: str) -> Iterator[tuple[int, Roles]]:
    """Yield the problems of a kind, each with its seed."""
    shapes, change = KINDS[kind]
    for seed in count(1):
        rng = Random(seed)
        problem = random_problem(seed, rng.choice(shapes))
        roles = roles_of(change(problem, rng))
        if kind == "fault modes":
            roles = replace(roles, faults=modes(problem.environment, rng))
        yield seed, roles


def roles_of(problem: RandomProblem) -> Roles:
    """Return a problem as roles."""
    return Roles(
        Role(problem.environment, "E"),
        Role(problem.controller, "C"),
        tuple(Role(p, f"P{i}") for i, p in enumerate(problem.properties)),
        tuple(Role(r, f"R{i}") for i, r in enumerate(problem.constraints)),
    )


def modes(environment: Lts, rng: Random) -> Faults:
    """Return modes that add a few transitions each, and share some."""
    states, actions = range(environment.size), environment.alphabet
    every = [Transition(*t) for t in product(states, actions, states)]
    free = sorted(set(every) - set(environment.transitions))
    held = [rng.sample(free, rng.randint(1, 3)) for _ in range(40)]
    named = (FaultMode(f"m{i}", frozenset(h)) for i, h in enumerate(held))
    return Faults(modes=tuple(named), only=True)


def measured(kind: str, path: str) -> Iterator[dict[str, Any]]:
    """Yield a record for each problem of a kind that has so many deviations."""
    for seed, roles in drawn(kind):
        first = analyse(roles, Options(limit=MOST + 1, timeout=PATIENCE))
        size = len(first)
        if first.status != "complete" or not LEAST <= size <= MOST:
            continue
        times = [process_time()]
        envelope = analyse(roles, Options())
        assert len(envelope) == size
        times.append(process_time())
        written = write_certificate(path, roles, envelope)
        times.append(process_time())
        given = Certificate(path, CheckBudget(10**8))
        for _ in Checker(given).lines():
            pass
        times.append(process_time())
        (claim,) = given.claims
        assert claim.kind == "all-deviations"
        seconds = (after - before for before, after in pairwise(times))
        yield {
            "kind": kind,
            "seed": seed,
            "candidates": len(given.candidates),
            "deviations": size,
            "unsafe": len(claim.unsafe),
            "steps": len(claim.steps),
            "bytes": written.size,
            **dict(zip(STEPS, (round(s, 3) for s in seconds), strict=True)),
        }


def lines(records: list[dict[str, Any]]) -> list[str]:
    """Return the figures of each kind as a text table: medians, and the most."""
    counts = ("deviations", "unsafe", "steps", "bytes")
    text = [f"{'kind':18} problems" + "".join(f"{c:>21}" for c in (*counts, *STEPS))]
    for kind in dict.fromkeys(r["kind"] for r in records):
        own = [r for r in records if r["kind"] == kind]
        row = f"{kind:18} {len(own):8}"
        for column in (*counts, *STEPS):
            values = [r[column] for r in own]
            form = ",.0f" if column in counts else ".2f"
            row += f"{median(values):>10{form}} {max(values):>10{form}}"
        text.append(row)
    slow = [r for r in records if max(r["made"], r["checked"]) > YARDSTICK]
    text.append(f"{len(records)} problems; over {YARDSTICK:g} s: {len(slow)}")
    return text


def main() -> None:
    """Measure, print, write down."""
    parser = argparse.ArgumentParser(prog="python -m bench.bench_certificates")
    parser.add_argument("--count", type=int, default=30, help="of each kind")
    parser.add_argument("--kind", choices=KINDS, nargs="*", default=list(KINDS))
    parser.add_argument("--out", type=Path, required=True, help="lines of JSON")
    given = parser.parse_args()
    records: list[dict[str, Any]] = []
    with TemporaryDirectory() as folder, given.out.open("w", encoding="utf-8") as file:
        file.write(json.dumps({"schema": SCHEMA, **setting()}) + "\n")
        for kind in given.kind:
            for record in islice(measured(kind, f"{folder}/c"), given.count):
                records.append(record)
                file.write(json.dumps(record) + "\n")
                file.flush()
    print("\n".join(lines(records)))


if __name__ == "__main__":
    main()
