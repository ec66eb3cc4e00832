"""How cost grows with each size of a problem, all others staying the same.

In:  axes: a size, its values, and the problems that have it.
Out: for each axis processor time and memory at each value, the exponents fitted to the
     upper half, and a picture.

    python -m bench.bench_growth [--out FOLDER] [AXIS ...]

A point is a process of its own that computes the first 10 deviations (all, where there
are fewer) of random problems of seven seeds; its time is the median, without
reading and start-up, its memory what the process holds at most above one that only
imports. For |Δ| it is the first deviations of voting without constraints.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass, replace
from itertools import islice
from math import log
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

from bench.chart import Series, line_chart
from bench.random_models import Shape, random_problem
from bench.runner import ROOT, measure
from symrob.api import analyse, load_roles
from symrob.api.functions import compute
from symrob.case import load_case
from symrob.options import Options

# Components share few actions: those that share all block one another, and the more of
# them there are the less happens.
SHAPE = Shape(states=8, actions=6, components=2, component_states=4, sharing=0.4)
SEEDS = range(1, 8)
DEVIATIONS = 10
TIMEOUT = 10.0
VOTING = ROOT / "models" / "voting" / "voting_cfm_unconstrained.toml"


@dataclass(frozen=True)
class Axis:
    """A size that grows.

    Attributes:
        title: What a person calls it.
        field: The field of `Shape` that it is; none where it is |Δ|.
        values: Its values, rising.
    """

    title: str
    field: str
    values: tuple[float, ...]


AXES = {
    "states": Axis("|Q_E|, states of E", "states", (5, 10, 20, 30, 40)),
    "actions": Axis("|Act_E|, actions of E", "actions", (2, 4, 8, 16, 32)),
    "components": Axis("components of C", "components", (1, 2, 4, 6, 8)),
    "nondeterminism": Axis(
        "nondeterminism, targets of a state and action of C",
        "controller_density",
        (0.5, 1, 1.5, 2, 3),
    ),
    "property_states": Axis("|Q_P|", "property_states", (2, 4, 8, 16, 32)),
    "properties": Axis("number of properties", "properties", (1, 2, 4, 8, 12)),
    "deviations": Axis("|Δ|, deviations found", "", (100, 1000, 4000, 16000)),
}
HEADER = f"{'axis':16}{'value':>8}{'CPU ms':>10}{'MiB':>8}"


def point(axis: str, value: float) -> list[float]:
    """Return the processor seconds of each problem at a point, in this process."""
    field = AXES[axis].field
    if not field:
        found = analyse(load_roles(load_case(str(VOTING))), Options())
        return [_seconds(found.engine.deviations(), int(value))]
    size = value if field == "controller_density" else int(value)
    shape = replace(SHAPE, **{field: size})  # type: ignore[arg-type]
    seconds = []
    for seed in SEEDS:
        problem = random_problem(seed, shape)
        start = process_time()
        envelope = compute(
            problem.environment, problem.controller, problem.properties, timeout=TIMEOUT
        )
        opened = process_time() - start
        seconds.append(opened + _seconds(envelope, DEVIATIONS))
    return seconds


def _seconds(found: Any, count: int) -> float:
    start = process_time()
    for _ in islice(found, count):
        pass
    return process_time() - start


def growth(names: list[str]) -> list[dict[str, Any]]:
    """Measure axes, each point in a process of its own."""
    base = _run([]).peak
    records = []
    for name in names:
        for value in AXES[name].values:
            run = _run(["--point", name, str(value)])
            record = {
                "axis": name,
                "value": value,
                "seconds": median(json.loads(run.output)) if run.code == 0 else None,
                "mib": max(run.peak - base, 0.1),
            }
            print(line(record), flush=True)
            records.append(record)
    return records


def _run(arguments: list[str]) -> Any:
    command = [sys.executable, "-m", "bench.bench_growth", *arguments]
    command += [] if arguments else ["--nothing"]
    return measure(command, (len(SEEDS) + 1) * TIMEOUT)


def exponent(points: list[tuple[float, float]]) -> float:
    """Fit y = c·x^k to the upper half of the points, by least squares of logarithms."""
    upper = [(log(x), log(y)) for x, y in points[len(points) // 2 - 1 :]]
    x_mean = sum(x for x, _ in upper) / len(upper)
    y_mean = sum(y for _, y in upper) / len(upper)
    slope = sum((x - x_mean) * (y - y_mean) for x, y in upper)
    return slope / sum((x - x_mean) ** 2 for x, _ in upper)


def line(record: dict[str, Any]) -> str:
    """Return a point as a line of text, under `HEADER`."""
    seconds = record["seconds"]
    time = "stopped" if seconds is None else f"{seconds * 1000:.1f}"
    return f"{record['axis']:16}{record['value']:8g}{time:>10}{record['mib']:8.1f}"


def drawn(name: str, records: list[dict[str, Any]]) -> tuple[str, str]:
    """Return the exponents of an axis in words, and its picture."""
    own = [r for r in records if r["axis"] == name and r["seconds"] is not None]
    time = [(r["value"], r["seconds"] * 1000) for r in own]
    memory = [(r["value"], r["mib"]) for r in own]
    fits = f"time ^{exponent(time):.1f}, memory ^{exponent(memory):.1f}"
    axis = AXES[name]
    series = [Series("CPU ms", tuple(time)), Series("memory, MiB", tuple(memory))]
    picture = line_chart(fits, axis.title, "", series, logarithmic=True)
    return f"{axis.title}: {fits}", picture


def main() -> None:
    """Measure, print, and draw."""
    parser = argparse.ArgumentParser(prog="python -m bench.bench_growth")
    parser.add_argument("axis", nargs="*", help=f"some of {', '.join(AXES)}")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "pictures")
    parser.add_argument("--point", nargs=2, help="measure this one, here")
    parser.add_argument("--nothing", action="store_true", help="only import")
    chosen = parser.parse_args()
    if chosen.nothing:
        return
    if chosen.point:
        name, value = chosen.point
        print(json.dumps(point(name, float(value))))
        return
    print(HEADER)
    names = chosen.axis or [*AXES]
    records = growth(names)
    for name in names:
        fits, picture = drawn(name, records)
        (chosen.out / f"growth_{name}.svg").write_text(picture, "utf-8")
        print(fits)


if __name__ == "__main__":
    main()
